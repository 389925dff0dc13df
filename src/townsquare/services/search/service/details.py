"""What the page of a film shows: from TMDB, kept for a day, or from our own catalogue."""

from collections.abc import Sequence
from typing import Protocol

from townsquare.cache import Cache
from townsquare.logger import get_logger
from townsquare.services.search.keys import tmdb_movie
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.films import Film
from townsquare.services.search.problems import FilmNotFound
from townsquare.services.search.service.tmdb import Tmdb, TmdbFailed, TmdbUnknown
from townsquare.services.search.service.tmdb_shape import from_catalogue

log = get_logger()


class FilmRecords(Protocol):
    async def films(self, film_ids: Sequence[int]) -> list[Film]: ...


class Details:
    def __init__(self, cache: Cache, records: FilmRecords, tmdb: Tmdb | None) -> None:
        self._cache = cache
        self._records = records
        self._tmdb = tmdb

    async def get(self, film_id: int) -> FilmDetails:
        """Without a key, or when TMDB fails, the catalogue answers; only what TMDB said is kept."""
        if self._tmdb is None:
            return from_catalogue(await self._film(film_id))
        tmdb = self._tmdb

        async def ask() -> FilmDetails:
            film = await self._film(film_id)
            try:
                return await tmdb.details(film)
            except TmdbUnknown:  # that is an answer too, which holds for a day
                return from_catalogue(film)

        try:
            return await self._cache.get_or_compute(tmdb_movie(film_id), ask)
        except TmdbFailed as failure:
            log.warning("details come from the catalogue", film=film_id, why=str(failure))
            return from_catalogue(await self._film(film_id))

    async def _film(self, film_id: int) -> Film:
        found = await self._records.films([film_id])
        if not found:
            raise FilmNotFound()
        return found[0]

    async def close(self) -> None:
        if self._tmdb is not None:
            await self._tmdb.close()
