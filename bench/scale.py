"""A cluster of one to six primaries with a mixed load, the load of each node, and the failover of a primary.

All nodes share the cores of one machine, so requests per second would measure the machine. Instead the CPU
time of the busiest node for each operation is measured: a node is full when it uses one core. BENCH_SHARE is
a share of the operations, for a trial.
"""

import asyncio
import contextlib
import os
import random
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.engines import (
    Cluster,
    Node,
    form,
    free_ports,
    throwaway_cluster,
    throwaway_node,
    wait_until,
)

from bench.load import WITHOUT_SEARCH
from bench.memory import PASSWORD_HASH, POST, all_of
from bench.report import Result
from townsquare.keyspace import Role
from townsquare.problems import NotFound, OutcomeUnknown, Unavailable
from townsquare.services.accounts.models import Facts, UserProfile
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.square import open as open_square

SHARE = float(os.environ.get("BENCH_SHARE", "1"))
USERS = int(400 * SHARE)
FOLLOWED = 10
OPERATIONS = int(6_000 * SHARE)
SIZES = (1, 3, 6)
NODE_TIMEOUT_MS = 2_000
FAILOVER_PATIENCE = 30.0
MIX = {"home feed": 50, "explore": 20, "like": 20, "follow": 5, "post": 5}  # of 100
MIXED = ", ".join(f"{share} % {kind}" for kind, share in MIX.items())


class Cost(NamedTuple):
    """CPU in microseconds for each operation."""

    client: float
    nodes: list[float]

    @property
    def busiest(self) -> float:
        return max(self.nodes)


class Load:
    """A community, and operations on it."""

    def __init__(self, square: Square, skew: float = 1.0) -> None:
        self.square = square
        self.chance = random.Random(3)
        self.skew = skew  # above 1: few users get most of the operations
        self.names: list[str] = []
        self.posts: list[str] = []

    async def prepare(self) -> None:
        async def sign_up(number: int) -> str:
            profile = UserProfile(username=f"person{number:05}", email=f"person{number:05}@example.org")
            await self.square.accounts.users.create(profile, Facts(password_hash=PASSWORD_HASH))
            return profile.username or ""

        self.names = await all_of(sign_up, USERS)
        self.posts = [post.id for post in await all_of(lambda _: self.post(), USERS)]
        await all_of(lambda _: self.follow(), USERS * FOLLOWED)
        await all_of(lambda _: self.operate("home feed"), USERS)

    def user(self) -> str:
        return self.names[int(len(self.names) * self.chance.random() ** self.skew)]

    def post(self) -> Coroutine[Any, Any, Any]:
        return self.square.social.posts.create(self.user(), POST)

    def follow(self) -> Coroutine[Any, Any, Any]:
        one, other = self.chance.sample(self.names, 2)
        return self.square.social.follows.follow(one, other)

    async def operate(self, kind: str) -> None:
        social = self.square.social
        match kind:
            case "home feed":
                await social.feeds.home(self.user())
            case "explore":
                await social.feeds.explore(self.user())
            case "like":
                post = self.posts[int(len(self.posts) * self.chance.random() ** self.skew)]
                await social.posts.like(post, self.chance.choice(self.names))
            case "follow":
                await self.follow()
            case "post":
                await self.post()

    async def repeat(self, kind: str, count: int) -> None:
        await all_of(lambda _: self.operate(kind), count)

    async def mixed(self) -> None:
        kinds = self.chance.choices([*MIX], weights=[*MIX.values()], k=OPERATIONS)
        await all_of(lambda number: self.operate(kinds[number]), OPERATIONS)

    async def cost(self, work: Callable[[], Coroutine[Any, Any, Any]], operations: int) -> Cost:
        before, began = await self._cpu(), time.process_time()
        await work()
        used = time.process_time() - began
        nodes = [now - was for was, now in zip(before, await self._cpu(), strict=True)]
        return Cost(used / operations * 1e6, [one / operations * 1e6 for one in nodes])

    async def _cpu(self) -> list[float]:
        found = []
        for node in self.square.store.role_stores[Role.DATA].nodes.connections():
            text = (await node.execute("INFO", "cpu")).decode()
            info = dict(line.split(":") for line in text.split() if ":" in line)
            found.append(float(info["used_cpu_user_main_thread"]) + float(info["used_cpu_sys_main_thread"]))
        return found


@contextlib.asynccontextmanager
async def opened(data_url: str, cache_url: str) -> AsyncIterator[Square]:
    settings = Settings.load(
        environ=WITHOUT_SEARCH, data_url=data_url, cache_url=cache_url, client_cache_memory="0"
    )
    async with open_square(settings=settings, background=False) as square:
        yield square


async def measure_size(cluster_size: int, skew: float) -> Cost:
    with throwaway_cluster(cluster_size) as cluster, throwaway_node() as cache:
        async with opened(cluster.url, cache.url) as square:
            load = Load(square, skew)
            await load.prepare()
            return await load.cost(load.mixed, OPERATIONS)


