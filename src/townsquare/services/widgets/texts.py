"""Validation of texts on widgets: their length, and no control characters."""

import re

from townsquare.kit.text import BadText, many_lines, one_line
from townsquare.problems import Invalid

URL = re.compile(r"(?i)\b(?:https?://|www\.)")


def line(text: str, longest: int, what: str) -> str:
    try:
        return one_line(text, longest)
    except BadText as bad:
        raise refusal(bad, longest, what, "is one line without control characters") from None


def lines(text: str, longest: int, what: str) -> str:
    """Several lines, with line breaks as \\n."""
    try:
        return many_lines(text, longest)
    except BadText as bad:
        raise refusal(bad, longest, what, "has no control characters") from None


def refusal(bad: BadText, longest: int, what: str, otherwise: str) -> Invalid:
    return Invalid(
        f"{what} has at most {longest} characters" if bad.fault == "too long" else f"{what} {otherwise}"
    )


def has_url(text: str) -> bool:
    return URL.search(text) is not None


def contains_any(text: str, substrings: list[str]) -> bool:
    """Whether the text contains one of these in any case, also inside a word."""
    folded = text.casefold()
    return any(substring.casefold() in folded for substring in substrings)
