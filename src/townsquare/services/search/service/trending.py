"""What is trending: a set that is replaced as a whole once a day, and read in one step."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Protocol

from townsquare.clock import day_of
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.search import keys
from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.scripts import CountFilmView, SwapTrending
from townsquare.services.search.service.tmdb import Tmdb, TmdbFailed, TmdbFilm
from townsquare.store.coordination.background import Background
from townsquare.store.store import Store
from townsquare.store.wire.connection import ReplyError

log = get_logger()

MOST_TRENDING = 100
LOOKED_AT = 500  # films of one day
FADING = 0.8  # a view of yesterday counts so much of one of today
FEWEST_VIEWS = 1.0  # faded: one today
LOOK_SECONDS = 60.0  # how long after midnight it may begin, and how soon a failure is tried again


class TrendingSource(Protocol):
    async def fetch(self) -> Sequence[int]:
        """Ids of films of ours, at most `MOST_TRENDING`; raises if they cannot be told."""
        ...


class Trending:
    def __init__(self, store: Store, source: TrendingSource | None) -> None:
        self._store = store
        self._source = source

    async def current(self) -> frozenset[int]:
        """Ids of the films that are trending: read once for a search, whatever it then looks up in them."""
        try:
            found = await self._store.call("SMEMBERS", keys.trending())  # bounded: MOST_TRENDING
        except (Unavailable, OutcomeUnknown, ReplyError) as error:
            log.warning("trending films cannot be read", why=str(error))
            return frozenset()
        if not found:
            log.warning("there are no trending films: nobody has refreshed them yet")
        return frozenset(map(int, found))

    async def refresh(self) -> int:
        """Replace the set; answers how many are in it now, 0 if nothing came and the old one stays."""
        if self._source is None:
            return 0
        ids = list(await self._source.fetch())[:MOST_TRENDING]
        if not ids:
            return 0
        count = await self._store.run(SwapTrending(ids=ids, day=self._today()))
        log.info("trending films are refreshed", films=count)
        return count

    async def refresh_if_due(self) -> bool:
        """Once a day, after midnight in UTC; a failure is tried again and changes nothing."""
        today = self._today()
        if self._source is None or await self._store.get(keys.trending_refreshed()) == today.isoformat():
            return False
        try:
            return await self.refresh() > 0
        except TmdbFailed as failure:
            log.warning("trending films are not refreshed", why=str(failure))
            return False

    def schedule(self, background: Background) -> None:
        background.in_one_process(LOOK_SECONDS, "trending", self.refresh_if_due)

    def _today(self) -> date:
        return day_of(self._store.clock.now_ms())


class FilmViews:
    """Who looked at which film: what is trending where nobody else says so."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def count(self, film_id: int, visitor: str) -> None:
        """Once a visitor and day. A page is shown whether or not it can be counted."""
        try:
            await self._store.run(CountFilmView(day=self._today(), film_id=film_id, visitor=visitor))
        except (Unavailable, OutcomeUnknown) as error:
            log.warning("a view was not counted", why=str(error))

    async def fetch(self) -> list[int]:
        """The most viewed of a week, of which later days count more."""
        today = self._today()
        days = [today - timedelta(days=ago) for ago in range(keys.VIEWED_DAYS)]
        tops = await self._store.pipeline(
            [("ZREVRANGE", keys.views(day), 0, LOOKED_AT - 1, "WITHSCORES") for day in days]
        )
        score: Counter[int] = Counter()
        for ago, top in enumerate(tops):
            for member, viewers in top:
                score[int(member)] += viewers * FADING**ago
        return [film_id for film_id, sum in score.most_common(MOST_TRENDING) if sum >= FEWEST_VIEWS]

    def _today(self) -> date:
        return day_of(self._store.clock.now_ms())


class FilmNames(Protocol):
    async def entities(
        self, phrase: str, category: EntityCategory | None = None, *, limit: int = 5
    ) -> list[EntityMatch]: ...

    async def films(self, film_ids: Sequence[int]) -> list[Film]: ...


class TmdbTrending:
    """TMDB's films of the day, as far as we have them: found by title and year."""

    def __init__(self, tmdb: Tmdb, names: FilmNames) -> None:
        self._tmdb = tmdb
        self._names = names

    async def fetch(self) -> list[int]:
        ids = [await self._ours(found) for found in await self._tmdb.trending()]
        return [*dict.fromkeys(id for id in ids if id is not None)]

    async def _ours(self, found: TmdbFilm) -> int | None:
        if not found.title or found.year is None:
            return None
        for match in await self._names.entities(found.title, "movie_title"):
            if match.likeness < 1:
                continue
            for film in await self._names.films(match.film_ids):
                if film.tmdb_id == found.id or (film.tmdb_id is None and abs(film.year - found.year) <= 1):
                    return film.id
        return None
