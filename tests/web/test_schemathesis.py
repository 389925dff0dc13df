"""Schemathesis calls every operation of /openapi.json, signed in, and checks the responses."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.support.squares import bearer
from tests.web.serving import serving

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
CASES = 4  # of each operation: about 10 s
OPERATOR = "a token of the operator"


def test_operations_do_what_their_description_says(tmp_path: Path) -> None:
    settings = {"TOWNSQUARE_RATE_LIMITS": "off", "TOWNSQUARE_ADMIN_TOKEN": OPERATOR}
    with serving(tmp_path / "data", "--port", "0", **settings) as served:
        account = {"username": "ann", "password": "kludge-mirth-9"}
        user = bearer(httpx.post(f"{served.url}/accounts/signup", json=account).json()["access_token"])
        site = {"name": "Blog", "domain": "blog.example"}
        key = httpx.post(f"{served.url}/threads/v1/sites", json=site, headers=bearer(OPERATOR)).json()[
            "api_key_secret"
        ]
        headers = {**user, "X-API-Key": key}
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli"),
                *("--config-file", HERE / "schemathesis.toml", "run", f"{served.url}/openapi.json"),
                *(part for name, value in headers.items() for part in ("--header", f"{name}: {value}")),
                *("--phases", "fuzzing", "--max-examples", str(CASES)),
                *("--seed", "1", "--continue-on-failure", "--no-shrink", "--warnings", "off"),
            ],
            cwd=tmp_path,
            env={
                **os.environ,
                "SCHEMATHESIS_HOOKS": "tests.web.schemathesis_checks",
                "PYTHONPATH": str(HERE.parents[1]),
            },
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout + done.stderr
