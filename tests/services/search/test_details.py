"""The page of a film: what TMDB says, shaped and kept for a day, or what the catalogue knows."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import msgspec
import pytest

from tests.services.search.tmdb_stand_in import HEAT, TmdbStandIn, tmdb_stand_in
from tests.support.squares import Place, open_store
from townsquare.cache import Cache
from townsquare.cache.keys import cache as cache_keys
from townsquare.keyspace import Registry
from townsquare.services.search.keys import search, tmdb_movie
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.films import Film, FilmRole
from townsquare.services.search.problems import FilmNotFound
from townsquare.services.search.service.tmdb import (
    A_SECOND,
    AT_ONCE,
    Details,
    Tmdb,
    TmdbFailed,
    TmdbUnknown,
    TokenBucket,
)
from townsquare.store.store import Store

KEYS = Registry([cache_keys, search])
FILM = Film(
    id=7,
    title="Heat",
    year=1995,
    directors=("Michael Mann",),
    writers=("Michael Mann",),
    cast=(FilmRole("Al Pacino", "Vincent Hanna"),),
    genres=("crime",),
    awards=("Saturn: Action Film",),
    texts={"plot_events": "A detective and a thief circle each other."},
)


class Records:
    async def films(self, film_ids: Sequence[int]) -> list[Film]:
        return [FILM for id in film_ids if id == FILM.id]


@pytest.fixture
def known_keys() -> Registry:
    return KEYS


@pytest.fixture
async def store(plain_place: Place) -> AsyncIterator[Store]:
    async with open_store(plain_place, KEYS) as store:
        yield store


@pytest.fixture
async def cache(store: Store) -> AsyncIterator[Cache]:
    made = Cache(store)
    yield made
    await made.close()


@pytest.fixture
async def server() -> AsyncIterator[TmdbStandIn]:
    async with tmdb_stand_in() as server:
        yield server


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
async def tmdb(server: TmdbStandIn, pauses: list[float]) -> AsyncIterator[Tmdb]:
    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    made = Tmdb(server.url, "0123abcd", seconds=0.3, sleep=sleep)
    yield made
    await made.close()


async def test_an_answer_of_tmdb_is_shaped(tmdb: Tmdb, server: TmdbStandIn) -> None:
    found = await tmdb.details(FILM)
    assert (found.id, found.tmdb_id, found.source) == (7, 949, "tmdb")
    assert (found.title, found.year, found.release_date, found.runtime) == ("Heat", 1995, "1995-12-15", 170)
    assert [one.name for one in found.cast] == [f"Actor {order}" for order in range(12)]
    assert [(one.name, one.job) for one in found.crew] == [
        ("Michael Mann", "Director"),
        ("Michael Mann", "Writer"),
        ("Art Linson", "Producer"),
    ]
    assert found.trailer
    assert found.trailer.url == "https://www.youtube.com/watch?v=best"
    assert found.certification == "R"
    assert (found.providers.country, found.providers.stream) == ("US", ("Hulu",))
    assert found.images.poster_url == "https://image.tmdb.org/t/p/w500/poster.jpg"
    assert len(found.images.more) == 6
    assert len(found.companies) == 10
    assert (found.budget, found.revenue) == (60_000_000, None)
    assert (found.languages, found.countries, found.genres) == (("en", "es"), ("US",), ("Action", "Crime"))
    assert found.awards == FILM.awards
    assert len(msgspec.json.encode(found)) < 3_500 < len(msgspec.json.encode(HEAT))
    assert server.keys == {"0123abcd"}


@pytest.mark.parametrize("film", [msgspec.structs.replace(FILM, tmdb_id=949), FILM])
async def test_a_film_is_found_by_its_id_or_by_title_and_year(
    tmdb: Tmdb, server: TmdbStandIn, film: Film
) -> None:
    assert (await tmdb.details(film)).tmdb_id == 949
    by_imdb = msgspec.structs.replace(film, imdb_id="tt0113277")
    assert (await tmdb.details(by_imdb)).tmdb_id == 949
    for other in ({"year": 1986}, {"title": "Hea"}):
        with pytest.raises(TmdbUnknown):
            await tmdb.details(msgspec.structs.replace(FILM, **other))


@pytest.mark.parametrize(
    "trouble",
    [[503, 502], [429, 429], [b"<html>", b'{"id": "x", "title": 1}'], [None], [500, None], [b'{"id": 949']],
)
async def test_it_is_asked_again_when_it_fails(
    tmdb: Tmdb, server: TmdbStandIn, pauses: list[float], trouble: list[int | float | bytes | None]
) -> None:
    server.answers = [*trouble]
    film = msgspec.structs.replace(FILM, tmdb_id=949)
    assert (await tmdb.details(film)).title == "Heat"
    assert len(server.asked) == len(trouble) + 1
    assert len(pauses) == len(trouble)


async def test_after_three_tries_it_has_failed(tmdb: Tmdb, server: TmdbStandIn) -> None:
    film = msgspec.structs.replace(FILM, tmdb_id=949)
    server.answers = [500, b"{", None, 200]
    with pytest.raises(TmdbFailed):
        await tmdb.details(film)
    assert len(server.asked) == 3


async def test_it_waits_as_long_as_it_is_told_unless_that_is_too_long(
    tmdb: Tmdb, server: TmdbStandIn, pauses: list[float]
) -> None:
    film = msgspec.structs.replace(FILM, tmdb_id=949)
    server.headers["Retry-After"] = "3"
    server.answers = [429]
    await tmdb.details(film)
    assert pauses == [3.0]
    server.headers["Retry-After"] = "60"
    server.answers = [429]
    with pytest.raises(TmdbFailed, match="429"):
        await tmdb.details(film)
    assert len(server.asked) == 3


async def test_no_more_requests_go_out_than_it_bears() -> None:
    now, pauses = 0.0, []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    bucket = TokenBucket(A_SECOND, AT_ONCE, now=lambda: now, sleep=sleep)
    for _ in range(AT_ONCE):
        await bucket.take()
    assert not pauses
    await bucket.take()
    await bucket.take()
    assert pauses == pytest.approx([1 / A_SECOND, 2 / A_SECOND])
    now += 10
    await bucket.take()
    assert len(pauses) == 2


async def test_details_are_kept_for_a_day_as_they_are_answered(
    cache: Cache, store: Store, tmdb: Tmdb, server: TmdbStandIn
) -> None:
    details = Details(cache, Records(), tmdb)
    server.answers = [0.05]
    answers = await asyncio.gather(*(details.get(7) for _ in range(20)))
    assert len({*server.asked}) == len(server.asked) == 2  # the film was looked for, then read, once
    raw = await store.call("GET", tmdb_movie(7))
    assert {msgspec.json.encode(answer) for answer in answers} == {raw}
    assert 86_390 < await store.call("TTL", tmdb_movie(7)) <= 86_400


async def test_without_an_answer_the_catalogue_speaks_and_nothing_is_kept(
    cache: Cache, store: Store, tmdb: Tmdb, server: TmdbStandIn
) -> None:
    details = Details(cache, Records(), tmdb)
    server.answers = [500] * 3
    found = await details.get(7)
    assert (found.source, found.title, found.overview) == ("catalogue", "Heat", FILM.texts["plot_events"])
    assert not await store.call("EXISTS", tmdb_movie(7))
    assert (await details.get(7)).source == "tmdb"


async def test_what_tmdb_does_not_have_is_not_asked_for_again(
    cache: Cache, tmdb: Tmdb, server: TmdbStandIn
) -> None:
    server.movies.clear()
    details = Details(cache, Records(), tmdb)
    assert (await details.get(7)).source == (await details.get(7)).source == "catalogue"
    assert server.asked == ["search/movie"]


async def test_without_a_key_the_catalogue_answers_in_the_same_shape(cache: Cache, store: Store) -> None:
    details = Details(cache, Records(), None)
    found = await details.get(7)
    assert found.crew[0].name == "Michael Mann"
    assert found.cast[0].character == "Vincent Hanna"
    assert msgspec.json.decode(msgspec.json.encode(found)).keys() == set(FilmDetails.__struct_fields__)
    assert not await store.call("EXISTS", tmdb_movie(7))
    with pytest.raises(FilmNotFound):
        await details.get(8)
