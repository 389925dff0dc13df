"""All that the page of one film shows: what is cached as `tmdb:movie:{id}`, and answered as it is."""

from typing import Literal

import msgspec

from townsquare.services.search.models.films import FilmId


class CastMember(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    character: str = ""
    photo_url: str = ""


class CrewMember(msgspec.Struct, frozen=True):
    name: str
    job: str  # "Director", "Screenplay", …


class Trailer(msgspec.Struct, frozen=True):
    name: str
    url: str


class WatchProviders(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the film can be seen in one country, by name."""

    country: str = ""  # ISO 3166
    stream: tuple[str, ...] = ()
    rent: tuple[str, ...] = ()
    buy: tuple[str, ...] = ()
    link: str = ""


class FilmImages(msgspec.Struct, frozen=True, omit_defaults=True):
    poster_url: str = ""
    backdrop_url: str = ""
    more: tuple[str, ...] = ()  # other backdrops


class FilmDetails(msgspec.Struct, frozen=True, kw_only=True):
    """The same shape whoever knew it; what nobody knows is empty."""

    id: FilmId
    title: str
    original_title: str = ""
    year: int | None = None
    release_date: str = ""  # YYYY-MM-DD
    tagline: str = ""
    overview: str = ""
    runtime: int | None = None  # minutes
    certification: str = ""
    genres: tuple[str, ...] = ()
    cast: tuple[CastMember, ...] = ()  # in order of billing
    crew: tuple[CrewMember, ...] = ()
    trailer: Trailer | None = None
    providers: WatchProviders = WatchProviders()
    images: FilmImages = FilmImages()
    companies: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()  # ISO 3166
    languages: tuple[str, ...] = ()  # spoken, ISO 639-1
    budget: int | None = None  # US dollars
    revenue: int | None = None
    franchise: str = ""
    awards: tuple[str, ...] = ()
    imdb_id: str = ""
    tmdb_id: int | None = None
    source: Literal["tmdb", "catalogue"] = "catalogue"
