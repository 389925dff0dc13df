"""The notification centre: one list and one counter over social and comments."""

import asyncio

from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.api import Identity
from townsquare.services.accounts.models import User, UserProfile
from townsquare.square import Square

CLIENTS = 100


async def listed(square: Square, user: User) -> list[tuple[str, str, bool]]:
    page = await square.accounts.notifications.list(user.id)
    return [(one.type, one.text, one.read) for one in page.items]


async def comment(square: Square, user: User, post_id: str, text: str, parent: str | None = None) -> str:
    me = Identity(user.id, str(user.username), "user")
    return (await square.threads.posts.create(post_id, me, text, parent_id=parent)).id


async def test_all_kinds_are_in_one_list(square: Square, clock: PinnedClock) -> None:
    ann, ben, _ = [await square.accounts.sign_up(name) for name in ("ann", "ben", "eve")]
    post = await square.social.posts.create("ann", "hello")
    for act in (
        lambda: square.social.posts.like(post.id, "ben"),
        lambda: square.social.posts.like(post.id, "ann"),
        lambda: square.social.posts.like(post.id, "eve"),
        lambda: square.social.follows.follow("ben", "ann"),
        lambda: square.social.posts.create("eve", "see @ann, and @ann again"),
        lambda: comment(square, ben, post.id, "nice"),
        lambda: square.social.moderation.ban(post.id, None),
    ):
        clock.move(seconds=1)
        await act()
    found = await listed(square, ann)
    assert [type for type, _, _ in found] == ["moderation", "reply", "mention", "follow", "like"]
    assert [text for _, text, _ in found[:4]] == [
        "A moderator removed your post",
        "ben commented on your post",
        "eve mentioned you",
        "ben followed you",
    ]
    assert found[4][1] in ("ben and eve liked your post", "eve and ben liked your post")
    centre = square.accounts.notifications
    assert await listed(square, ben) == []
    first = await centre.list(ann.id, limit=2)
    rest = await centre.list(ann.id, first.next)
    assert (first.unread, len(first.items), len(rest.items), rest.next) == (5, 2, 3, None)
    assert await centre.read(ann.id, [first.items[0].id, rest.items[0].id]) == 3
    assert [read for *_, read in await listed(square, ann)] == [True, False, True, False, False]
    clock.move(seconds=1)
    await square.social.follows.unfollow("ben", "ann")
    await square.social.moderation.unban(post.id)
    assert await centre.unread(ann.id) == 2
    await square.social.posts.delete(post.id, "ann")
    assert await centre.unread(ann.id) == 1
    assert await centre.read(ann.id, all=True) == 0
    await assert_clean(square.store)


async def test_what_is_off_mute_or_block_tells_nothing(square: Square) -> None:
    ann, ben = [await square.accounts.sign_up(name) for name in ("ann", "ben")]
    post = await square.social.posts.create("ann", "hello")
    await square.accounts.users.change(ann.id, UserProfile(notifications={"like": "off", "reply": "off"}))
    await square.social.posts.like(post.id, "ben")
    await comment(square, ann, post.id, "mine")  # the commenter's record copies the settings
    await comment(square, ben, post.id, "nice")
    assert await listed(square, ann) == []
    await square.accounts.users.change(ann.id, UserProfile(notifications={"like": "app"}))
    await square.social.follows.mute("ann", "ben")
    await square.social.posts.unlike(post.id, "ben")
    await square.social.posts.like(post.id, "ben")
    await square.social.posts.create("ben", "@ann")
    assert await listed(square, ann) == []
    await assert_clean(square.store)


async def test_the_counter_is_exact_after_a_race_and_a_rename(square: Square) -> None:
    ann = await square.accounts.sign_up("ann")
    post = await square.social.posts.create("ann", "hello")
    names = [f"user{number}" for number in range(CLIENTS)]
    await asyncio.gather(*(square.social.profiles.register(name) for name in names))

    async def act(name: str) -> None:
        await square.social.posts.like(post.id, name)
        await square.social.follows.follow(name, "ann")
        await square.social.posts.create(name, "hello @ann")
        await square.social.posts.unlike(post.id, name)
        await square.accounts.notifications.read(ann.id, all=True)
        await square.social.posts.create(name, "again @ann")

    await asyncio.gather(*map(act, names))
    centre = square.accounts.notifications

    async def unread() -> int:
        page, count = await centre.list(ann.id, limit=100), 0
        while True:
            count += sum(not one.read for one in page.items)
            if page.next is None:
                return count
            page = await centre.list(ann.id, page.next, limit=100)

    counted = await centre.unread(ann.id)
    assert counted == await unread() >= 1
    assert "like" not in {type for type, *_ in await listed(square, ann)}
    await square.accounts.users.change(ann.id, UserProfile(username="anna"))
    async with asyncio.timeout(30):
        while await centre.unread(ann.id) != counted or await unread() != counted:
            await square.jobs.run_open()
    await assert_clean(square.store)
    await square.accounts.privacy.delete(ann.id)
    await assert_clean(square.store)
