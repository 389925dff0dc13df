"""Declaring keys, once.

    widgets = Keyspace("widgets", "Old-web widgets")

    @widgets.counter("counter:{id}:total", home="counter:{id}", seed="001")
    def counter_total(id: str) -> None:
        "Visits since the counter was created."

The parameters of the function are the parameters of the pattern; a difference fails at import. What the
decorator leaves is callable: `counter_total("example-100680ad")` is a `Key`, and mypy knows its parameters.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NotRequired,
    ParamSpec,
    Protocol,
    Required,
    TypedDict,
    TypeVar,
    Unpack,
    get_type_hints,
    overload,
)

import msgspec

from townsquare.keyspace import kinds
from townsquare.keyspace.buckets import bucket_of
from townsquare.keyspace.kinds import Field, Kind, Visibility
from townsquare.keyspace.lifetimes import FOREVER, Lifetime
from townsquare.keyspace.parts import Part, part_for
from townsquare.keyspace.records import record_of
from townsquare.roles import Role

if TYPE_CHECKING:
    from array import array

    from townsquare.keyspace.relations import Relation

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R", bound=msgspec.Struct)

PLACEHOLDER = re.compile(r"\{(\w+)\}")

Home = str | Callable[..., str]  # "user:{username}", or a function of some parameters that returns a bucket


class DeclarationError(TypeError):
    """A key, relation or script is declared wrongly; raised at import."""


class KeyTerms(TypedDict):
    """The terms of a declaration besides its kind and pattern."""

    home: Required[Home]
    lifetime: NotRequired[Lifetime]
    role: NotRequired[Role]
    cached: NotRequired[bool]  # held in the client cache of every process that reads it; default False
    seed: NotRequired[str]  # the specification that requires this key; "" for our own keys


@dataclass(frozen=True, eq=False)
class Declared(Generic[P, T]):
    service: str
    name: str
    pattern: str
    kind: Kind[T]
    parts: dict[str, Part]
    home: Home
    lifetime: Lifetime
    role: Role
    cached: bool
    seed: str
    description: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> "Key[T]":
        if kwargs:
            args += tuple(kwargs[name] for name in self.names[len(args) :])  # type: ignore[assignment]
        if len(args) != len(self.parts):
            raise TypeError(f"{self.full_name} takes {', '.join(self.names) or 'no parameters'}")
        return Key(self, args)

    def of(self, params: dict[str, Any]) -> "Key[T]":
        """The key with these parameters; further ones are ignored."""
        return Key(self, tuple(params[name] for name in self.names))

    def __repr__(self) -> str:
        return f"<{self.full_name} {self.pattern}>"

    @property
    def full_name(self) -> str:
        return f"{self.service}.{self.name}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.parts)

    @cached_property
    def render(self) -> Callable[[tuple[Any, ...]], str]:
        """From the values of the parameters to the text of the key."""
        order = {name: str(index) for index, name in enumerate(self.parts)}
        template = PLACEHOLDER.sub(lambda hole: "{" + order[hole[1]] + "}", self.pattern)
        encoders = tuple(part.encode for part in self.parts.values())
        if len(encoders) == 1 and template.count("{0}") == 1:  # most keys, on every request's path
            (encode,) = encoders
            before, after = template.split("{0}")
            return lambda values: f"{before}{encode(values[0])}{after}"
        return lambda values: template.format(
            *[encode(value) for encode, value in zip(encoders, values, strict=True)]
        )

    @cached_property
    def regex(self) -> re.Pattern[str]:
        text = re.escape(self.pattern).replace(r"\{", "{").replace(r"\}", "}")
        return re.compile(PLACEHOLDER.sub(lambda hole: f"(?P<{hole[1]}>{self.parts[hole[1]].pattern})", text))

    def parse(self, text: str) -> "Key[T] | None":
        """The key that renders to `text`, if one does."""
        match = self.regex.fullmatch(text)
        if not match:
            return None
        if self.is_verbatim and "%" not in text:
            key = Key(self, match.groups())
            key._text = text
            return key
        try:
            key = Key(self, tuple(part.decode(match[name]) for name, part in self.parts.items()))
            return key if key.text == text else None
        except ValueError:
            return None

    @cached_property
    def is_verbatim(self) -> bool:
        """Whether the groups of its regex, without a percent sign, are its values."""
        groups = tuple(self.regex.groupindex) if self.regex.groups == len(self.parts) else None
        return groups == self.names and all(part.verbatim for part in self.parts.values())

    def bucket(self, values: tuple[Any, ...]) -> str:
        params = dict(zip(self.parts, values, strict=True))
        if isinstance(self.home, str):
            return bucket_of(self.home.format_map(params))
        return self.home(*(params[name] for name in self.home_names))

    @cached_property
    def home_names(self) -> tuple[str, ...]:
        """The parameters that determine the home of the key."""
        if isinstance(self.home, str):
            return tuple(PLACEHOLDER.findall(self.home))
        return tuple(inspect.signature(self.home).parameters)


AnyDeclared = Declared[..., Any]


@dataclass(frozen=True)
class Migration:
    """A change of stored data from one version of a service's key layout to the next.

    The function at `source` ("package.module:name") gets the store, a batch of keys and whether to write. It
    returns how many keys it changed, or would change. It skips keys that are in the new form, because an
    interrupted migration begins again.
    """

    summary: str
    keys: tuple[AnyDeclared, ...]  # which it reads; an old key may be declared in another keyspace
    source: str


class Key(Generic[T_co]):
    """One key: its declaration and the values of its parameters. A layout turns it into a name."""

    __slots__ = ("_bucket", "_text", "declared", "named", "values")

    def __init__(self, declared: Declared[..., T_co], values: tuple[Any, ...]) -> None:
        self.declared = declared
        self.values = values
        self._text: str | None = None
        self._bucket: str | None = None
        self.named: tuple[Any, str] | None = None  # the last layout that named it, and the name

    @property
    def text(self) -> str:
        """The name without environment, service and hash tag."""
        if self._text is None:
            self._text = self.declared.render(self.values)
        return self._text

    @property
    def bucket(self) -> str:
        if self._bucket is None:
            self._bucket = self.declared.bucket(self.values)
        return self._bucket

    @property
    def params(self) -> dict[str, Any]:
        return dict(zip(self.declared.parts, self.values, strict=True))

    def __repr__(self) -> str:
        return f"<{self.declared.service}:{self.text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and other.declared is self.declared and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


AnyKey = Key[Any]


class Declare(Protocol[T]):
    """A decorator that makes a declared key of a function with the key's parameters."""

    def __call__(self, signature: Callable[P, None], /) -> Declared[P, T]: ...


