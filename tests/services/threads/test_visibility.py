"""Nobody sees what they must not: every state of a comment, every reader, every way out.

The ways out are found by what the endpoints answer, so that a new one cannot be forgotten: whatever answers
comments, or text of its own making, has to be asked here.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import httpx
import msgspec
import pytest

from tests.services.threads.test_access import by_public, by_secret, token_of
from tests.services.threads.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, browse
from townsquare.api import AnyEndpoint, Content, Endpoint, HtmlPage, Identity
from townsquare.services.threads import SERVICE, routes
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.live import LiveEvent
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.models.threadkit import TreeComment
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.post_comments import SITE_ID

API = "/threads/v1"
STATES = ("approved", "pending", "rejected", "shadow", "deleted")
HIDDEN = ("pending", "rejected", "shadow")
ELSEWHERE = {  # ways out whose own tests look at what is hidden
    f"{API}/live": "test_live",
    f"{API}/stream": "test_live",
    "/threadkit/ws": "test_live: the same feeds",
    "/social/posts/{id}/comments": "below",
    "/social/posts/{id}/comments/{comment_id}/replies": "below",
    f"{API}/mail/unsubscribe": "says nothing of comments",
    "/threads": "says nothing of comments",
    "/threads/moderate": "test_mail",
    "/threads/moderation": "says nothing of comments",
    "/threads/sign-in": "says nothing of comments",
}


class Reader(NamedTuple):
    name: str
    headers: dict[str, str]
    sees: frozenset[str]  # states whose comment is read with its text
    moderates: bool = False


class Scene:
    """One page with a comment in every state, each with a reply, by an author of its own."""

    def __init__(self, world: World, http: httpx.AsyncClient) -> None:
        self.world = world
        self.http = http
        self.comments: dict[str, Comment] = {}
        self.authors: dict[str, str] = {}  # ids by state
        self.readers: list[Reader] = []
        self.feed = ""  # of replies to the one who is named in every comment

    def text(self, state: str) -> str:
        return f"words-that-are-{state}"

    def name(self, state: str) -> str:
        return f"writer-{state}"

    async def get(self, reader: Reader, path: str, **params: str) -> str:
        answer = await self.http.get(whole(path), params=params, headers=reader.headers)
        assert answer.status_code in (200, 401, 403, 404), answer.text
        return answer.text if answer.status_code == 200 else ""


def whole(path: str) -> str:
    return path if path.startswith("/threadkit/") else API + path


async def prepared(scene: Scene) -> Scene:
    world = scene.world
    threads = world.threads
    moderator_id, moderator = await token_of(world, "moderator")
    await threads.sites.set_role(world.site.id, moderator_id, "moderator")
    mod = Viewer(site_id=world.site.id, user_id=moderator_id, role="moderator")
    named_id, named = await token_of(world, "named")
    await threads.commenters.get(named_id)
    other = Viewer(site_id=world.site.id, user_id=named_id)
    tokens = {}
    for state in STATES:
        scene.authors[state], tokens[state] = await token_of(world, scene.name(state))
        author = Viewer(site_id=world.site.id, user_id=scene.authors[state])
        comment = await world.comment(author, f"{scene.text(state)} @named")
        scene.comments[state] = comment
        await world.comment(other, f"reply-to-{state}", parent=comment.id)
        await threads.comments.vote(other, comment.id, "up")
        await threads.comments.pin(mod, comment.id, True)
        await threads.comments.report(other, await world.key(), comment.id, "spam")
    await threads.moderation.reject(mod, scene.comments["rejected"].id)
    await threads.moderation.shadowban(mod, scene.authors["shadow"])
    await threads.comments.delete(mod, scene.comments["deleted"].id, as_moderator=True)
    await world.settings(trust=msgspec.structs.replace((await world.key()).settings.trust, hold_reports=1))
    reporter = await world.user("reporter")
    await threads.comments.report(reporter, await world.key(), scene.comments["pending"].id, "spam")
    scene.feed = await threads.rss.new_token(other)

    elsewhere = await threads.sites.create("Other", "other.example.org", admin_id=named_id)
    there = {"X-API-Key": elsewhere.api_key_public, "Origin": "https://other.example.org"}
    public, everything = frozenset({"approved"}), frozenset({"approved", *HIDDEN})
    scene.readers = [
        Reader("nobody", by_public(world), public),
        Reader("named", by_public(world, **bearer(named)), public),
        Reader("moderator", by_public(world, **bearer(moderator)), everything, True),
        Reader("owner", by_secret(world), everything, True),
        Reader("moderator elsewhere", {**there, **bearer(named)}, frozenset()),
        *(
            Reader(scene.name(state), by_public(world, **bearer(token)), (public | {state}) - {"deleted"})
            for state, token in tokens.items()
        ),
    ]
    return scene


@pytest.fixture
async def scene(place: Place, clock: PinnedClock) -> AsyncIterator[Scene]:
    async with open_world(place, clock) as world, browse(world.square) as http:
        yield await prepared(Scene(world, http))


Shows = Callable[[Reader, str], bool]


def to_nobody_in_particular(reader: Reader, state: str) -> bool:
    return False


def to_who_may(reader: Reader, state: str) -> bool:
    return state in reader.sees


def to_everybody(reader: Reader, state: str) -> bool:
    return state in reader.sees and state == "approved"


def to_whom_it_names(reader: Reader, state: str) -> bool:
    return to_everybody(reader, state) and reader.name == "named"


def to_moderators(*states: str) -> Shows:
    return lambda reader, state: reader.moderates and state in states


class Way(msgspec.Struct, frozen=True):
    """A way out: where it is asked, and who does get a comment there that may be got."""

    path: str  # {id} and {author}: of a comment in each state
    shows: Shows
    params: dict[str, str] = {}
    by_token: bool = False  # who has the address may read what is approved

    async def answers(self, scene: Scene, reader: Reader) -> AsyncIterator[tuple[str, tuple[str, ...]]]:
        """What a reader gets, with the states that could be shown there."""
        params = {**self.params, **({"token": scene.feed} if self.by_token else {})}
        if "{" not in self.path:
            yield await scene.get(reader, self.path, **params), STATES
            return
        for state in STATES:
            path = self.path.format(id=scene.comments[state].id, author=scene.authors[state])
            yield await scene.get(reader, path, **params), (state,)


SORTS = ("new", "old", "top", "hot", "controversial")
IN_A_THREAD = {"page_url": "/hello", "limit": "50"}
WAYS: dict[str, list[Way]] = {
    "/comments": [Way("/comments", to_who_may, {**IN_A_THREAD, "sort": sort}) for sort in SORTS],
    "/comments/{id}": [Way("/comments/{id}", to_who_may)],
    "/comments/{id}/replies": [Way("/comments/{id}/replies", to_nobody_in_particular)],
    "/embed": [Way("/embed", to_everybody, {"page_url": "/hello"})],
    "/pages/events": [
        Way("/pages/events", to_nobody_in_particular, {"page_url": "/hello", "after": "0-1"}),
    ],
    "/threadkit/v1/comments": [
        Way("/threadkit/v1/comments", to_who_may, {"page_url": "/hello", "sort": sort})
        for sort in ("new", "old", "top", "controversial")
    ],
    "/threadkit/v1/users/me/comments": [Way("/threadkit/v1/users/me/comments", to_nobody_in_particular)],
    "/threadkit/v1/users/{id}/comments": [Way("/threadkit/v1/users/{author}/comments", to_who_may)],
    "/threadkit/v1/moderation/queue": [Way("/threadkit/v1/moderation/queue", to_moderators("pending"))],
    "/threadkit/v1/moderation/reports": [
        Way("/threadkit/v1/moderation/reports", to_nobody_in_particular),
    ],
    "/recent": [Way("/recent", to_everybody)],
    "/users/{id}/comments": [Way("/users/{author}/comments", to_who_may)],
    "/moderation/queue": [Way("/moderation/queue", to_moderators("pending"))],
    "/moderation/reports": [Way("/moderation/reports", to_moderators("pending", "approved", "shadow"))],
    "/notifications": [Way("/notifications", to_whom_it_names)],
    "/feed.xml": [Way("/feed.xml", to_everybody, {"page_url": "/hello"}), Way("/feed.xml", to_everybody)],
    "/feed/replies.xml": [Way("/feed/replies.xml", to_everybody, by_token=True)],
}


def kinds_in(answer: Any, seen: set[Any]) -> Iterator[Any]:
    """Every type that an answer is made of."""
    if answer in seen:
        return
    seen.add(answer)
    origin = get_origin(answer)
    if origin in (UnionType, Union, Annotated, list, tuple, dict) or origin is not None:
        for part in get_args(answer):
            if isinstance(part, type) or get_origin(part) is not None:
                yield from kinds_in(part, seen)
    if isinstance(origin or answer, type) and issubclass(origin or answer, msgspec.Struct):
        yield origin or answer
        for part in get_type_hints(origin or answer).values():
            yield from kinds_in(part, seen)


def lets_comments_out(endpoint: AnyEndpoint) -> bool:
    if endpoint.method != "GET":
        return False
    return bool({Comment, TreeComment, LiveEvent, Content, HtmlPage} & set(kinds_in(endpoint.output, set())))


def test_every_way_out_is_asked() -> None:
    class Anything:
        def __getattr__(self, name: str) -> Any:
            return Anything()

        def __call__(self, *args: Any, **more: Any) -> Any:
            return Anything()

    threads: Threads = Anything()  # type: ignore[assignment]
    endpoints = [*routes.endpoints(threads), *SERVICE.sockets(threads)]
    found = {one.path for one in endpoints if not isinstance(one, Endpoint) or lets_comments_out(one)}
    asked = {whole(path) for path in WAYS} | set(ELSEWHERE)
    assert found - asked == set(), "ask them in WAYS: nobody may see there what they must not"
    assert {whole(path) for path in WAYS} <= found


async def test_nobody_sees_what_they_must_not(scene: Scene) -> None:
    for way in (way for ways in WAYS.values() for way in ways):
        for reader in scene.readers:
            may_see = reader.sees | ({"approved"} if way.by_token else set())
            async for answer, states in way.answers(scene, reader):
                where = f"{reader.name} at {way.path} {way.params}"
                for state in set(STATES) - may_see:
                    assert scene.text(state) not in answer, (where, state)
                    assert scene.name(state) not in answer, (where, state)
                for state in states:
                    assert not way.shows(reader, state) or scene.text(state) in answer, (where, state)


async def test_counts_tell_nothing_of_what_is_hidden(scene: Scene) -> None:
    replies = len(STATES)  # all public
    for reader in scene.readers:
        answer = await scene.http.get(f"{API}/counts?urls=/hello", headers=reader.headers)
        extra = reader.name == scene.name("shadow")
        expected = 0 if reader.name == "moderator elsewhere" else 1 + replies + extra
        assert answer.json()["counts"]["/hello"] == expected, reader.name
        thread = await scene.http.get(f"{API}/comments?page_url=/hello", headers=reader.headers)
        assert thread.json()["total"] == expected, reader.name


async def test_a_profile_counts_what_its_reader_can_find(scene: Scene) -> None:
    for state in STATES:
        for reader in scene.readers:
            for path in (f"{API}/users", "/threadkit/v1/users"):
                answer = await scene.http.get(f"{path}/{scene.authors[state]}", headers=reader.headers)
                found = answer.json()["total_comments"]
                assert found == int(state in reader.sees), (path, state, reader.name)


async def test_comments_on_posts_are_seen_likewise(world: World) -> None:
    threads, here = world.threads, Viewer(site_id=SITE_ID, owner=True)
    people = [await world.square.accounts.sign_up(name) for name in ("ann", "ghost", "held")]
    ann, ghost, held = (Identity(one.id, str(one.username)) for one in people)
    post = await world.square.social.posts.create("ann", "look")
    above = (await threads.posts.create(post.id, ann, "above")).id
    for parent in (None, above):
        await threads.posts.create(post.id, ann, f"public {parent}", parent_id=parent)
        await threads.posts.create(post.id, ghost, f"shadowed {parent}", parent_id=parent)
        judged = await threads.posts.create(post.id, held, f"rejected {parent}", parent_id=parent)
        await threads.moderation.reject(here, judged.id)
    await threads.moderation.shadowban(here, ghost.user_id)
    for reader, seen in (
        (None, {"public"}),
        (ann, {"public"}),
        (ghost, {"public", "shadowed"}),
        (held, {"public", "rejected"}),
        (Identity("admin", role="admin"), {"public", "shadowed", "rejected"}),
    ):
        roots = (await threads.posts.read(post.id, reader)).comments
        replies = (await threads.posts.replies(post.id, reader, above)).comments
        assert {one.content.split()[0] for one in roots} == seen | {"above"}
        assert {one.content.split()[0] for one in replies} == seen


async def test_a_shadowed_author_finds_nothing_unusual(scene: Scene) -> None:
    """What an author who is shadow-banned gets is what one who is not would get."""
    ghost = next(one for one in scene.readers if one.name == scene.name("shadow"))
    own = (scene.text("shadow"), scene.name("shadow"), "reply-to-shadow")
    for path in ("/comments", "/recent", f"/users/{scene.authors['shadow']}/comments"):
        answer = await scene.get(ghost, path, **({"page_url": "/hello"} if path == "/comments" else {}))
        assert own[0] in answer
        for word in own:
            answer = answer.replace(word, "")
        assert "shadow" not in answer
    path = f"{API}/comments/{scene.comments['shadow'].id}"
    shown = (await scene.http.get(path, headers=ghost.headers)).json()
    assert shown["comment"]["status"] == "approved"
