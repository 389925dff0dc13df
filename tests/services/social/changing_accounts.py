"""A process in which clients change accounts and act under their names, until it is killed.

    python -m tests.services.social.changing_accounts DATA_URL CACHE_URL SEED USER_ID …

Names come from one pool, so that clients of all processes take those that others give up.
"""

import asyncio
import random
import sys

from tests.support.squares import Place
from townsquare import square as library
from townsquare.problems import Problem
from townsquare.services.accounts.models import UserProfile, UserRole
from townsquare.square import Square

POOL = 130  # names for 100 accounts


def picture(number: int) -> str:
    return f"https://example.org/{number}.png"


async def live(square: Square, id: str, chance: random.Random) -> None:
    users, social = square.accounts.users, square.social
    while True:
        try:
            match chance.randrange(5):
                case 0:
                    await users.change(id, UserProfile(username=f"name{chance.randrange(POOL)}"))
                case 1:
                    await users.set_role(id, chance.choice([UserRole.USER, UserRole.MODEL]))
                case 2:
                    await users.change(id, UserProfile(avatar=picture(chance.randrange(9))))
                case 3:
                    await social.posts.create(str((await users.get(id)).username), "mine")
                case 4:
                    liked = chance.choice((await social.feeds.explore(None)).items)
                    await social.posts.like(liked.post.id, str((await users.get(id)).username))
        except Problem:
            await asyncio.sleep(0)  # a name that somebody has, a profile that is on its way
        sys.stdout.write("\n")
        sys.stdout.flush()


async def main(data_url: str, cache_url: str, seed: str, *ids: str) -> None:
    async with library.open(settings=Place("", data_url, cache_url).settings()) as square:
        square.background.start()
        await asyncio.gather(*(live(square, id, random.Random(f"{seed} {id}")) for id in ids))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
