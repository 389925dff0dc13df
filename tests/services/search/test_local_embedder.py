"""The local model in its process: one for all, gone when it is not used, back when it is."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.servers import children, command_line
from tests.support.waiting import until
from townsquare.services.search.parts import Vector
from townsquare.services.search.service.embeddings import EmbeddingsUnavailable
from townsquare.services.search.service.local_embedder import LocalEmbedder, socket_of

LONG = 60.0  # seconds: not during a test


def encoders(folder: Path) -> list[int]:
    """The encoder processes that this process has started, by the folder in their environment."""
    found = []
    for pid in children(os.getpid()):
        with suppress(OSError):  # it ends just now
            environ = Path(f"/proc/{pid}/environ").read_bytes()
            if b"local_encoder" in command_line(pid) and f"TMPDIR={folder}\0".encode() in environ:
                found.append(pid)
    return found


@pytest.fixture
async def embedder(tmp_path: Path) -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder(tmp_path, LONG)
    yield embedder
    await embedder.close()
    assert encoders(tmp_path) == []


def similarity(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.slow
async def test_the_local_model_knows_what_is_alike(embedder: LocalEmbedder) -> None:
    assert await embedder.embed([]) == []
    dog, hound, tax, *others = await embedder.embed(
        ["A dog barks at night", "a hound howls in the dark", "tax return forms", *map(str, range(20))]
    )
    assert embedder.loaded
    assert len(others) == 20
    assert len(dog) == embedder.dimensions == 512
    assert similarity(dog, dog) == pytest.approx(1, abs=1e-4)
    assert similarity(dog, hound) > similarity(dog, tax) + 0.2


@pytest.mark.slow
async def test_one_process_for_all_who_need_it_at_once(tmp_path: Path, embedder: LocalEmbedder) -> None:
    all_of_them = [embedder, *(LocalEmbedder(tmp_path, LONG) for _ in range(4))]
    found = await asyncio.gather(
        *(each.embed(["a", f"text {number}"]) for number, each in enumerate(all_of_them))
    )
    assert len(encoders(tmp_path)) == 1
    assert len({vectors[0].tobytes() for vectors in found}) == 1
    assert len({vectors[1].tobytes() for vectors in found}) == 5
    for each in all_of_them[1:]:
        await each.close()


@pytest.mark.slow
async def test_it_ends_when_nobody_uses_it_and_starts_again(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path, 0.2)
    before = await embedder.embed(["a text"])
    await until(lambda: not encoders(tmp_path))
    assert await embedder.embed(["a text"]) == before
    await until(lambda: not encoders(tmp_path))
    await embedder.close()


@pytest.mark.slow
async def test_who_did_not_start_it_goes_on_when_the_owner_is_gone(tmp_path: Path) -> None:
    owner, other = LocalEmbedder(tmp_path, LONG), LocalEmbedder(tmp_path, LONG)
    before = await owner.embed(["a text"])
    assert await other.embed(["a text"]) == before
    await owner.close()
    assert await other.embed(["a text"]) == before
    (pid,) = encoders(tmp_path)
    os.kill(pid, signal.SIGKILL)
    assert await other.embed(["a text"]) == before
    await other.close()
    assert encoders(tmp_path) == []


@pytest.mark.slow
async def test_it_ends_with_a_process_that_was_killed(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path, LONG)
    await embedder.load()
    assert embedder._process
    assert embedder._process.stdin
    embedder._process.stdin.close()  # as the kernel does for a dead process
    async with asyncio.timeout(10):
        assert await embedder._process.wait() == 0
    await embedder.close()


@pytest.mark.slow
async def test_a_cancelled_request_leaves_no_response_for_the_next(embedder: LocalEmbedder) -> None:
    (other,) = await embedder.embed(["another text"])
    task = asyncio.create_task(embedder.embed(["a text"]))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (await embedder.embed(["another text"]))[0] == other


async def test_a_process_that_cannot_work_is_a_problem_with_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.search.service.local_encoder.__file__", "/dev/null")
    embedder = LocalEmbedder(tmp_path, LONG)
    with pytest.raises(EmbeddingsUnavailable):
        await embedder.embed(["a text"])
    await embedder.close()


@pytest.mark.slow
async def test_a_long_path_of_the_folder_is_no_hindrance(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    embedder = LocalEmbedder(folder, LONG)
    assert len(str(socket_of(folder))) < 100
    assert len(await embedder.embed(["a text"])) == 1
    await embedder.close()
