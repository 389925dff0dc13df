"""Reading records: from memory while Redis has not said that they changed, else from Redis, to be kept.

Who reads within a `ReadRequest` is checked at its end. For anybody else a reply is awaited from every
connection whose records come from memory: to what is asked of it anyway, or else to the cheapest question.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from townsquare.keyspace import AnyKey
from townsquare.store.commands import Command, render
from townsquare.store.near.cache import FOREVER, Entry, NearCache
from townsquare.store.near.read_request import (
    CURRENT,
    ReadRequest,
    answered,
    ask_whether_there,
    current_recording,
    current_request,
    redirected,
    stop_recording,
)
from townsquare.store.near.record_read import CACHING, RecordBundle, RecordRead, Snapshot
from townsquare.store.near.recording import Recording
from townsquare.store.wire.cluster import Routed
from townsquare.store.wire.protocol import Arg, RedisProtocol, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import RoleStore, Store

Asked = Sequence[Command | RecordRead[Any]]


class Records:
    def __init__(self, store: "Store") -> None:
        self._store = store
        self._near = store.near
        self._roles = store.role_stores
        self._layouts = {role: one.layout for role, one in self._roles.items()}

    async def read(self, commands: Asked) -> list[Any]:
        if self._near is None:
            return await self.ask(commands)
        answers: list[Any] = [None] * len(commands)
        entries, unknown = self._recall(self._near, commands, answers)
        if not entries:
            return await self.ask(commands)
        reading = CURRENT.get()
        if reading is not None and (reading.store is not self._store or not reading.is_ours):
            stop_recording()  # what another task has from memory is not noted as used
            reading = None
        if reading is not None and reading.trusting:
            reading.use(entries)
            if unknown:
                await self._fill(answers, commands, unknown)
            return answers
        if not await self._proven(reading, entries, answers, commands, unknown):
            self._near.hits -= len(entries)
            known = set(range(len(commands))).difference(unknown)
            await self._fill(answers, commands, sorted(known))
        return answers

    def recall(self, reads: Sequence[RecordRead[Any]]) -> list[Any]:
        """What is kept of these, for a request that is checked at its end; None for what is not."""
        answers: list[Any] = [None] * len(reads)
        reading = current_request(self._store)
        if self._near is not None and reading is not None and reading.trusting:
            entries, _ = self._recall(self._near, reads, answers)
            reading.use(entries)
        return answers

    def recall_now(self, reads: Sequence[RecordRead[Any]]) -> tuple[list[Any], list[Entry]]:
        answers: list[Any] = [None] * len(reads)
        if self._near is None:
            return answers, []
        return answers, self._recall(self._near, reads, answers)[0]

    async def read_bundle(self, bundle: RecordBundle, commands: Asked) -> tuple[Snapshot, list[Any]]:
        near = self._near
        kept = None if near is None else near.entries.get(bundle)
        if near is not None and isinstance(kept, KeptSnapshot) and kept.holds():
            snapshot, entries = kept.snapshot, kept.snapshot.entries
            near.hits += len(entries)
            reading = current_request(self._store)
            if reading is not None and reading.trusting:
                reading.use(entries)
                return snapshot, await self.ask(commands)
            stop_recording()
            replies: list[Any] = [None] * len(commands)
            if await self._proven(reading, entries, replies, commands, list(range(len(commands)))):
                return snapshot, replies
        answers = await self.read([*bundle.reads, *commands])
        own = len(bundle.reads)
        snapshot = Snapshot(answers[:own], self._entries_of(bundle.reads, answers))
        if near is not None and snapshot.entries:
            near.keep_entry(bundle, KeptSnapshot(snapshot), sum([one.size for one in snapshot.entries]) // 2)
        return snapshot, answers[own:]

    def _entries_of(self, reads: Sequence[RecordRead[Any]], answers: Sequence[Any]) -> list[Entry]:
        """Where all of these answers are kept; none if one is not, or has a lifetime."""
        if self._near is None:
            return []
        entries = []
        for read, answer in zip(reads, answers, strict=False):
            entry = self._near.entries.get(read.name)
            if entry is None or entry.until != FOREVER or entry.views.get(read.decode) is not answer:
                return []
            entry.used = True
            entries.append(entry)
        return entries

    def _recall(self, near: NearCache, commands: Asked, answers: list[Any]) -> tuple[list[Entry], list[int]]:
        """Put what is kept into its places; where it is kept, and the places of the rest."""
        entries: list[Entry] = []
        unknown: list[int] = []
        kept, layouts, now = near.entries, self._layouts, 0.0
        for place, command in enumerate(commands):
            if command.__class__ is RecordRead:
                layout = layouts[command.role]
                if command.layout is not layout:
                    command.render(layout)
                entry = kept.get(command.name)
                if entry is not None and (value := entry.views.get(command.decode)) is not None:
                    if entry.until != FOREVER:
                        now = now or asyncio.get_running_loop().time()
                    if entry.until > now:
                        entry.used = True
                        answers[place] = value
                        entries.append(entry)
                        continue
            unknown.append(place)
        near.hits += len(entries)
        return entries, unknown

    async def _proven(
        self,
        reading: ReadRequest | None,
        entries: list[Entry],
        answers: list[Any],
        commands: Asked,
        unknown: list[int],
    ) -> bool:
        """Ask for what is not known, and the nodes of the rest for news; whether that has not changed."""
        marks = {one.link: one.link.sent for one in entries if not (reading and reading.proves(one))}
        asked = self._links_of([commands[place] for place in unknown]) if marks else set()
        replies = [link.ask_news() for link in marks if link not in asked]
        questions = ask_whether_there(entries)
        try:
            await self._fill(answers, commands, unknown)
        finally:
            await answered(replies)
            moved = await redirected(questions)
        return (
            not moved
            and all(entry.live for entry in entries)
            and all(link.answered > mark for link, mark in marks.items())
        )

    def _links_of(self, commands: Asked) -> set[RedisProtocol | None]:
        links: set[RedisProtocol | None] = set()
        for command in commands:
            key = command.key if isinstance(command, RecordRead) else command[1]
            role_store = self._roles[key.declared.role]
            links.add(role_store.nodes.link(role_store.layout.slot(key)))
        return links

    async def _fill(self, answers: list[Any], commands: Asked, places: list[int]) -> None:
        if places:
            found = await self.ask([commands[place] for place in places])
            for place, answer in zip(places, found, strict=True):
                answers[place] = answer

    async def _pipeline(self, commands: Sequence[Command]) -> list[Any]:
        """Commands that read, of one role most often."""
        if not commands:
            return []
        roles = {command[1].declared.role for command in commands}
        if len(roles) > 1:
            return await self._store.pipeline(commands)
        role_store = self._roles[roles.pop()]
        layout = role_store.layout
        replies = await role_store.nodes.execute_many([render(layout, command) for command in commands])
        if ReplyError in map(type, replies):
            raise next(reply for reply in replies if isinstance(reply, ReplyError))
        return replies

    async def ask(self, commands: Asked) -> list[Any]:
        """From Redis, in one round trip to each node."""
        recording = current_recording()
        if recording is None and RecordRead not in map(type, commands):
            return await self._pipeline(cast(Sequence[Command], commands))
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
        share = Share(role_store, self._near, commands, current_recording())
        try:
            replies = await role_store.nodes.execute_many(share.routed)
        except BaseException:
            share.give_up()
            raise
        return share.answers(replies)


class KeptSnapshot(Entry):
    """What the records of a bundle were, and what was made of them: some half of their size once more."""

    __slots__ = ("snapshot",)

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot.entries[0].link, 0, FOREVER)
        self.snapshot = snapshot

    def holds(self) -> bool:
        self.used = True
        return all(entry.live for entry in self.snapshot.entries)


class Share:
    """What one role is asked: each record with the wish to be told of its changes.

    For a request that is recorded, everything else is asked for in the same way.
    """

    def __init__(
        self,
        role_store: "RoleStore",
        near: NearCache | None,
        commands: Asked,
        recording: Recording | None = None,
    ) -> None:
        self._near = near
        self._recording = recording
        if recording is not None:
            commands = [one if isinstance(one, RecordRead) else unkept(*one) for one in commands]
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
                if near is not None and (command.near or recording is not None):
                    link = nodes.link(slot)
                if recording is not None and (link is None or not link.tracks):
                    recording.failed = True
                if near is None or link is None or not link.tracks:
                    link = None
                    self.routed.append((slot, command.packed))
                else:
                    near.begin_read(command.name, self)
                    if recording is not None:
                        recording.follow([command.name], link)
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
                if self._recording is not None:
                    self._record(self._recording, command.expires, tells, lifetime)  # type: ignore[union-attr]
                    if is_empty(reply):
                        self._recording.may_be_missing([command.name], command.slot, link)  # type: ignore[union-attr]
                tells = self._near.end_read(command.name, self) and tells  # type: ignore[union-attr]
            if reply.__class__ is ReplyError:
                failure = failure or reply
                answers.append(None)
            elif isinstance(command, RecordRead):
                value = None if reply is None else command.decode(reply)
                if link is not None and tells and command.near:
                    self._keep(command, link, value, reply, lifetime)
                answers.append(value)
            else:
                answers.append(reply)
        if failure is not None:
            raise failure
        return answers

    def _record(self, recording: Recording, expires: bool, tells: bool, left: Any) -> None:
        if not tells or (expires and left.__class__ is not int):
            recording.failed = True
        elif expires and left >= 0:
            recording.lives_until(self._began + left / 1000)

    def _keep(self, record: RecordRead[Any], link: RedisProtocol, value: Any, raw: Any, left: Any) -> None:
        near = cast(NearCache, self._near)
        near.misses += 1
        until = FOREVER
        if record.expires:
            if left.__class__ is not int:
                return
            if left >= 0:
                until = self._began + left / 1000
        question = record.existence if is_empty(raw) else None
        near.keep(record.name, link, record.decode, value, raw, until, question)


def is_empty(raw: Any) -> bool:
    """Whether Redis may have answered so because the key is not there."""
    return not raw or (raw.__class__ is list and not any(raw))


def unkept(verb: str, key: AnyKey, *args: Arg) -> RecordRead[Any]:
    """A read whose reply is taken as it is, and not kept."""
    read = RecordRead[Any](_as_it_is, verb, key, *args)
    read.near = False
    return read


def _as_it_is(reply: Any) -> Any:
    return reply
