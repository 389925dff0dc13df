"""`townsquare demo`: fill a store with invented people and weeks of activity, and remove all of it again.

The texts are in `demo.json`. Everything is found again by an identity of its own: the accounts by an outside
identity of `ISSUER`, the site by its id, the widgets by the URL `HOME`.
"""

import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import click
import msgspec

from townsquare.api import Identity
from townsquare.cli.demo_content import DemoComment, DemoPage, content
from townsquare.clock import day_of
from townsquare.keyspace import derived_id
from townsquare.kit.command_parameters import Option
from townsquare.kit.commands import chosen_settings, run_command, shown_progress
from townsquare.kit.paging import page_down
from townsquare.kit.urls import server_url
from townsquare.problems import NotFound, Problem
from townsquare.services.accounts.models import Facts, OutsideIdentity, User, UserProfile
from townsquare.services.social.sync_records import post_id
from townsquare.services.threads.keys import page, site, site_pages, site_usage, site_visitors
from townsquare.services.threads.models.comments import Direction
from townsquare.services.threads.models.sites import SiteConfig, SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_id_of
from townsquare.services.threads.service.post_comments import SITE_ID as POSTS_SITE
from townsquare.services.threads.service.usage import last_months, month_of
from townsquare.services.widgets.ids import Visitor
from townsquare.services.widgets.models import CounterExport, LikeExport
from townsquare.services.widgets.problems import WidgetNotFound
from townsquare.settings import Settings
from townsquare.square import Square, open_existing
from townsquare.square import open as open_square
from townsquare.store.data_state import Progress
from townsquare.store.keys import DemoState, demo_state

ISSUER = "townsquare:demo"
DOMAIN = "paper-lantern.example"
HOME = f"https://{DOMAIN}/"
SITE_ID = derived_id("townsquare", "demo site")
WIDGETS = ("counter", "like", "ranking", "bbs")
DAYS = 42
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000  # in ms
SEED = 1996
MOST_PAGES = 1_000
MONTHS_OF_USAGE = 24

DemoNameTaken = Problem.declare("demo_name_taken", "A name of the demo data is taken", 409)
NoDemo = Problem.declare("no_demo", "There is no demo data", 404)


class DemoClock:
    """The present, or the moment of the past in which something is written."""

    def __init__(self) -> None:
        self.at: int | None = None

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 if self.at is None else self.at


def demo(
    remove: Annotated[bool, Option("--remove", help="Remove the demo data.")] = False,
    url: Annotated[
        str, Option(metavar="URL", help="Address of the server, for pictures.", show_default="as configured")
    ] = "",
) -> None:
    """Fill the store with invented people, posts, comments and widgets, or remove them.

    It does not change other data. A server can run meanwhile.
    """
    settings = chosen_settings()
    run_command(remove_demo(settings) if remove else add_demo(settings, url))


async def add_demo(settings: Settings, url: str = "") -> None:
    clock, began = DemoClock(), time.monotonic()
    async with open_square(settings=settings, clock=clock, background=False) as square:
        known = await square.store.get(demo_state())
        if known and not known.finished_at:
            click.echo("An earlier run was interrupted: its data is removed first.", err=True)
            await remove_from(square)
        address = url.rstrip("/") or server_url(settings)
        if not known or not known.finished_at:
            with shown_progress() as progress:
                await DemoWriter(square, clock, address, progress).fill()
            click.echo(f"The demo data is there, after {time.monotonic() - began:.0f} s.")
        else:
            click.echo("The demo data is there already.")
        for name, place in await places(square, address):
            click.echo(f"  {name:9} {place}")


async def remove_demo(settings: Settings) -> None:
    async with open_existing(settings) as square:
        if await square.store.get(demo_state()) is None:
            raise NoDemo()
        await remove_from(square)
    click.echo("The demo data is removed.")


async def places(square: Square, address: str) -> list[tuple[str, str]]:
    """Where to see the demo data."""
    site = await square.threads.sites.get(SITE_ID)
    board = await square.widgets.bbs.find(HOME)
    embed = f"/threads/v1/embed?site={site.api_key_public}&page_url={HOME}small-servers"
    return [
        ("feed", f"{address}/social"),
        ("comments", address + embed),
        ("board", f"{address}/widgets/bbs/{board}"),
        ("ranking", f"{address}/widgets/ranking/{await square.widgets.ranking.find(HOME)}"),
        ("remove", "townsquare demo --remove"),
    ]


