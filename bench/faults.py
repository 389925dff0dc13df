"""Writes of all services over HTTP while processes are killed, stopped and cut off.

Each client repeats a request until it is acknowledged, with the same Idempotency-Key, event id or visitor.
At the end every acknowledged write must be there exactly once, and `townsquare check` must find nothing.
BENCH_OPERATIONS and BENCH_FAULTS are the numbers on each layout, BENCH_LAYOUTS selects the layouts.

Engines sync before they acknowledge a write. With `everysec` an engine that is killed while its disk is busy
loses writes that it has acknowledged: Redis delays its writes to the append-only file during a sync.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.faults.visits import create_counter
from tests.support.engines import Cluster, Node, is_whole, throwaway_cluster, throwaway_node, wait_until
from tests.support.servers import NoAnswer, Server

from bench.downtime import start
from bench.report import Result
from townsquare import square as library
from townsquare.integrity import check
from townsquare.keyspace import Role
from townsquare.services.accounts.signin.models import Client
from townsquare.services.accounts.signin.tokens import access
from townsquare.services.social import keys as social_keys
from townsquare.services.threads import keys as threads_keys
from townsquare.services.threads.models.sites import RateLimits, SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.square import Square
from townsquare.store.wire.address import parse
from townsquare.store.wire.connection import execute_once

OPERATIONS = int(os.environ.get("BENCH_OPERATIONS", "100000"))
FAULTS = int(os.environ.get("BENCH_FAULTS", "50"))
LAYOUTS = os.environ.get("BENCH_LAYOUTS", "one node,cluster").split(",")
DURABILITY = os.environ.get("BENCH_DURABILITY", "always")
CLIENTS = 40
CALM = 0.5  # seconds between the end of a fault and the next one
PATIENCE = 60.0  # seconds in which a request must be acknowledged
DOMAIN, PAGE = "blog.example.org", "/hello"
BOARD, RANKING = "https://board.example/", "https://ranking.example/"
TOKEN = "a good token"
TOKEN_SECONDS = 4 * 60 * 60  # a run may take longer than an access token lasts
REPEAT = {0, 503, 507}  # no response, or one that asks to repeat the request


class Person(NamedTuple):
    id: str
    name: str
    token: str


class Town(NamedTuple):
    """What exists before the first fault."""

    people: list[Person]
    posts: list[str]
    comments: list[str]
    site: str
    counter: str


class Written:
    """What clients were told."""

    def __init__(self) -> None:
        self.operations = 0
        self.repeated = 0
        self.statuses: Counter[int] = Counter()
        self.unexpected: list[str] = []
        self.posts: set[str] = set()  # texts
        self.comments: set[str] = set()
        self.messages = self.visits = self.visit_requests = 0
        self.views: Counter[str] = Counter()  # of products
        self.marks: dict[tuple[str, str, str], bool | str] = {}  # by kind, person and object
        self.scores: dict[int, str] = {}  # the last name in each ranking, which has the best score
        self.cities: dict[str, str] = {}  # of accounts


class Connection:
    """Keep-alive HTTP without a library, which would cost more than the server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        """Raises `OSError`, `EOFError` or `TimeoutError` if no whole response comes."""
        try:
            async with asyncio.timeout(15):
                if self._streams is None:
                    self._streams = await asyncio.open_connection("127.0.0.1", self._server.port)
                reader, writer = self._streams
                content = b"" if body is None else json.dumps(body).encode()
                lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(content)}"]
                lines += [f"{name}: {value}" for name, value in headers.items()]
                if body is not None:
                    lines.append("Content-Type: application/json")
                writer.write("\r\n".join([*lines, "", ""]).encode() + content)
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = int(head.partition("\r\ncontent-length:")[2].partition("\r\n")[0] or 0)
                answer = await reader.readexactly(length)
        except BaseException:
            self.close()
            raise
        if "\r\nconnection: close" in head:
            self.close()
        return int(head.split()[1]), answer

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


