"""A throw-away Postgres on a unix socket, where its binaries are installed."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.support.engines import wait_until

PATIENCE = 60.0
PLACES = Path("/usr/lib/postgresql")


def postgres_binaries() -> Path | None:
    """The folder of the newest version, None where there is none."""
    versions = sorted(PLACES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    return Path(found).parent if found and shutil.which("postgres", path=Path(found).parent) else None


@contextmanager
def throwaway_postgres() -> Iterator[str]:
    """Its URL. It refuses to run as root, so then it runs as somebody else."""
    binaries = postgres_binaries()
    assert binaries
    user = None if os.geteuid() else unprivileged_user()
    with tempfile.TemporaryDirectory(prefix="townsquare-pg-") as name:
        folder = Path(name)
        data = folder / "data"
        if user:
            shutil.chown(folder, user)
        subprocess.run(
            [binaries / "initdb", "-D", data, "-A", "trust", "-U", "townsquare", "--no-sync", "-E", "UTF8"],
            check=True,
            stdout=subprocess.DEVNULL,
            user=user,
        )
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off"]
        process = subprocess.Popen(
            [binaries / "postgres", "-D", data, "-k", folder, *options], stderr=subprocess.DEVNULL, user=user
        )
        try:
            url = f"postgresql://townsquare@/postgres?host={folder}"
            wait_until(lambda: answers(url), "Postgres answers", PATIENCE)
            yield url
        finally:
            process.terminate()
            process.wait(PATIENCE)


def answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def unprivileged_user() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
