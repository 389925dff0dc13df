"""What is left of a query once its limits are taken out, and which of a film's texts it is about."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from townsquare.services.search.models.films import CHANNELS, Channel
from townsquare.services.search.models.understanding import Relevance
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.names import Meant
from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.reading import KEPT_IN_TEXT, QueryReading
from townsquare.services.search.understanding.local.tables import words

DANGLING_AFTER = words(
    "dangling_after", "kinds"
)  # at the end of the remaining text, before a span that was removed
DANGLING_BEFORE = words("dangling_before", "kinds")
TOLD_IN_ENGLISH: tuple[Channel, ...] = ("plot_events", "plot_analysis")  # by glosses, if there are any
CONTENT_OF_A_PLOT = 2  # words that no channel knows: something happens


class Aspect(NamedTuple):
    text: str
    relevance: Relevance
    why: str


def paraphrases(reading: QueryReading) -> list[tuple[Channel, str]]:
    """Plain words for the idioms of what is left, each once."""
    found = [one for one in tables.PARAPHRASES.find(reading.tokens) if _is_left(reading, one)]
    return list(dict.fromkeys((one.value.channel, one.value.text) for one in found))


def glosses(reading: QueryReading) -> list[tuple[Channel, str]]:
    """The words of a Japanese story in English."""
    found = [one.value for one in tables.GLOSSES.find(reading.tokens) if _is_left(reading, one)]
    return [("plot_events", " ".join(dict.fromkeys(found)))] if found else []


def _is_left(reading: QueryReading, found: FoundPhrase[Any]) -> bool:
    claims = (reading.claims[at] for at in range(found.start, found.end))
    return all(claim is None or claim in KEPT_IN_TEXT for claim in claims)


def _telling(reading: QueryReading) -> set[int]:
    """Words that say something of the film, also together alone: "feel good"."""
    subjects: tuple[Phrases[Any], ...] = (tables.PARAPHRASES, tables.CHANNEL_CUES)
    phrases = [
        found
        for table in subjects
        for found in table.find(reading.tokens)
        if found.end - found.start > 1 and _is_left(reading, found)
    ]
    words = {
        at
        for at, claim in enumerate(reading.claims)
        if claim in KEPT_IN_TEXT or (claim is None and not reading.is_light(at))
    }
    return words | {at for found in phrases for at in range(found.start, found.end)}


def has_content(reading: QueryReading) -> bool:
    return any(reading.claims[at] != "genre" and not reading.form(at).isdecimal() for at in _telling(reading))


def _runs(reading: QueryReading) -> list[tuple[int, int]]:
    """Neighbouring words that are left, cut where something was taken out or a clause ends."""
    runs: list[tuple[int, int]] = []
    start: int | None = None
    for at, claim in enumerate(reading.claims):
        kept = claim is None or claim in KEPT_IN_TEXT
        breaks = reading.tokens[at].after_break or reading.form(at) in tables.CONTRAST
        if start is not None and (not kept or breaks):
            runs.append((start, at))
            start = None
        if kept and start is None:
            start = at
    if start is not None:
        runs.append((start, len(reading)))
    return runs


def _piece(reading: QueryReading, start: int, end: int) -> str:
    while start < end and (reading.form(start) in DANGLING_BEFORE or reading.form(start) in tables.CONTRAST):
        start += 1
    while end > start and reading.form(end - 1) in DANGLING_AFTER and end < len(reading):
        end -= 1
    return reading.text(start, end) if _telling(reading) & set(range(start, end)) else ""


def aspects(reading: QueryReading, added: Sequence[tuple[Channel, str]] = ()) -> dict[Channel, Aspect]:
    """For each text that the rest is about: what to compare with it, and how much it matters.

    `added` is what words say that were taken out: "silent film", or the opposite of what is not wanted.
    """
    if not has_content(reading) and not added:
        return {}
    pieces: dict[Channel, list[str]] = {}
    strength: dict[Channel, int] = {}
    texts: list[str] = []
    for start, end in _runs(reading):
        text = _piece(reading, start, end)
        if not text:
            continue
        texts.append(text)
        found = _channels_of(reading, start, end)
        for channel, count in found.items():
            pieces.setdefault(channel, []).append(text)
            strength[channel] = strength.get(channel, 0) + count
    if glosses(reading):
        for channel in TOLD_IN_ENGLISH:
            pieces.pop(channel, None)
            strength.pop(channel, None)
    for channel, text in (*added, *paraphrases(reading), *glosses(reading)):
        pieces.setdefault(channel, []).append(text)
        strength[channel] = strength.get(channel, 0) + 1
    if not pieces:
        return _unsure(", ".join(texts)) if texts else {}
    most = max(strength.values())
    return {
        channel: Aspect(
            ", ".join(pieces[channel]),
            "large" if strength[channel] == most else "medium",
            f"about {channel}",
        )
        for channel in CHANNELS
        if channel in pieces
    }


def _channels_of(reading: QueryReading, start: int, end: int) -> dict[Channel, int]:
    """How many words of these speak of each channel; words that no table knows tell what happens."""
    counts: dict[Channel, int] = {}
    explained: set[int] = set()
    for cue in tables.CHANNEL_CUES.find(reading.tokens[start:end]):
        counts[cue.value] = counts.get(cue.value, 0) + (2 if cue.end - cue.start > 1 else 1)
        explained |= set(range(start + cue.start, start + cue.end))
    for idiom in tables.PARAPHRASES.find(reading.tokens[start:end]):
        explained |= set(range(start + idiom.start, start + idiom.end))
    for absence in tables.ABSENCES_THAT_TELL.find(reading.tokens[start:end]):
        if absence.start and reading.form(start + absence.start - 1) in ("no", "without", "sans", "sin"):
            counts["narrative_techniques"] = counts.get("narrative_techniques", 0) + 1
    unexplained = sum(
        at not in explained and reading.claims[at] is None and not reading.is_light(at)
        for at in range(start, end)
    )
    if unexplained:
        counts["plot_events"] = counts.get("plot_events", 0) + unexplained
    if unexplained >= CONTENT_OF_A_PLOT:
        counts.setdefault("plot_analysis", 1)
    return counts


def _unsure(text: str) -> dict[Channel, Aspect]:
    why = "no word tells which"
    return {
        "plot_events": Aspect(text, "medium", why),
        "plot_analysis": Aspect(text, "medium", why),
        "viewer_experience": Aspect(text, "small", why),
    }


def wanted_text(reading: QueryReading, names: Sequence[Meant]) -> str | None:
    """None if nothing is left out; empty if nothing that tells of a film is left."""
    left_out = {at for at, claim in enumerate(reading.claims) if claim in ("unwanted", "unheld")}
    for name in names:
        if name.unwanted:
            left_out.update(range(name.start, name.end))
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
    while start < end and (reading.form(start) in DANGLING_BEFORE or reading.form(start) in tables.CONTRAST):
        start += 1
    while end > start and last < len(reading) and _dangles(reading, end - 1):
        end -= 1
    tells = any(not reading.is_light(at) for at in range(start, end))
    return reading.text(start, end) if tells else ""


def _dangles(reading: QueryReading, at: int) -> bool:
    form = reading.form(at)
    return form in DANGLING_AFTER or form in tables.CONTRAST or form == "thats" or reading.is_light(at)
