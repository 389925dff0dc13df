"""Clients that other people's tools generate from /openapi.json: nothing is lost, and they work."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.web.serving import serving

pytestmark = pytest.mark.slow

TYPESCRIPT = Path(__file__).parent / "typescript"
NOT_JSON = ("application/rss+xml", "application/x-ndjson", "image/svg+xml", "image/webp")
PROGRAMS = TYPESCRIPT / "node_modules" / ".bin"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("generated") / "data"
    with serving(folder, "--port", "0", TOWNSQUARE_RATE_LIMITS="off") as served:
        yield served.url


@pytest.fixture
def description(url: str, tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_bytes(httpx.get(f"{url}/openapi.json").content)
    return path


def run(*command: str | Path, cwd: Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_python_client_has_every_operation_and_works(
    url: str, description: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.json"  # the generator reads no other types of responses
    config.write_text(json.dumps({"content_type_overrides": dict.fromkeys(NOT_JSON, "text/plain")}))
    generate = (
        sys.executable,
        "-m",
        "openapi_python_client",
        "generate",
        "--meta",
        "none",
        "--fail-on-warning",
        "--config",
        config,
    )
    run(*generate, "--path", description, "--output-path", tmp_path / "square_client", cwd=tmp_path)
    operations = [
        (operation["tags"][0], operation["operationId"])
        for methods in json.loads(description.read_bytes())["paths"].values()
        for operation in methods.values()
    ]
    for tag, name in operations:
        assert (tmp_path / "square_client" / "api" / tag / f"{name}.py").exists(), name

    monkeypatch.syspath_prepend(tmp_path)
    client = importlib.import_module("square_client")
    models = importlib.import_module("square_client.models")
    with client.Client(base_url=url, raise_on_unexpected_status=True) as stranger:
        signed_in = call(
            "accounts", "signup", stranger, models.SignUp(username="ann", password="kludge-mirth-9")
        )
        made = call("widgets", "post_visit", stranger, visit(models.VisitCreateAction))
    assert (signed_in.user.username, made.data.total) == ("ann", 0)
    with client.AuthenticatedClient(base_url=url, token=signed_in.access_token) as ann:
        post = call("social", "create_post", ann, models.NewPost(content="Hello #travel"))
        feed = operation("social", "hashtag_feed").sync(client=ann, tag="travel")
        refused = call("social", "create_post", ann, models.NewPost(content=""))
    assert [item.post.id for item in feed.items] == [post.id]
    assert (type(refused).__name__, refused.code) == ("Problem", "bad_post")


def operation(tag: str, name: str) -> Any:
    return importlib.import_module(f"square_client.api.{tag}.{tag}_{name}")


def call(tag: str, name: str, client: Any, body: Any) -> Any:
    return operation(tag, name).sync(client=client, body=body)


def visit(action: Any) -> Any:
    return action(action="create", url="https://example.com", token="a-secret-of-mine")


@pytest.mark.skipif(not PROGRAMS.exists(), reason="scripts/test installs it: npm ci in tests/web/typescript")
def test_typescript_gets_types_that_compile(description: Path, tmp_path: Path) -> None:
    run(PROGRAMS / "openapi-typescript", description, "-o", tmp_path / "api.d.ts", cwd=tmp_path)
    (tmp_path / "sample.ts").write_bytes((TYPESCRIPT / "sample.ts").read_bytes())
    run(PROGRAMS / "tsc", "--noEmit", "--strict", "sample.ts", cwd=tmp_path)
