"""Questions about one key by itself: is it declared, of its type, readable, with the right lifetime?"""

import re
from dataclasses import dataclass
from typing import Any

from townsquare.integrity.findings import Fault, FindingKind, SetAside, Write
from townsquare.integrity.members import shown
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.reads import Read, Unknown
from townsquare.integrity.records import decodes
from townsquare.keyspace import AnyKey, kinds
from townsquare.keyspace.kinds import Kind
from townsquare.keyspace.lifetimes import Lifetime
from townsquare.store.wire.connection import Arg

GONE = b"none"
INTEGER = re.compile(rb"-?\d+")
SLACK_MS = 1000  # a lifetime may be set by a clock that is a little ahead


@dataclass(frozen=True)
class IsDeclared:
    unknown: Unknown

    def ask(self) -> Inquiry:
        (found,) = yield [Read("TYPE", self.unknown)]
        if found == GONE:
            return None
        return Fault(
            FindingKind.UNDECLARED,
            self.unknown,
            f"a {found.decode()} that no declaration has at this place",
            SetAside(self.unknown),
            "moved to quarantine",
        )


@dataclass(frozen=True)
class HasItsType:
    key: AnyKey
    derived: bool  # whether repair can build it again

    def ask(self) -> Inquiry:
        kind = self.key.declared.kind
        (found,) = yield [Read("TYPE", self.key)]
        if found in (GONE, kind.redis_type.encode()):
            return None
        says = f"is a {found.decode()}, declared as {kind.name}"
        if self.derived:
            return Fault(
                FindingKind.TYPE,
                self.key,
                says,
                SetAside(self.key),
                "moved to quarantine, to be built again",
            )
        return Fault(FindingKind.TYPE, self.key, says, why_not="it is not derived from anything")


@dataclass(frozen=True)
class HasNoStrangeFields:
    """No field of a Hash that nobody declared."""

    key: AnyKey

    def ask(self) -> Inquiry:
        (found,) = yield [Read("HGETALL", self.key)]
        declared = {field.name.encode() for field in self.key.declared.kind.fields}
        strange = tuple(sorted(set(found) - declared))
        if not strange:
            return None
        names = ", ".join(shown(name) for name in strange)
        return Fault(
            FindingKind.FIELDS,
            self.key,
            f"has fields that are not declared: {names}",
            SetAside(self.key, strange),
            f"moved to quarantine: {names}",
        )


@dataclass(frozen=True)
class HasRequiredFields:
    key: AnyKey
    derived: frozenset[str]  # fields that relations fill

    def ask(self) -> Inquiry:
        (found,) = yield [Read("HGETALL", self.key)]
        required = {field.name for field in self.key.declared.kind.fields if field.required}
        missing = sorted(name for name in required - self.derived if name.encode() not in found)
        if not found or not missing:
            return None
        return Fault(
            FindingKind.FIELDS,
            self.key,
            f"lacks {', '.join(missing)}",
            why_not="no other key has these values",
        )


def value_read(kind: Kind[Any]) -> tuple[Arg, ...]:
    """The command that tells whether a value can be read, without its key."""
    return ("GETRANGE", 0, 3) if kind is kinds.HYPERLOGLOG else (str(kind.read),)


def is_readable(key: AnyKey, found: Any) -> bool:
    """Whether what `value_read` answered is as declared, or nothing."""
    kind = key.declared.kind
    if kind is kinds.HYPERLOGLOG:
        return found in (b"HYLL", b"")
    if found is None or found == {}:
        return True
    return decodes(key, found) and (kind is not kinds.COUNTER or INTEGER.fullmatch(found) is not None)


@dataclass(frozen=True)
class Decodes:
    """The value can be read as its declaration says."""

    key: AnyKey

    def ask(self) -> Inquiry:
        verb, *args = value_read(self.key.declared.kind)
        (found,) = yield [Read(str(verb), self.key, tuple(args))]
        if is_readable(self.key, found):
            return None
        return Fault(
            FindingKind.VALUE,
            self.key,
            f"cannot be read as {self.key.declared.kind.name}",
            why_not="only who wrote it knows what it should be",
        )


def lives_rightly(lifetime: Lifetime, left: int, claim_ms: int) -> bool:
    if left == -2:
        return True
    if lifetime.seconds is None:
        return left <= claim_ms
    return 0 <= left <= lifetime.seconds * 1000 + SLACK_MS


@dataclass(frozen=True)
class Lives:
    """Has a lifetime, at most as long as declared, or has none."""

    key: AnyKey
    claim_ms: int  # an index this close to its end is a claim on its way; otherwise -1

    def ask(self) -> Inquiry:
        lifetime = self.key.declared.lifetime
        (left,) = yield [Read("PTTL", self.key)]
        if lives_rightly(lifetime, left, self.claim_ms):
            return None
        if lifetime.seconds is None:
            return self._fault(
                f"ends in {left / 1000:.0f} s, declared to live on", "PERSIST", (), "made to last"
            )
        limit = lifetime.seconds * 1000
        if left < 0:
            return self._fault(
                f"has no lifetime, declared: {lifetime.says}", "PEXPIRE", (limit,), "given its lifetime"
            )
        return self._fault(f"lives longer than declared: {lifetime.says}", "SHORTEN", (limit,), "shortened")

    def _fault(self, says: str, verb: str, args: tuple[int, ...], does: str) -> Fault:
        return Fault(FindingKind.EXPIRES, self.key, says, Write(verb, self.key, args), does)