class DemoWriter:
    """One filling of a store. Each step is written at its own moment of the last weeks."""

    def __init__(self, square: Square, clock: DemoClock, address: str, progress: Progress) -> None:
        self._square = square
        self._clock = clock
        self._address = address
        self._progress = progress
        self._content = content()
        self._random = random.Random(SEED)
        self._now = clock.now_ms()
        self._start = self._now - DAYS * DAY
        self._users: dict[str, User] = {}
        self._steps: list[tuple[int, Callable[[], Awaitable[object]]]] = []
        self._comments: dict[int, str] = {}  # the id of a comment that was written, by its number

    async def fill(self) -> None:
        await self._require_free_names()
        sites, store = self._square.threads.sites, self._square.store
        state = DemoState(began_at=self._now, made_posts_site=await sites.find(POSTS_SITE) is None)
        await store.call("SET", demo_state(), msgspec.json.encode(state))
        await self._add_people()
        await self._add_posts()
        await self._add_site()
        await self._add_widgets()
        self._steps.sort(key=lambda step: step[0])
        for done, (at, step) in enumerate(self._steps, 1):
            self._clock.at = min(at, self._now)
            await step()
            self._progress("Comments, votes, messages", done, len(self._steps))
        self._clock.at = None
        state.finished_at = self._clock.now_ms()
        await store.call("SET", demo_state(), msgspec.json.encode(state))

    async def _require_free_names(self) -> None:
        for person in self._content.people:
            if await self._square.accounts.users.find_by("username", person.username):
                raise DemoNameTaken(f"There is an account {person.username}")
            if await self._square.social.renames.name_state(person.username):
                raise DemoNameTaken(f"There is a profile {person.username}")
        for kind in WIDGETS:
            if await widget_of(self._square, kind):
                raise DemoNameTaken(f"There is a {kind} of {HOME}")

    def _at(self, share: float) -> int:
        """A moment of the day, when most people are awake; `share` of the time has passed."""
        at = self._start + int(share * DAYS) * DAY + self._random.randrange(7 * HOUR, 23 * HOUR)
        return min(at, self._now - self._random.randrange(MINUTE, 6 * HOUR))

    def _some(self, least: int, most: int, *, without: str = "") -> list[str]:
        names = [name for name in self._users if name != without]
        return self._random.sample(names, self._random.randint(least, most))

    async def _add_people(self) -> None:
        users, social = self._square.accounts.users, self._square.social
        people = self._content.people
        for done, person in enumerate(people, 1):
            self._clock.at = self._start - (len(people) - done + 1) * 5 * HOUR
            facts = Facts(outside=OutsideIdentity(issuer=ISSUER, subject=person.username))
            user = await users.create(UserProfile(username=person.username, city=person.city), facts)
            self._users[person.username] = user
            await social.users.change(
                person.username, {"display_name": person.display_name, "bio": person.bio}
            )
            self._progress("People", done, len(people))
        self._clock.at = None
        follows = [
            {"follower": name, "followed": other, "created_at": self._at(self._random.random())}
            for name in self._users
            for other in self._some(5, 12, without=name)
        ]
        await load(social.sync.follows, follows)

    async def _add_posts(self) -> None:
        posts, likes = [], []
        for number, post in enumerate(self._content.posts):
            id, at = id_of(number), self._at((number + 0.9) / len(self._content.posts))
            posts.append({"id": id, "username": post.by, "content": post.text, "created_at": at})
            if post.picture and self._address:
                posts[-1]["media_url"] = f"{self._address}/assets/demo/{post.picture}.svg"
            for name in self._some(2, 17, without=post.by):
                liked = min(at + self._random.randrange(MINUTE, 2 * DAY), self._now)
                likes.append({"post_id": id, "username": name, "created_at": liked})
            for place, (by, text) in enumerate(post.comments, 1):
                self._later(
                    at + place * self._random.randrange(MINUTE, 90 * MINUTE), self._comment, id, by, text
                )
        await load(self._square.social.sync.posts, posts)
        await load(self._square.social.sync.likes, likes)
        self._progress("Posts and likes", len(posts) + len(likes), len(posts) + len(likes))

    def _later(self, at: int, step: Callable[..., Awaitable[object]], *args: Any) -> None:
        self._steps.append((at, partial(step, *args)))

    async def _comment(self, post: str, by: str, text: str) -> None:
        posts = self._square.threads.posts
        comment = await posts.create(post, self._identity(by), text)
        for name in self._some(0, 4, without=by):
            await posts.vote(post, self._identity(name), comment.id, "up")

    def _identity(self, name: str) -> Identity:
        return Identity(user_id=self._users[name].id, username=name)

    async def _add_site(self) -> None:
        threads, people = self._square.threads, list(self._users.values())
        self._clock.at = self._start
        await threads.sites.create(
            "Paper Lantern",
            DOMAIN,
            admin_id=people[0].id,
            settings=SiteSettings(default_sort="top"),
            site_id=SITE_ID,
        )
        self._clock.at = None
        found = await threads.sites.find(SITE_ID)
        for number, one in enumerate(self._content.pages):
            self._plan(found, one, one.comments, self._at(number / len(self._content.pages)), None)

    def _plan(
        self,
        site: SiteConfig | None,
        page: DemoPage,
        comments: list[DemoComment],
        at: int,
        parent: int | None,
    ) -> None:
        for comment in comments:
            at += self._random.randrange(3 * MINUTE, 9 * HOUR)
            number = len(self._comments)
            self._comments[number] = ""
            self._later(at, self._write, site, page, comment, number, parent)
            self._plan(site, page, comment.replies, at, number)

    async def _write(
        self, site: SiteConfig, page: DemoPage, comment: DemoComment, number: int, parent: int | None
    ) -> None:
        threads = self._square.threads
        viewer = Viewer(site_id=site.site_id, user_id=self._users[comment.by].id)
        made = await threads.comments.create(
            viewer,
            site,
            await threads.pages.find(site, HOME.rstrip("/") + page.path),
            comment.text,
            parent_id=None if parent is None else self._comments[parent],
            title=page.title,
        )
        self._comments[number] = made.comment.id
        for name in self._some(0, 9, without=comment.by):
            voter = Viewer(site_id=site.site_id, user_id=self._users[name].id)
            direction: Direction = "down" if self._random.random() < 0.2 else "up"
            await threads.comments.vote(voter, made.comment.id, direction, settings=site.settings)

    async def _add_widgets(self) -> None:
        widgets, token = self._square.widgets, self._random.randbytes(16).hex()
        daily = dict(self._daily_counts())
        self._clock.at = self._start
        counter = await widgets.counter.create(HOME, token)
        like = await widgets.like.create(HOME, token)
        ranking = await widgets.ranking.create(HOME, token, title="Snake, all time")
        icons = list(dict.fromkeys(message.icon for message in self._content.board))
        board = await widgets.bbs.create(HOME, token, title="Fritz' guest book", icons=icons)
        self._clock.at = None
        total = 250_000 + sum(daily.values())
        await widgets.counter.import_(counter.id, token, CounterExport(total=total, daily=daily))
        await widgets.like.import_(like.id, token, LikeExport(total=1_284))
        for number, (name, score) in enumerate(self._content.scores):
            at = self._at(self._random.random())
            self._later(
                at,
                partial(widgets.ranking.submit, display_score=f"{score:,}"),
                ranking.id,
                visitor(number),
                name,
                score,
            )
        for number, message in enumerate(self._content.board):
            at = self._at((number + 0.5) / len(self._content.board))
            post = partial(widgets.bbs.post, author=message.by, icon=message.icon)
            self._later(at, post, board.id, visitor(number), message.text)

    def _daily_counts(self) -> Iterator[tuple[Any, int]]:
        """Visits of each day: slow growth, fewer at weekends, one day on which a link went around."""
        for ago in range(DAYS + 1):
            day = day_of(self._now - ago * DAY)
            visits = 190 + 3 * (DAYS - ago) + self._random.randrange(60)
            yield day, visits * (6 if ago == 9 else 1) * (2 if day.weekday() < 5 else 1) // 2


