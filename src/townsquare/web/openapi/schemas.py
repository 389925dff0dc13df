"""JSON Schemas of inputs and outputs, and which of them a document refers to."""

from collections.abc import Iterable
from types import NoneType
from typing import Any

import msgspec

from townsquare.api import AnyEndpoint, Content, HtmlPage

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


class Schemas:
    """Schemas of all inputs and outputs; only what an operation refers to ends up in the document."""

    def __init__(self, endpoints: Iterable[AnyEndpoint]) -> None:
        types = (type_ for endpoint in endpoints for type_ in (endpoint.input, endpoint.output))
        self._types = distinct(type_ for type_ in types if is_data(type_))
        self._refs, components = msgspec.json.schema_components(self._types, ref_template=REF + "{name}")
        self._components: dict[str, Schema] = {**components, "Problem": PROBLEM}

    def of(self, type_: Any) -> Schema:
        return self._refs[self._types.index(type_)]

    def input(self, endpoint: AnyEndpoint) -> Schema:
        """The input's object schema itself, to take parameters from."""
        name: str = self.of(endpoint.input)["$ref"].removeprefix(REF)
        return self._components[name]

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


def is_data(type_: Any) -> bool:
    """Whether a type is sent as JSON; pages and pictures are `Content`, some answers have no body."""
    return type_ not in (Content, HtmlPage, NoneType)


def distinct(values: Iterable[Any]) -> list[Any]:
    """Without repetitions; schemas are dictionaries, so hashing is no help."""
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found
