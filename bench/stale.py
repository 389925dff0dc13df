"""Processes that write and read at once while connections are cut, nodes killed and slots moved.

A read that begins after a write was acknowledged, to whichever process, must show that write or a later one.
It is measured twice: records of a store, and pages of the web application. BENCH_SECONDS is how long each
takes, on one node and again on a cluster.
"""

import asyncio
import contextlib
import multiprocessing
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from multiprocessing.queues import Queue
from typing import Any, NamedTuple

import httpx
import msgspec
import uvloop
from tests.store.client_cache.world import READS, cache_of, fill_shelf, note, process, write
from tests.support.engines import Cluster, Node, is_whole, throwaway_cluster, throwaway_node, wait_until
from tests.support.squares import ENV, Place, bearer, client_of
from tests.web.asking import silent_logs

from bench.report import Result
from townsquare import square as library
from townsquare.keyspace import AnyKey, Layout
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.accounts.signin.models import Client
from townsquare.services.social import keys as social_keys
from townsquare.services.threads import keys as threads_keys
from townsquare.services.threads.models.sites import RateLimits, SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.square import Square
from townsquare.store.store import Store
from townsquare.web.site import site_of

SECONDS = float(os.environ.get("BENCH_SECONDS", "60"))
PAUSE = 0.01
QUIET = 4  # seconds at the end without trouble, in which every process reads again
DURABLE = {"appendonly": "yes", "appendfsync": "always"}
LAYOUT = Layout(ENV, clustered=True)

PROCESSES, READERS = 4, 3  # of records; readers of each kind
NOTES = 400
TOGETHER = 10  # notes that are read at once
SMALL = 200_000  # bytes of memory: about a third of the notes fit

PAGE_PROCESSES, PAGE_READERS = 3, 6
AUTHORS, POSTS, COMMENTS = 5, 20, 20  # all of which one page shows
PEOPLE = 60  # who like and vote, each once
SMALL_PAGES = "60kb"
DOMAIN, PATH, TAG = "blog.example.org", "/hello", "tag"

AWAY = (Unavailable, OutcomeUnknown)

Check = Callable[[Any, Sequence[int]], None]  # of a body, with the numbers written before the request


class Tally(NamedTuple):
    reads: int
    writes: int
    away: int  # requests while the store was not there
    hits: int
    drops: int
    stale: list[str]


class Side:
    """One process: what it has done, and what it has seen."""

    def __init__(self, written: Any, until: float) -> None:
        self.written, self.until = written, until
        self.reads = self.writes = self.away = 0
        self.stale: list[str] = []

    def tally(self, store: Store) -> Tally:
        cache = cache_of(store)
        return Tally(self.reads, self.writes, self.away, cache.hits, cache.drops, self.stale[:5])

    def compare(self, what: str, before: int, seen: int) -> None:
        if seen < before:
            self.stale.append(f"{what}: {seen} after {before}")

    async def refused(self) -> None:
        self.away += 1
        await asyncio.sleep(PAUSE)


class RecordSide(Side):
    """`written` has the version of each note; each note has one writer."""

    def __init__(self, store: Store, written: Any, number: int, until: float) -> None:
        super().__init__(written, until)
        self.store = store
        self.own = range(number, NOTES, PROCESSES)

    async def write(self) -> None:
        version = 0
        while time.monotonic() < self.until:
            version += 1
            chosen = random.choice(self.own)
            try:
                await write(self.store, str(chosen), "text", version)
            except AWAY:
                await self.refused()
                continue
            self.written[chosen] = version
            self.writes += 1
            await asyncio.sleep(0)

    async def read(self, read: Callable[[Sequence[int]], Awaitable[list[int]]]) -> None:
        while time.monotonic() < self.until:
            first = random.randrange(NOTES - TOGETHER)
            numbers = range(first, first + TOGETHER)
            before = [self.written[number] for number in numbers]
            try:
                found = await read(numbers)
            except AWAY:
                await self.refused()
                continue
            self.reads += 1
            for number, known, version in zip(numbers, before, found, strict=True):
                self.compare(f"note {number}", known, version)


async def work_on_records(place: Place, written: Any, number: int, begin: Any) -> Tally:
    async with process(place, limit=SMALL if number % 2 else 64 << 20) as store:
        begin.wait()
        side = RecordSide(store, written, number, time.monotonic() + SECONDS)
        reads = [partial(kind, store) for kind in READS]
        await asyncio.gather(side.write(), *(side.read(read) for read in reads * READERS))
        return side.tally(store)


