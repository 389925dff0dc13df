"""All declared keys together: find one by name, or by a raw key from Redis."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from townsquare.keyspace import kinds
from townsquare.keyspace.declare import AnyDeclared, AnyKey, DeclarationError, Keyspace
from townsquare.keyspace.layout import Layout
from townsquare.keyspace.relations import Expires, Relation


class Registry:
    def __init__(self, keyspaces: Iterable[Keyspace]) -> None:
        self.keyspaces = tuple(keyspaces)
        self.by_name: dict[str, AnyDeclared] = {}
        self._by_shape: dict[tuple[str, int], list[AnyDeclared]] = defaultdict(list)
        for keyspace in self.keyspaces:
            for declared in keyspace.keys.values():
                if declared.full_name in self.by_name:
                    raise DeclarationError(f"two keyspaces declare {declared.full_name}")
                self.by_name[declared.full_name] = declared
                if declared.kind is not kinds.CHANNEL:
                    self._by_shape[declared.service, declared.pattern.count(":")].append(declared)

    def __iter__(self) -> Iterator[AnyDeclared]:
        return iter(self.by_name.values())

    @property
    def relations(self) -> list[Relation]:
        stated = [relation for keyspace in self.keyspaces for relation in keyspace.relations]
        return stated + [Expires(key) for key in self if key.kind is not kinds.CHANNEL]

    def parse(self, name: str, layout: Layout) -> AnyKey | None:
        """The declared key behind a name in Redis; None if no declaration has it, or not at that place."""
        pieces = layout.split(name)
        if pieces is None:
            return None
        service, bucket, text = pieces
        for declared in self._by_shape[service, text.count(":")]:
            key = declared.parse(text)
            if key is not None:
                return key if bucket is None or bucket == key.bucket else None
        return None
