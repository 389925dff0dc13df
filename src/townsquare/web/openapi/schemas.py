"""JSON Schemas of inputs and outputs, in a form that client generators support."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any

import msgspec

from townsquare.api import AnyEndpoint, Content, Download, HtmlPage

Schema = dict[str, Any]

REF = "#/components/schemas/"
PROBLEM: Schema = {
    "title": "Problem",
    "description": "RFC 9457 problem details; `code` is stable.",
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "request_id": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail", "code", "request_id"],
}
COLLECTIONS = {"dict": "Map", "list": "List"}
UNNAMED = {"str", "int", "float", "bool", "None"}


class Schemas:
    """Schemas of all inputs and outputs; the document contains only those that are referenced."""

    def __init__(self, endpoints: Sequence[AnyEndpoint]) -> None:
        types = (type_ for endpoint in endpoints for type_ in (endpoint.input, endpoint.output))
        self._types = distinct(type_ for type_ in types if is_data(type_))
        refs, components = msgspec.json.schema_components(self._types, ref_template=REF + "{name}")
        names = schema_names({name: schema.get("title", name) for name, schema in components.items()})
        self._refs: list[Schema] = [_tidy(ref, names) for ref in refs]
        self._components: dict[str, Schema] = {"Problem": PROBLEM}
        for name, schema in components.items():
            self._components[names[name]] = {**_tidy(schema, names), "title": names[name]}
        lenient = [endpoint.input for endpoint in endpoints if endpoint.unknown != "refuse"]
        lenient += [endpoint.output for endpoint in endpoints]
        for endpoint in endpoints:
            if endpoint.input not in lenient:
                self.input(endpoint)["additionalProperties"] = False

    def of(self, type_: Any) -> Schema:
        return self._refs[self._types.index(type_)]

    def input(self, endpoint: AnyEndpoint) -> Schema:
        """The object schema of the input, with its properties."""
        return self.resolve(self.of(endpoint.input))

    def resolve(self, schema: Schema) -> Schema:
        return self._components[schema["$ref"].removeprefix(REF)] if "$ref" in schema else schema

    def add(self, name: str, schema: Schema) -> Schema:
        """Add a schema under a unique name; return the reference."""
        title, number = name, 1
        while self._components.setdefault(title, {**schema, "title": title}) != {**schema, "title": title}:
            number += 1
            title = f"{name}{number}"
        return {"$ref": REF + title}

    def used_by(self, value: Any) -> dict[str, Schema]:
        used: dict[str, Schema] = {}
        remaining = [value]
        while remaining:
            part = remaining.pop()
            if isinstance(part, dict):
                name = str(part.get("$ref", "")).removeprefix(REF)
                if name in self._components and name not in used:
                    used[name] = self._components[name]
                    remaining.append(used[name])
                remaining.extend(part.values())
            elif isinstance(part, list):
                remaining.extend(part)
        return dict(sorted(used.items()))


def _tidy(part: Any, names: dict[str, str]) -> Any:
    """The schema with our names and with what generators require: types of enums, items of arrays."""
    if isinstance(part, list):
        return [_tidy(each, names) for each in part]
    if not isinstance(part, dict):
        return part
    tidy = {key: _tidy(value, names) for key, value in part.items()}
    reference = tidy.get("$ref")
    if isinstance(reference, str) and reference.startswith(REF):
        tidy["$ref"] = REF + names[reference.removeprefix(REF)]
    values = tidy.get("enum")
    if isinstance(values, list):
        if all(isinstance(value, bool) for value in values):
            del tidy["enum"]  # generators do not support enums of booleans
            tidy = {"type": "boolean", **tidy}
        elif all(isinstance(value, str) for value in values):
            tidy = {"type": "string", **tidy}
    if isinstance(tidy.get("pattern"), str):
        tidy["pattern"] = tidy["pattern"].replace(r"\Z", "$")  # Python's end of text
    if tidy.get("type") == "array" and not {"items", "prefixItems"} & tidy.keys():
        tidy["items"] = {}
    return tidy


def is_data(type_: Any) -> bool:
    """Whether a type is sent as JSON; pages and pictures are not."""
    return getattr(type_, "__origin__", type_) not in (Content, Download, HtmlPage, NoneType)


def distinct(values: Iterable[Any]) -> list[Any]:
    """Without duplicates; schemas are dictionaries, which cannot be hashed."""
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


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
