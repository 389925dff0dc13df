"""Comments on the posts of the community: written and read there, and counted by the post."""

import asyncio

import httpx
import pytest
from msgspec.structs import replace

from tests.services.threads.world import World
from tests.support.clock import PinnedClock
from tests.support.squares import bearer
from townsquare.api import Identity
from townsquare.services.accounts.signin.models import Client
from townsquare.services.social.keys import COMMENT_WEIGHT, user_engagement
from townsquare.services.social.problems import PostNotFound
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import CommentNotFound, NotYourComment
from townsquare.services.threads.service.post_comments import SETTINGS, SITE_ID


async def identity(world: World, name: str, role: str = "user") -> Identity:
    account = await world.square.accounts.sign_up(name)
    return Identity(account.id, name, role)


async def test_a_post_counts_its_comments_and_ranks_by_them(world: World) -> None:
    ann, bob = await identity(world, "ann"), await identity(world, "bob")
    post = await world.square.social.posts.create("ann", "look #here")
    posts = world.threads.posts
    first = await posts.create(post.id, bob, "nice")
    await posts.create(post.id, ann, "thanks", parent_id=first.id)
    assert (await world.square.social.posts.get(post.id)).comments_count == 2
    thread = await posts.read(post.id, None)
    assert (thread.total, [one.content for one in thread.comments]) == (2, ["nice"])
    weight = await world.store.call("ZSCORE", user_engagement("ann"), post.id)
    assert float(weight) == 2 * COMMENT_WEIGHT
    with pytest.raises(NotYourComment):
        await posts.delete(post.id, ann, first.id)
    await posts.delete(post.id, bob, first.id)
    assert (await world.square.social.posts.get(post.id)).comments_count == 1
    assert (await posts.vote(post.id, bob, thread.comments[0].replies[0].id, "up")).upvotes == 1
    await world.check()


async def test_many_comment_at_once_and_the_count_is_right(world: World) -> None:
    people = [await identity(world, f"user{number}") for number in range(10)]
    post = await world.square.social.posts.create("user0", "look")
    await asyncio.gather(
        *(world.threads.posts.create(post.id, people[number % 10], f"text {number}") for number in range(50))
    )
    await world.square.jobs.run_open()
    assert (await world.square.social.posts.get(post.id)).comments_count == 50
    await world.check()


async def test_deep_replies_can_be_read_and_a_name_is_of_who_has_it(world: World) -> None:
    ann, bob = await identity(world, "ann"), await identity(world, "bob")
    post = await world.square.social.posts.create("ann", "look")
    posts = world.threads.posts
    made: list[Comment] = []
    for number in range(6):
        above = made[-1].id if made else None
        made.append(await posts.create(post.id, bob, f"depth {number}", parent_id=above))
    await world.threads.commenters.save(bob.user_id, {"name": "ann", "named": "1"})  # as on somebody's blog

    comment = (await posts.read(post.id, ann)).comments[0]
    while comment.replies:
        comment = comment.replies[0]
    assert comment.content == "depth 3"
    assert comment.replies_next is not None
    deeper = (await posts.replies(post.id, ann, comment.id)).comments[0]
    assert [deeper.content, deeper.replies[0].content] == ["depth 4", "depth 5"]
    assert [deeper.author and deeper.author.name, comment.author and comment.author.name] == ["bob", "bob"]
    other = await world.square.social.posts.create("ann", "another")
    with pytest.raises(CommentNotFound):
        await posts.replies(other.id, ann, comment.id)


async def test_who_does_not_see_a_post_does_not_see_its_comments(
    world: World, http: httpx.AsyncClient
) -> None:
    ann, bob = await identity(world, "ann"), await identity(world, "bob")
    post = await world.square.social.posts.create("ann", "look")
    await world.square.social.follows.block("ann", "bob")
    with pytest.raises(PostNotFound):
        await world.threads.posts.create(post.id, bob, "hello")
    with pytest.raises(PostNotFound):
        await world.threads.posts.read(post.id, bob)
    comment = await world.threads.posts.create(post.id, ann, "for my friends")
    other = await world.square.social.posts.create("bob", "mine")
    with pytest.raises(CommentNotFound):  # by way of a post that bob does see
        await world.threads.posts.vote(other.id, bob, comment.id, "down")
    await world.threads.posts.delete(post.id, ann, comment.id)
    path = f"/social/posts/{post.id}/comments"
    account = await world.square.accounts.users.get(ann.user_id)
    token = (await world.square.accounts.sessions.issue(account, "password", Client())).access_token
    assert (await http.post(path, json={"content": "hi"})).status_code == 401
    made = await http.post(path, json={"content": "hi"}, headers=bearer(token))
    assert made.status_code == 201
    assert (await http.get(path)).json()["comments"][0]["content"] == "hi"
    assert (await http.get("/social/posts/nobody/comments")).status_code == 404


async def test_upvotes_of_comments_on_posts_are_told_if_the_operator_wants_it(
    world: World, clock: PinnedClock
) -> None:
    ann, bob = await identity(world, "ann"), await identity(world, "bob")
    post = await world.square.social.posts.create("ann", "look")
    posts, notifications = world.threads.posts, world.threads.notifications
    viewer = Viewer(site_id=SITE_ID, user_id=ann.user_id)
    comment = await posts.create(post.id, ann, "mine")
    await posts.vote(post.id, bob, comment.id, "up")
    assert (await notifications.list(viewer)).items == []
    await world.threads.sites.change(SITE_ID, settings=replace(SETTINGS, upvote_notifications=True))
    await posts.vote(post.id, bob, comment.id, "up")
    for _ in range(2):
        clock.move(seconds=1)
        await posts.vote(post.id, bob, comment.id, "up")
    assert [one.notification_type for one in (await notifications.list(viewer)).items] == ["upvote"]
    await world.check()