class Keyspace:
    def __init__(self, service: str, description: str) -> None:
        self.service = service
        self.description = description
        self.keys: dict[str, AnyDeclared] = {}
        self.relations: list[Relation] = []
        self.migrations: list[Migration] = []

    @property
    def version(self) -> int:
        """Of the layout of its keys: 1, and one more for each migration."""
        return 1 + len(self.migrations)

    def migrate(self, *keys: AnyDeclared, summary: str, source: str) -> None:
        """Declare the migration to the next version."""
        self.migrations.append(Migration(summary, keys, source))

    def string(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[str]:
        return self.declare(kinds.STRING, pattern, **terms)

    def counter(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[int]:
        return self.declare(kinds.COUNTER, pattern, **terms)

    def json(self, model: type[T], pattern: str, **terms: Unpack[KeyTerms]) -> Declare[T]:
        return self.declare(kinds.json_of(model), pattern, **terms)

    def packed_floats(self, pattern: str, **terms: Unpack[KeyTerms]) -> "Declare[array[float]]":
        return self.declare(kinds.PACKED_FLOATS, pattern, **terms)

    @overload
    def hash(
        self, pattern: str, *fields: Field, custom: Visibility | None = None, **terms: Unpack[KeyTerms]
    ) -> Declare[dict[str, str]]: ...

    @overload
    def hash(
        self, pattern: str, *, record: type[R], custom: Visibility | None = None, **terms: Unpack[KeyTerms]
    ) -> Declare[R]: ...

    def hash(
        self,
        pattern: str,
        *fields: Field,
        record: type[Any] | None = None,
        custom: Visibility | None = None,
        **terms: Unpack[KeyTerms],
    ) -> Declare[Any]:
        """A record: a struct has its fields, or they are listed, or it has only custom ones."""
        kind: Kind[Any] = kinds.hash_of(*fields, custom=custom)
        return self.declare(record_of(record, custom=custom) if record else kind, pattern, **terms)

    def set(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[Any]:
        return self.declare(kinds.SET, pattern, **terms)

    def sorted_set(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[Any]:
        return self.declare(kinds.SORTED_SET, pattern, **terms)

    def list(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[Any]:
        return self.declare(kinds.LIST, pattern, **terms)

    def stream(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[Any]:
        return self.declare(kinds.STREAM, pattern, **terms)

    def hyperloglog(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[Any]:
        return self.declare(kinds.HYPERLOGLOG, pattern, **terms)

    def channel(self, pattern: str, **terms: Unpack[KeyTerms]) -> Declare[Any]:
        return self.declare(kinds.CHANNEL, pattern, **terms)

    def declare(self, kind: Kind[T], pattern: str, **terms: Unpack[KeyTerms]) -> Declare[T]:
        def decorate(signature: Callable[P, None]) -> Declared[P, T]:
            hints = get_type_hints(signature, include_extras=True)
            declared: Declared[P, T] = Declared(
                service=self.service,
                name=signature.__name__,
                pattern=pattern,
                kind=kind,
                parts={name: part_for(hints[name]) for name in inspect.signature(signature).parameters},
                home=terms["home"],
                lifetime=terms.get("lifetime", FOREVER),
                role=terms.get("role", Role.DATA),
                cached=terms.get("cached", False),
                seed=terms.get("seed", ""),
                description=inspect.cleandoc(signature.__doc__ or ""),
            )
            self.add(declared)
            return declared

        return decorate

    def add(self, declared: AnyDeclared) -> None:
        where = f"{declared.full_name} ({declared.pattern})"
        holes = PLACEHOLDER.findall(declared.pattern)
        if sorted(holes) != sorted(declared.parts):
            raise DeclarationError(f"{where}: the pattern has {holes}, the function {list(declared.parts)}")
        if unknown := set(declared.home_names) - set(holes):
            raise DeclarationError(f"{where}: its home depends on {sorted(unknown)}, which it does not have")
        if not declared.description:
            raise DeclarationError(f"{where}: it has no docstring")
        if declared.name in self.keys:
            raise DeclarationError(f"{where}: declared twice")
        for other in self.keys.values():
            if declared.kind is not kinds.CHANNEL is not other.kind and overlap(declared, other):
                raise DeclarationError(f"{where}: a key could also be a {other.full_name} ({other.pattern})")
        self.keys[declared.name] = declared

    def relate(self, *relations: "Relation") -> None:
        self.relations.extend(relations)


def overlap(one: AnyDeclared, other: AnyDeclared) -> bool:
    """Whether one name could belong to both, judged by the literal pieces."""
    ours, theirs = one.pattern.split(":"), other.pattern.split(":")
    if len(ours) != len(theirs):
        return False
    return all(segments_overlap(mine, its) for mine, its in zip(ours, theirs, strict=True))


def segments_overlap(mine: str, its: str) -> bool:
    if "{" in mine and "{" in its:
        return mine.split("{")[0].startswith(its.split("{")[0]) or its.split("{")[0].startswith(
            mine.split("{")[0]
        )
    literal, holed = (mine, its) if "{" in its else (its, mine)
    return re.fullmatch(PLACEHOLDER.sub(".+", holed), literal) is not None
