"""Reading records: from memory while Redis has not said that they changed, else from Redis, to be kept.

Who reads within a `Reading` is checked at its end. For anybody else a reply is awaited from every connection
whose records come from memory: to what is asked of it anyway, or else to the cheapest question.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from townsquare.store.commands import Command, render
from townsquare.store.near.cache import FOREVER, Entry, NearCache
from townsquare.store.near.reading import CURRENT, PING, Reading, answered, current_reading
from townsquare.store.near.record_read import CACHING, RecordRead
from townsquare.store.wire.cluster import Routed
from townsquare.store.wire.protocol import RedisProtocol, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import RoleStore, Store

Asked = Sequence[Command | RecordRead[Any]]
Used = list[tuple[int, Entry]]  # the place of a command, and what answers it


class Records:
    def __init__(self, store: "Store") -> None:
        self._store = store
        self._near = store.near
        self._roles = store.role_stores
        self._layouts = {role: one.layout for role, one in self._roles.items()}
        self._clustered = any(layout.clustered for layout in self._layouts.values())

    async def read(self, commands: Asked) -> list[Any]:
        if self._near is None:
            return await self._ask(commands)
        answers: list[Any] = [None] * len(commands)
        used, unknown = self._recall(self._near, commands, answers)
        if not used:
            return await self._ask(commands)
        reading = current_reading(self._store) if CURRENT.get() is not None else None
        if reading is not None and reading.trusting:
            entries = [entry for _, entry in used]
            reading.used += entries
            if self._clustered:
                reading.ask_beside(entries)
            await self._fill(answers, commands, unknown)
            return answers
        changed = await self._prove(reading, answers, commands, used, unknown)
        if changed:
            self._near.hits -= len(changed)
            await self._fill(answers, commands, changed)
        return answers

    def _recall(self, near: NearCache, commands: Asked, answers: list[Any]) -> tuple[Used, list[int]]:
        """Put what is kept into its places; the places of the rest."""
        used: Used = []
        unknown: list[int] = []
        kept, layouts, now = near.entries, self._layouts, 0.0
        for place, command in enumerate(commands):
            if command.__class__ is RecordRead:
                record = command
                layout = layouts[record.role]
                if record.layout is not layout:
                    record.render(layout)
                entry = kept.get(record.name)
                if entry is not None and (value := entry.views.get(record.decode)) is not None:
                    if entry.until != FOREVER:
                        now = now or asyncio.get_running_loop().time()
                    if entry.until > now:
                        entry.used = True
                        answers[place] = value
                        used.append((place, entry))
                        continue
            unknown.append(place)
        near.hits += len(used)
        return used, unknown

    async def _prove(
        self, reading: Reading | None, answers: list[Any], commands: Asked, used: Used, unknown: list[int]
    ) -> list[int]:
        """Ask for what is not known, and the nodes of what is for news; the places of what has changed."""
        marks = {entry.link: entry.link.sent for _, entry in used if not (reading and reading.proves(entry))}
        asked = self._links_of([commands[place] for place in unknown]) if marks else set()
        replies = [link.send(PING) for link in marks if link not in asked]
        try:
            await self._fill(answers, commands, unknown)
        finally:
            await answered(replies)
        return [
            place
            for place, entry in used
            if not entry.live or entry.link.answered <= marks.get(entry.link, -1)
        ]

    def _links_of(self, commands: Asked) -> set[RedisProtocol | None]:
        links: set[RedisProtocol | None] = set()
        for command in commands:
            key = command.key if isinstance(command, RecordRead) else command[1]
            role_store = self._roles[key.declared.role]
            links.add(role_store.nodes.link(role_store.layout.slot(key)))
        return links

    async def _fill(self, answers: list[Any], commands: Asked, places: list[int]) -> None:
        if places:
            found = await self._ask([commands[place] for place in places])
            for place, answer in zip(places, found, strict=True):
                answers[place] = answer

    async def _ask(self, commands: Asked) -> list[Any]:
        """From Redis, in one round trip to each node."""
        if not commands:
            return []
        asked = [one.role if isinstance(one, RecordRead) else one[1].declared.role for one in commands]
        roles = set(asked)
        if len(roles) == 1:
            return await self._ask_role(self._roles[roles.pop()], commands)
        answers: list[Any] = [None] * len(commands)
        for role in roles:
            places = [place for place, its in enumerate(asked) if its is role]
            found = await self._ask_role(self._roles[role], [commands[place] for place in places])
            for place, answer in zip(places, found, strict=True):
                answers[place] = answer
        return answers

    async def _ask_role(self, role_store: "RoleStore", commands: Asked) -> list[Any]:
        share = Share(role_store, self._near, commands)
        try:
            replies = await role_store.nodes.execute_many(share.routed)
        except BaseException:
            share.give_up()
            raise
        return share.answers(replies)


class Share:
    """What one role is asked: each record with the wish to be told of its changes."""

    def __init__(self, role_store: "RoleStore", near: NearCache | None, commands: Asked) -> None:
        self._near = near
        self._commands = commands
        self._began = asyncio.get_running_loop().time()
        self.routed: list[Routed] = []
        self._links: list[RedisProtocol | None] = []  # of each command: where it is tracked
        layout, nodes = role_store.layout, role_store.nodes
        for command in commands:
            link: RedisProtocol | None = None
            if isinstance(command, RecordRead):
                if command.layout is not layout:
                    command.render(layout)
                slot = command.slot
                if near is not None and command.near:
                    link = nodes.link(slot)
                if near is None or link is None or not link.tracks:
                    link = None
                    self.routed.append((slot, command.packed))
                else:
                    near.begin_read(command.name, self)
                    self.routed += ((slot, CACHING), (slot, command.packed))
                    if command.expires:
                        self.routed.append((slot, command.lifetime))
            else:
                self.routed.append(render(layout, command))
            self._links.append(link)

    def give_up(self) -> None:
        for record, _ in self._tracked():
            self._near.end_read(record.name, self)  # type: ignore[union-attr]

    def _tracked(self) -> Iterable[tuple[RecordRead[Any], RedisProtocol]]:
        for command, link in zip(self._commands, self._links, strict=True):
            if link is not None:
                yield cast(RecordRead[Any], command), link

    def answers(self, replies: Sequence[Any]) -> list[Any]:
        """What is made of the replies; records are kept if nothing was said of them meanwhile."""
        coming = iter(replies)
        answers: list[Any] = []
        failure: ReplyError | None = None
        for command, link in zip(self._commands, self._links, strict=True):
            tells = link is not None and next(coming) == b"OK"
            reply = next(coming)
            lifetime = next(coming) if link is not None and command.expires else -1  # type: ignore[union-attr]
            if link is not None:
                tells = self._near.end_read(command.name, self) and tells  # type: ignore[union-attr]
            if reply.__class__ is ReplyError:
                failure = failure or reply
                answers.append(None)
            elif isinstance(command, RecordRead):
                value = None if reply is None else command.decode(reply)
                if link is not None and tells:
                    self._keep(command, link, value, reply, lifetime)
                answers.append(value)
            else:
                answers.append(reply)
        if failure is not None:
            raise failure
        return answers

    def _keep(self, record: RecordRead[Any], link: RedisProtocol, value: Any, raw: Any, left: Any) -> None:
        near = cast(NearCache, self._near)
        near.misses += 1
        until = FOREVER
        if record.expires:
            if left.__class__ is not int:
                return
            if left >= 0:
                until = self._began + left / 1000
        near.keep(record.name, link, record.decode, value, raw, until)
