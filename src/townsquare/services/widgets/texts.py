"""Text that people write: bounded, without control characters, otherwise as they wrote it."""

import re

from townsquare.problems import Invalid

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LINE_BREAK = re.compile(r"\r\n?")
URL = re.compile(r"(?i)\b(?:https?://|www\.)")


def line(text: str, longest: int, what: str) -> str:
    """One line without spaces around it."""
    text = text.strip()
    if len(text) > longest:
        raise Invalid(f"{what} has at most {longest} characters")
    if CONTROL.search(text) or "\n" in text or "\t" in text:
        raise Invalid(f"{what} is one line without control characters")
    return text


def lines(text: str, longest: int, what: str) -> str:
    """Several lines, with line breaks as \\n."""
    text = LINE_BREAK.sub("\n", text).strip()
    if len(text) > longest:
        raise Invalid(f"{what} has at most {longest} characters")
    if CONTROL.search(text):
        raise Invalid(f"{what} has no control characters")
    return text


def has_url(text: str) -> bool:
    return URL.search(text) is not None


def has_any(text: str, words: list[str]) -> bool:
    folded = text.casefold()
    return any(word.casefold() in folded for word in words)
