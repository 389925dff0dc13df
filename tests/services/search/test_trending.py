"""The trending set: replaced as a whole, never empty, never lost to eviction."""

import asyncio
from array import array
from collections.abc import AsyncIterator, Sequence

import pytest

from tests.conftest import EVERY_KEY
from tests.services.search.tmdb_stand_in import tmdb_stand_in
from tests.support.clock import PinnedClock
from tests.support.engines import throwaway_node
from tests.support.logs import capture_logs
from tests.support.squares import Place, open_store
from tests.support.waiting import until
from townsquare.cache import Cache, text_digest
from townsquare.keyspace import Registry
from townsquare.services.search import keys
from townsquare.services.search.models.films import Film
from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.parts import EntityMatch
from townsquare.services.search.service.tmdb import Tmdb, TmdbFailed
from townsquare.services.search.service.trending import FilmViews, TmdbTrending, Trending
from townsquare.store.coordination.background import Background
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

KEYS = Registry({one.service: one for one in (*EVERY_KEY.keyspaces, keys.search)}.values())


@pytest.fixture
def known_keys() -> Registry:
    return KEYS


@pytest.fixture
async def store(place: Place, clock: PinnedClock) -> AsyncIterator[Store]:
    async with open_store(place, KEYS, clock) as store:
        yield store


class Source:
    def __init__(self, *ids: int) -> None:
        self.ids: Sequence[int] = ids
        self.failure: Exception | None = None
        self.fetched = 0

    async def fetch(self) -> Sequence[int]:
        self.fetched += 1
        if self.failure:
            raise self.failure
        return self.ids


async def test_a_refresh_replaces_the_set(store: Store) -> None:
    source = Source(1, 2, 3)
    trending = Trending(store, source)
    assert await trending.refresh() == 3
    assert await trending.current() == {1, 2, 3}
    source.ids = [4, 5, 4]
    assert await trending.refresh() == 2
    assert await trending.current() == {4, 5}
    assert await store.call("TTL", keys.trending()) == -1
    assert not await store.call("EXISTS", keys.trending_next())


async def test_an_empty_or_failed_fetch_changes_nothing(store: Store) -> None:
    source = Source(1, 2)
    trending = Trending(store, source)
    await trending.refresh()
    source.ids = []
    assert await trending.refresh() == 0
    source.failure = TmdbFailed("away")
    with pytest.raises(TmdbFailed):
        await trending.refresh()
    assert await trending.current() == {1, 2}


async def test_a_missing_set_is_empty_and_a_warning(store: Store) -> None:
    with capture_logs() as logs:
        assert await Trending(store, None).current() == frozenset()
    assert [line["log_level"] for line in logs] == ["warning"]


async def test_who_reads_during_swaps_sees_whole_sets(store: Store) -> None:
    whole = {frozenset(range(first, first + 50)) for first in (1, 1_001)}
    source = Source(*range(1, 51))
    trending = Trending(store, source)
    await trending.refresh()
    seen = set()
    swapping = True

    async def read() -> None:
        while swapping:
            seen.add(await trending.current())

    async with asyncio.TaskGroup() as tasks:
        for _ in range(10):
            tasks.create_task(read())
        for number in range(100):
            source.ids = range(1 + number % 2 * 1_000, 51 + number % 2 * 1_000)
            await trending.refresh()
        swapping = False
    assert seen == whole


async def test_it_is_refreshed_once_a_day_by_one_process(store: Store, clock: PinnedClock) -> None:
    source = Source(1)
    trending = Trending(store, source)
    clock.set("2026-03-14T23:59:59.000Z")
    assert await trending.refresh_if_due()
    assert not await trending.refresh_if_due()
    clock.set("2026-03-15T00:00:01.000Z")
    source.failure = TmdbFailed("away")
    assert not await trending.refresh_if_due()
    source.failure = None
    source.ids = [2]
    processes = [Background(store, Jobs(store)) for _ in range(3)]
    for process in processes:
        trending.schedule(process)
        process.start()
    await until(lambda: source.fetched == 3)
    await asyncio.gather(*(process.stop() for process in processes))
    assert source.fetched == 3
    assert await trending.current() == {2}


async def test_views_tell_what_is_trending(store: Store, clock: PinnedClock) -> None:
    views = FilmViews(store)
    for visitor in range(10):
        await views.count(1, f"visitor {visitor}")
    for _ in range(20):
        await views.count(2, "the same visitor")
    clock.move(days=1)
    for visitor in range(9):
        await views.count(3, f"visitor {visitor}")
    assert await views.fetch() == [3, 1]  # a view of yesterday counts less, one person is one view
    assert await Trending(store, views).refresh() == 2
    clock.move(days=7)
    assert await views.fetch() == []


async def test_the_films_of_tmdb_are_found_among_ours() -> None:
    films = [
        Film(id=1, title="Heat", year=1995),
        Film(id=2, title="Heat", year=1986, tmdb_id=5),
        Film(id=3, title="Her", year=2013),
    ]

    class Names:
        async def entities(
            self, phrase: str, category: EntityCategory | None = None, *, limit: int = 5
        ) -> list[EntityMatch]:
            ids = tuple(film.id for film in films if film.title == phrase)
            return [EntityMatch(phrase, "movie_title", 1.0, ids)] if ids else []

        async def films(self, film_ids: Sequence[int]) -> list[Film]:
            return [film for film in films if film.id in film_ids]

    async with tmdb_stand_in() as server:
        server.trending = pages(
            [(949, "Heat", "1995-12-15"), (7, "Unknown", "2026-01-01"), (8, "", "")],
            [(9, "Her", "2014-01-10"), (5, "Heat", "1986-01-01")],
        )
        tmdb = Tmdb(server.url, "a.bearer.token", sleep=no_pause)
        assert await TmdbTrending(tmdb, Names()).fetch() == [1, 3, 2]
        server.answers = [200, 500, 500, 500]
        with pytest.raises(TmdbFailed):  # a part of the films is none
            await TmdbTrending(tmdb, Names()).fetch()
        await tmdb.close()


def pages(*films: list[tuple[int, str, str]]) -> "list[list[dict[str, object]]]":
    return [[{"id": id, "title": title, "release_date": date} for id, title, date in page] for page in films]


async def no_pause(_: float) -> None:
    pass


@pytest.mark.slow
async def test_under_memory_pressure_embeddings_go_and_trending_stays(plain_place: Place) -> None:
    with throwaway_node(maxmemory="20mb", maxmemory_policy="volatile-lru") as small:
        place = Place("plain", plain_place.data_url, small.unix_url)
        async with open_store(place, KEYS) as store:
            cache = Cache(store)
            trending = Trending(store, Source(*range(1, 101)))
            await trending.refresh()
            vector = array("f", [0.5]) * 1_536
            for number in range(6_000):  # 37 MB
                await cache.set(keys.embedding("model", text_digest(str(number))), vector)
            assert small.ask("INFO", "stats")["evicted_keys"] > 1_000
            assert await trending.current() == set(range(1, 101))
            assert await cache.get(keys.embedding("model", text_digest("5999"))) == vector
            first = [keys.embedding("model", text_digest(str(number))) for number in range(50)]
            assert None in [await cache.get(key) for key in first], "of the oldest some are gone"
            assert not cache.counts.total["search.embedding"].get("error")
            await cache.close()
