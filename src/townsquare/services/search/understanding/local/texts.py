"""What is left of a query once its limits are taken out, and which of a film's texts it is about."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from townsquare.services.search.models.films import CHANNELS, Channel
from townsquare.services.search.models.understanding import Relevance
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.names import Meant
from townsquare.services.search.understanding.local.phrases import Phrases, covered
from townsquare.services.search.understanding.local.reading import KEPT_IN_TEXT, QueryReading
from townsquare.services.search.understanding.local.tables import words

# at the end and the beginning of a piece of text, beside a span that was removed
DANGLING_AFTER = words("dangling_after", "kinds") | tables.CONTRAST
DANGLING_BEFORE = words("dangling_before", "kinds") | tables.CONTRAST
CONTENT_OF_A_PLOT = 2  # words that no channel knows: something happens
UNSURE: dict[Channel, Relevance] = {  # no word tells which
    "plot_events": "medium",
    "plot_analysis": "medium",
    "viewer_experience": "small",
}


class Aspect(NamedTuple):
    text: str
    relevance: Relevance


def _left(reading: QueryReading, table: Phrases[Any]) -> list[Any]:
    return [
        one
        for one in table.find(reading.tokens)
        if KEPT_IN_TEXT.issuperset(reading.claims[one.start : one.end])
    ]


def _telling(reading: QueryReading) -> set[int]:
    """Words that say something of the film, also together alone: "feel good"."""
    phrases = (*_left(reading, tables.PARAPHRASES), *_left(reading, tables.CHANNEL_CUES))
    return covered(found for found in phrases if found.end - found.start > 1) | {
        at
        for at, claim in enumerate(reading.claims)
        if claim in KEPT_IN_TEXT and (claim or not reading.is_light(at))
    }


def _pieces(reading: QueryReading) -> list[tuple[str, Counter[Channel]]]:
    """Neighbouring words that are left, cut where something was taken out or a clause ends."""
    telling = _telling(reading)
    pieces: list[tuple[str, Counter[Channel]]] = []
    start = 0
    for at in range(len(reading) + 1):
        kept = at < len(reading) and reading.claims[at] in KEPT_IN_TEXT
        if kept and not reading.tokens[at].after_break and reading.form(at) not in tables.CONTRAST:
            continue
        first, end = _without_dangling(reading, start, at)
        if not telling.isdisjoint(range(first, end)):
            pieces.append((reading.text(first, end), _channels_of(reading, start, at)))
        start = at if kept else at + 1
    return pieces


def _without_dangling(reading: QueryReading, start: int, end: int) -> tuple[int, int]:
    last = end
    while start < end and reading.form(start) in DANGLING_BEFORE:
        start += 1
    while end > start and reading.form(end - 1) in DANGLING_AFTER and last < len(reading):
        end -= 1
    return start, end


def find_aspects(reading: QueryReading, added: Sequence[tuple[Channel, str]] = ()) -> dict[Channel, Aspect]:
    """For each text that the rest is about: what to compare with it, and how much it matters.

    `added` is the meaning of removed words, such as the opposite of an excluded one.
    """
    content = (at for at in _telling(reading) if reading.claims[at] != "genre")
    if not added and all(reading.form(at).isdecimal() for at in content):
        return {}
    pieces: dict[Channel, list[str]] = {}
    strength: Counter[Channel] = Counter()
    texts = _pieces(reading)
    glosses = " ".join(dict.fromkeys(one.value for one in _left(reading, tables.GLOSSES)))
    for text, found in texts:
        for channel, count in found.items():
            if not (glosses and channel in ("plot_events", "plot_analysis")):  # told in English
                pieces.setdefault(channel, []).append(text)
                strength[channel] += count
    idioms = dict.fromkeys((one.value.channel, one.value.text) for one in _left(reading, tables.PARAPHRASES))
    told: list[tuple[Channel, str]] = [("plot_events", glosses)] if glosses else []
    for channel, text in (*added, *idioms, *told):
        pieces.setdefault(channel, []).append(text)
        strength[channel] += 1
    if not pieces:
        whole = ", ".join(text for text, _ in texts)
        return {channel: Aspect(whole, relevance) for channel, relevance in UNSURE.items()} if whole else {}
    most = max(strength.values())
    return {
        channel: Aspect(", ".join(pieces[channel]), "large" if strength[channel] == most else "medium")
        for channel in CHANNELS
        if channel in pieces
    }


def _channels_of(reading: QueryReading, start: int, end: int) -> Counter[Channel]:
    """How many words of these speak of each channel; words that no table knows tell what happens."""
    counts: Counter[Channel] = Counter()
    tokens = reading.tokens[start:end]
    cues = tables.CHANNEL_CUES.find(tokens)
    for cue in cues:
        counts[cue.value] += 2 if cue.end - cue.start > 1 else 1
    for absence in tables.ABSENCES_THAT_TELL.find(tokens):
        if absence.start and reading.form(start + absence.start - 1) in ("no", "without", "sans", "sin"):
            counts["narrative_techniques"] += 1
    explained = covered(cues) | covered(tables.PARAPHRASES.find(tokens))
    unexplained = sum(
        at - start not in explained and reading.claims[at] is None and not reading.is_light(at)
        for at in range(start, end)
    )
    if unexplained:
        counts["plot_events"] += unexplained
    if unexplained >= CONTENT_OF_A_PLOT:
        counts.setdefault("plot_analysis", 1)
    return counts


def wanted_text(reading: QueryReading, names: Sequence[Meant]) -> str | None:
    """None if nothing is left out; empty if nothing that tells of a film is left."""
    left_out = {at for at, claim in enumerate(reading.claims) if claim in ("unwanted", "unheld")}
    left_out |= covered(name for name in names if name.unwanted)
    if not left_out:
        return None
    pieces: list[str] = []
    start = 0
    for at in (*sorted(left_out), len(reading)):
        first, end = _without_dangling(reading, start, at)
        while (
            end > first and at < len(reading) and (reading.is_light(end - 1) or reading.form(end - 1) in ENDS)
        ):
            end -= 1
        if not reading.are_light(range(first, end)):
            pieces.append(reading.text(first, end))
        start = at + 1
    return ", ".join(pieces)


ENDS = DANGLING_AFTER | {"thats"}
