"""Where a page ends: a score and an id, in a form that clients hand back without looking into it."""

import base64
import binascii
from typing import NamedTuple

from townsquare.problems import BadCursor

LONGEST = 200


class Place(NamedTuple):
    """One member of a sorted set. Places compare as Redis orders them."""

    score: int
    id: str


def encode(place: Place) -> str:
    return base64.urlsafe_b64encode(f"{place.score}:{place.id}".encode()).decode().rstrip("=")


def decode(cursor: str | None) -> Place | None:
    if not cursor:
        return None
    try:
        if len(cursor) > LONGEST:
            raise ValueError
        padded = cursor + "=" * (-len(cursor) % 4)
        score, _, id = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii").partition(":")
        if not id or not -(10**16) < int(score) < 10**16:
            raise ValueError
        return Place(int(score), id)
    except (ValueError, binascii.Error):
        raise BadCursor() from None
