"""Untrusted files are read in a child process: what they exhaust are its limits."""

import resource
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.comment_files import files
from tests.comment_files.files import MAKERS, deep_thread
from townsquare.comment_files import isso
from townsquare.comment_files.models import BadImportFile, ImportedComment
from townsquare.comment_files.reading import reading
from townsquare.comment_files.unpacking import LARGEST

HUGE = 300 << 20  # characters of a generated value


async def read(path: Path, **options: int) -> int:
    """The number of comments in a file."""
    async with reading(path, None, options.get("largest", LARGEST), 10) as reader:
        summary = await reader.summary(lambda read: None)
        found = Counter[str]()
        async for batch in reader.batches():
            assert 0 < len(batch.comments) <= 10
            found.update([batch.page.url] * len(batch.comments))
    assert found.total() == summary.total
    return summary.total


def generated(path: Path) -> None:
    database = sqlite3.connect(path)
    names = (
        "tid",
        "parent",
        "created",
        "modified",
        "mode",
        "author",
        "email",
        "website",
        "likes",
        "dislikes",
    )
    database.executescript(
        f"""CREATE TABLE threads (id INTEGER PRIMARY KEY, uri, title);
        CREATE TABLE comments (id INTEGER PRIMARY KEY, {", ".join(names)},
            text TEXT GENERATED ALWAYS AS (printf('%.*c', {HUGE}, 'x')));
        INSERT INTO threads VALUES (1, '/post', ''); INSERT INTO comments (id, tid) VALUES (1, 1);"""
    )
    database.close()
    assert path.stat().st_size <= 12_288


@pytest.mark.parametrize("format", MAKERS)
async def test_a_file_is_read_in_a_child_process(format: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    MAKERS[format](path, deep_thread(["/one", "/two"]))
    assert await read(path) == 66


@pytest.mark.slow
async def test_a_small_database_with_generated_columns_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "comments.db"
    generated(path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BadImportFile, match="generated columns") as refused:
        await read(path)
    assert refused.value.code == "bad_import_file"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB


@pytest.mark.slow
def test_a_value_of_a_database_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "comments.db"
    generated(path)
    monkeypatch.setattr(isso, "GENERATED", "SELECT 0")
    _, comment = isso.read(path)
    assert isinstance(comment, ImportedComment)
    assert len(comment.content) <= isso.LIMITS[sqlite3.SQLITE_LIMIT_LENGTH]


@pytest.mark.slow
async def test_a_file_that_needs_more_than_its_limit_fails_alone(tmp_path: Path) -> None:
    path = tmp_path / "commento.json"
    path.write_text('{"version": 1, "comments": [' + "0," * (20 << 20) + "0]}")
    with pytest.raises(BadImportFile, match="too much memory"):
        await read(path)
    files.commento(path, deep_thread())
    assert await read(path) == 33


def test_the_limits_do_not_grow_with_the_size_of_the_file() -> None:
    """But for the address space of its mapping."""
    code = """
import resource
from townsquare.comment_files import child
child.limit_resources(4 << 30, 4 << 30)
for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS, resource.RLIMIT_CPU):
    print(resource.getrlimit(kind)[0])
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    data, address_space, seconds = map(int, shown.split())
    assert data == 1 << 30
    assert address_space == (4 << 30) + (1 << 30)
    assert seconds == 1_800


@pytest.mark.slow
def test_the_child_has_limits_of_memory_and_time() -> None:
    limited = "from townsquare.comment_files import child; child.SECONDS = 1; child.limit_resources(0, 1); "
    for work, code in (("bytearray(1 << 30)", 1), ("while True: pass", -signal.SIGXCPU)):
        done = subprocess.run([sys.executable, "-c", limited + "\n" + work], capture_output=True, check=False)
        assert done.returncode == code
        assert code < 0 or b"MemoryError" in done.stderr
