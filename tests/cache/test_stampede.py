"""Sixteen processes with a hundred callers each, and nothing cached yet."""

import asyncio
import sys
from collections.abc import Iterator

import pytest

from tests.support.engines import Node, throwaway_node
from tests.support.squares import Place

pytestmark = pytest.mark.slow

PROCESSES, CALLERS = 16, 100


@pytest.fixture
def tally() -> Iterator[Node]:
    """Where computations are counted, whatever becomes of who computes."""
    with throwaway_node() as node:
        yield node


async def stampede(place: Place, tally: Node, seconds: float, lease: int, kill: str = "spare") -> list[int]:
    """How many callers of each process that lived were answered."""
    given = ("townsquare", place.cache_url, tally.port, PROCESSES, CALLERS, seconds, lease, kill)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.stampede", *map(str, given), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(120):
        out, _ = await process.communicate()
    return [int(line.split()[0]) for line in out.decode().splitlines()]


def computations(tally: Node) -> list[float]:
    return [float(began) for began in tally.ask("LRANGE", "computed", 0, -1)]


async def test_a_cold_value_is_computed_once(place: Place, tally: Node) -> None:
    assert await stampede(place, tally, seconds=0.3, lease=10) == [CALLERS] * PROCESSES
    assert len(computations(tally)) == 1


async def test_another_takes_over_from_who_died(place: Place, tally: Node) -> None:
    assert await stampede(place, tally, seconds=0.1, lease=1, kill="kill") == [CALLERS] * (PROCESSES - 1)
    first, second = computations(tally)
    assert second - first < 1 + 1  # the lease, and a second
