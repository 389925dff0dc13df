"""A film as the catalogue knows it: facts, and seven texts that say what it is like."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

Channel = Literal[
    "plot_events",
    "plot_analysis",
    "viewer_experience",
    "watch_context",
    "narrative_techniques",
    "production",
    "reception",
]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
CHANNEL_WORDS: dict[Channel, str] = {
    "plot_events": "plot",
    "plot_analysis": "theme",
    "viewer_experience": "mood",
    "watch_context": "occasion",
    "narrative_techniques": "how it is told",
    "production": "making",
    "reception": "reception",
}
VectorName = Literal["anchor"] | Channel  # anchor: all texts of a film together
VECTOR_NAMES: tuple[VectorName, ...] = ("anchor", *CHANNELS)

FilmId = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Percent = Annotated[int, Meta(ge=0, le=100)]


class FilmRole(msgspec.Struct, frozen=True):
    """One actor and whom they play."""

    actor: str
    character: str = ""


class Film(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts are empty where nobody is sure; a film without texts takes no part in vector search."""

    id: FilmId
    title: str
    year: int
    original_title: str = ""
    runtime: int | None = None  # minutes
    certification: str = ""  # of the USA
    countries: tuple[str, ...] = ()  # ISO 3166
    languages: tuple[str, ...] = ()  # ISO 639-1, the main one first
    genres: tuple[str, ...] = ()
    directors: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    cast: tuple[FilmRole, ...] = ()  # in order of billing
    studios: tuple[str, ...] = ()
    franchise: str = ""
    awards: tuple[str, ...] = ()  # "Oscar: Picture"
    imdb_id: str = ""
    tmdb_id: int | None = None
    poster_url: str = ""
    quality: Percent = 50  # its standing with critics and film lovers
    fame: Percent = 0  # how many people know it
    keywords: tuple[str, ...] = ()  # of `catalogue/vocabulary.json`
    texts: dict[Channel, str] = {}
