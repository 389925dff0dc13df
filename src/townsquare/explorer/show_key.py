"""One key: its decoded value, declaration, lifetime, memory and relations."""

from typing import Any

import msgspec

from townsquare.integrity.reference import KeyRow, names, row
from townsquare.keyspace import AnyKey, Declared
from townsquare.problems import NotFound
from townsquare.secret_repr import REDACTED, STORED_SECRET
from townsquare.store.store import Store

MEMBERS = 100  # of a collection that are shown

KeyNotDeclared = NotFound.declare("key_not_declared", "No declaration has this key")

FIRST_MEMBERS: dict[str, tuple[Any, ...]] = {
    "Set": ("SSCAN", 0, "COUNT", MEMBERS),
    "Sorted Set": ("ZRANGE", 0, MEMBERS - 1, "WITHSCORES"),
    "List": ("LRANGE", 0, MEMBERS - 1),
    "Stream": ("XRANGE", "-", "+", "COUNT", MEMBERS),
}


class RelatedKey(msgspec.Struct, frozen=True):
    name: str
    exists: bool


class KeyDetails(msgspec.Struct, frozen=True):
    name: str
    declaration: KeyRow
    exists: bool
    lifetime_ms: int | None  # that is left; None: it does not expire
    bytes: int
    members: int | None  # None: not a collection
    value: Any  # decoded; of a collection its first members
    related: list[RelatedKey]


def find_key(store: Store, name: str) -> AnyKey:
    """The key of a full name, or of a name that begins with its service: `social:user:alice`."""
    for side in store.role_stores.values():
        key = store.registry.parse(name, side.layout)
        if key:
            return key
    service, _, text = name.partition(":")
    for declared in store.registry:
        if declared.service == service and (found := declared.parse(text)):
            return found
    raise KeyNotDeclared(name)


async def read_key(store: Store, name: str) -> KeyDetails:
    key = find_key(store, name)
    related = [*related_keys(store, key)]
    kind = key.declared.kind
    commands: list[Any] = [("EXISTS", key), ("PTTL", key)]
    if kind.cardinality:
        commands.append((kind.cardinality, key))
    commands += [("EXISTS", one) for one in related]
    exists, left, *rest = await store.pipeline(commands)
    members = rest.pop(0) if kind.cardinality else None
    nodes = store.role_store(key).nodes
    slot, full_name = store.role_store(key).layout.slot(key), store.name(key)
    size = await nodes.execute(slot, "MEMORY", "USAGE", full_name)
    return KeyDetails(
        name=full_name,
        declaration=row(key.declared, store.registry),
        exists=bool(exists),
        lifetime_ms=left if left >= 0 else None,
        bytes=size or 0,
        members=members,
        value=await read_value(store, key) if exists else None,
        related=[RelatedKey(store.name(one), bool(there)) for one, there in zip(related, rest, strict=True)],
    )


def related_keys(store: Store, key: AnyKey) -> dict[AnyKey, None]:
    """Keys that relations name beside this one, as far as its parameters determine them."""
    found: dict[AnyKey, None] = {}
    for relation in store.registry.relations:
        if not names(relation, key.declared):
            continue
        for field in relation.__dataclass_fields__:
            value = getattr(relation, field)
            for other in value if isinstance(value, tuple) else (value,):
                if isinstance(other, Declared) and set(other.names) <= set(key.params):
                    found[other.of({name: key.params[name] for name in other.names})] = None
    found.pop(key, None)
    return found


async def read_value(store: Store, key: AnyKey) -> Any:
    """The value without secrets."""
    if STORED_SECRET.search(key.declared.name):
        return REDACTED
    first = FIRST_MEMBERS.get(key.declared.kind.name)
    if first is not None:
        verb, *arguments = first
        return readable(verb, await store.call(verb, key, *arguments))
    if key.declared.kind.read is None:
        return None
    return without_secrets(msgspec.to_builtins(await store.get(key), enc_hook=list))


def without_secrets(value: Any) -> Any:
    """The value with *** for each field whose name is that of a secret, also in JSON within a field."""
    if isinstance(value, str) and value.startswith(("{", "[")):
        try:
            return without_secrets(msgspec.json.decode(value))
        except msgspec.DecodeError:
            return value
    if isinstance(value, list):
        return [without_secrets(one) for one in value]
    if isinstance(value, dict):
        return {
            name: REDACTED if STORED_SECRET.search(str(name)) and given else without_secrets(given)
            for name, given in value.items()
        }
    return value


def readable(verb: str, reply: Any) -> Any:
    if verb == "SSCAN":
        return sorted(text(one) for one in reply[1])
    if verb == "ZRANGE":
        pairs = reply if reply and isinstance(reply[0], list) else zip(reply[::2], reply[1::2], strict=True)
        return {text(member): float(score) for member, score in pairs}
    if verb == "XRANGE":
        return {
            text(entry): dict(zip(map(text, fields[::2]), map(text, fields[1::2]), strict=True))
            for entry, fields in reply
        }
    return [text(one) for one in reply]


def text(raw: bytes) -> str:
    return raw.decode(errors="backslashreplace")
