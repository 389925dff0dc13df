"""On a cluster, a server dies between a script and the drain of its effects."""

import asyncio
from pathlib import Path

import pytest

from tests.faults.visits import TOKEN, VISIT, assert_store_clean, create_counter, total_of
from tests.support.servers import NoAnswer, running_server
from tests.support.squares import Place
from townsquare import square as library
from townsquare.services.widgets.keys import COUNTER, counter
from townsquare.square import Square
from townsquare.store.keys import outbox

pytestmark = pytest.mark.faults

URL, ID = "https://example.com", "example-100680ad"
DYING = ("-m", "tests.faults.dying_server", "serve")
SWEPT_WITHIN = 30.0  # seconds: the dead sweeper's lease ends after 15, the next one looks every 2


async def test_the_sweeper_of_the_next_server_applies_what_a_dead_one_left(
    tmp_path: Path, cluster_place: Place
) -> None:
    urls = {"data_url": cluster_place.data_url, "cache_url": cluster_place.cache_url}
    async with running_server(tmp_path / "first", program=DYING, **urls) as first:
        with pytest.raises(NoAnswer):
            await first.ask(VISIT, action="create", url=URL, token=TOKEN)
        assert await first.ended() == -9
        async with library.open(settings=first.settings(), background=False) as square:
            assert await effects_left(square) == 2  # for the two lists of counters
            assert not await indexed(square)
            async with running_server(tmp_path / "second", **urls) as second:
                async with asyncio.timeout(SWEPT_WITHIN):
                    while not await indexed(square):  # noqa: ASYNC110 - another process sends no event
                        await asyncio.sleep(0.05)
                assert await total_of(second, ID) == 0
                assert await create_counter(second, URL) == ID
                await assert_store_clean(second)
            assert await effects_left(square) == 0


async def effects_left(square: Square) -> int:
    return int(await square.store.call("XLEN", outbox(counter(ID).bucket)))


async def indexed(square: Square) -> bool:
    return await square.store.call("ZSCORE", COUNTER.index(), ID) is not None