class Site(msgspec.Struct, frozen=True):
    """What all processes know of the square that they serve."""

    key: str  # the public one of the site
    site_id: str
    posts: list[str]
    comments: list[str]
    voters: list[str]  # ids of accounts
    token: str  # of a reader who follows everybody

    def moving(self) -> list[AnyKey]:
        """Whose slots are moved."""
        return [
            *(social_keys.post(id) for id in self.posts),
            *(social_keys.user(author(number)) for number in range(AUTHORS)),
            *(threads_keys.comment(id) for id in self.comments[:1]),
            *(threads_keys.user(id) for id in self.voters[:5]),
            social_keys.explore_feed(),
            social_keys.user("reader"),
        ]


def author(number: int) -> str:
    return f"author{number}"


def writer(number: int) -> str:
    return f"writer{number}"


# where each kind stands in `written`: versions of texts, and numbers of likes and votes
BIOS = range(AUTHORS)
TEXTS = range(BIOS.stop, BIOS.stop + POSTS)
LIKES = range(TEXTS.stop, TEXTS.stop + POSTS)
ANSWERS = range(LIKES.stop, LIKES.stop + COMMENTS)
VOTES = range(ANSWERS.stop, ANSWERS.stop + COMMENTS)
# Posts and comments by a writer of each process, numbered. Lists of other homes may come later on a cluster.
NEW_POSTS = range(VOTES.stop, VOTES.stop + PAGE_PROCESSES)
NEW_COMMENTS = range(NEW_POSTS.stop, NEW_POSTS.stop + PAGE_PROCESSES)  # each on one page
KINDS = (BIOS, TEXTS, LIKES, ANSWERS, VOTES, NEW_POSTS, NEW_COMMENTS)
ALL = range(NEW_COMMENTS.stop)


async def furnish(place: Place) -> Site:
    async with library.open(settings=place.settings(), background=False) as square:
        social, threads, accounts = square.social, square.services["threads"], square.accounts
        for number in range(AUTHORS):
            await social.profiles.register(author(number), given={"bio": "0"})
        for number in range(PAGE_PROCESSES):
            await social.profiles.register(writer(number))
        posts = [(await social.posts.create(author(n % AUTHORS), f"0 #{TAG}")).id for n in range(POSTS)]
        reader = await accounts.sign_up("reader")
        for number in range(AUTHORS):
            await social.follows.follow("reader", author(number))
        voters = []
        for number in range(PEOPLE):
            account = await accounts.sign_up(f"person{number}")
            await threads.commenters.get(account.id)
            voters.append(account.id)
        unlimited = RateLimits(key=0, ip=0, user=0, comments=0)
        settings = SiteSettings(moderation="post", rate_limits=unlimited)
        site = await threads.sites.create("A blog", DOMAIN, settings=settings)
        known = await threads.sites.by_key(site.api_key_public)
        comments = []
        for number in range(COMMENTS):
            viewer = Viewer(site_id=site.id, user_id=voters[number % 5])
            made = await threads.comments.create(viewer, known, page_address(known, PATH), f"0 of {number}")
            comments.append(made.comment.id)
        signed = await accounts.sessions.issue(reader, "password", Client())
        return Site(site.api_key_public, site.id, posts, comments, voters, signed.access_token)


