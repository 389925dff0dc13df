"""What a search answers: films with why they matched, what was understood, and what is amiss."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.services.search.models.films import Channel, Film, FilmId, VectorName
from townsquare.services.search.models.understanding import QueryUnderstandingResponse

QUERY_LENGTH = 200
MOST_RESULTS = 50
MOST_SHOWN = 1_000  # films that a request may say it has shown already
MOST_IGNORED = 50

ReasonKind = Literal["title", "name", "words", "like", "channel", "fact", "trending", "standing"]
NoticeCode = Literal[
    "relaxed",  # a constraint that holds for no film was given up
    "not_held",  # something was said that no fact of the catalogue tells
    "indexing",  # vectors are still being made: moods and plots find less
    "understanding_degraded",
    "embeddings_degraded",
    "vectors_degraded",
    "trending_missing",
    "unknown_film",  # "like X", and no X
    "nothing_fits",  # the best film is no better than one for random text
]
Year = Annotated[int, Meta(ge=1870, le=2200)]
Minutes = Annotated[int, Meta(ge=0, le=1_500)]
Name = Annotated[str, Meta(min_length=1, max_length=40)]
Names = Annotated[tuple[Name, ...], Meta(max_length=20)]
ShownCounts = Annotated[
    dict[str, Annotated[int, Meta(ge=0, le=1_000_000)]],
    Meta(max_length=MOST_SHOWN, examples=[{}], description="how often a film was shown already, by its id"),
]
IgnoredParts = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=250)], ...],
    Meta(max_length=MOST_IGNORED, description="`part` of what was understood and shall not count"),
]
PreferredParts = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=250)], ...],
    Meta(max_length=MOST_IGNORED, description="`part` of a limit that shall be a preference"),
]
ResultCount = Annotated[int, Meta(ge=1, le=MOST_RESULTS)]


class SearchFilters(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What holds for every film that is found, whatever the query says."""

    first_year: Year | None = None
    last_year: Year | None = None
    shortest: Minutes | None = None
    longest: Minutes | None = None
    genres: Names = ()  # all of them
    without_genres: Names = ()
    languages: Names = ()  # one of them, ISO 639-1
    without_languages: Names = ()
    countries: Names = ()  # one of them, ISO 3166
    without_countries: Names = ()
    certifications: Names = ()  # one of them
    keywords: Names = ()  # all of them


NO_FILTERS = SearchFilters()


class MatchReason(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a film matched, in words for people."""

    kind: ReasonKind
    text: str
    channel: Channel | None = None


class FoundFilm(msgspec.Struct, kw_only=True):
    """A film as a card shows it."""

    id: FilmId
    title: Annotated[str, Meta(examples=["Alien"])]
    year: int
    original_title: str = ""
    runtime: int | None = None
    certification: str = ""
    genres: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    directors: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()
    poster: str = ""  # a path of ours, or where the catalogue says one is
    score: float = 0.0
    why: list[MatchReason] = []


class UnderstoodPart(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was understood; `part` in `ignore` of the next request takes it away."""

    part: str
    label: str
    excluded: bool = False
    stated: bool = False  # a limit, not a preference


class SearchNotice(msgspec.Struct, frozen=True):
    """What to know about an answer that is not all it could be."""

    code: NoticeCode
    detail: str


class KeywordFacet(msgspec.Struct, frozen=True):
    """A keyword that several of the best films have; `filters.keywords` narrows the results to it."""

    keyword: str
    films: int


class SearchAnswer(msgspec.Struct, kw_only=True):
    query: str
    results: list[FoundFilm]
    understood: list[UnderstoodPart] = []
    notices: list[SearchNotice] = []
    keywords: list[KeywordFacet] = []
    took_ms: float = 0.0


class FilmList(msgspec.Struct):
    items: list[FoundFilm]


class TitleMatch(msgspec.Struct, kw_only=True):
    id: FilmId
    title: Annotated[str, Meta(examples=["Alien"])]
    year: int
    poster: str = ""


class TitleMatches(msgspec.Struct):
    items: list[TitleMatch]


class SearchStep(msgspec.Struct, kw_only=True):
    """One step of a search: when it began, how long it took, what it found in its cache."""

    name: str
    began_ms: float
    took_ms: float
    hits: int = 0
    misses: int = 0
    found: int = 0
    says: str = ""


class ChannelUse(msgspec.Struct, kw_only=True):
    """One named vector that was searched: for which text, with which weight."""

    channel: VectorName
    text: str
    weight: float
    found: int


class ScoredFilm(msgspec.Struct, kw_only=True):
    """One film's score: lexical, vector, metadata, prior and bonus add up to it."""

    id: FilmId
    title: str
    year: int
    score: float
    lexical: float
    vector: float
    metadata: float
    prior: float  # its fame and its quality
    bonus: float  # of a title that was named, of trending, less what was shown already
    best_channel: Channel | None = None
    channels: dict[str, float] = {}


class RerankWeights(msgspec.Struct, frozen=True):
    lexical: float
    vector: float
    metadata: float


class Explanation(msgspec.Struct, kw_only=True):
    """The same search with all its steps."""

    query: str
    answer: SearchAnswer
    steps: list[SearchStep]
    understanding: QueryUnderstandingResponse
    weights: RerankWeights
    channels: list[ChannelUse]
    scores: list[ScoredFilm]


class IndexProgress(msgspec.Struct, kw_only=True):
    """How far the catalogue is in the indexes."""

    films: int = 0
    texts_done: int = 0  # whose vectors are made
    texts_total: int = 0
    ready: bool = True
    fault: str = ""  # why it does not go on; it is tried again


def poster_of(film: Film) -> str:
    """Where its poster is: the catalogue's, or one that we draw."""
    return film.poster_url or f"/movie/{film.id}/poster.svg"
