"""The phrase tables: `phrases/{subject}.json`, and one more file for each further language of a subject.

A table is a list of phrases, or of entries that give some phrases a value. The types below are its schema: an
unknown field or a wrong value fails when the table is loaded.
"""

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec

from townsquare.services.search.models.films import Channel
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.understanding.local.phrases import Phrases
from townsquare.services.search.understanding.local.tokens import Tokeniser, forms

V = TypeVar("V")

DATA = Path(__file__).parents[2] / "phrases"
ALIASES_FILE = Path(__file__).parents[2] / "catalogue" / "aliases.json"


class Genre(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`in_prose` are also ordinary words ("a family moves"): a genre only beside a word of that kind."""

    names: tuple[str, ...] = ()
    stated: bool = True  # a limit, else a likely genre
    in_prose: bool = False
    says_more: bool = False  # than its genres: it stays in the text that is searched
    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    unwanted: tuple[str, ...] | None = None  # what "no …" excludes, if not its names


class Origin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where films come from; with one language where a country has one."""

    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    only_films: bool = False  # it means films and nothing else: "bollywood"


class AgeRating(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For whom a film is allowed, in the certificates of the USA."""

    allowed: tuple[str, ...]
    stated: bool = True
    without: tuple[str, ...] = ()  # genres that nobody means: some horror of the seventies is PG
    genres: tuple[str, ...] = ()


class Keyword(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What people state of films and only keywords tell, if anything does."""

    name: str = ""  # of the vocabulary
    complete: bool = False  # every such film has it; else a notice says that the limit may not hold
    opposite: str = ""  # the keyword of films that are not so
    only_unwanted: bool = False  # "a sequel" is a thing to look for in texts, "no sequels" is a limit
    sequels: bool = False  # the catalogue knows series, and which film of one is the first


Measure = Literal["older", "newer", "shorter", "longer", "elsewhere"]


class Comparative(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the wanted film differs from one that it is like: "like Heat but funnier"."""

    genres: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()  # no limit
    without: tuple[str, ...] = ()
    measure: Measure | None = None
    text: str = ""
    channel: Channel = "viewer_experience"


class Paraphrase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Plain words for an idiom: an encoder hears a seat in "edge of my seat"."""

    channel: Channel
    text: str


class Alias(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    category: EntityCategory
    name: str


Standing = Literal["trending", "popular", "acclaimed", "poor", "unknown"]


class TableEntry(msgspec.Struct, Generic[V], frozen=True, forbid_unknown_fields=True):
    value: V
    phrases: tuple[str, ...]


@cache
def tables_of(subject: str) -> dict[str, list[msgspec.Raw]]:
    """The tables of a subject in all languages."""
    found: defaultdict[str, list[msgspec.Raw]] = defaultdict(list)
    for file in sorted(DATA.glob(f"{subject}.*json")):
        for name, rows in msgspec.json.decode(file.read_bytes(), type=dict[str, msgspec.Raw]).items():
            found[name].append(rows)
    return found


def listed(subject: str, table: str) -> list[str]:
    rows = tables_of(subject)[table]
    return [phrase for some in rows for phrase in msgspec.json.decode(some, type=list[str])]


def words(table: str, subject: str = "words") -> frozenset[str]:
    """Single words."""
    return frozenset(form for word in listed(subject, table) for form in forms(word))


def markers(table: str, subject: str = "words") -> Phrases[bool]:
    """Phrases without a value."""
    return Phrases(dict.fromkeys(listed(subject, table), True))


def phrases(subject: str, table: str, kind: Any) -> Phrases[Any]:
    entries: list[TableEntry[Any]] = [
        entry
        for some in tables_of(subject)[table]
        for entry in msgspec.json.decode(some, type=list[TableEntry[kind]])
    ]
    return Phrases({phrase: entry.value for entry in reversed(entries) for phrase in entry.phrases})


def aliases() -> Phrases[Alias]:
    """Short names, and titles and people in other languages, with the name that the catalogue has."""
    known = msgspec.json.decode(
        ALIASES_FILE.read_bytes(), type=dict[EntityCategory, dict[str, tuple[str, ...]]]
    )
    return Phrases(
        {
            other: Alias(category=category, name=name)
            for category, names in known.items()
            for name, others in names.items()
            for other in others
        }
    )


CHANNEL_CUES: Phrases[Channel] = phrases("channels", "channel_cues", Channel)
OPPOSITES: Phrases[str] = phrases("channels", "opposites", str)  # to look for instead of an unwanted mood
ABSENCES_THAT_TELL = markers("absences_that_tell", "channels")
COMPARATIVES: Phrases[Comparative] = phrases("comparatives", "comparatives", Comparative)
GENRES: Phrases[Genre] = phrases("genres", "genres", Genre)
GLOSSES: Phrases[str] = phrases("glosses", "glosses", str)  # words of Japanese stories in English
PARAPHRASES: Phrases[Paraphrase] = phrases("paraphrases", "paraphrases", Paraphrase)

ORIGINS: Phrases[Origin] = phrases("places", "origins", Origin)
COUNTRY_NAMES: Phrases[Origin] = phrases("places", "country_names", Origin)
LANGUAGES: Phrases[str] = phrases("places", "languages", str)
# codes that catalogues use for one language
RELATED_LANGUAGES = {"zh": ("zh", "cn", "yue", "cmn"), "no": ("no", "nb")}
IN, FROM = words("in", "places"), words("from", "places")
LANGUAGE_WORDS, FOREIGN = words("language_words", "places"), words("foreign", "places")
BEFORE_A_PLACE = markers("before_a_place", "places")
ENGLISH, NOT_ENGLISH = markers("english", "places"), markers("not_english", "places")

RATINGS: Phrases[AgeRating] = phrases("ratings", "ratings", AgeRating)
LADDER = ("G", "PG", "PG-13", "R", "NC-17")
STRICTER = {("R",): ("R", "NC-17")}  # who wants no R wants nothing above

STANDINGS: Phrases[Standing] = phrases("reception", "standings", Standing)
BEST: Phrases[Standing] = phrases("reception", "best", Standing)
AFTER_BEST = words("after_best", "reception")

KEYWORDS: Phrases[Keyword] = phrases("keywords", "keywords", Keyword)
KEYWORDS_BESIDE_A_KIND: Phrases[Keyword] = phrases("keywords", "beside_a_kind", Keyword)  # no silent man
UNLESS = markers("unless", "keywords")

STOP = words("stop")  # a title made of these alone counts only with a capital: "It", "Her", "Us", "Up"
FILM, MANY_FILMS = words("film"), words("many_films")
LIGHT = STOP | FILM | words("filler")  # words that alone do not describe a film
REQUESTS = markers("requests")
EXCLUDING, SURELY_EXCLUDING = markers("excluding"), markers("surely_excluding")
PLAIN_EXCLUDING, ABSOLUTE = markers("plain_excluding"), markers("absolute")
SURELY_BEFORE_A_KIND = markers("surely_before_a_kind")
EXCLUDED_BEFORE = markers("excluded_before")
BUT_OF_THAT_KIND = words("but_of_that_kind")
BETWEEN_MARKER_AND_TARGET = words("between_marker_and_target")
LIST_WORDS, EITHER, EITHER_UNWANTED = words("list_words"), words("either"), words("either_unwanted")
CONTRAST, MEETS = words("contrast"), words("meets")
LIKE, LIKE_BEFORE = markers("like"), markers("like_before")
BEFORE_A_PERSON, AFTER_A_PERSON = markers("before_a_person"), words("after_a_person")
BEFORE_A_MISSPELT_PERSON = words("before_a_misspelt_person")
SURELY_BEFORE_A_PERSON = words("surely_before_a_person")
ORDINARY_SURNAMES, ROLE_WORDS = words("ordinary_surnames"), words("role_words")
BESIDE_A_TITLE, NOUN_PHRASE_ENDS = words("beside_a_title"), words("noun_phrase_ends")
ALIASES = aliases()

BUT, SKIPPED = words("but", "similar"), words("skipped", "similar")

# short names of films are no such words, unless they are Japanese
KNOWN = frozenset(
    form
    for file in DATA.glob("*.json")
    for rows in msgspec.json.decode(file.read_bytes()).values()
    for row in rows
    for phrase in ([row] if isinstance(row, str) else row["phrases"])
    for form in forms(phrase)
) | {word for word in ALIASES.words() if not word.isascii()}
TOKENISER = Tokeniser(KNOWN)