class PageSide(Side):
    """Writes by the library, reads pages; everything has one writer."""

    def __init__(
        self, square: Square, http: httpx.AsyncClient, site: Site, written: Any, number: int, until: float
    ) -> None:
        super().__init__(written, until)
        self.http, self.site = http, site
        self.social, self.threads = square.social, square.services["threads"]
        self.owner = Viewer(site_id=site.site_id, owner=True)
        self.own = [kind[number::PAGE_PROCESSES] for kind in KINDS]
        self.tries = [0] * len(ALL)

    async def write(self) -> None:
        while time.monotonic() < self.until:
            chosen = random.choice(random.choice(self.own))
            self.tries[chosen] += 1
            try:
                done = await self.change(chosen, self.tries[chosen])
            except AWAY:
                await self.refused()
                continue
            if done:
                self.written[chosen] = done
                self.writes += 1
            await asyncio.sleep(0)

    async def change(self, chosen: int, version: int) -> int:
        """The number that pages must show from now on."""
        site = self.site
        if chosen in BIOS:
            await self.social.users.change(author(chosen), {"bio": str(version)})
        elif chosen in TEXTS:
            place = chosen - TEXTS.start
            text = f"{version} #{TAG}"
            await self.social.posts.edit(site.posts[place], author(place % AUTHORS), content=text)
        elif chosen in ANSWERS:
            place = chosen - ANSWERS.start
            known = await self.threads.sites.by_key(site.key)
            await self.threads.comments.edit(
                self.owner, known, site.comments[place], f"{version} of {place}", as_moderator=True
            )
        elif chosen in NEW_POSTS:
            number = chosen - NEW_POSTS.start
            await self.social.posts.create(writer(number), f"{version} by {number}")
        elif chosen in NEW_COMMENTS:
            number = chosen - NEW_COMMENTS.start
            known = await self.threads.sites.by_key(site.key)
            viewer = Viewer(site_id=site.site_id, user_id=site.voters[number])
            page = page_address(known, f"/new{number}")
            await self.threads.comments.create(viewer, known, page, f"{version} by {number}")
        elif version > PEOPLE:
            return 0
        elif chosen in LIKES:
            await self.social.posts.like(site.posts[chosen - LIKES.start], f"person{version - 1}")
            return int(self.written[chosen]) + 1
        else:
            voter = Viewer(site_id=site.site_id, user_id=site.voters[version - 1])
            await self.threads.comments.vote(voter, site.comments[chosen - VOTES.start], "up")
            return int(self.written[chosen]) + 1
        return version

    async def read(self) -> None:
        pages: list[tuple[str, Check]] = [
            ("/social/feed/explore", self.check_explore),
            ("/social/feed/following", self.check_feed),
            (f"/social/feed/hashtag/{TAG}", self.check_feed),
            (f"/threads/v1/comments?page_url={PATH}&sort=old", self.check_thread),
            *(
                page
                for number in range(PAGE_PROCESSES)
                for page in (
                    (f"/social/users/{writer(number)}/posts", partial(self.check_newest_post, number)),
                    (f"/threads/v1/comments?page_url=/new{number}", partial(self.check_newest, number)),
                )
            ),
        ]
        while time.monotonic() < self.until:
            path, check = random.choice(pages)
            if random.random() < 0.5:  # one cached record
                path, check = f"/social/users/{author(random.randrange(AUTHORS))}", self.check_profile
            signed_in = "following" in path or random.random() < 0.5
            headers = bearer(self.site.token) if signed_in else {}
            headers["X-API-Key"] = self.site.key
            before = self.written[:]
            response = await self.http.get(path, headers=headers)
            if response.status_code == Unavailable.status:
                await self.refused()
                continue
            self.reads += 1
            if response.status_code != 200:
                self.stale.append(f"{path}: {response.status_code} {response.text[:200]}")
                continue
            check(response.json(), before)

    def check_profile(self, body: Any, before: Sequence[int]) -> None:
        number = int(body["username"].removeprefix("author"))
        self.compare(f"bio of {number}", before[number], int(body["bio"]))

    def check_newest_post(self, number: int, body: Any, before: Sequence[int]) -> None:
        shown = [leading(item["post"]["content"]) for item in body["items"]]
        self.compare(f"newest post of {number}", before[NEW_POSTS[number]], max(shown, default=0))

    def check_newest(self, number: int, body: Any, before: Sequence[int]) -> None:
        shown = [leading(comment["content"]) for comment in body["comments"]]
        self.compare(f"newest comment of {number}", before[NEW_COMMENTS[number]], max(shown, default=0))

    def check_explore(self, body: Any, before: Sequence[int]) -> None:
        self.check_feed(body, before, all_shown=False)  # new posts take the place of others

    def check_feed(self, body: Any, before: Sequence[int], *, all_shown: bool = True) -> None:
        shown = {item["post"]["id"]: item for item in body["items"]}
        for place, id in enumerate(self.site.posts):
            if id not in shown:
                self.stale += [f"post {place} is not there"] * all_shown
                continue
            post, written_by = shown[id]["post"], shown[id]["author"]
            self.compare(f"post {place}", before[TEXTS[place]], leading(post["content"]))
            self.compare(f"likes of {place}", before[LIKES[place]], post["likesCount"])
            self.compare(f"author of {place}", before[place % AUTHORS], int(written_by["bio"]))

    def check_thread(self, body: Any, before: Sequence[int]) -> None:
        shown = {comment["id"]: comment for comment in body["comments"]}
        for place, id in enumerate(self.site.comments):
            if id not in shown:
                self.stale.append(f"comment {place} is not there")
                continue
            self.compare(f"comment {place}", before[ANSWERS[place]], leading(shown[id]["content"]))
            self.compare(f"votes of {place}", before[VOTES[place]], shown[id]["upvotes"])


def leading(text: str) -> int:
    return int(text.partition(" ")[0])


async def work_on_pages(place: Place, site: Site, written: Any, number: int, begin: Any) -> Tally:
    settings = place.settings(client_cache_memory=SMALL_PAGES if number % 2 else "64mb")
    async with (
        library.open(settings=settings, background=False) as square,
        client_of(site_of(square, silent_logs())) as http,
    ):
        begin.wait()
        side = PageSide(square, http, site, written, number, time.monotonic() + SECONDS)
        await asyncio.gather(side.write(), *(side.read() for _ in range(PAGE_READERS)))
        return side.tally(square.store)


Work = Callable[..., Awaitable[Tally]]  # of what all have in common, the number of the process, the barrier


