"""Operations of the toy service."""

import asyncio
import random
from pathlib import Path

import msgspec

from tests.toy import keys
from tests.toy.keys import Note, home_of, person, toy, visits
from townsquare.keyspace import HOUR, mint_id
from townsquare.problems import Conflict, NotFound
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.store import Store

lua = LuaFolder(toy, Path(__file__).parent / "lua", constants=keys)


class PersonExists(Conflict):
    code, title = "person_exists", "There is such a person"


class NoSuchPerson(NotFound):
    code, title = "no_such_person", "There is no such person"


class NoSuchNote(NotFound):
    code, title = "no_such_note", "There is no such note"


@lua.script
class Join(Script[None]):
    name: str
    display: str
    email: str | None
    city: str | None
    claims: list[list[str]]


@lua.script
class Move(Script[None]):
    name: str
    city: str


@lua.script
class Follow(Script[int]):
    name: str
    other: str


@lua.script
class Unfollow(Script[int]):
    name: str
    other: str


@lua.script
class WriteNote(Script[int]):
    id: str
    author: str
    head: str
    tail: str
    tags: list[str]


@lua.script
class LikeNote(Script[int]):
    id: str
    who: str


@lua.script
class PraiseNote(Script[int]):
    id: str
    who: str


@lua.script
class Stumble(Script[None]):
    name: str


@lua.script
class SendPoison(Script[None]):
    name: str
    city: str


class Toy:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.jobs = Jobs(store)
        self.deletion = self.jobs.deletion

    async def join(self, name: str, *, email: str | None = None, city: str | None = None) -> None:
        claims = [["email", email]] if email else []
        await self.store.run(Join(name=name, display=name.title(), email=email, city=city, claims=claims))

    async def move(self, name: str, city: str) -> None:
        await self.store.run(Move(name=name, city=city))

    async def follow(self, name: str, other: str) -> int:
        return await self.store.run(Follow(name=name, other=other))

    async def unfollow(self, name: str, other: str) -> int:
        return await self.store.run(Unfollow(name=name, other=other))

    async def write(self, author: str, text: str, *tags: str) -> str:
        id = mint_id(home_of(author))
        document = msgspec.json.encode(Note(id, author, "", text, tags=list(tags))).decode()
        head, mark, tail = document.partition('"author_display":')
        await self.store.run(
            WriteNote(id=id, author=author, head=head + mark, tail=tail.removeprefix('""'), tags=list(tags))
        )
        return id

    async def like(self, id: str, who: str) -> int:
        return await self.store.run(LikeNote(id=id, who=who))

    async def praise(self, id: str, who: str) -> int:
        return await self.store.run(PraiseNote(id=id, who=who))

    async def visit(self, name: str, visitor: str) -> None:
        await self.store.call("SET", visits(name, visitor), 1, "EX", HOUR)

    async def begin_leaving(self, name: str) -> str:
        return await self.deletion.begin(person(name))

    async def leave(self, name: str) -> None:
        await self.deletion.delete(person(name))


async def live(service: Toy, seed: int, steps: int) -> None:
    """One client that does whatever comes to mind."""
    chance = random.Random(seed)
    me = f"person-{seed}"
    await service.join(me, email=f"{me}@example.org", city="rome")
    written: list[str] = []
    for _ in range(steps):
        other = f"person-{chance.randrange(40)}"
        match chance.randrange(7):
            case 0:
                await service.move(me, chance.choice(["rome", "oslo", "lima"]))
            case 1 | 2:
                await service.follow(me, other)
            case 3:
                await service.unfollow(me, other)
            case 4:
                written.append(await service.write(me, "hello", *chance.sample(["a", "b", "c"], 2)))
            case 5 if written:
                await service.like(chance.choice(written), other)
            case _:
                await asyncio.sleep(0)
    if seed % 4 == 0:
        await service.leave(me)
