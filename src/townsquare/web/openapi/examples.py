"""Examples of requests and responses: from the declarations, and for texts by field name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from townsquare.web.openapi.schemas import Schema, Schemas

DEEPEST = 5  # a reply within a reply within …
LISTS_DEEPEST = 2  # deeper lists are empty
EMPTY: Mapping[Any, Any] = {"array": [], "object": {}}
FORMATS = {"date": "2026-07-14", "date-time": "2026-07-14T09:30:00Z"}
# example values by the name of a field
NAMES = msgspec.json.decode(Path(__file__).with_name("examples.json").read_bytes(), type=dict[str, Any])


class Examples:
    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def request(self, schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
        """The required fields, and those of the declared example."""
        fields = schema["properties"]
        wanted = {*schema.get("required", ()), *given} & fields.keys()
        return {
            name: given[name] if name in given else self.value(field, name)
            for name, field in fields.items()
            if name in wanted
        }

    def value(self, schema: Schema, name: str = "", depth: int = 0) -> Any:
        found = self._schemas.resolve(schema)
        if "const" in found:
            return found["const"]
        if found.get("examples"):
            return found["examples"][0]
        if found.get("enum"):
            return found["enum"][0]
        for union in ("anyOf", "oneOf"):
            if union in found:
                options = [each for each in found[union] if each.get("type") != "null"]
                return self.value(options[0], name, depth)
        kind = found.get("type")
        if depth > DEEPEST and kind in EMPTY:
            return EMPTY[kind]
        if kind == "object" and found.get("properties"):
            fields = found["properties"].items()
            return {key: self.value(field, key, depth + 1) for key, field in fields}
        if name in NAMES and _is(NAMES[name], kind) and not self._has_records(found):
            return NAMES[name]
        if kind == "object":
            return self._mapping(found, depth)
        if kind == "array":
            if depth > LISTS_DEEPEST:
                return []
            return [self.value(found["items"], name.removesuffix("s"), depth + 1)] if found["items"] else []
        return _plain(found)

    def _has_records(self, schema: Schema) -> bool:
        """Whether it is a list of objects."""
        items = schema.get("items")
        return isinstance(items, dict) and "properties" in self._schemas.resolve(items)

    def _mapping(self, schema: Schema, depth: int) -> dict[str, Any]:
        values = schema.get("additionalProperties")
        return {"name": self.value(values, "", depth + 1)} if isinstance(values, dict) and values else {}


def _plain(schema: Schema) -> Any:
    default = schema.get("default")
    if default not in (None, ""):
        return default
    match schema.get("type"):
        case "integer" | "number":
            return max(schema.get("minimum", 1), 1)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return FORMATS.get(schema.get("format", ""), "text")


def _is(value: Any, kind: str | None) -> bool:
    kinds: dict[str | None, Any] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "array": list,
        "object": dict,
        None: object,
    }
    return isinstance(value, kinds.get(kind, ()))