def run_process(work: Work, number: int, begin: Any, told: "Queue[Tally | str]") -> None:
    async def live() -> Tally:
        return await work(number, begin)

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            told.put(runner.run(live()))
    except BaseException as error:
        told.put(repr(error))
        begin.abort()
        raise


def trouble(
    nodes: list[Node], cluster: Cluster | None, moving: Sequence[AnyKey], until: float
) -> dict[str, int]:
    """Connections cut, nodes killed, slots moved, one after the other until the end."""
    done = {"cuts": 0, "kills": 0, "moves": 0}
    while time.monotonic() < until - QUIET:
        time.sleep(0.5)
        for node in nodes:
            node.ask("CLIENT", "KILL", "TYPE", "normal")
        done["cuts"] += 1
        if cluster is not None:
            for _ in range(20):
                slot = LAYOUT.slot(random.choice(moving))
                assert slot is not None
                source = cluster.node_of(slot)
                cluster.migrate(slot, source, random.choice([one for one in nodes if one is not source]))
                done["moves"] += 1
        if done["cuts"] % (8 if cluster is None else 2) == 0:
            victim = random.choice(nodes)
            victim.kill()
            victim.start()
            if cluster is not None:
                wait_until(lambda: all(is_whole(one, len(nodes)) for one in nodes), "the cluster to be whole")
            done["kills"] += 1
    return done


@contextlib.contextmanager
def places() -> Iterator[list[tuple[Place, list[Node], Cluster | None]]]:
    with (
        throwaway_node(binary=None, **DURABLE) as node,
        throwaway_node() as cache,
        throwaway_cluster() as cluster,
    ):
        for one in cluster.nodes:
            one.ask("CONFIG", "SET", "appendonly", "yes")
            one.ask("CONFIG", "SET", "appendfsync", "always")
            one.options |= DURABLE
        yield [
            (Place("plain", node.url, cache.url), [node], None),
            (Place("cluster", cluster.url, cache.url), cluster.nodes, cluster),
        ]


async def place_notes(place: Place) -> None:
    async with process(place) as store:
        await fill_shelf(store, TOGETHER)


def records_of(place: Place, nodes: list[Node], cluster: Cluster | None) -> list[str]:
    asyncio.run(place_notes(place))
    written = multiprocessing.get_context("spawn").Array("q", NOTES, lock=False)
    moving = [note(str(number)) for number in range(NOTES)]
    work = partial(work_on_records, place, written)
    return measure(f"records, {place.name}", PROCESSES, work, nodes, cluster, moving)


def pages_of(place: Place, nodes: list[Node], cluster: Cluster | None) -> list[str]:
    site = asyncio.run(furnish(place))
    written = multiprocessing.get_context("spawn").Array("q", len(ALL), lock=False)
    work = partial(work_on_pages, place, site, written)
    return measure(f"pages, {place.name}", PAGE_PROCESSES, work, nodes, cluster, site.moving())


def measure(
    name: str,
    processes: int,
    work: Work,
    nodes: list[Node],
    cluster: Cluster | None,
    moving: Sequence[AnyKey],
) -> list[str]:
    context = multiprocessing.get_context("spawn")
    told: Queue[Tally | str] = context.Queue()
    begin = context.Barrier(processes + 1)
    running = [
        context.Process(target=run_process, args=(work, number, begin, told)) for number in range(processes)
    ]
    for one in running:
        one.start()
    with contextlib.suppress(Exception):  # one of them has failed, and says why
        begin.wait(120)
    done = trouble(nodes, cluster, moving, time.monotonic() + SECONDS)
    found = [told.get(timeout=60) for _ in running]
    for one in running:
        one.join(10)
    tallies = [one for one in found if isinstance(one, Tally)]
    wrong = [one for one in found if isinstance(one, str)]
    wrong += [text for tally in tallies for text in tally.stale]
    if wrong:
        raise AssertionError(f"{name}: {wrong}")
    sums = [
        sum(getattr(tally, name) for tally in tallies)
        for name in ("writes", "reads", "hits", "drops", "away")
    ]
    return [name, *(f"{number:,}" for number in sums), *map(str, done.values()), "0"]


def run() -> list[Result]:
    with places() as found:
        rows = [row(*one) for row in (records_of, pages_of) for one in found]
    return [
        Result(
            "Nothing stale",
            f"{SECONDS:g} s each, with connections cut, nodes killed and slots moved. Records: {PROCESSES} "
            f"processes, each with a writer and {READERS * len(READS)} readers of ten. Pages: "
            f"{PAGE_PROCESSES} processes that serve feeds, profiles and a thread to {PAGE_READERS} readers "
            "and write posts, profiles, likes, comments and votes. In half of them not all records fit into "
            "the client cache. A read that begins after a write was acknowledged shows that write or a "
            "later one.",
            ["", "writes", "reads", "hits", "drops", "refused", "cuts", "kills", "slots moved", "stale"],
            rows,
        )
    ]
