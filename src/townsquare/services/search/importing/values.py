"""Values as other catalogues write them, in the form of ours."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from townsquare.kit.text import cleaned_line
from townsquare.services.search.service.genres import OTHER_NAMES

FIRST_ID = 1_000_001  # of imported films: ours are below
IDS = 2**52
LONGEST_PLOT = 60  # words: what comes after rarely tells films apart, and takes as long to embed
MOST_NUMBER = 2**31 - 1  # that a column of the index holds
WHOLE_NUMBER = re.compile(r"\s*(\d{1,10})(?!\d|(?:\.\d*)?[eE][-+]?\d)")
YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
TITLE_WITH_YEAR = re.compile(r"^(?P<title>.*\S)\s*\((?P<year>\d{4})\)\s*$")
ARTICLE_LAST = re.compile(r"^(?P<rest>.+), (?P<article>The|A|An|Le|La|Les|Der|Das|Die|El|Il)$")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

CODES = json.loads(Path(__file__).with_name("codes.json").read_text("utf-8"))  # of names in other catalogues
GENRES = OTHER_NAMES | {
    "children": "family",
    "children's": "family",
    "biographical": "biography",
    "romantic comedy": "romance",
    "comedy-drama": "comedy",
}
NOT_GENRES = frozenset(["", "unknown", "(no genres listed)", "imax", "foreign", "tv movie", "n/a"])


def id_of(source: str, key: str, imdb_id: str = "") -> int:
    """The same in every import; a film with an IMDb id is the same one whichever source tells of it."""
    name = f"imdb\0{imdb_id}" if imdb_id else f"{source}\0{key}"
    return FIRST_ID + int.from_bytes(sha256(name.encode()).digest()[:8]) % IDS


def listed(value: Any) -> list[str]:
    """A list that is JSON of names or of objects with names, or has |, ; or , between."""
    if value is None:
        return []
    if isinstance(value, str):
        text = value.strip()
        if text.startswith(("[", "{")):
            try:
                value = json.loads(text)
            except ValueError:
                broken = "{" in text  # what is left of objects is no name
                value = [] if broken else text.strip("[]").replace("'", "").replace('"', "")
            if isinstance(value, dict):
                value = [value]
        if isinstance(value, str):
            mark = next((mark for mark in ("|", ";") if mark in value), ",")
            value = value.split(mark)
    if not isinstance(value, list):
        return []
    names = (one.get("name", "") if isinstance(one, dict) else one for one in value)
    return list(dict.fromkeys(name.strip() for name in names if isinstance(name, str) and name.strip()))


def genres(value: Any) -> tuple[str, ...]:
    lower = [name.lower() for name in listed(value)]
    return tuple(dict.fromkeys(GENRES.get(name, name) for name in lower if name not in NOT_GENRES))


def languages(value: Any) -> tuple[str, ...]:
    return coded(value, CODES["languages"], re.compile("[a-z]{2}"), "iso_639_1")


def countries(value: Any) -> tuple[str, ...]:
    return coded(value, CODES["countries"], re.compile("[A-Z]{2}"), "iso_3166_1")


def coded(value: Any, codes: dict[str, str], code: re.Pattern[str], field: str) -> tuple[str, ...]:
    """Codes, or names that we know the code of; others are left out rather than guessed."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return ()
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = [one.get(field) or one.get("name", "") for one in value]
    found = (codes.get(name.lower()) or (name if code.fullmatch(name) else "") for name in listed(value))
    return tuple(dict.fromkeys(filter(None, found)))


def whole_number(value: Any) -> int | None:
    """Of "142", "142.0" or "142 min"; of 1e308 none."""
    found = WHOLE_NUMBER.match(str(value)) if value is not None else None
    number = int(found[1]) if found else 0
    return number if 0 < number <= MOST_NUMBER else None


def year_of(*values: Any) -> int | None:
    for value in values:
        if value is not None and (found := YEAR.search(str(value))):
            return int(found[1])
    return None


def title_of(text: str) -> tuple[str, int | None]:
    """MovieLens writes "Matrix, The (1999)"."""
    text, year = cleaned_line(text), None
    if found := TITLE_WITH_YEAR.match(text):
        text, year = found["title"], int(found["year"])
        if found := ARTICLE_LAST.match(text):
            text = f"{found['article']} {found['rest']}"
    return text, year


def plot(text: Any) -> str:
    """The beginning of a plot, by whole sentences where they are short enough."""
    sentences = SENTENCE_END.split(" ".join(re.sub(r"\[\d+\]", "", str(text or "")).split()))
    kept: list[str] = []
    for sentence in sentences:
        words = sentence.split()
        if kept and len(kept) + len(words) > LONGEST_PLOT:
            break
        kept += words[:LONGEST_PLOT]
    return " ".join(kept)


def percent(value: Any, most: float = 100.0) -> int | None:
    try:
        return max(0, min(100, round(float(value) * 100 / most)))
    except (TypeError, ValueError, OverflowError):
        return None
