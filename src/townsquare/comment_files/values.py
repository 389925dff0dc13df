"""Convert values of other systems: texts without control characters, times, counts."""

import math
import re
from datetime import UTC, datetime
from typing import Any

from townsquare.kit.text import ANY_BREAK, CONTROL, limit_marks

LATEST = 10**13  # ms, in the year 2286
MOST_VOTES = 10**9
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
SPACES = re.compile(r"\s+")


def lines(text: Any) -> str:
    """Several lines without control characters; '' for a value that is neither text nor number."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str):
        return ""
    return limit_marks(readable(text).strip())


def readable(text: str) -> str:
    """The text without control characters, every line break as \\n."""
    if text.isprintable():
        return text
    return LONE_SURROGATE.sub("\ufffd", CONTROL.sub("", ANY_BREAK.sub("\n", text)))


def line(text: Any) -> str:
    return SPACES.sub(" ", lines(text))


def moment(text: str) -> int | None:
    """ISO 8601 in ms, UTC without a zone."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    try:
        return milliseconds((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    except (OverflowError, ValueError):  # the year 1 in a zone east of UTC
        return None


def milliseconds(seconds: Any) -> int | None:
    """Seconds since 1970 as ms."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    if not -LATEST < seconds < LATEST:  # a float cannot hold every int
        return None
    ms = round(seconds * 1000)
    return ms if 0 < ms < LATEST else None


def votes(count: Any) -> int:
    """A number of votes; 0 for an invalid number."""
    if isinstance(count, bool) or not isinstance(count, int | float) or not -math.inf < count < math.inf:
        return 0
    return min(max(int(count), 0), MOST_VOTES - 1)
