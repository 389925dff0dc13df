"""The rules between keys: twelve relations, most with a primary side and a derived one.

A relation is only a description. The checker verifies it, repair rebuilds its derived side from the primary
side, `docs/keys.md` prints it. A *record* is a Hash or JSON key. A relation derives members or parameters
from a field of a record (`email`, or `providers.google` for a nested one) or from a function of its fields.
Generated scripts can use fields, but not functions.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from townsquare.keyspace.declare import AnyDeclared, DeclarationError
from townsquare.keyspace.kinds import SORTED_SET

Record = Mapping[str, Any]
Source = str | Callable[[Record], Any]  # a field, or a function of the fields
Params = Mapping[str, Source]  # for parameters that do not come from the record's own key


@dataclass(frozen=True)
class Value:
    """A constant source."""

    value: str

    def __call__(self, record: Record) -> str:
        return self.value


def value_at(record: Record, path: str) -> Any:
    """The value of a field or a nested field; None if there is none."""
    if "." not in path:
        return record.get(path)
    value: Any = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def always(record: Record) -> bool:
    return True


def plain_sources(declared: AnyDeclared, params: Params) -> tuple[str | Value, ...] | None:
    """The sources of the parameters of a key, in order; None if one is a function or another key."""
    found = [params.get(name) for name in declared.names]
    plain = tuple(one for one in found if isinstance(one, str | Value))
    return plain if len(plain) == len(found) else None


@dataclass(frozen=True)
class Relation:
    def __post_init__(self) -> None:
        for wrong in self.mistakes():
            raise DeclarationError(f"{type(self).__name__}: {wrong}")

    def mistakes(self) -> Iterable[str]:
        return ()

    def describe(self) -> str:
        raise TypeError(f"{type(self).__name__} has no description")


@dataclass(frozen=True)
class ByScript:
    """A script in `lua/effects/` of the service, for a removal that must change other keys of that home.

    Its inputs are filled by name: the parameters of the key that it works on, `now`, and those in `given`.
    The remaining input gets the name of the deleted record.
    """

    script: str
    given: tuple[tuple[str, str], ...] = ()


def by_script(script: str, **given: str) -> ByScript:
    return ByScript(script, tuple(given.items()))


class DeleteRecord:
    """Members are records that belong to the owner of their collection: they are deleted with it."""


DELETE = DeleteRecord()
BY_SERVICE = DeleteRecord()  # a script or a job of the service deletes them


def missing(declared: AnyDeclared, given: Iterable[str]) -> list[str]:
    return [name for name in declared.names if name not in set(given)]


def membership_mistakes(
    collection: AnyDeclared, record: AnyDeclared, member: str, params: Params
) -> Iterable[str]:
    """A record must determine its collection, and a member its record."""
    if member not in record.parts:
        yield f"{record} has no parameter {member!r}"
    if names := missing(collection, [*params, *record.names]):
        yield f"no source for {names} of {collection}"
    if names := missing(record, [*collection.names, member]):
        yield f"{collection} does not determine {names} of {record}"


@dataclass(frozen=True)
class Counts(Relation):
    """A field equals a cardinality, or the number of members with one score, plus another field."""

    record: AnyDeclared
    field: str
    of: AnyDeclared
    score: int | None = None
    plus: str | None = None

    def mistakes(self) -> Iterable[str]:
        if self.score is not None and self.of.kind is not SORTED_SET:
            yield f"{self.of} has no scores"
        if self.of.kind.cardinality is None:
            yield f"{self.of} has no cardinality"
        if names := missing(self.of, self.record.names):
            yield f"{self.of} needs {names}, which {self.record} does not have"

    def describe(self) -> str:
        of = f"`{self.of.pattern}`"
        counted = (
            f"ZCOUNT {of} {self.score}" if self.score is not None else f"{self.of.kind.cardinality} {of}"
        )
        more = f" + {self.plus}" if self.plus else ""
        return f"`{self.record.pattern}` {self.field} = {counted}{more}"


@dataclass(frozen=True)
class Sums(Relation):
    """A field, or the value of a counter, is the sum of the scores of a sorted set.

    With `unless`, the number of its members, JSON objects, in which that field is not true.
    """

    record: AnyDeclared
    field: str  # "": the value of a counter
    of: AnyDeclared
    unless: str | None = None

    def mistakes(self) -> Iterable[str]:
        if self.of.kind is not SORTED_SET:
            yield f"{self.of} has no scores"
        if self.of.names != self.record.names:
            yield f"{self.of} and {self.record} differ in their parameters"

    def describe(self) -> str:
        summed = f"members of `{self.of.pattern}` that are not {self.unless}" if self.unless else ""
        field = f"{self.field} " if self.field else ""
        return f"`{self.record.pattern}` {field}= {summed or f'sum of the scores of `{self.of.pattern}`'}"


@dataclass(frozen=True)
class Refers(Relation):
    """Every member of a collection, or a field of its JSON, names an existing record."""

    collection: AnyDeclared
    record: AnyDeclared
    field: str | None = None  # None: the member is the parameter of the record
    only: Mapping[str, str] = dataclass_field(default_factory=dict)  # collections with these parameters

    def mistakes(self) -> Iterable[str]:
        if len(self.record.parts) != 1:
            yield f"{self.record} takes one parameter"

    def describe(self) -> str:
        by = f" by {self.field}" if self.field else ""
        only = "".join(f" with {name} {value}" for name, value in self.only.items())
        return f"every member of `{self.collection.pattern}`{only} names a `{self.record.pattern}`{by}"


@dataclass(frozen=True)
class Describes(Relation):
    """A hash has a field for every member `{field}:{id}` of a sorted set: a JSON object with that member."""

    details: AnyDeclared
    of: AnyDeclared

    def mistakes(self) -> Iterable[str]:
        if self.of.names != self.details.names:
            yield f"{self.of} and {self.details} differ in their parameters"

    def describe(self) -> str:
        return f"`{self.details.pattern}` has a field for every member of `{self.of.pattern}`"


@dataclass(frozen=True)
class Indexes(Relation):
    """A string key points to the one record whose field has that value."""

    index: AnyDeclared
    record: AnyDeclared
    owner: str  # the record's parameter that is the index's value
    params: Params  # the index's parameters, from the record's fields; None: not indexed
    spelling: Callable[[str], str | None] | None = None  # normalises a value; returns None for an invalid one

    def mistakes(self) -> Iterable[str]:
        if self.owner not in self.record.parts:
            yield f"{self.record} has no parameter {self.owner!r}"
        if names := missing(self.index, self.params):
            yield f"no source for {names} of {self.index}"

    def describe(self) -> str:
        return f"`{self.index.pattern}` → {self.owner} of the `{self.record.pattern}` that has this value"

    def values(self, record: Record) -> tuple[Any, ...] | None:
        """The parameters of the index of a record; None if it has no index."""
        sources = (self.params[name] for name in self.index.names)
        found = tuple(value_at(record, one) if isinstance(one, str) else one(record) for one in sources)
        return None if None in found or "" in found else found


@dataclass(frozen=True)
class Groups(Relation):
    """A set has exactly the records whose field has that value, or all records."""

    group: AnyDeclared
    record: AnyDeclared  # can be any kind if neither params nor where use its fields
    member: str  # the record's parameter that is a member of the set
    params: Params = dataclass_field(default_factory=dict)
    where: Callable[[Record], bool] = always
    with_owner: DeleteRecord | ByScript | None = (
        None  # what happens to members when the set's owner is deleted
    )
    removal: ByScript | None = None  # removes a deleted record from the set, if more than the set changes

    def mistakes(self) -> Iterable[str]:
        return membership_mistakes(self.group, self.record, self.member, self.params)

    def describe(self) -> str:
        return f"`{self.group.pattern}` holds the {self.member} of every matching `{self.record.pattern}`"


@dataclass(frozen=True)
class Orders(Relation):
    """A sorted set has exactly these records, with that score."""

    order: AnyDeclared
    record: AnyDeclared
    member: str
    score: Source
    params: Params = dataclass_field(default_factory=dict)
    where: Callable[[Record], bool] = always
    with_owner: DeleteRecord | ByScript | None = None  # as in Groups
    removal: ByScript | None = None  # as in Groups

    def mistakes(self) -> Iterable[str]:
        return membership_mistakes(self.order, self.record, self.member, self.params)

    def describe(self) -> str:
        by = self.score if isinstance(self.score, str) else self.score.__name__.replace("_", " ")
        return f"`{self.order.pattern}` holds every `{self.record.pattern}` by {by}"


@dataclass(frozen=True)
class Mirrors(Relation):
    """A field is a copy of a field of another record, or of the value of another key."""

    record: AnyDeclared
    field: str
    source: AnyDeclared
    source_field: str | None = None  # None: the whole value of the source
    params: Params = dataclass_field(default_factory=dict)

    def mistakes(self) -> Iterable[str]:
        if names := missing(self.source, [*self.params, *self.record.names]):
            yield f"no source for {names} of {self.source}"

    def describe(self) -> str:
        of = f"{self.source_field} of " if self.source_field else ""
        return f"`{self.record.pattern}` {self.field} is a copy of {of}`{self.source.pattern}`"


@dataclass(frozen=True)
class Represents(Relation):
    """A record of one service stands for a record of another, with copies of some of its fields."""

    record: AnyDeclared
    source: AnyDeclared
    params: Params  # of the record, from the fields of the source; None: there is no such record
    link: str  # the field of the record that has the source's parameter; it can be absent
    fields: tuple[str, ...]  # equal in both
    repair: ByScript  # a script on the source's home that starts the job which updates the record

    def mistakes(self) -> Iterable[str]:
        if names := missing(self.record, self.params):
            yield f"no source for {names} of {self.record}"
        if len(self.source.parts) != 1:
            yield f"{self.source} takes one parameter"

    def describe(self) -> str:
        copies = ", ".join(self.fields)
        return (
            f"every `{self.source.service}:{self.source.pattern}` has its `{self.record.pattern}`, "
            f"with a copy of {copies}"
        )


@dataclass(frozen=True)
class Pairs(Relation):
    """Two sets are inverse to each other; the left one is primary."""

    left: AnyDeclared
    right: AnyDeclared
    remove_left: ByScript | None = (
        None  # removes a deleted member from left sets, if more than the set changes
    )
    remove_right: ByScript | None = None  # likewise from right sets
    taken_apart: bool = True  # False: the script of another pair removes its members too

    def mistakes(self) -> Iterable[str]:
        if len(self.left.parts) != 1 or len(self.right.parts) != 1:
            yield "both sides take one parameter"

    def describe(self) -> str:
        return f"b in `{self.left.pattern}` of a exactly if a in `{self.right.pattern}` of b"


@dataclass(frozen=True)
class Owns(Relation):
    """The keys are deleted with their owner, and are orphans without it."""

    owner: AnyDeclared
    owned: tuple[AnyDeclared, ...]
    without_owner: bool = False  # the keys can exist without the owner
    members: ByScript | None = None  # runs for each member of these collections before they are deleted
    account: AnyDeclared | None = None  # exists, with the parameters of the owner, while its account does

    def mistakes(self) -> Iterable[str]:
        for one in self.owned:
            if names := missing(self.owner, one.names):
                yield f"{one} does not determine {names} of its owner"

    def describe(self) -> str:
        return f"`{self.owner.pattern}` owns {', '.join(f'`{one.pattern}`' for one in self.owned)}"


@dataclass(frozen=True)
class Expires(Relation):
    """A key has at most its declared lifetime, or none. The registry creates this relation for every key."""

    key: AnyDeclared

    def describe(self) -> str:
        return f"`{self.key.pattern}`: lifetime {self.key.lifetime.description}"
