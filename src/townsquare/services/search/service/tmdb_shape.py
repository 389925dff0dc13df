"""From what TMDB answers to what we keep and show: a tenth of it, in our own form."""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from townsquare.services.search.models.details import (
    CastMember,
    CrewMember,
    FilmDetails,
    FilmImages,
    Trailer,
    WatchProviders,
)
from townsquare.services.search.models.films import Film

COUNTRY = "US"  # one canonical request: its certifications and providers, in English
CAST_SHOWN = 12
CREW_SHOWN = 20
IMAGES_SHOWN = 6
NAMES_SHOWN = 10  # of companies, and of providers of a kind
IMAGES_AT = "https://image.tmdb.org/t/p"
JOBS = (  # in the order in which they are shown
    "Director",
    "Screenplay",
    "Writer",
    "Story",
    "Novel",
    "Director of Photography",
    "Original Music Composer",
    "Editor",
    "Production Design",
    "Producer",
)
THEATRICAL = 3  # TMDB's number for a release in cinemas


class TmdbNamed(msgspec.Struct):
    name: str | None = None


class Credit(msgspec.Struct):
    name: str | None = None
    character: str | None = None
    job: str | None = None
    profile_path: str | None = None
    order: int | None = None


class Credits(msgspec.Struct):
    cast: list[Credit] = []
    crew: list[Credit] = []


class Video(msgspec.Struct):
    name: str | None = None
    site: str | None = None
    key: str | None = None
    type: str | None = None
    official: bool | None = None
    published_at: str | None = None


class Videos(msgspec.Struct):
    results: list[Video] = []


class Certified(msgspec.Struct):
    certification: str | None = None
    type: int | None = None


class CountryReleases(msgspec.Struct):
    iso_3166_1: str = ""
    release_dates: list[Certified] = []


class Releases(msgspec.Struct):
    results: list[CountryReleases] = []


class Offer(msgspec.Struct):
    provider_name: str | None = None


class CountryOffers(msgspec.Struct):
    link: str | None = None
    flatrate: list[Offer] = []
    rent: list[Offer] = []
    buy: list[Offer] = []


class Offers(msgspec.Struct):
    results: dict[str, CountryOffers] = {}


class Picture(msgspec.Struct):
    file_path: str | None = None


class Pictures(msgspec.Struct):
    backdrops: list[Picture] = []


class Country(msgspec.Struct):
    iso_3166_1: str | None = None


class Language(msgspec.Struct):
    iso_639_1: str | None = None


class TmdbMovie(msgspec.Struct):
    """The parts of TMDB's answer that we read; each may be missing or null."""

    id: int
    title: str
    original_title: str | None = None
    overview: str | None = None
    tagline: str | None = None
    runtime: int | None = None
    release_date: str | None = None
    imdb_id: str | None = None
    budget: int | None = None
    revenue: int | None = None
    poster_path: str | None = None
    backdrop_path: str | None = None
    belongs_to_collection: TmdbNamed | None = None
    genres: list[TmdbNamed] = []
    production_companies: list[TmdbNamed] = []
    production_countries: list[Country] = []
    spoken_languages: list[Language] = []
    credits: Credits = msgspec.field(default_factory=Credits)
    videos: Videos = msgspec.field(default_factory=Videos)
    release_dates: Releases = msgspec.field(default_factory=Releases)
    offers: Offers = msgspec.field(default_factory=Offers, name="watch/providers")
    images: Pictures = msgspec.field(default_factory=Pictures)


