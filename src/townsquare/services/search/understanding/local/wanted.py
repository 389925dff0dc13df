"""The query without what is not wanted: what texts are compared with as a whole."""

from collections.abc import Sequence

from townsquare.services.search.understanding.local.aspects import (
    DANGLING_AFTER,
    DANGLING_BEFORE,
)
from townsquare.services.search.understanding.local.reading import QueryReading
from townsquare.services.search.understanding.local.settle import NameInQuery
from townsquare.services.search.understanding.local.tables import (
    CONTRAST,
)


def wanted_text(reading: QueryReading, names: Sequence[NameInQuery]) -> str | None:
    """None if nothing is left out; empty if nothing that tells of a film is left."""
    left_out = {at for at, claim in enumerate(reading.claims) if claim in ("unwanted", "unheld")}
    for name in names:
        if name.unwanted:
            left_out.update(range(name.meant.start, name.meant.end))
    if not left_out:
        return None
    pieces: list[str] = []
    start = 0
    for at in range(len(reading) + 1):
        if at == len(reading) or at in left_out:
            if piece := _trimmed(reading, start, at):
                pieces.append(piece)
            start = at + 1
    return ", ".join(pieces)


def _trimmed(reading: QueryReading, start: int, end: int) -> str:
    """Without conjunctions that joined it to what was left out; nothing if no word tells of a film."""
    last = end
    while start < end and (reading.form(start) in DANGLING_BEFORE or reading.form(start) in CONTRAST):
        start += 1
    while end > start and last < len(reading) and _dangles(reading, end - 1):
        end -= 1
    tells = any(not reading.is_light(at) for at in range(start, end))
    return reading.text(start, end) if tells else ""


def _dangles(reading: QueryReading, at: int) -> bool:
    form = reading.form(at)
    return form in DANGLING_AFTER or form in CONTRAST or form == "thats" or reading.is_light(at)
