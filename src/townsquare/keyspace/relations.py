"""The rules between keys: twelve relations, most with a primary side and a derived one.

A relation is only a description. The checker reads it, repair rebuilds its derived side from the primary
side, `docs/keys.md` prints it. A *record* is a Hash or JSON key; where a relation says which members or
parameters follow from a record, it does so with a field (`email`, or `providers.google` for one inside
another) or a function of the record's fields. Scripts can be given what fields decide, but not functions.
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
    """A source that is the same for every record."""

    value: str

    def __call__(self, record: Record) -> str:
        return self.value


def value_at(record: Record, path: str) -> Any:
    """The value of a field, or of one inside another; None if there is none."""
    if "." not in path:
        return record.get(path)
    value: Any = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def always(record: Record) -> bool:
    return True


def plain_sources(declared: AnyDeclared, params: Params) -> tuple[str | Value, ...] | None:
    """Where the parameters of a key come from, in order; None if a function or another key decides."""
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

    def says(self) -> str:
        raise TypeError(f"{type(self).__name__} does not say what it means")


@dataclass(frozen=True)
class ByScript:
    """A script in the service's `lua/effects/`, for a removal that has consequences where it happens.

    Its inputs are filled by name: the parameter of the key that it works on, `now`, and what is `given`; the
    one that is left gets the name that goes.
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
    """A record must tell which collection it is in, and a member which record it stands for."""
    if member not in record.parts:
        yield f"{record} has no parameter {member!r}"
    if names := missing(collection, [*params, *record.names]):
        yield f"nothing says where {names} of {collection} come from"
    if names := missing(record, [*collection.names, member]):
        yield f"{collection} does not lead back to {record}: {names}"


@dataclass(frozen=True)
class Counts(Relation):
    """A field equals a cardinality, or how many members of a sorted set have one score; plus a field."""

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

    def says(self) -> str:
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

    def says(self) -> str:
        summed = f"members of `{self.of.pattern}` that are not {self.unless}" if self.unless else ""
        field = f"{self.field} " if self.field else ""
        return f"`{self.record.pattern}` {field}= {summed or f'sum of the scores of `{self.of.pattern}`'}"


@dataclass(frozen=True)
class Refers(Relation):
    """Every member of a collection names an existing record: by itself, or in a field of a JSON object."""

    collection: AnyDeclared
    record: AnyDeclared
    field: str | None = None  # None: the member is the parameter of the record
    only: Mapping[str, str] = dataclass_field(default_factory=dict)  # collections with these parameters

    def mistakes(self) -> Iterable[str]:
        if len(self.record.parts) != 1:
            yield f"{self.record} takes one parameter"

    def says(self) -> str:
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

    def says(self) -> str:
        return f"`{self.details.pattern}` has a field for every member of `{self.of.pattern}`"


@dataclass(frozen=True)
class Indexes(Relation):
    """A string key points to the one owner whose field has that value."""

    index: AnyDeclared
    record: AnyDeclared
    owner: str  # the record's parameter that is the index's value
    params: Params  # the index's parameters, from the record's fields; a None means: not indexed
    spelling: Callable[[str], str | None] | None = None  # the one spelling of a value; None: it has none

    def mistakes(self) -> Iterable[str]:
        if self.owner not in self.record.parts:
            yield f"{self.record} has no parameter {self.owner!r}"
        if names := missing(self.index, self.params):
            yield f"nothing says where {names} of {self.index} come from"

    def says(self) -> str:
        return f"`{self.index.pattern}` → {self.owner} of the `{self.record.pattern}` that has this value"

    def values(self, record: Record) -> tuple[Any, ...] | None:
        """The parameters of the index that a record has; None if it has none."""
        sources = (self.params[name] for name in self.index.names)
        found = tuple(value_at(record, one) if isinstance(one, str) else one(record) for one in sources)
        return None if None in found or "" in found else found


