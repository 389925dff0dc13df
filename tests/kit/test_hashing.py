import asyncio
from collections.abc import Iterator

import pytest

from townsquare.kit import hashing
from townsquare.kit.hashing import Busy, SecretHasher

SECRET = "correct horse battery"


@pytest.fixture
def hasher() -> Iterator[SecretHasher]:
    hasher = SecretHasher()
    yield hasher
    hasher.close()


async def test_a_secret_matches_its_hash_and_nothing_else_does(hasher: SecretHasher) -> None:
    hashed = await hasher.hash(SECRET)
    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await hasher.matches(SECRET, hashed)
    for wrong in ("", SECRET + " ", "\ud800"):
        assert not await hasher.matches(wrong, hashed)
    assert not await hasher.matches(SECRET, "not a hash")


async def test_two_hashes_of_one_secret_differ(hasher: SecretHasher) -> None:
    assert await hasher.hash(SECRET) != await hasher.hash(SECRET)


async def test_who_comes_when_too_many_wait_is_told_so(
    hasher: SecretHasher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashing, "MOST_WAITING", 3)
    answers = await asyncio.gather(*(hasher.hash(SECRET) for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(answer, str) for answer in answers) == 3
    assert sum(isinstance(answer, Busy) for answer in answers) == 7
    assert await hasher.hash(SECRET)
