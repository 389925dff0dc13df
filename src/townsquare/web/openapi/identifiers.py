"""Operation ids and schema names: short, unique, only letters, digits and `_`, for generated clients."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from townsquare.api import AnyEndpoint

COLLECTIONS = {"dict": "Map", "list": "List"}
UNNAMED = {"str", "int", "float", "bool", "None"}


def operation_ids(groups: Iterable[Sequence[AnyEndpoint]]) -> dict[int, str]:
    """Operation ids by the id() of the first endpoint of a group: tag and function, or else tag and path."""
    firsts = [group[0] for group in groups]
    names = Counter(_by_function(endpoint) for endpoint in firsts)
    return {
        id(endpoint): _by_function(endpoint) if names[_by_function(endpoint)] == 1 else _by_path(endpoint)
        for endpoint in firsts
    }


def _by_function(endpoint: AnyEndpoint) -> str:
    if endpoint.action is not None:  # many functions on one path
        return _by_path(endpoint)
    return _word(endpoint.tag, endpoint.run.__name__)


def _by_path(endpoint: AnyEndpoint) -> str:
    return _word(endpoint.tag, endpoint.method.lower(), endpoint.path.removeprefix(f"/{endpoint.tag}"))


def _word(*parts: str) -> str:
    return re.sub(r"\W+", "_", "_".join(parts)).replace("__", "_").strip("_")


def schema_names(titles: Mapping[str, str]) -> dict[str, str]:
    """Short names by those of msgspec: `Page[Item]` is `ItemPage`; equal names get a module name."""
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
