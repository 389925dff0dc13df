"""People who like, follow, mute and post while something happens to some of them."""

import contextlib
from collections.abc import Coroutine
from typing import Any, NamedTuple

from tests.services.social.world import World
from townsquare.services.social.problems import NotYourself, PostNotFound, ProfileNotFound


class Crowd(NamedTuple):
    world: World
    names: list[str]
    posts: list[str]

    def live(self, turns: int) -> list[Coroutine[Any, Any, None]]:
        """What each of them does, so many times over."""
        return [self._live(number, turns) for number in range(len(self.names))]

    async def _live(self, number: int, turns: int) -> None:
        social, name = self.world.social, self.names[number]
        for turn in range(turns):
            other = self.names[(number * 7 + turn * 3 + 1) % len(self.names)]
            id = self.posts[(number * 5 + turn * 11) % len(self.posts)]
            deeds = (
                social.posts.like(id, name),
                social.follows.follow(name, other),
                social.posts.bookmark(id, name),
                social.posts.create(name, f"again #tag{turn}"),
                social.follows.mute(name, other),
                social.posts.unlike(id, name),
                social.follows.unfollow(name, other),
                social.follows.follow(name, other),
            )
            for deed in deeds:
                with contextlib.suppress(PostNotFound, ProfileNotFound, NotYourself):
                    await deed


async def crowd_of(world: World, size: int) -> Crowd:
    names = [f"user{number:02}" for number in range(size)]
    await world.people(*names)
    posts = [(await world.post(name, f"hi #tag{name[-1]}")).id for name in names for _ in range(3)]
    return Crowd(world, names, posts)
