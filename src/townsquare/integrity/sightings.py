"""Keys seen by themselves, many of one declaration at once: the lifetime and the value of each."""

from collections.abc import Iterator, Sequence
from typing import Any

from townsquare.integrity.concerns import Concerns
from townsquare.integrity.members import START, holder
from townsquare.integrity.questions import Question
from townsquare.integrity.reads import Column, Ground, is_error
from townsquare.integrity.records import is_hash, readable
from townsquare.integrity.single import (
    GONE,
    Decodes,
    HasItsType,
    HasNoStrangeFields,
    HasRequiredFields,
    Lives,
    is_readable,
    lives_rightly,
    value_read,
)
from townsquare.integrity.survey import Sighting
from townsquare.keyspace import AnyDeclared, AnyKey, Record, kinds
from townsquare.store.wire.connection import Arg

FIRST_STRIDE = 100  # members of a collection that are read with its lifetime: most have no more


class Lookout:
    """Sees keys of one declaration. One read tells the value and, if it fails, that the type is wrong."""

    def __init__(self, declared: AnyDeclared, concern: Concerns, claim_ms: int) -> None:
        kind = declared.kind
        self._declared = declared
        self._type = kind.redis_type.encode()
        self._concern = concern
        self._claim_ms = claim_ms if concern.index else -1
        self._valued = kind.read is not None or kind is kinds.HYPERLOGLOG
        self._hash = is_hash(declared)
        self._fields = {field.name.encode() for field in kind.fields} if kind.custom_fields is None else None
        self._required = {
            field.name.encode()
            for field in kind.fields
            if field.required and field.name not in concern.filled
        }
        self._verb, self._args = self._read()

    def _read(self) -> tuple[Arg, tuple[Arg, ...]]:
        if self._concern.walked:
            return holder(self._declared).scan, (START, "COUNT", FIRST_STRIDE)
        if self._valued:
            verb, *args = value_read(self._declared.kind)
            return verb, tuple(args)
        return "TYPE", ()

    def columns(self, ground: Ground, keys: Sequence[AnyKey]) -> list[Column]:
        places, role, verb, args = ground.places(keys), self._declared.role, self._verb, self._args
        return [
            Column(role, [(slot, ("PTTL", name)) for slot, name in places]),
            Column(role, [(slot, (verb, name, *args)) for slot, name in places]),
        ]

    def sighting(self, key: AnyKey, left: int, value: Any) -> Sighting:
        return Sighting(key, left, value, self._record(key, left, value) if self._concern.recorded else None)

    def _record(self, key: AnyKey, left: int, value: Any) -> Record | None:
        if self._declared.kind.read:
            return readable(key, value)
        return None if left == -2 else key.params

    def suspicions(self, seen: Sighting) -> Iterator[Question]:
        """What may be wrong with the key by itself."""
        key, value = seen.key, seen.value
        if self._concern.expires and not lives_rightly(self._declared.lifetime, seen.left, self._claim_ms):
            yield Lives(key, self._claim_ms)
        if self._declared.kind is kinds.ANY:
            return
        if is_error(value) or (self._verb == "TYPE" and value not in (GONE, self._type)):
            yield HasItsType(key, self._concern.derived)
        elif self._hash:
            if self._fields is not None and not value.keys() <= self._fields:
                yield HasNoStrangeFields(key)
            if value and not self._required <= value.keys():
                yield HasRequiredFields(key, self._concern.filled)
        elif self._valued and not is_readable(key, value):
            yield Decodes(key)
