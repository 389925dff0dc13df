"""Opaque cursors over sorted sets: the score and the member that a page ended with."""

import base64
import binascii
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from townsquare.problems import BadCursor
from townsquare.services.analytics.models import Page

T = TypeVar("T")


class Place(NamedTuple):
    score: float | None
    member: str


START = Place(None, "")


def read_cursor(cursor: str | None) -> Place:
    if not cursor:
        return START
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        score, member = msgspec.json.decode(text, type=tuple[float, str])
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        raise BadCursor() from None
    if not math.isfinite(score):
        raise BadCursor()
    return Place(score, member)


def write_cursor(score: float, member: str) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode((score, member))).rstrip(b"=").decode()


def scored(reply: Sequence[str]) -> list[tuple[str, float]]:
    """Members with scores, as ZRANGE … WITHSCORES answers them."""
    return [(member, float(score)) for member, score in zip(reply[::2], reply[1::2], strict=True)]


def page_of(found: list[tuple[str, float]], limit: int, show: Callable[[str, float], T]) -> Page[T]:
    """A page of what was found, which is one more than `limit` if there is another page."""
    items = [show(member, score) for member, score in found[:limit]]
    if len(found) <= limit:
        return Page(items, None)
    member, score = found[limit - 1]
    return Page(items, write_cursor(score, member))