async def measure_operations() -> dict[str, tuple[Cost, Cost]]:
    """Each operation alone, on one node and on a cluster of three."""
    found: dict[str, list[Cost]] = {kind: [] for kind in MIX}
    count = max(OPERATIONS // 6, 100)
    with throwaway_node() as node, throwaway_cluster(3) as cluster, throwaway_node() as cache:
        for url in (node.url, cluster.url):
            async with opened(url, cache.url) as square:
                load = Load(square)
                await load.prepare()
                for kind in MIX:
                    found[kind].append(await load.cost(partial(load.repeat, kind, count), count))
            cache.flush()
    return {kind: (plain, clustered) for kind, (plain, clustered) in found.items()}


class Failover(NamedTuple):
    away: float  # seconds until a write to the slots of the dead primary succeeds
    failed: int
    acknowledged: int
    lost: int


@contextlib.contextmanager
def replicated_cluster() -> Iterator[Cluster]:
    """Three primaries with one replica each."""
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    ports = free_ports(12)
    nodes: list[Node] = []
    try:
        for port, bus in zip(ports[:6], ports[6:], strict=True):
            (folder / str(port)).mkdir()
            node = Node(
                folder / str(port),
                port,
                cluster_enabled="yes",
                cluster_port=str(bus),
                cluster_node_timeout=str(NODE_TIMEOUT_MS),
            )
            nodes.append(node)
            nodes[-1].start()
        form(nodes[:3], ports[6:9])
        for index, replica in enumerate(nodes[3:]):
            nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", replica.port, ports[9 + index])
        cluster = Cluster(nodes)
        for primary, replica in zip(nodes[:3], nodes[3:], strict=True):
            id = cluster.node_id(primary)
            wait_until(partial(knows, replica, id), "the replica knows its primary")
            replica.ask("CLUSTER", "REPLICATE", id)
        for primary in nodes[:3]:
            wait_until(partial(has_replica, primary), "the replica follows")
        yield cluster
    finally:
        for node in nodes:
            node.kill()
        shutil.rmtree(folder, ignore_errors=True)


def knows(node: Node, id: str) -> bool:
    return id in node.ask("CLUSTER", "NODES").decode()


def has_replica(node: Node) -> bool:
    return "online" in str(node.ask("INFO", "replication").get("slave0", ""))


async def measure_failover() -> Failover:
    with replicated_cluster() as cluster, throwaway_node() as cache:
        async with opened(cluster.url, cache.url) as square:
            load = Load(square)
            await load.prepare()
            written = [*load.posts]
            failed, away = 0, 0.0
            cluster.nodes[0].kill()
            killed = time.monotonic()
            deadline = killed + FAILOVER_PATIENCE
            healthy = 0
            while time.monotonic() < deadline and healthy < 200:
                try:
                    written.append((await load.post()).id)
                    healthy += 1
                except (Unavailable, OutcomeUnknown):
                    failed += 1
                    healthy = 0
                    away = time.monotonic() - killed
                    await asyncio.sleep(0.02)
            found = await asyncio.gather(*(exists(square, id) for id in written))
            return Failover(away, failed, len(written), found.count(False))


async def exists(square: Square, id: str) -> bool:
    try:
        await square.social.posts.get(id)
    except NotFound:
        return False
    return True


def run() -> list[Result]:
    sizes = {(size, skew): asyncio.run(measure_size(size, skew)) for size in SIZES for skew in (1.0, 4.0)}
    operations = asyncio.run(measure_operations())
    failover = asyncio.run(measure_failover())
    one = {skew: sizes[SIZES[0], skew].busiest for skew in (1.0, 4.0)}
    return [
        Result(
            "Throughput and number of nodes",
            f"A cluster of one to six primaries on one machine; {MIXED}. "
            "Capacity is the CPU of the busiest node for each operation, compared with one node. With uneven "
            "load half of the operations concern 6 % of the users.",
            [
                "primaries",
                "capacity, even load",
                "capacity, uneven load",
                "busiest to mean, even",
                "busiest to mean, uneven",
            ],
            [
                [
                    str(size),
                    *(f"{one[skew] / sizes[size, skew].busiest:.2f}" for skew in (1.0, 4.0)),
                    *(
                        f"{sizes[size, skew].busiest * size / sum(sizes[size, skew].nodes):.2f}"
                        for skew in (1.0, 4.0)
                    ),
                ]
                for size in SIZES
            ],
        ),
        Result(
            "Cost of each operation",
            "Microseconds of CPU without HTTP: in the engine, on a cluster of three summed over its nodes, "
            "and in the process of the server.",
            ["operation", "engine", "engine, cluster", "ratio", "server", "server, cluster", "ratio"],
            [
                [
                    kind,
                    f"{sum(plain.nodes):.0f}",
                    f"{sum(clustered.nodes):.0f}",
                    f"{sum(clustered.nodes) / sum(plain.nodes):.2f}",
                    f"{plain.client:.0f}",
                    f"{clustered.client:.0f}",
                    f"{clustered.client / plain.client:.2f}",
                ]
                for kind, (plain, clustered) in operations.items()
            ],
        ),
        Result(
            "Failover of a primary",
            f"Three primaries with a replica each, cluster-node-timeout {NODE_TIMEOUT_MS / 1000:g} s; "
            "one primary is killed. Posts are written one after the other.",
            ["", ""],
            [
                ["last failed write after", f"{failover.away:.1f} s"],
                ["failed writes", f"{failover.failed}"],
                ["acknowledged writes", f"{failover.acknowledged}"],
                ["acknowledged writes that are lost", f"{failover.lost}"],
            ],
        ),
    ]
