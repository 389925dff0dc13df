import pytest

from townsquare.kit.tokens import LONGEST_TOKEN, bearer_token


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("", None),
        ("Bearer abc", "abc"),
        ("  bEARER   abc ", "abc"),
        ("Bearer", ""),
        ("Bearer ", ""),
        ("Basic abc", ""),
        ("abc", ""),
        ("Bearer \xff", ""),
        ("Bearer " + "x" * LONGEST_TOKEN, "x" * LONGEST_TOKEN),
        ("Bearer " + "x" * (LONGEST_TOKEN + 1), ""),
    ],
)
def test_the_token_of_an_authorization_header(header: str, token: str | None) -> None:
    assert bearer_token(header) == token
