"""The key space as a tree: services, then the parts of the patterns, with the number of keys below each."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from townsquare.keyspace import AnyDeclared, Layout, Registry
from townsquare.problems import BadCursor, NotFound
from townsquare.store.store import Store

UNDECLARED = "(not declared)"
SCANNED = 5_000  # keys that one step of a list looks at: a few milliseconds of the engine
LISTED = 500  # names of one step
CURSOR = re.compile(r"([0-9]{1,4})-([0-9]{1,20})")

NoSuchDeclaration = NotFound.declare("declaration_not_found", "No key is declared by this name")


class KeyTree(msgspec.Struct):
    name: str
    keys: int = 0  # of this pattern and of those below it
    children: dict[str, "KeyTree"] = {}
    declared: str = ""  # the declaration whose pattern ends here

    def add(self, path: list[str], keys: int, declared: str = "") -> None:
        self.keys += keys
        if path:
            child = self.children.setdefault(path[0], KeyTree(path[0]))
            child.add(path[1:], keys, declared)
        else:
            self.declared = declared


async def read_tree(store: Store) -> KeyTree:
    """Scan all keys of both stores."""
    counts: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for role, side in store.role_stores.items():
        async for names in store.scan(role):
            for name in names:
                key = store.registry.parse(name, side.layout)
                if key is None:
                    unknown[name.encode(errors="surrogateescape").decode(errors="replace")] += 1
                elif key.declared.role is role:
                    counts[key.declared.full_name] += 1
    tree = tree_of(store.registry, counts)
    tree.name = side.layout.env
    for name, keys in sorted(unknown.items()):
        tree.add([UNDECLARED, name], keys)
    return tree


def tree_of(registry: Registry, counts: Mapping[str, int]) -> KeyTree:
    """The tree of declarations that have keys, from the number of keys of each."""
    found = [(registry.by_name[name], keys) for name, keys in counts.items() if name in registry.by_name]
    tree = KeyTree("")
    for declared, keys in sorted(found, key=lambda one: (one[0].service, one[0].pattern)):
        tree.add([declared.service, *declared.pattern.split(":")], keys, declared.full_name)
    return tree


class ListedKeys(NamedTuple):
    names: list[str]
    cursor: str  # of the next step; empty at the end


async def list_keys(store: Store, declaration: str, cursor: str = "") -> ListedKeys:
    """Keys of one declaration: one step of a scan, which can find none although a later step finds some."""
    declared = store.registry.by_name.get(declaration)
    if declared is None:
        raise NoSuchDeclaration()
    side = store.role_stores[declared.role]
    nodes = list(side.nodes.connections())
    matched = CURSOR.fullmatch(cursor or "0-0")
    if matched is None or int(matched[1]) >= len(nodes):
        raise BadCursor()
    number = int(matched[1])
    pattern = glob_of(declared, side.layout)
    reached, found = await nodes[number].execute("SCAN", matched[2], "MATCH", pattern, "COUNT", SCANNED)
    names = sorted(name.decode(errors="surrogateescape") for name in found)
    keys = ((name, store.registry.parse(name, side.layout)) for name in names)
    listed = [name for name, key in keys if key is not None and key.declared is declared]
    if reached != b"0":
        return ListedKeys(listed[:LISTED], f"{number}-{reached.decode()}")
    return ListedKeys(listed[:LISTED], f"{number + 1}-0" if number + 1 < len(nodes) else "")


def glob_of(declared: AnyDeclared, layout: Layout) -> str:
    literal = re.sub(r"([\\*?\[\]])", r"\\\1", re.sub(r"\{[^}]*\}", "\0", declared.pattern))
    tag = "{???}:" if layout.clustered else ""
    return f"{layout.prefix}{declared.service}:{tag}{literal.replace(chr(0), '*')}"
