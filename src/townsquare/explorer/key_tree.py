"""The key space as a tree: services, then the parts of the patterns, with the number of keys below each."""

from collections import Counter

import msgspec

from townsquare.store.store import Store

UNDECLARED = "(not declared)"


class KeyTree(msgspec.Struct):
    name: str
    keys: int = 0  # of this pattern and of those below it
    children: dict[str, "KeyTree"] = {}

    def add(self, path: list[str], keys: int) -> None:
        self.keys += keys
        if path:
            child = self.children.setdefault(path[0], KeyTree(path[0]))
            child.add(path[1:], keys)


async def read_tree(store: Store) -> KeyTree:
    """Scan all keys of both stores."""
    counts: Counter[tuple[str, ...]] = Counter()
    for role, side in store.role_stores.items():
        async for names in store.scan(role):
            for name in names:
                key = store.registry.parse(name, side.layout)
                if key is None:
                    counts[UNDECLARED, name.encode(errors="surrogateescape").decode(errors="replace")] += 1
                elif key.declared.role is role:
                    counts[key.declared.service, *key.declared.pattern.split(":")] += 1
    tree = KeyTree(side.layout.env)
    for path, keys in sorted(counts.items()):
        tree.add([*path], keys)
    return tree
