"""Names in the description: short, unique, of letters, digits and `_` alone, as generated clients need."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from townsquare.api import AnyEndpoint

COLLECTIONS = {"dict": "Map", "list": "List"}
UNNAMED = {"str", "int", "float", "bool", "None"}


class NameTaken(Exception):
    """Two operations of one tag have functions of the same name."""


def operation_ids(groups: Iterable[Sequence[AnyEndpoint]]) -> dict[int, str]:
    """Of each group of endpoints, by the identity of its first one."""
    ids = {id(group[0]): _operation_id(group[0]) for group in groups}
    for name, count in Counter(ids.values()).items():
        if count > 1:
            raise NameTaken(f"{count} operations are called {name}: name their functions apart")
    return ids


def _operation_id(endpoint: AnyEndpoint) -> str:
    """Tag and function; of actions, which are many functions on one path, the path."""
    what = endpoint.run.__name__
    if endpoint.action is not None:
        what = f"{endpoint.method.lower()}_{endpoint.path.rpartition('/')[2]}"
    return re.sub(r"\W+", "_", f"{endpoint.tag}_{what}")


def schema_names(titles: Mapping[str, str]) -> dict[str, str]:
    """Short names by msgspec's: `Page[Item]` is `ItemPage`, and two of one name get their module's."""
    depth = dict.fromkeys(titles, 1)
    while True:
        names = {name: _schema_name(name, title, depth[name]) for name, title in titles.items()}
        taken = Counter(names.values())
        again = [name for name in titles if taken[names[name]] > 1 and depth[name] <= name.count(".")]
        if not again:
            return names
        for name in again:
            depth[name] += 1


def _schema_name(name: str, title: str, depth: int) -> str:
    if "[" not in title:
        parts = name.split(".")[-depth:]
        return "".join(part[:1].upper() + part[1:] for part in parts)
    words = [word.rpartition(".")[2] for word in re.findall(r"[\w.]+", title)]
    return "".join(COLLECTIONS.get(word, word) for word in reversed(words) if word not in UNNAMED)


def pascal(*words: str) -> str:
    """`visit`, `batchGet` as `VisitBatchGet`."""
    return "".join(word[:1].upper() + word[1:] for word in words)
