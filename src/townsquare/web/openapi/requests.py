"""Parameters and body of an operation: one endpoint, or several that share a path."""

import re
from collections.abc import Sequence
from typing import Any

from townsquare.api import AnyEndpoint
from townsquare.web.bound_endpoint import BODILESS_METHODS
from townsquare.web.openapi.examples import Examples
from townsquare.web.openapi.schemas import Schema, Schemas, distinct, pascal
from townsquare.web.responses import JSON

PARAMETER = r"{(\w+)}"
FILE = "application/octet-stream"
IDEMPOTENCY_KEY: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Makes a retry safe: for 24 hours, the same key and body create nothing again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
}


class Requests:
    """Parameters and bodies, with a consistent sample request."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._examples = Examples(schemas)

    def parameters(self, group: Sequence[AnyEndpoint]) -> list[Schema]:
        """Path parameters, and query parameters if there is no JSON body."""
        first = group[0]
        in_path = _in_path(first)
        sample = self._sample(first)
        found: list[Schema] = []
        if first.action is not None:
            found.append(_action_parameter(group))
        names = dict.fromkeys(name for endpoint in group for name in self._properties(endpoint))
        for name in names:
            takers = [endpoint for endpoint in group if name in self._properties(endpoint)]
            if name in in_path:
                found.append(self._parameter(name, "path", takers, sample, required=True))
            elif (first.method in BODILESS_METHODS or first.takes_file) and name != "action":
                required = len(takers) == len(group) and all(self._requires(each, name) for each in takers)
                found.append(self._parameter(name, "query", takers, sample, required=required))
        if any(endpoint.replay for endpoint in group):
            found.append(IDEMPOTENCY_KEY)
        return found

    def _parameter(
        self, name: str, location: str, takers: Sequence[AnyEndpoint], sample: Schema, *, required: bool
    ) -> Schema:
        schema = _joined([self._properties(taker)[name] for taker in takers])
        parameter: Schema = {"name": name, "in": location, "required": required}
        description = schema.pop("description", "")
        actions = [taker.action for taker in takers if taker.action and self._requires(taker, name)]
        if actions and not required:
            description = f"{description} · Required for {', '.join(actions)}.".removeprefix(" · ")
        if description:
            parameter["description"] = description
        parameter["schema"] = schema
        if name in sample:
            parameter["example"] = sample[name]
        return parameter

    def body(self, group: Sequence[AnyEndpoint]) -> Schema | None:
        first = group[0]
        if first.takes_file:
            return {"required": True, "content": {FILE: {"schema": {"type": "string", "format": "binary"}}}}
        if first.method in BODILESS_METHODS:
            return None
        if first.action is not None:
            schema: Schema = {"anyOf": [self._with_action(endpoint) for endpoint in group]}
            examples = {str(each.action): {"value": self._body_sample(each)} for each in group}
            return {"required": False, "content": {JSON: {"schema": schema, "examples": examples}}}
        whole, in_path = self._schemas.input(first), _in_path(first)
        if not whole["properties"].keys() - in_path:
            return None
        required = bool(set(whole.get("required", [])) - in_path)
        content = {"schema": self._body_schema(first), "example": self._body_sample(first)}
        return {"required": required, "content": {JSON: content}}

    def _body_schema(self, endpoint: AnyEndpoint) -> Schema:
        whole, in_path = self._schemas.input(endpoint), _in_path(endpoint)
        if in_path.isdisjoint(whole["properties"]):
            return self._schemas.of(endpoint.input)
        properties = {name: schema for name, schema in whole["properties"].items() if name not in in_path}
        required = [name for name in whole.get("required", []) if name not in in_path]
        return self._schemas.add(
            f"{whole['title']}Body", {**whole, "properties": properties, "required": required}
        )

    def _with_action(self, endpoint: AnyEndpoint) -> Schema:
        whole = self._schemas.input(endpoint)
        action = {"type": "string", "const": endpoint.action}
        name = pascal(endpoint.path.rpartition("/")[2], str(endpoint.action), "action")
        return self._schemas.add(name, {**whole, "properties": {"action": action, **whole["properties"]}})

    def _body_sample(self, endpoint: AnyEndpoint) -> dict[str, Any]:
        in_path = _in_path(endpoint)
        sample = {name: value for name, value in self._sample(endpoint).items() if name not in in_path}
        return sample if endpoint.action is None else {"action": endpoint.action, **sample}

    def _sample(self, endpoint: AnyEndpoint) -> dict[str, Any]:
        sample = self._examples.request(self._schemas.input(endpoint), endpoint.example)
        return sample if endpoint.action is None else {"action": endpoint.action, **sample}

    def _properties(self, endpoint: AnyEndpoint) -> dict[str, Schema]:
        properties: dict[str, Schema] = self._schemas.input(endpoint)["properties"]
        return properties

    def _requires(self, endpoint: AnyEndpoint, name: str) -> bool:
        return name in self._schemas.input(endpoint).get("required", [])


def _in_path(endpoint: AnyEndpoint) -> set[str]:
    return set(re.findall(PARAMETER, endpoint.path))


def _joined(schemas: Sequence[Schema]) -> Schema:
    """A schema that allows what any of these allows; different defaults are omitted."""
    if len(found := distinct(schemas)) == 1:
        return dict(found[0])
    options = [option for schema in found for option in schema.get("anyOf", [schema])]
    bare = distinct(_without(option, "default", "description") for option in options)
    described = next((each["description"] for each in [*found, *options] if "description" in each), "")
    joined = bare[0] if len(bare) == 1 else {"anyOf": bare}
    return {**joined, "description": described} if described else joined


def _without(schema: Schema, *names: str) -> Schema:
    return {key: value for key, value in schema.items() if key not in names}


def _action_parameter(group: Sequence[AnyEndpoint]) -> Schema:
    parameter: Schema = {"name": "action", "in": "query", "required": group[0].method in BODILESS_METHODS}
    if parameter["required"]:
        parameter["example"] = group[0].action
    else:
        parameter["description"] = "May stand in the body instead."
    parameter["schema"] = {"type": "string", "enum": [endpoint.action for endpoint in group]}
    return parameter
