"""Many people at once for a while: votes that agree with each other, pages that are read while others write.

SOAK_SECONDS=60 makes a minute of it: `SOAK_SECONDS=60 scripts/test tests/services/threads/test_soak.py`.
"""

import asyncio
import math
import os
import random
import time
from collections import Counter

import pytest

from tests.services.threads.world import World
from townsquare.clock import from_iso
from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import Comment, Direction
from townsquare.services.threads.models.sites import Sort, Viewer

SECONDS = float(os.environ.get("SOAK_SECONDS", "2"))
SORTS: tuple[Sort, ...] = ("new", "old", "top", "hot", "controversial")
DIRECTIONS: tuple[Direction, ...] = ("up", "down")


@pytest.mark.slow
async def test_random_votes_of_fifty_users_agree_everywhere(world: World) -> None:
    users = await world.users(50)
    comments = [await world.comment(users[number], f"text {number}") for number in range(10)]
    comments += [await world.comment(users[20 + n], f"reply {n}", parent=comments[n].id) for n in range(5)]
    cast: dict[tuple[str, str], Direction | None] = {}
    ends = time.monotonic() + SECONDS

    async def vote_at_random(user: Viewer, chance: random.Random) -> int:
        count = 0
        while time.monotonic() < ends or count == 0:
            comment, direction = chance.choice(comments), chance.choice(DIRECTIONS)
            voted = await world.threads.comments.vote(user, comment.id, direction)
            cast[str(user.user_id), comment.id] = voted.my_vote
            count += 1
        return count

    done = await asyncio.gather(
        *(vote_at_random(user, random.Random(number)) for number, user in enumerate(users))
    )
    assert sum(done) >= len(users)
    expected_karma: Counter[str] = Counter()
    for comment in comments:
        votes = {user: vote for (user, id), vote in cast.items() if id == comment.id and vote}
        counted = Counter(votes.values())
        record = await world.record(keys.comment(comment.id))
        assert (int(record["upvotes"]), int(record["downvotes"])) == (counted["up"], counted["down"])
        voters = await world.scores(keys.comment_voters(comment.id))
        assert voters == {user: 1 if vote == "up" else -1 for user, vote in votes.items()}
        for user in users:
            kept = await world.store.get(keys.vote(str(user.user_id), comment.id))
            assert kept == votes.get(str(user.user_id))
        author = record["author_id"]
        expected_karma[author] += sum(vote == "up" and user != author for user, vote in votes.items())
        if not comment.parent_id:
            await assert_ordered(world, comment, counted["up"] - counted["down"])
    for user in users:
        assert await world.karma(user) == expected_karma[str(user.user_id)]
    await world.check()


async def assert_ordered(world: World, comment: Comment, score: int) -> None:
    """The orders that depend on votes are what the formulas of the seed say."""
    top = await world.scores(keys.page_top(comment.page_id))
    hot = await world.scores(keys.page_hot(comment.page_id))
    power = math.copysign(math.log10(max(abs(score), 1)), score) if score else 0.0
    assert top[comment.id] == score
    seconds = from_iso(comment.created_at) // 1000
    assert hot[comment.id] == pytest.approx(power + math.log10(seconds) / 45_000, abs=1e-9)


async def test_who_pages_through_all_while_others_post_misses_and_repeats_none(world: World) -> None:
    ann, *writers = await world.users(6)
    there = {(await world.comment(ann, f"there {number}")).id for number in range(45)}
    reading = True

    async def write(writer: Viewer) -> None:
        number = 0
        while reading and number < 200:
            number += 1
            await world.comment(writer, f"{writer.user_id} {number}")

    async def read_all(sort: Sort) -> Counter[str]:
        seen: Counter[str] = Counter()
        cursor = None
        for _ in range(2_000):
            page = await world.thread(sort=sort, cursor=cursor, limit=5)
            seen.update(one.id for one in page.comments)
            cursor = page.next
            if cursor is None:
                break
        return seen

    writing = [asyncio.create_task(write(one)) for one in writers]
    for seen in await asyncio.gather(*map(read_all, SORTS)):
        assert {id: seen[id] for id in there} == dict.fromkeys(there, 1)
        assert max(seen.values()) == 1
    reading = False
    await asyncio.gather(*writing)
