"""The store API of services: declared keys of both roles, on one node or a cluster.

Callers pass keys, never names. The store chooses the node and the layout.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from townsquare.clock import Clock, SystemClock
from townsquare.keyspace import AnyKey, DeclarationError, Key, Layout, Registry, Role
from townsquare.problems import Problem
from townsquare.store.client_cache.barrier import CURRENT, Barrier
from townsquare.store.client_cache.cache import ClientCache
from townsquare.store.client_cache.reader import RecordReader
from townsquare.store.client_cache.record import CacheKey, Composite, Record, RecordRead, whole_value
from townsquare.store.commands import READS, Command, render
from townsquare.store.coordination.claims import Claims
from townsquare.store.coordination.effects import Effects
from townsquare.store.coordination.idempotency import IDEMPOTENT_REQUEST, IdempotentRequest
from townsquare.store.coordination.incidents import Incidents
from townsquare.store.scripts.assembly import LuaText, Programs
from townsquare.store.scripts.folder import BY_STRUCT
from townsquare.store.scripts.invocation import Invocation, is_unknown_script
from townsquare.store.scripts.script import LuaScript, Script, Values
from townsquare.store.wire.connection import Arg, NodeConnection, ReplyError
from townsquare.store.wire.nodes import Nodes
from townsquare.store.wire.protocol import RedisProtocol

T = TypeVar("T")
R = TypeVar("R")

SCAN_COUNT = 500


@dataclass
class RoleStore:
    """The store of one role."""

    layout: Layout
    nodes: Nodes


class Store:
    def __init__(
        self,
        registry: Registry,
        env: str,
        data: Nodes,
        cache: Nodes,
        *,
        clock: Clock | None = None,
        client_cache: ClientCache | None = None,
    ) -> None:
        """`client_cache` must be the tracker of both connections."""
        self.registry = registry
        self.clock = clock or SystemClock()
        self.role_stores = {
            Role.DATA: RoleStore(Layout(env, data.clustered), data),
            Role.CACHE: RoleStore(Layout(env, cache.clustered), cache),
        }
        self.clustered = data.clustered or cache.clustered
        self._nodes = (data, cache)
        self.effects = Effects(self)
        self.claims = Claims(self)
        self.incidents = Incidents(self)
        self.client_cache = client_cache
        self._reader = RecordReader(self, client_cache)
        self._programs = Programs({role: one.layout for role, one in self.role_stores.items()})

    async def close(self) -> None:
        for role_store in self.role_stores.values():
            await role_store.nodes.close()

    def role_store(self, key: AnyKey) -> RoleStore:
        return self.role_stores[key.declared.role]

    def name(self, key: AnyKey) -> str:
        return self.role_store(key).layout.name(key)

    def sessions(self) -> list[RedisProtocol]:
        """The current sessions of both roles."""
        data, cache = self._nodes
        return data.sessions() + cache.sessions()

    def begin_barrier(self, *, eager: bool = False) -> Barrier | None:
        """Begin a request that uses cached records first and validates them later. None without a cache."""
        if self.client_cache is None:
            return None
        barrier = Barrier(self, optimistic=True, eager=eager)
        barrier.begin()
        return barrier

    async def validate_reads(self) -> None:
        """Call this before a non-idempotent request to an external service. Raises `StaleRead`."""
        if CURRENT.get() is not None:
            await self._before_write()

    async def _before_write(self) -> None:
        """Validate cached reads before the first write of a request: a write must not be repeated."""
        barrier = CURRENT.get()
        if barrier is not None and barrier.store is self:
            await barrier.before_write()

    async def call(self, command: str, key: AnyKey, *args: Arg) -> Any:
        if CURRENT.get() is not None and command not in READS:
            await self._before_write()
        role_store = self.role_stores[key.declared.role]
        return await role_store.nodes.execute(
            role_store.layout.slot(key), command, role_store.layout.name(key), *args
        )

    async def evaluate(self, lua: LuaText, key: AnyKey, *args: Arg) -> Any:
        if CURRENT.get() is not None and not lua.only_reads:
            await self._before_write()
        role_store = self.role_store(key)
        slot, words = role_store.layout.slot(key), (1, role_store.layout.name(key), *args)
        try:
            return await role_store.nodes.execute(slot, "EVALSHA", lua.sha, *words)
        except ReplyError as error:
            if not is_unknown_script(error):
                raise
            return await role_store.nodes.execute(slot, "EVAL", lua.text, *words)

    async def get(self, key: Key[T]) -> T | None:
        """The whole value, decoded as declared."""
        (value,) = await self.get_many([key])
        return value

    async def get_many(self, keys: Sequence[Key[T]]) -> list[T | None]:
        """Whole values of many keys, in one round trip to each node."""
        return await self._reader.read([whole_value(key.declared)(*key.values) for key in keys])

    async def read_one(self, record: Record[T], *params: Any) -> T | None:
        """One record, or None."""
        found: list[T | None] = await self._reader.read((record(*params),))
        return found[0]

    def read_all(self, record: Record[T], params: Sequence[Any]) -> Coroutine[Any, Any, list[T | None]]:
        """Many records of one kind, each by one parameter, in order."""
        return self._reader.read_all(record, params)

    def read(self, commands: Sequence[Command | RecordRead[Any]]) -> Coroutine[Any, Any, list[Any]]:
        """As `pipeline`, with records among the commands: these are decoded.

        A record whose key is declared `cached` comes from the client cache until Redis invalidates it.
        """
        return self._reader.read(commands)

    def read_cached(self, reads: Sequence[RecordRead[Any]]) -> list[Any] | None:
        """As `read`, without waiting: None if these records need a round trip."""
        return self._reader.read_cached(reads)

    @property
    def in_request(self) -> bool:
        """Whether one barrier proves all cached records that are read now, as in a request over HTTP.

        Elsewhere each read of cached records takes a round trip, and a script is the better way to a page.
        """
        barrier = CURRENT.get()
        return barrier is not None and barrier.is_for(self)

    def pass_barrier(self) -> Coroutine[Any, Any, None]:
        """Wait for the barrier before cached records are read, for a request that reads many of them.

        Otherwise they are validated at the end of the request, and it runs again if one has changed.
        """
        return self._reader.pass_barrier()

    def composite(self, kind: Composite[T], key: Any) -> Coroutine[Any, Any, T | None]:
        """The value cached by `add_composite`, or None if one of its records has changed."""
        return self._reader.composite(kind, key)

    def compose(
        self, kind: Composite[T], key: Any, make: Callable[[], Awaitable[T | None]]
    ) -> Coroutine[Any, Any, T | None]:
        """`make()`, which adds the composite. Other requests wait for it instead of making it too."""
        return self._reader.compose(kind, key, make)

    def is_worth_composing(self, kind: Composite[Any], key: Any) -> bool:
        """After a miss: whether to build the value and add it. The first miss of a key is not worth it."""
        return self._reader.is_worth_composing(kind, key)

    def add_composite(
        self, kind: Composite[T], key: Any, value: T, made_of: Iterable[tuple[CacheKey, Any]]
    ) -> None:
        """Cache a value that is made of records: `((POST, id), post)`. Nothing if one of them has changed."""
        self._reader.add_composite(kind, key, value, made_of)

    async def read_strings(self, keys: Sequence[AnyKey]) -> list[bytes | None]:
        """Raw values of one role: one MGET; on a cluster one per slot, in one write to each node."""
        role_store = self.role_store(keys[0])
        indexes: dict[int | None, list[int]] = {}
        for index, key in enumerate(keys):
            indexes.setdefault(role_store.layout.slot(key), []).append(index)
        replies = await role_store.nodes.execute_many(
            [
                (slot, ["MGET", *(role_store.layout.name(keys[index]) for index in of_slot)])
                for slot, of_slot in indexes.items()
            ]
        )
        found: list[bytes | None] = [None] * len(keys)
        for of_slot, reply in zip(indexes.values(), replies, strict=True):
            if isinstance(reply, ReplyError):
                raise reply
            for index, raw in zip(of_slot, reply, strict=True):
                found[index] = raw
        return found

    async def pipeline(self, commands: Sequence[Command]) -> list[Any]:
        """Many commands in one round trip to each node; the first error is raised."""
        replies = await self.try_pipeline(commands)
        for reply in replies:
            if isinstance(reply, ReplyError):
                raise reply
        return replies

    async def try_pipeline(self, commands: Sequence[Command]) -> list[Any]:
        """As `pipeline`, with errors of single commands as values."""
        if CURRENT.get() is not None and not all(command[0] in READS for command in commands):
            await self._before_write()
        roles = {command[1].declared.role for command in commands}
        if len(roles) == 1:
            role_store = self.role_stores[roles.pop()]
            return await role_store.nodes.execute_many(
                [render(role_store.layout, command) for command in commands]
            )
        replies: list[Any] = [None] * len(commands)
        for role, role_store in self.role_stores.items():
            indexes = [index for index, command in enumerate(commands) if command[1].declared.role is role]
            if indexes:
                rendered = [render(role_store.layout, commands[index]) for index in indexes]
                for index, reply in zip(indexes, await role_store.nodes.execute_many(rendered), strict=True):
                    replies[index] = reply
        return replies

    def run(self, call: Script[R]) -> Coroutine[Any, Any, R]:
        """Run a script on its home: one round trip, and on a cluster its effects too.

        A refusal is raised, also that of another home which the script has asked.
        """
        return self.run_script(*self._called(call))

    async def run_script(self, script: LuaScript, values: Values) -> Any:
        """As `run`, for a script that has no signature in Python."""
        role_store = self.role_stores[script.role]
        layout = role_store.layout
        program = self._programs[script]
        request = IDEMPOTENT_REQUEST.get() if script.takes_idempotency_key else None
        barrier = CURRENT.get()
        if barrier is not None:
            if program.writes:
                if barrier.store is self:
                    await barrier.before_write()
            elif script.role is Role.DATA and barrier.is_for(self):
                slot = layout.slot(script.home_key(values)) if layout.clustered else None
                barrier.send_to_others(role_store.nodes.session(slot))
        if not layout.clustered and request is None:  # no claims before it, no effects after it
            home = script.home_name(values, layout)
            try:
                reply = await role_store.nodes.execute(
                    None, "EVALSHA", program.sha, 1, home, *script.arguments(values)
                )
            except ReplyError as error:
                invocation = Invocation(script, values, program, layout)
                reply = await self._evaluate_refused(role_store, invocation, error)
            return script.decode(reply)
        if script.reads:
            return await self._run_with_reads(role_store, script, values)
        answer, bucket, asked = await self.run_undrained(script, values, request)
        if bucket:
            for refusal in await self.effects.drain_asked(bucket, asked):
                if refusal:
                    raise refusal
        return answer

    async def _run_with_reads(self, role_store: RoleStore, script: LuaScript, values: Values) -> Any:
        """On a cluster: then run the scripts that read other homes, and insert their results."""
        invocation = Invocation(script, values, self._programs[script], role_store.layout)
        _, answer, reads = await self._evaluate(role_store, invocation)
        for raw_name, inputs in zip(reads[::2], reads[1::2], strict=True):
            name = raw_name.decode()
            other = script.reads[name]
            given = other.values_from_json(inputs.decode())
            answer[script.read_places[name]] = await self._raw(other, given)
        return script.decode(answer)

    async def _raw(self, script: LuaScript, values: Values) -> Any:
        """The raw reply of a script that only reads."""
        role_store, invocation = self._prepare(script, values)
        return (await self._evaluate(role_store, invocation))[1]

    async def run_asking(self, call: Script[R]) -> tuple[R, list[Problem | None]]:
        """As `run`, with the refusal (or None) of each ask, in order."""
        answer, bucket, asked = await self.run_undrained(*self._called(call))
        return answer, await self.effects.drain_asked(bucket, asked) if bucket else []

    def _called(self, call: Script[Any]) -> tuple[LuaScript, Values]:
        script = BY_STRUCT[type(call)]
        return script, script.values_of(call, self.clock)

    async def run_undrained(
        self, script: LuaScript, values: Values, request: IdempotentRequest | None = None
    ) -> tuple[Any, str, list[str]]:
        """As `run`, but the effects stay in the outbox.

        Returns the result, the bucket of that outbox ("": no effects), and its entries that ask another home.
        """
        role_store, invocation = self._prepare(script, values)
        if CURRENT.get() is not None and self._programs[script].writes:
            await self._before_write()
        if request is not None:
            invocation.arguments += request.arguments(script.home_key(values).bucket)
        claims = script.claimed(values) if role_store.layout.clustered else {}
        if claims:
            async with self.claims.hold(claims) as until:
                invocation.claims_end_at(until)
                return invocation.read(await self._evaluate(role_store, invocation))
        return invocation.read(await self._evaluate(role_store, invocation))

    async def run_many(self, calls: Sequence[Script[R]]) -> list[R | Problem]:
        """Many scripts without effects, in one round trip to each node; refusals are values."""
        prepared = [self._prepare(*self._called(call)) for call in calls]
        for _, invocation in prepared:
            if invocation.script.has_effects:
                raise DeclarationError(f"{invocation.script.full_name} has effects: run it by itself")
            if CURRENT.get() is not None and invocation.program.writes:
                await self._before_write()
        answers: list[R | Problem] = [Problem()] * len(calls)
        for role_store in self.role_stores.values():
            indexes = [index for index, (its, _) in enumerate(prepared) if its is role_store]
            found = await self._evaluate_many(role_store, [prepared[index][1] for index in indexes])
            for index, answer in zip(indexes, found, strict=True):
                answers[index] = answer
        return answers

    def _prepare(self, script: LuaScript, values: Values) -> tuple[RoleStore, Invocation]:
        role_store = self.role_stores[script.role]
        return role_store, Invocation(script, values, self._programs[script], role_store.layout)

    async def _evaluate(self, role_store: RoleStore, invocation: Invocation) -> Any:
        try:
            return await role_store.nodes.execute(invocation.slot, *invocation.by_digest())
        except ReplyError as error:
            return await self._evaluate_refused(role_store, invocation, error)

    async def _evaluate_refused(
        self, role_store: RoleStore, invocation: Invocation, refusal: ReplyError
    ) -> Any:
        """After an error: send the source if the node does not have the script, else raise the problem."""
        try:
            if not is_unknown_script(refusal):
                raise refusal
            return await role_store.nodes.execute(invocation.slot, *invocation.by_source())
        except ReplyError as error:
            raise invocation.problem(error) from None

    async def _evaluate_many(self, role_store: RoleStore, invocations: Sequence[Invocation]) -> list[Any]:
        if not invocations:
            return []
        replies = await role_store.nodes.execute_many([(one.slot, one.by_digest()) for one in invocations])
        unknown = [index for index, reply in enumerate(replies) if is_unknown_script(reply)]
        if unknown:  # not SCRIPT LOAD: Redis may drop them before they run
            again = [(invocations[index].slot, invocations[index].by_source()) for index in unknown]
            for index, reply in zip(unknown, await role_store.nodes.execute_many(again), strict=True):
                replies[index] = reply
        answers: list[Any] = []
        for one, reply in zip(invocations, replies, strict=True):
            if isinstance(reply, ReplyError):
                problem = one.problem(reply)
                if not isinstance(problem, Problem):
                    raise problem
                answers.append(problem)
            else:
                answers.append(one.read(reply)[0])
        return answers

    async def scan(self, role: Role, match: str = "") -> AsyncIterator[list[str]]:
        """All names with our prefix, or of another pattern, in batches; a name may occur twice."""
        for connection in self.role_stores[role].nodes.connections():
            async for names in self.scan_node(role, connection, match):
                yield names

    async def scan_node(self, role: Role, node: NodeConnection, match: str = "") -> AsyncIterator[list[str]]:
        """As `scan`, on one node."""
        match = match or f"{self.role_stores[role].layout.prefix}*"
        cursor = b"0"
        while True:
            cursor, names = await node.execute("SCAN", cursor, "MATCH", match, "COUNT", SCAN_COUNT)
            if names:
                yield [name.decode(errors="surrogateescape") for name in names]
            if cursor == b"0":
                break
