"""Lists what a deletion would delete: the same traversal, without writing.

Additional changes by scripts of the service (a field that names the record, a rendered page) are not listed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from townsquare.integrity.rules.derived_keys import derived_keys
from townsquare.integrity.rules.records import as_text, record_of, record_verb
from townsquare.keyspace import AnyDeclared, AnyKey, Indexes, Record
from townsquare.keyspace.deletion import ListedKey, Plan, plan_of
from townsquare.keyspace.key_relations import KeyRelations, Membership, collection_of, key_relations
from townsquare.kit.paging import set_members
from townsquare.problems import NotFound
from townsquare.store.commands import Command
from townsquare.store.store import Store

PAGE = 500  # members or commands in one round trip

Mention = tuple[AnyKey, str]  # a key, and the member or value that it would lose


class DeletionPreview(msgspec.Struct):
    """Per declaration: keys that would be deleted, and members that other collections would lose."""

    keys: dict[str, int]
    members: dict[str, int]


async def preview_deletion(store: Store, key: AnyKey, *along: AnyKey) -> DeletionPreview:
    """`along` are records of other services that are deleted with it."""
    walk = DeletionWalk(store)
    await walk.visit(key)
    if not walk.going:
        raise NotFound(f"There is no {key.text}")
    for other in along:
        await walk.visit(other)
    return await walk.result()


async def count_deletion(store: Store, key: AnyKey, *along: AnyKey) -> DeletionPreview:
    """A preview in one round trip: records are counted, not the keys that belong to each of them."""
    relations = store.registry.relations
    of = key_relations(relations)
    plans = [(record, plan_of(record.declared, relations)) for record in (key, *along)]
    owned = [declared.of(record.params) for record, plan in plans for declared in plan.owned]
    single = list(dict.fromkeys([*(record for record, _ in plans), *owned]))
    collections = [one for one in single if one.declared.kind.cardinality]
    replies = iter(
        await store.pipeline(
            [
                *(("EXISTS", one) for one in single),
                *((str(one.declared.kind.cardinality), one) for one in collections),
                *((record_verb(record.declared), record) for record, _ in plans),
            ]
        )
    )
    exists = {one: next(replies) for one in single}
    sizes: dict[AnyKey, int] = {one: next(replies) for one in collections}
    if not exists[key]:
        raise NotFound(f"There is no {key.text}")
    keys = Counter(one.declared.full_name for one, there in exists.items() if there)
    members: Counter[str] = Counter()
    for record, plan in plans:
        for child in plan.children:
            keys[child.record.full_name] += sizes[child.collection.of(record.params)]
        for emptied in plan.emptied:
            for step in emptied.consequences:
                if isinstance(step, ListedKey):
                    keys[step.key.full_name] += sizes[emptied.collection.of(record.params)]
        for place, derived in places_of(record, plan, next(replies)):
            (keys if isinstance(place, Indexes) else members)[derived.declared.full_name] += 1
    for collection, size in sizes.items():
        for other in other_sides(of, collection):
            members[other.full_name] += size
    return DeletionPreview(keys=dict(+keys), members=dict(+members))


class DeletionWalk:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._relations = store.registry.relations
        self._of = key_relations(self._relations)
        self.going: dict[AnyKey, None] = {}
        self._mentions: dict[Mention, None] = {}

    async def visit(self, key: AnyKey) -> None:
        plan = plan_of(key.declared, self._relations)
        owned = [declared.of(key.params) for declared in plan.owned]
        await self._note_existing([key, *owned])
        await self._note_places(key, plan)
        for emptied in plan.emptied:
            collection = emptied.collection.of(key.params)
            listed = [step for step in emptied.consequences if isinstance(step, ListedKey)]
            async for members in set_members(self._store, collection):
                for step in listed:
                    await self._note_existing(
                        [step.key.of({**key.params, step.member: member}) for member in members]
                    )
                self._note_other_sides(collection, members)
        for child in plan.children:
            async for members in set_members(self._store, child.collection.of(key.params)):
                for member in members:
                    await self.visit(child.record(member))

    async def _note_existing(self, keys: Sequence[AnyKey]) -> None:
        found = await self._replies([("EXISTS", key) for key in keys])
        self.going.update({key: None for key, exists in zip(keys, found, strict=True) if exists})

    async def _note_places(self, key: AnyKey, plan: Plan) -> None:
        (reply,) = await self._store.pipeline([(record_verb(key.declared), key)])
        for place, derived in places_of(key, plan, reply):
            name = place.owner if isinstance(place, Indexes) else place.member
            self._mentions[derived, as_text(key.params[name])] = None

    def _note_other_sides(self, collection: AnyKey, members: Iterable[str]) -> None:
        (owner,) = collection.values
        for other in other_sides(self._of, collection):
            self._mentions.update({(other(member), as_text(owner)): None for member in members})

    async def result(self) -> DeletionPreview:
        keys = Counter(key.declared.full_name for key in self.going)
        members: Counter[str] = Counter()
        mentions = [one for one in self._mentions if one[0] not in self.going]
        replies = await self._replies([looks_for(key, name) for key, name in mentions])
        for (key, name), reply in zip(mentions, replies, strict=True):
            if is_index(key):
                keys[key.declared.full_name] += reply == name.encode()
            else:
                members[key.declared.full_name] += bool(reply) if is_set(key) else reply is not None
        return DeletionPreview(keys=dict(+keys), members=dict(+members))

    async def _replies(self, commands: Sequence[Command]) -> list[object]:
        return [reply for some in pages_of(commands) for reply in await self._store.pipeline(some)]


def places_of(key: AnyKey, plan: Plan, reply: object) -> Iterator[tuple[Indexes | Membership, AnyKey]]:
    """The indexes and collections that list a record."""
    record: Record | None = record_of(key, reply)
    if record is None:
        return
    for place in plan.places:
        target = place.index if isinstance(place, Indexes) else collection_of(place)
        for derived in derived_keys(target, place.params, key, record):
            yield place, derived


def other_sides(of: Mapping[AnyDeclared, KeyRelations], collection: AnyKey) -> Iterator[AnyDeclared]:
    """The collections of the members of this one that contain its owner."""
    its = of[collection.declared]
    yield from (pair.right for pair in its.left_of)
    yield from (pair.left for pair in its.right_of)


def is_index(key: AnyKey) -> bool:
    return key.declared.kind.redis_type == "string"


def is_set(key: AnyKey) -> bool:
    return key.declared.kind.redis_type == "set"


def looks_for(key: AnyKey, name: str) -> Command:
    if is_index(key):
        return ("GET", key)
    return ("SISMEMBER" if is_set(key) else "ZSCORE", key, name)


def pages_of(commands: Sequence[Command]) -> Iterator[Sequence[Command]]:
    for first in range(0, len(commands), PAGE):
        yield commands[first : first + PAGE]
