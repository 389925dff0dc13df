"""A key is declared, has the declared type and fields, and can be decoded."""

import re
from collections.abc import Sequence
from typing import Any

from townsquare.integrity.findings import Fault, FindingKind, Quarantine
from townsquare.integrity.rules.members import shown
from townsquare.integrity.rules.records import decodes, is_hash
from townsquare.integrity.rules.rule import Row, Rule
from townsquare.integrity.store_reader import Column, is_error
from townsquare.keyspace import AnyDeclared, AnyKey, kinds
from townsquare.keyspace.kinds import Kind
from townsquare.store.wire.connection import Arg

GONE = b"none"
INTEGER = re.compile(rb"-?\d+")


class UndeclaredRule(Rule):
    """Every key is declared."""

    reads_value = False

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        return [Column("TYPE", [row.key for row in rows])]

    def judge(self, row: Row, found: bytes) -> Fault | None:
        if found == GONE:
            return None
        return Fault(
            FindingKind.UNDECLARED,
            row.key,
            f"a {found.decode()} that is not declared in this place",
            Quarantine(row.key),
            "moved to quarantine",
        )


UNDECLARED = UndeclaredRule()


class TypeRule(Rule):
    def __init__(self, declared: AnyDeclared, *, derived: bool) -> None:
        self._kind = declared.kind
        self._type = declared.kind.redis_type.encode()
        self._typed = value_read(declared.kind)[0] == "TYPE"
        self._derived = derived

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        return [Column("TYPE", [row.key if self._doubts(row.value) else None for row in rows])]

    def _doubts(self, value: Any) -> bool:
        """TYPE is read only where the read of the value has failed."""
        return is_error(value) or (self._typed and isinstance(value, bytes) and value != self._type)

    def passes(self, rows: Sequence[Row], *columns: Sequence[Any]) -> bool:
        return not any(columns[0])

    def judge(self, row: Row, found: bytes | None) -> Fault | None:
        if found in (None, GONE, self._type):
            return None
        problem = f"is a {found.decode()}, declared as {self._kind.name}"
        if not self._derived:
            return Fault(FindingKind.TYPE, row.key, problem, refusal="no other key has its value")
        action = "moved to quarantine, to be rebuilt"
        return Fault(FindingKind.TYPE, row.key, problem, Quarantine(row.key), action)


class NoOtherFieldsRule(Rule):
    """A hash has only declared fields."""

    def __init__(self, declared: AnyDeclared) -> None:
        self._fields = {field.name.encode() for field in declared.kind.fields}

    def passes(self, rows: Sequence[Row], *columns: Sequence[Any]) -> bool:
        fields = self._fields
        return all(row.value.__class__ is dict and row.value.keys() <= fields for row in rows)

    def judge(self, row: Row) -> Fault | None:
        if is_error(row.value) or row.value.keys() <= self._fields:
            return None
        undeclared = tuple(sorted(row.value.keys() - self._fields))
        names = ", ".join(shown(name) for name in undeclared)
        return Fault(
            FindingKind.FIELDS,
            row.key,
            f"has fields that are not declared: {names}",
            Quarantine(row.key, undeclared),
            f"moved to quarantine: {names}",
        )


class RequiredFieldsRule(Rule):
    """A hash has its required fields, except derived ones, which other rules repair."""

    def __init__(self, declared: AnyDeclared, derived_fields: frozenset[str]) -> None:
        required = {field.name for field in declared.kind.fields if field.required}
        self._required = {name.encode() for name in required - derived_fields}

    def passes(self, rows: Sequence[Row], *columns: Sequence[Any]) -> bool:
        required = self._required
        return all(row.value.__class__ is dict and required <= row.value.keys() for row in rows)

    def judge(self, row: Row) -> Fault | None:
        if is_error(row.value) or not row.value or self._required <= row.value.keys():
            return None
        missing = ", ".join(sorted(name.decode() for name in self._required - row.value.keys()))
        return Fault(FindingKind.FIELDS, row.key, f"lacks {missing}", refusal="no other key has these values")


class ValueRule(Rule):
    """A value can be decoded as declared."""

    def judge(self, row: Row) -> Fault | None:
        if is_error(row.value) or is_readable(row.key, row.value):
            return None
        return Fault(
            FindingKind.VALUE,
            row.key,
            f"cannot be read as {row.key.declared.kind.name}",
            refusal="no other key has its value",
        )


def value_read(kind: Kind[Any]) -> tuple[str, tuple[Arg, ...]]:
    """The command, without its key, that reads a value, or the type of a collection."""
    if kind is kinds.HYPERLOGLOG:
        return "GETRANGE", (0, 3)
    return kind.read or "TYPE", ()


def is_readable(key: AnyKey, found: Any) -> bool:
    """Whether the reply to `value_read` can be decoded, or the key does not exist."""
    kind = key.declared.kind
    if kind is kinds.HYPERLOGLOG:
        return found in (b"HYLL", b"")
    if found is None:
        return True
    return decodes(key, found) and (kind is not kinds.COUNTER or INTEGER.fullmatch(found) is not None)


def rules_of_kind(declared: AnyDeclared, derived: bool, derived_fields: frozenset[str]) -> list[Rule]:
    kind = declared.kind
    if kind is kinds.ANY:
        return []
    rules: list[Rule] = [TypeRule(declared, derived=derived)]
    if is_hash(declared):
        if kind.custom_fields is None:
            rules.append(NoOtherFieldsRule(declared))
        rules.append(RequiredFieldsRule(declared, derived_fields))
    elif value_read(kind)[0] != "TYPE":
        rules.append(ValueRule())
    return rules
