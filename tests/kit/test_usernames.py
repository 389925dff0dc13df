import pytest

from townsquare.kit.usernames import is_username


@pytest.mark.parametrize("name", ["a", "Alice_1.b-c", "x" * 30, "..."])
def test_names_that_somebody_may_have(name: str) -> None:
    assert is_username(name)


@pytest.mark.parametrize("name", ["", "me", ".", "..", "x" * 31, "a b", "a:b", "{a}", "é", "a\n", "a/b"])
def test_names_that_nobody_may_have(name: str) -> None:
    assert not is_username(name)
