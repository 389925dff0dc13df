"""TMDB over HTTP: rate-limited, with retries and a deadline; and the details of a film, cached for a day."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from townsquare.cache import Cache
from townsquare.logger import get_logger
from townsquare.services.search.keys import tmdb_movie
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.films import Film
from townsquare.services.search.problems import FilmNotFound
from townsquare.services.search.service.tmdb_shape import TmdbMovie, from_catalogue, shaped

if TYPE_CHECKING:
    import httpx


log = get_logger()

M = TypeVar("M")
Sleep = Callable[[float], Awaitable[Any]]

A_SECOND, AT_ONCE = 20.0, 20  # half of what TMDB bears
TRIES = 3
FIRST_PAUSE = 0.25  # seconds; four times as long before the third try
LONGEST_PAUSE = 5.0  # that a 429 may ask for: who waits for a page waits no longer
ANSWER_WITHIN = 5.0  # one try
ALL_WITHIN = 15.0  # all tries of one request
LARGEST_ANSWER = 8_000_000  # bytes
TRENDING_PAGES = 5  # of 20 films
EXPANSIONS = "credits,videos,release_dates,watch/providers,images"


class TmdbFailed(Exception):
    """It did not answer, or not what it should."""


class TmdbUnknown(TmdbFailed):
    """It has no such film."""


class TokenBucket:
    """So many a second, some at once; who comes too early waits for its turn."""

    def __init__(self, a_second: float, at_once: int, *, now: Callable[[], float], sleep: Sleep) -> None:
        self._a_second = a_second
        self._at_once = at_once
        self._tokens = float(at_once)
        self._now = now
        self._sleep = sleep
        self._filled = now()

    async def take(self) -> None:
        now = self._now()
        self._tokens = min(self._at_once, self._tokens + (now - self._filled) * self._a_second)
        self._filled = now
        self._tokens -= 1  # below zero: those who wait have their turns already
        if self._tokens < 0:
            await self._sleep(-self._tokens / self._a_second)


class TmdbFilm(msgspec.Struct):
    """A film in one of TMDB's lists."""

    id: int
    title: str = ""
    original_title: str | None = None
    release_date: str | None = None

    @property
    def year(self) -> int | None:
        digits = (self.release_date or "")[:4]
        return int(digits) if digits.isdigit() else None


class FoundFilms(msgspec.Struct):
    results: list[TmdbFilm] = []
    total_pages: int = 1


class FoundByImdb(msgspec.Struct):
    movie_results: list[TmdbFilm] = []


class Tmdb:
    def __init__(
        self,
        url: str,
        key: str,
        *,
        seconds: float = ANSWER_WITHIN,
        now: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        import httpx

        token = key.count(".") == 2  # a bearer token of the newer kind; the older keys are hex digits
        self._client = httpx.AsyncClient(
            base_url=url.rstrip("/") + "/",
            timeout=seconds,
            headers={"Authorization": f"Bearer {key}"} if token else {},
            params={} if token else {"api_key": key},
        )
        self._sleep = sleep
        self._bucket = TokenBucket(A_SECOND, AT_ONCE, now=now, sleep=sleep)

    async def close(self) -> None:
        await self._client.aclose()

    async def details(self, film: Film) -> FilmDetails:
        """What it says of a film of ours, shaped."""
        id = film.tmdb_id or await self._id_of(film)
        movie = await self._get(
            TmdbMovie,
            f"movie/{id}",
            append_to_response=EXPANSIONS,
            language="en-US",
            include_image_language="en,null",
        )
        return shaped(movie, film)

    async def trending(self) -> list[TmdbFilm]:
        """The films of the day, all or, if a page is missing, none."""
        found: list[TmdbFilm] = []
        for page in range(1, TRENDING_PAGES + 1):
            answer = await self._get(FoundFilms, "trending/movie/day", page=page)
            found += answer.results
            if page >= answer.total_pages:
                break
        return found

    async def most_voted(self, page: int) -> list[TmdbFilm]:
        """Twenty of the films that most people voted for, the first page first."""
        answer = await self._get(FoundFilms, "discover/movie", sort_by="vote_count.desc", page=page)
        return answer.results

    async def movie(self, id: int) -> dict[str, Any]:
        """All that it says of a film, unshaped: for an import."""
        expansions = "credits,release_dates"
        return await self._get(dict[str, Any], f"movie/{id}", append_to_response=expansions, language="en-US")

    async def _id_of(self, film: Film) -> int:
        if film.imdb_id:
            by_imdb = await self._get(FoundByImdb, f"find/{film.imdb_id}", external_source="imdb_id")
            if by_imdb.movie_results:
                return by_imdb.movie_results[0].id
        found = await self._get(FoundFilms, "search/movie", query=film.title, year=film.year)
        names = {film.title.casefold(), film.original_title.casefold()} - {""}
        for one in found.results:
            if one.year is not None and abs(one.year - film.year) <= 1 and names & names_of(one):
                return one.id
        raise TmdbUnknown(f"it does not have {film.title} ({film.year})")

    async def _get(self, model: type[M], path: str, **params: str | int) -> M:
        try:
            async with asyncio.timeout(ALL_WITHIN):
                return await self._try(model, path, params)
        except TimeoutError:
            raise TmdbFailed("it took too long") from None

    async def _try(self, model: type[M], path: str, params: dict[str, str | int]) -> M:
        import httpx

        pause = FIRST_PAUSE
        for left in reversed(range(TRIES)):
            await self._bucket.take()
            asked = 0.0
            try:
                reply = await self._client.get(path, params=params)
                asked = retry_after(reply)
                return read(reply, model)
            except TmdbUnknown:
                raise
            except (httpx.HTTPError, TmdbFailed) as error:
                why = str(error) if isinstance(error, TmdbFailed) else type(error).__name__
                if not left or asked > LONGEST_PAUSE:
                    raise TmdbFailed(why) from None
                log.warning("TMDB is asked again", path=path, why=why)
            await self._sleep(asked or pause * random.uniform(0.5, 1.5))
            pause *= 4
        raise AssertionError("the last try answers or raises")


def names_of(found: TmdbFilm) -> set[str]:
    return {found.title.casefold(), (found.original_title or "").casefold()} - {""}


def retry_after(reply: "httpx.Response") -> float:
    """Seconds that it asks us to wait, 0 if it says nothing that we understand."""
    told = reply.headers.get("retry-after", "") if reply.status_code == 429 else ""
    return float(told) if told.isdigit() else 0.0


def read(reply: "httpx.Response", model: type[M]) -> M:
    if reply.status_code == 404:
        raise TmdbUnknown("it has no such film")
    if not reply.is_success:
        raise TmdbFailed(f"answered {reply.status_code}")
    if len(reply.content) > LARGEST_ANSWER:
        raise TmdbFailed("its answer is too long")
    try:
        return msgspec.json.decode(reply.content, type=model)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TmdbFailed(f"its answer cannot be read: {error}") from None


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
