import pytest

from townsquare.kit import hashing
from townsquare.services.widgets.problems import BadToken, WrongToken
from townsquare.services.widgets.service.widget import OwnerTokens

REAL_COST = (hashing.TIME_COST, hashing.MEMORY_KIB)


@pytest.fixture
def keeper() -> OwnerTokens:
    return OwnerTokens()


async def test_a_token_is_kept_as_a_salted_slow_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "TIME_COST", REAL_COST[0])
    monkeypatch.setattr(hashing, "MEMORY_KIB", REAL_COST[1])
    keeper = OwnerTokens()
    one, other = await keeper.hash("correct horse"), await keeper.hash("correct horse")
    assert one.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert one != other
    assert await keeper.verify("correct horse", one) == one
    keeper.close()


@pytest.mark.parametrize("token", ["", "1234567", "x" * 65])
async def test_a_token_of_the_wrong_length_is_none(keeper: OwnerTokens, token: str) -> None:
    with pytest.raises(BadToken):
        await keeper.hash(token)


@pytest.mark.parametrize("token", ["correct hors", "correct horsf", "correct horse ", "", "\ud800" * 8])
async def test_only_the_token_itself_is_accepted(keeper: OwnerTokens, token: str) -> None:
    hashed = await keeper.hash("correct horse")
    with pytest.raises(WrongToken):
        await keeper.verify(token, hashed)


@pytest.mark.parametrize("hashed", [None, "", "correct horse", "$argon2id$broken"])
async def test_a_hash_that_is_none_is_nobodys(keeper: OwnerTokens, hashed: str | None) -> None:
    with pytest.raises(WrongToken):
        await keeper.verify("correct horse", hashed)
