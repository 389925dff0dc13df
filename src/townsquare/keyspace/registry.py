"""All declared keys: find a declaration by its name, or by the name of a key in Redis."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from townsquare.keyspace import kinds
from townsquare.keyspace.declare import AnyDeclared, AnyKey, DeclarationError, Keyspace
from townsquare.keyspace.layout import Layout
from townsquare.keyspace.relations import Expires, Relation

Shapes = dict[tuple[int, ...], dict[tuple[str, ...], list[AnyDeclared]]]  # by literal pieces

NOTHING: Shapes = {}


class Registry:
    def __init__(self, keyspaces: Iterable[Keyspace]) -> None:
        self.keyspaces = tuple(keyspaces)
        self.by_name: dict[str, AnyDeclared] = {}
        self._shapes: dict[tuple[str, int], Shapes] = defaultdict(lambda: defaultdict(dict))
        for keyspace in self.keyspaces:
            for declared in keyspace.keys.values():
                if declared.full_name in self.by_name:
                    raise DeclarationError(f"two keyspaces declare {declared.full_name}")
                self.by_name[declared.full_name] = declared
                if declared.kind is not kinds.CHANNEL:
                    self._index(declared)

    def _index(self, declared: AnyDeclared) -> None:
        """Index it by its literal pieces, so that a name has few candidates."""
        pieces = declared.pattern.split(":")
        literal = tuple(index for index, piece in enumerate(pieces) if "{" not in piece)
        alike = self._shapes[declared.service, len(pieces)][literal]
        alike.setdefault(tuple(pieces[index] for index in literal), []).append(declared)

    def __iter__(self) -> Iterator[AnyDeclared]:
        return iter(self.by_name.values())

    @property
    def relations(self) -> list[Relation]:
        stated = [relation for keyspace in self.keyspaces for relation in keyspace.relations]
        return stated + [Expires(key) for key in self if key.kind is not kinds.CHANNEL]

    def parse(self, name: str, layout: Layout) -> AnyKey | None:
        """The declared key of a name in Redis; None if it is not declared, or in the wrong bucket."""
        pieces = layout.split(name)
        if pieces is None or not is_text(name):
            return None
        service, bucket, text = pieces
        for declared in self._candidates(service, text):
            key = declared.parse(text)
            if key is not None:
                key.named = layout, name
                return key if bucket is None or bucket == key.bucket else None
        return None

    def _candidates(self, service: str, text: str) -> Iterator[AnyDeclared]:
        pieces = text.split(":")
        for literal, alike in self._shapes.get((service, len(pieces)), NOTHING).items():
            yield from alike.get(tuple([pieces[index] for index in literal]), ())


def is_text(name: str) -> bool:
    """Whether a name was UTF-8: other bytes were decoded as surrogates, which no value can contain."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
