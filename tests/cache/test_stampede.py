"""Sixteen processes with a hundred callers each, and nothing cached yet."""

import asyncio
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.support.engines import Node, throwaway_node
from tests.support.squares import Place

PROCESSES, CALLERS = 16, 100


class Finished(NamedTuple):
    computed: int
    answered: int
    seconds: float  # since the first computation began


@pytest.fixture
def tally() -> Iterator[Node]:
    """Where computations are counted, whatever becomes of who computes."""
    with throwaway_node() as node:
        yield node


async def stampede(place: Place, tally: Node, seconds: float, lease: int, kill: str = "") -> list[Finished]:
    given = (place.cache_url, tally.port, PROCESSES, CALLERS, seconds, lease, kill or "spare")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.cache.stampede", *map(str, given), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        out, _ = await process.communicate()
    lines = [line.split() for line in out.decode().splitlines()]
    return [Finished(int(computed), int(right), float(took)) for computed, right, took in lines]


async def test_a_cold_value_is_computed_once(place: Place, tally: Node) -> None:
    finished = await stampede(place, tally, seconds=0.3, lease=10)
    assert tally.ask("GET", "computed") == b"1"
    assert [one.answered for one in finished] == [CALLERS] * PROCESSES


async def test_another_takes_over_from_who_died(place: Place, tally: Node) -> None:
    finished = await stampede(place, tally, seconds=0.1, lease=1, kill="kill")
    assert tally.ask("GET", "computed") == b"2"
    assert [one.answered for one in finished] == [CALLERS] * (PROCESSES - 1)
    assert min(one.seconds for one in finished) < 1 + 1 + 0.1