def shaped(movie: TmdbMovie, film: Film) -> FilmDetails:
    """What we show of a film; what TMDB leaves out comes from the catalogue."""
    date = movie.release_date or ""
    return replace(
        from_catalogue(film),
        title=movie.title,
        original_title=movie.original_title or film.original_title,
        year=int(date[:4]) if date[:4].isdigit() else film.year,
        release_date=date,
        tagline=movie.tagline or "",
        overview=movie.overview or overview_of(film),
        runtime=movie.runtime or film.runtime,
        certification=certification(movie.release_dates) or film.certification,
        genres=names(movie.genres) or film.genres,
        cast=tuple(
            CastMember(one.name, one.character or "", image("w185", one.profile_path))
            for one in sorted(movie.credits.cast, key=lambda one: one.order or 0)[:CAST_SHOWN]
            if one.name
        ),
        crew=crew(movie.credits.crew),
        trailer=trailer(movie.videos.results),
        providers=providers(movie.offers),
        images=FilmImages(
            image("w500", movie.poster_path) or film.poster_url,
            image("w1280", movie.backdrop_path),
            tuple(filter(None, (image("w780", one.file_path) for one in movie.images.backdrops)))[
                :IMAGES_SHOWN
            ],
        ),
        companies=names(movie.production_companies)[:NAMES_SHOWN],
        countries=tuple(one.iso_3166_1 for one in movie.production_countries if one.iso_3166_1),
        languages=tuple(one.iso_639_1 for one in movie.spoken_languages if one.iso_639_1),
        budget=movie.budget or None,  # 0 is TMDB's word for unknown
        revenue=movie.revenue or None,
        franchise=(movie.belongs_to_collection and movie.belongs_to_collection.name) or film.franchise,
        imdb_id=movie.imdb_id or film.imdb_id,
        tmdb_id=movie.id,
        source="tmdb",
    )


def from_catalogue(film: Film) -> FilmDetails:
    """The same, of what we know ourselves."""
    return FilmDetails(
        id=film.id,
        title=film.title,
        original_title=film.original_title,
        year=film.year,
        overview=overview_of(film),
        runtime=film.runtime,
        certification=film.certification,
        genres=film.genres,
        cast=tuple(CastMember(one.actor, one.character) for one in film.cast[:CAST_SHOWN]),
        crew=(
            *(CrewMember(name, "Director") for name in film.directors),
            *(CrewMember(name, "Writer") for name in film.writers),
        )[:CREW_SHOWN],
        images=FilmImages(film.poster_url),
        companies=film.studios,
        countries=film.countries,
        languages=film.languages,
        franchise=film.franchise,
        awards=film.awards,
        imdb_id=film.imdb_id,
        tmdb_id=film.tmdb_id,
    )


def overview_of(film: Film) -> str:
    return film.texts.get("plot_events", "")


def names(found: Iterable[TmdbNamed]) -> tuple[str, ...]:
    return tuple(one.name for one in found if one.name)


def crew(credits: Iterable[Credit]) -> tuple[CrewMember, ...]:
    known = [one for one in credits if one.name and one.job in JOBS]
    known.sort(key=lambda one: JOBS.index(str(one.job)))
    members = dict.fromkeys(CrewMember(str(one.name), str(one.job)) for one in known)
    return tuple(members)[:CREW_SHOWN]


def trailer(videos: Iterable[Video]) -> Trailer | None:
    """An official trailer before others, the newest before older ones."""
    shown = [one for one in videos if one.site == "YouTube" and one.key and one.type in ("Trailer", "Teaser")]
    if not shown:
        return None
    best = max(shown, key=lambda one: (one.type == "Trailer", bool(one.official), one.published_at or ""))
    return Trailer(best.name or "Trailer", f"https://www.youtube.com/watch?v={best.key}")


def certification(releases: Releases) -> str:
    """That of the release in cinemas, else of any."""
    for country in releases.results:
        if country.iso_3166_1 == COUNTRY:
            given = [one for one in country.release_dates if one.certification]
            given.sort(key=lambda one: one.type != THEATRICAL)
            return str(given[0].certification) if given else ""
    return ""


def providers(offers: Offers) -> WatchProviders:
    here = offers.results.get(COUNTRY)
    if here is None:
        return WatchProviders()
    stream, rent, buy = (
        tuple(one.provider_name for one in kind if one.provider_name)[:NAMES_SHOWN]
        for kind in (here.flatrate, here.rent, here.buy)
    )
    return WatchProviders(COUNTRY, stream, rent, buy, here.link or "")


def image(size: str, path: str | None) -> str:
    return f"{IMAGES_AT}/{size}{path}" if path else ""
