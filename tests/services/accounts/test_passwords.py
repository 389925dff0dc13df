import asyncio
from collections.abc import Iterator

import pytest

from townsquare.kit import hashing
from townsquare.kit.hashing import Busy
from townsquare.services.accounts.problems import BadPassword, CommonPassword
from townsquare.services.accounts.signin import passwords as module
from townsquare.services.accounts.signin.passwords import Passwords, common_passwords

GOOD = "correct horse battery"


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    passwords = Passwords()
    yield passwords
    passwords.close()


async def test_a_password_matches_its_hash_and_nothing_else_does(passwords: Passwords) -> None:
    hashed = await passwords.hash(GOOD)
    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await passwords.matches(GOOD, hashed)
    for wrong in ("", GOOD + " ", GOOD.upper(), "x" * 10_000):
        assert not await passwords.matches(wrong, hashed)


async def test_two_hashes_of_one_password_differ(passwords: Passwords) -> None:
    assert await passwords.hash(GOOD) != await passwords.hash(GOOD)


async def test_nothing_matches_where_there_is_no_password(passwords: Passwords) -> None:
    assert not await passwords.matches(GOOD, None)
    assert not await passwords.matches(module.NOBODYS_PASSWORD, None)
    assert not await passwords.matches(GOOD, "not a hash")


@pytest.mark.parametrize("length", [0, 7, 129, 10_000])
async def test_too_short_and_too_long_are_refused(passwords: Passwords, length: int) -> None:
    with pytest.raises(BadPassword):
        await passwords.hash("ä" * length)


@pytest.mark.parametrize("length", [8, 128])
async def test_the_shortest_and_the_longest_are_good(passwords: Passwords, length: int) -> None:
    password = ("zq7ä" * 40)[:length]
    assert await passwords.matches(password, await passwords.hash(password))


@pytest.mark.parametrize("common", ["password", "12345678", "PassWord", "iloveyou1", "qwertyuiop"])
async def test_common_ones_are_refused(passwords: Passwords, common: str) -> None:
    with pytest.raises(CommonPassword):
        await passwords.hash(common)


def test_thousands_are_known_to_be_common() -> None:
    assert len(common_passwords()) > 10_000


async def test_ones_own_name_is_no_password(passwords: Passwords) -> None:
    with pytest.raises(CommonPassword):
        await passwords.hash("Alice.Wonder", None, "alice.wonder")


async def test_the_same_characters_are_the_same_password_however_composed(passwords: Passwords) -> None:
    assert await passwords.matches("cafe\u0301 au lait", await passwords.hash("caf\u00e9 au lait"))


async def test_who_comes_when_too_many_wait_is_told_so(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashing, "MOST_WAITING", 3)
    answers = await asyncio.gather(*(passwords.hash(GOOD) for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(answer, str) for answer in answers) == 3
    assert sum(isinstance(answer, Busy) for answer in answers) == 7
    assert await passwords.hash(GOOD)