class Actor:
    def __init__(self, server: Server, town: Town, written: Written, number: int) -> None:
        self._connection = Connection(server)
        self._town = town
        self._written = written
        self._number = number
        self._random = random.Random(number)
        self._me = town.people[number]
        self._serial = 0

    async def act(self, until: Callable[[], bool]) -> None:
        operations = [
            self.post,
            self.comment,
            self.message,
            self.score,
            self.change_account,
            self.visit,
            self.view,
            self.like,
            self.follow,
            self.vote,
            self.bookmark,
            self.read,
            self.read,
        ]
        while not until():
            self._serial += 1
            await self._random.choice(operations)()
        self._connection.close()

    async def request(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Repeat it until it is acknowledged. Headers with `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named = {"Authorization": f"Bearer {self._me.token}", **named}
        deadline = time.monotonic() + PATIENCE
        self._written.operations += 1
        while True:
            try:
                status, answer = await self._connection.send(method, path, body, named)
            except (OSError, EOFError, TimeoutError, NoAnswer):
                status, answer = 0, b""
            self._written.statuses[status] += 1
            if status in (200, 201):
                return json.loads(answer)
            if status not in REPEAT:
                self._written.unexpected.append(f"{method} {path}: {status} {answer[:300].decode()}")
                return None
            if time.monotonic() > deadline:
                self._written.unexpected.append(f"{method} {path}: not acknowledged in {PATIENCE:g} s")
                return None
            self._written.repeated += 1
            await asyncio.sleep(0.05)

    def text(self) -> str:
        return f"{self._me.name} writes number {self._serial}"

    def key(self) -> str:
        return f"{self._number}-{self._serial}"

    async def post(self) -> None:
        text = self.text()
        if await self.request("POST", "/social/posts", {"content": text}, Idempotency_Key=self.key()):
            self._written.posts.add(text)

    async def comment(self) -> None:
        text = self.text()
        body = {"page_url": f"{PAGE}/{self._number % 4}", "content": text}
        headers = {"Origin": f"https://{DOMAIN}", "X_API_Key": self._town.site}
        path = "/threads/v1/comments"
        if await self.request("POST", path, body, Idempotency_Key=self.key(), **headers):
            self._written.comments.add(text)

    async def message(self) -> None:
        body = {"action": "post", "url": f"{BOARD}{self._number}", "message": self.text()}
        visitor = f"browser {self.key()}"  # the cooldown is that of a visitor
        if await self.request("POST", "/widgets/bbs", body, Idempotency_Key=self.key(), User_Agent=visitor):
            self._written.messages += 1

    async def score(self) -> None:
        name, visitor = f"{self._number} {self._serial}", f"browser {self.key()}"
        body = {"action": "submit", "url": f"{RANKING}{self._number}", "name": name, "score": self._serial}
        if await self.request(
            "POST", "/widgets/ranking", body, Idempotency_Key=self.key(), User_Agent=visitor
        ):
            self._written.scores[self._number] = name

    async def change_account(self) -> None:
        city = f"City {self._serial}"
        if await self.request("PATCH", "/accounts/me", {"city": city}):
            self._written.cities[self._me.id] = city

    async def visit(self) -> None:
        path = f"/widgets/visit?action=increment&id={self._town.counter}"
        before = self._written.repeated
        if await self.request("GET", path, User_Agent=f"browser {self.key()}"):
            self._written.visits += 1
        self._written.visit_requests += 1 + self._written.repeated - before

    async def view(self) -> None:
        product = f"product-{self._random.randrange(20)}"
        event = {"id": f"{self._number:04}{self._serial:08}", "kind": "view", "product": product}
        if await self.request("POST", "/analytics/events", {"events": [event]}):
            self._written.views[product] += 1

    async def like(self) -> None:
        await self._mark("like")

    async def bookmark(self) -> None:
        await self._mark("bookmark")

    async def _mark(self, kind: str) -> None:
        id, wanted = self._random.choice(self._town.posts), self._random.random() < 0.6
        if await self.request("POST" if wanted else "DELETE", f"/social/posts/{id}/{kind}"):
            self._written.marks[kind, self._me.name, id] = wanted

    async def follow(self) -> None:
        other, wanted = self._random.choice(self._town.people).name, self._random.random() < 0.6
        if other == self._me.name:
            return
        if await self.request("POST" if wanted else "DELETE", f"/social/users/{other}/follow"):
            self._written.marks["follow", self._me.name, other] = wanted

    async def vote(self) -> None:
        id, direction = self._random.choice(self._town.comments), self._random.choice(("up", "down"))
        headers = {"Origin": f"https://{DOMAIN}", "X_API_Key": self._town.site}
        path = f"/threads/v1/comments/{id}/vote"
        voted = await self.request("POST", path, {"direction": direction}, **headers)
        if voted:
            self._written.marks["vote", self._me.name, id] = voted["my_vote"] or ""

    async def read(self) -> None:
        path = self._random.choice(
            [
                "/social/feed/explore",
                "/social/feed/following",
                f"/social/users/{self._me.name}",
                "/title_search?q=heat",
            ]
        )
        await self.request("GET", path)


class Place(NamedTuple):
    """A running server, and the engines behind it if they are not its own."""

    server: Server
    nodes: list[Node]
    cluster: Cluster | None


Fault = Callable[[Place], Awaitable[None]]


async def kill_worker(place: Place) -> None:
    if workers := place.server.worker_pids():
        with contextlib.suppress(ProcessLookupError):
            os.kill(random.choice(workers), signal.SIGKILL)


async def restart_server(place: Place) -> None:
    await place.server.stop()
    await start(place.server)


async def kill_server(place: Place) -> None:
    await place.server.kill()
    await start(place.server)


async def kill_engine(place: Place) -> None:
    os.kill(place.server.engine_pid(Role.DATA), signal.SIGKILL)


async def kill_cache(place: Place) -> None:
    os.kill(place.server.engine_pid(Role.CACHE), signal.SIGKILL)


async def stop_engine(place: Place) -> None:
    """It hangs for longer than a command may take."""
    await hang(place.server.engine_pid(Role.DATA))


async def cut_connections(place: Place) -> None:
    for url in place.server.store_urls()[:1] if place.cluster is None else []:
        await execute_once(parse(url).addresses[0], "CLIENT", "KILL", "TYPE", "normal")
    for node in place.nodes:
        node.ask("CLIENT", "KILL", "TYPE", "normal")


async def kill_node(place: Place) -> None:
    victim = random.choice(place.nodes)
    victim.kill()
    await asyncio.sleep(0.5)
    victim.start()
    await whole(place)


async def stop_node(place: Place) -> None:
    process = random.choice(place.nodes).process
    assert process is not None
    await hang(process.pid)
    await whole(place)


async def move_slots(place: Place) -> None:
    cluster = place.cluster
    assert cluster is not None
    for slot in random.sample(range(16_384), 20):
        source = cluster.node_of(slot)
        cluster.migrate(slot, source, random.choice([one for one in place.nodes if one is not source]))
        await asyncio.sleep(0)


async def hang(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(3)
    os.kill(pid, signal.SIGCONT)


async def whole(place: Place) -> None:
    def is_formed() -> bool:
        return all(is_whole(one, len(place.nodes)) for one in place.nodes)

    await asyncio.to_thread(wait_until, is_formed, "the cluster to be whole")


ON_ONE_NODE: list[Fault] = [
    kill_worker,
    kill_engine,
    kill_cache,
    stop_engine,
    cut_connections,
    kill_server,
    restart_server,
]
ON_A_CLUSTER: list[Fault] = [
    kill_worker,
    kill_node,
    stop_node,
    cut_connections,
    move_slots,
    kill_server,
    restart_server,
]


@contextlib.asynccontextmanager
async def one_node(folder: Path) -> AsyncIterator[Place]:
    server = Server(folder / "data", workers=2, durability=DURABILITY)
    try:
        await server.start()
        yield Place(server, [], None)
    finally:
        await server.bury()


@contextlib.asynccontextmanager
async def on_cluster(folder: Path) -> AsyncIterator[Place]:
    durable = {"appendonly": "yes", "appendfsync": DURABILITY}
    with throwaway_cluster() as cluster, throwaway_node() as cache:
        for one in cluster.nodes:
            for name, value in durable.items():
                one.ask("CONFIG", "SET", name, value)
            one.options |= durable
        server = Server(folder / "data", workers=2, data_url=cluster.url, cache_url=cache.url)
        try:
            await server.start()
            yield Place(server, cluster.nodes, cluster)
        finally:
            await server.bury()


async def furnish(square: Square, server: Server) -> Town:
    accounts, social, threads = (square.services[name] for name in ("accounts", "social", "threads"))
    people = []
    vars(access)["ACCESS_SECONDS"] = TOKEN_SECONDS  # this process signs the tokens
    for number in range(CLIENTS):
        account = await accounts.sign_up(f"person{number}")
        session = await accounts.sessions.issue(account, "password", Client(ip="192.0.2.1"))
        people.append(Person(account.id, f"person{number}", session.access_token))
    settings = SiteSettings(proof_of_work=False, rate_limits=RateLimits(key=0, ip=0, user=0, comments=0))
    site = await threads.sites.create("A blog", DOMAIN, settings=settings)
    key = await threads.sites.by_key(site.api_key_public)
    posts = [(await social.posts.create(one.name, "Before the faults")).id for one in people[:10]]
    viewer = Viewer(site_id=site.id, user_id=people[0].id)
    page = page_address(key, "/voted", None)
    comments = [
        (await threads.comments.create(viewer, key, page, f"Comment {number}")).comment.id
        for number in range(10)
    ]
    for number in range(CLIENTS):
        boards: dict[str, str] = {"maxMessages": "1000"}  # more than are written
        for path, url, options in (("bbs", BOARD, boards), ("ranking", RANKING, {})):
            answer = await server.ask(
                f"/widgets/{path}", action="create", url=f"{url}{number}", token=TOKEN, **options
            )
            assert answer.status == 200, answer
    return Town(people, posts, comments, site.api_key_public, await create_counter(server))


async def wrong_at_the_end(square: Square, place: Place, town: Town, written: Written) -> dict[str, int]:
    """Acknowledged writes that are not there, those that are there twice, and what `check` finds."""
    lost: Counter[str] = Counter()
    twice: Counter[str] = Counter()

    def compare(kind: str, acknowledged: int, found: int, most: int | None = None) -> None:
        lost[kind] += max(0, acknowledged - found)
        twice[kind] += max(0, found - (acknowledged if most is None else most))

    posts = Counter([text async for text in texts_of_posts(square, town) if "writes number" in text])
    comments = Counter([text async for text in texts_of_comments(square, town)])
    for kind, found, wanted in (("posts", posts, written.posts), ("comments", comments, written.comments)):
        for text in found.keys() | wanted:
            compare(kind, int(text in wanted), found[text])
    messages = 0
    for number in range(CLIENTS):
        answer = await place.server.ask("/widgets/bbs", action="get", url=f"{BOARD}{number}")
        messages += answer.json["data"]["totalMessages"]
        answer = await place.server.ask("/widgets/ranking", action="get", url=f"{RANKING}{number}")
        names = [entry["name"] for entry in answer.json["data"]["entries"]]
        twice["scores"] += len(names) - len(set(names))
        if number in written.scores and names[:1] != [written.scores[number]]:
            written.unexpected.append(f"best score {names[:3]}, acknowledged {written.scores[number]}")
            lost["scores"] += 1
    compare("messages", written.messages, messages)
    for id, city in written.cities.items():
        stored = (await square.services["accounts"].users.get(id)).city
        if stored != city:
            written.unexpected.append(f"account {id} has {stored}, acknowledged {city}")
            lost["accounts"] += 1
    total = (await place.server.ask("/widgets/visit", action="get", id=town.counter)).json["data"]["total"]
    compare("visits", written.visits, total, written.visit_requests)  # a killed cache forgets visitors
    for product, views in written.views.items():
        compare("views", views, (await square.services["analytics"].product(product)).views)
    drift = await wrong_marks(square.store, town, written)
    report = await check(square.store)
    for finding in report.findings[:10]:
        written.unexpected.append(str(finding))
    for kind, counts in (("lost", lost), ("twice", twice)):
        if +counts:
            written.unexpected.append(f"{kind}: {dict(+counts)}")
    return {"lost": lost.total(), "twice": twice.total(), "drift": drift + report.total}


async def wrong_marks(store: Any, town: Town, written: Written) -> int:
    ids = {person.name: person.id for person in town.people}
    wrong = 0
    for (kind, name, object), wanted in written.marks.items():
        if kind == "vote":
            found = (await store.call("GET", threads_keys.vote(ids[name], object)) or b"").decode()
        elif kind == "follow":
            found = bool(await store.call("SISMEMBER", social_keys.following(name), object))
        else:
            members = social_keys.post_likes if kind == "like" else social_keys.post_bookmarks
            found = bool(await store.call("SISMEMBER", members(object), name))
        if found != wanted:
            written.unexpected.append(f"{kind} of {name}, {object}: {found}, acknowledged {wanted}")
            wrong += 1
    return wrong


async def texts_of_posts(square: Square, town: Town) -> AsyncIterator[str]:
    for person in town.people:
        cursor = None
        while True:
            page = await square.services["social"].feeds.user_posts(person.name, None, cursor, 100)
            for item in page.items:
                yield item.post.content
            cursor = page.next
            if cursor is None:
                break


async def texts_of_comments(square: Square, town: Town) -> AsyncIterator[str]:
    threads = square.services["threads"]
    site = await threads.sites.by_key(town.site)
    viewer = Viewer(site_id=site.site_id, role="admin")
    for number in range(4):
        page, cursor = page_address(site, f"{PAGE}/{number}"), None
        while True:
            found = await threads.reading.thread(
                viewer, site.settings, page.id, sort="old", cursor=cursor, limit=100
            )
            for comment in found.comments:
                yield comment.content
            cursor = found.next
            if cursor is None:
                break


async def trouble(place: Place, faults: list[Fault], written: Written) -> Counter[str]:
    """Faults one after the other, evenly among the operations."""
    done: Counter[str] = Counter()
    while done.total() < FAULTS:
        fault = faults[done.total() % len(faults)]
        await asyncio.sleep(CALM)
        while written.operations < done.total() * OPERATIONS / FAULTS:  # noqa: ASYNC110 - a count, no event
            await asyncio.sleep(CALM / 10)
        await fault(place)
        done[fault.__name__.replace("_", " ")] += 1
        if not place.server.running:
            written.unexpected.append(f"the server ended after {fault.__name__}: {place.server.log[-2000:]}")
            await start(place.server)
    while written.operations < OPERATIONS:  # noqa: ASYNC110
        await asyncio.sleep(CALM / 10)
    return done


async def measure(folder: Path, layout: str) -> list[str]:
    make, faults = (one_node, ON_ONE_NODE) if layout == "one node" else (on_cluster, ON_A_CLUSTER)
    written = Written()
    async with make(folder) as place:
        async with library.open(settings=place.server.settings(), background=False) as square:
            town = await furnish(square, place.server)
        troubled = asyncio.create_task(trouble(place, faults, written))
        actors = [Actor(place.server, town, written, number) for number in range(CLIENTS)]
        await asyncio.gather(*(actor.act(troubled.done) for actor in actors))
        done = await troubled
        await place.server.becomes_ready()
        async with library.open(settings=place.server.settings()) as square:
            if square.store.clustered:
                await square.store.effects.sweep()
            wrong = await wrong_at_the_end(square, place, town, written)
    for line in written.unexpected[:20]:
        print(line)
    print(layout, dict(done), dict(written.statuses))
    figures = [written.operations, done.total(), len(done), written.repeated, *wrong.values()]
    return [layout, *map(str, figures), str(len(written.unexpected))]


def run() -> list[Result]:
    rows = []
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(asyncio.run(measure(Path(folder), layout)))
    says = (
        f"{CLIENTS} clients write to all services and repeat what fails, while workers, servers "
        "and engines are killed, stopped, hung and cut off, and slots move. `unexpected`: responses that are "
        "neither a success nor 503 or 507, exits of the server, and requests not acknowledged in a minute."
    )
    columns = ["layout", "operations", "faults", "kinds", "repeated", "lost", "twice", "drift", "unexpected"]
    return [Result("Faults", says, columns, rows)]
