"""Films from TMDB by key: those that most people voted for, a page at a time."""

from collections.abc import AsyncIterator, Container
from typing import Any

import msgspec

from townsquare.services.search.importing import values
from townsquare.services.search.importing.files import NoFilm, film_of
from townsquare.services.search.importing.run import BadRow
from townsquare.services.search.models.films import Film
from townsquare.services.search.problems import BadImportSource
from townsquare.services.search.service.tmdb import Tmdb, TmdbFailed, TmdbUnknown

SOURCE = "tmdb"
A_PAGE = 20  # films in one list of TMDB
MOST_FILMS = 10_000  # its lists end there
COUNTRY = "US"  # whose certification is ours
POSTERS = "https://image.tmdb.org/t/p/w342"


async def read(tmdb: Tmdb, count: int, known: Container[int] = ()) -> AsyncIterator[Film | BadRow]:
    """The best known first; films whose ids are known are not asked for again: an import can go on."""
    count = min(count, MOST_FILMS)
    for page in range(-(-count // A_PAGE)):
        try:
            listed = await tmdb.most_voted(page + 1)
            for place, found in enumerate(listed[: count - page * A_PAGE], page * A_PAGE + 1):
                if values.id_of(SOURCE, str(found.id)) not in known:
                    yield await one_film(tmdb, place, found.id)
        except TmdbFailed as fault:
            raise BadImportSource(f"TMDB: {fault}. Run it again to go on") from None
        if len(listed) < A_PAGE:
            return


async def one_film(tmdb: Tmdb, place: int, tmdb_id: int) -> Film | BadRow:
    try:
        film = film_of(flat(await tmdb.movie(tmdb_id)), SOURCE)
    except (NoFilm, TmdbUnknown) as fault:
        return BadRow(place, str(fault))
    return msgspec.structs.replace(film, id=values.id_of(SOURCE, str(tmdb_id)))


def flat(movie: dict[str, Any]) -> dict[str, Any]:
    """As a row of a file is."""
    credits, releases = movie.get("credits") or {}, (movie.get("release_dates") or {}).get("results") or []
    certified = (
        release.get("certification")
        for country in releases
        if country.get("iso_3166_1") == COUNTRY
        for release in country.get("release_dates") or []
    )
    return {
        **movie,
        "tmdb_id": movie.get("id"),
        "cast": credits.get("cast"),
        "crew": credits.get("crew"),
        "certification": next(filter(None, certified), ""),
        "poster_url": f"{POSTERS}{movie['poster_path']}" if movie.get("poster_path") else "",
    }