def id_of(post: int) -> str:
    return post_id(f"demo:{post}")


def visitor(number: int) -> Visitor:
    return Visitor(f"192.0.2.{number + 1}", "demo")


async def load(sync: Callable[[list[Any]], Awaitable[list[Any]]], records: list[dict[str, Any]]) -> None:
    for first in range(0, len(records), 1_000):
        for result in await sync(records[first : first + 1_000]):
            if result.status == "refused":
                raise Problem(f"Demo data: {result.detail}")


async def widget_of(square: Square, kind: str) -> str:
    try:
        return str(await getattr(square.widgets, kind).find(HOME))
    except WidgetNotFound:
        return ""


async def remove_from(square: Square) -> None:
    """Remove what `DemoWriter` has written, also after an interruption."""
    store, data = square.store, content()
    state = await store.get(demo_state())
    pages = [page_id_of(POSTS_SITE, f"post {id_of(number)}") for number in range(len(data.posts))]
    pages += [one.member for one in await page_down(store, site_pages(SITE_ID), None, MOST_PAGES)]
    found = [await square.accounts.users.find_by_outside(ISSUER, person.username) for person in data.people]
    people = [user.id for user in found if user]
    with shown_progress() as progress:
        for done, id in enumerate(pages, 1):
            with suppress(NotFound):
                await square.deletion.delete(page(id))
            progress("Removing pages", done, len(pages))
        for done, id in enumerate(people, 1):
            await square.accounts.privacy.delete(id)
            progress("Removing people", done, len(people))
    for kind in WIDGETS:
        if id := await widget_of(square, kind):
            await getattr(square.widgets, kind).delete_as_operator(id)
    await remove_site(square, SITE_ID)
    if state and state.made_posts_site and not await store.call("ZCARD", site_pages(POSTS_SITE)):
        await remove_site(square, POSTS_SITE)
    await square.jobs.run_open()
    await store.effects.sweep()  # of a cluster: nothing else applies them here
    await store.call("DEL", demo_state())


async def remove_site(square: Square, id: str) -> None:
    """Remove a site without pages."""
    with suppress(NotFound):
        await square.deletion.delete(site(id))
    await square.threads.usage.flush()
    for month in last_months(month_of(square.store.clock.now_ms()), MONTHS_OF_USAGE):
        for key in (site_usage(id, month), site_visitors(id, month)):
            await square.store.call("DEL", key)