@dataclass(frozen=True)
class Groups(Relation):
    """A set holds exactly the owners whose field has that value (or: that exist)."""

    group: AnyDeclared
    record: AnyDeclared  # may be any kind when neither params nor where look into it
    member: str  # the record's parameter that is a member of the set
    params: Params = dataclass_field(default_factory=dict)
    where: Callable[[Record], bool] = always
    with_owner: DeleteRecord | ByScript | None = None  # what happens to the members when the set's owner goes
    removal: ByScript | None = None  # how a deleted record leaves the set, if that has consequences

    def mistakes(self) -> Iterable[str]:
        return membership_mistakes(self.group, self.record, self.member, self.params)

    def says(self) -> str:
        return f"`{self.group.pattern}` holds the {self.member} of every `{self.record.pattern}` of its own"


@dataclass(frozen=True)
class Orders(Relation):
    """A sorted set holds exactly these members with that score."""

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

    def says(self) -> str:
        by = self.score if isinstance(self.score, str) else self.score.__name__.replace("_", " ")
        return f"`{self.order.pattern}` holds every `{self.record.pattern}` by {by}"


@dataclass(frozen=True)
class Mirrors(Relation):
    """A field is copied from another record, or from the value of another key."""

    record: AnyDeclared
    field: str
    source: AnyDeclared
    source_field: str | None = None  # None: the whole value of the source
    params: Params = dataclass_field(default_factory=dict)

    def mistakes(self) -> Iterable[str]:
        if names := missing(self.source, [*self.params, *self.record.names]):
            yield f"nothing says where {names} of {self.source} come from"

    def says(self) -> str:
        of = f"{self.source_field} of " if self.source_field else ""
        return f"`{self.record.pattern}` {self.field} is a copy of {of}`{self.source.pattern}`"


@dataclass(frozen=True)
class Represents(Relation):
    """A record of one service stands for a record of another, with copies of some of its fields."""

    record: AnyDeclared
    source: AnyDeclared
    params: Params  # of the record, from the fields of the source; a None means: it has no such record
    link: str  # the field of the record that has the source's parameter; absent where that is not known yet
    fields: tuple[str, ...]  # the same in both
    repair: ByScript  # a script on the source's home, which starts what brings the record in line

    def mistakes(self) -> Iterable[str]:
        if names := missing(self.record, self.params):
            yield f"nothing says where {names} of {self.record} come from"
        if len(self.source.parts) != 1:
            yield f"{self.source} takes one parameter"

    def says(self) -> str:
        copies = ", ".join(self.fields)
        return (
            f"every `{self.source.service}:{self.source.pattern}` has its `{self.record.pattern}`, "
            f"with a copy of {copies}"
        )


@dataclass(frozen=True)
class Pairs(Relation):
    """Two sets are each other's inverse; the left one is the truth."""

    left: AnyDeclared
    right: AnyDeclared
    remove_left: ByScript | None = None  # how a deleted member leaves the left sets, if that has consequences
    remove_right: ByScript | None = None  # likewise the right ones
    taken_apart: bool = True  # False: with another pair of the same, by its script

    def mistakes(self) -> Iterable[str]:
        if len(self.left.parts) != 1 or len(self.right.parts) != 1:
            yield "both sides take one parameter"

    def says(self) -> str:
        return f"b in `{self.left.pattern}` of a exactly if a in `{self.right.pattern}` of b"


@dataclass(frozen=True)
class Owns(Relation):
    """Deleted with its owner, and an orphan without it."""

    owner: AnyDeclared
    owned: tuple[AnyDeclared, ...]
    without_owner: bool = False  # the keys can exist without the owner
    members: ByScript | None = None  # runs for each member of these collections before they are deleted
    account: AnyDeclared | None = None  # exists, with the parameters of the owner, while its account does

    def mistakes(self) -> Iterable[str]:
        for one in self.owned:
            if names := missing(self.owner, one.names):
                yield f"{one} does not say whose it is: {names}"

    def says(self) -> str:
        return f"`{self.owner.pattern}` owns {', '.join(f'`{one.pattern}`' for one in self.owned)}"


@dataclass(frozen=True)
class Expires(Relation):
    """Must have a lifetime, at most so long, or must have none. The registry makes one for every key."""

    key: AnyDeclared

    def says(self) -> str:
        return f"`{self.key.pattern}`: lifetime {self.key.lifetime.says}"
