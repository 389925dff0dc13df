"""What an operation takes: parameters and body, of one endpoint or of several that share a path."""

import re
from collections.abc import Sequence

from townsquare.api import AnyEndpoint
from townsquare.web.answers import JSON
from townsquare.web.openapi.schemas import Schema, Schemas, distinct
from townsquare.web.operation import BODILESS_METHODS

PARAMETER = r"{(\w+)}"
IDEMPOTENCY_KEY: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Makes a retry safe: the same key and body give the first answer again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
}


def parameters(path: str, group: Sequence[AnyEndpoint], schemas: Schemas) -> list[Schema]:
    """Path parameters, and for methods without a body everything else in the query."""
    in_path = re.findall(PARAMETER, path)
    found: list[Schema] = []
    if group[0].action is not None:
        found.append(_action_parameter(group))
    names = dict.fromkeys(name for endpoint in group for name in schemas.input(endpoint)["properties"])
    for name in names:
        takers = [endpoint for endpoint in group if name in schemas.input(endpoint)["properties"]]
        if name in in_path:
            found.append(_parameter(name, "path", takers, schemas, required=True))
        elif group[0].method in BODILESS_METHODS and name != "action":
            required = len(takers) == len(group) and all(_requires(taker, name, schemas) for taker in takers)
            found.append(_parameter(name, "query", takers, schemas, required=required))
    if any(endpoint.creates for endpoint in group):
        found.append(IDEMPOTENCY_KEY)
    return found


def _parameter(
    name: str, place: str, takers: Sequence[AnyEndpoint], schemas: Schemas, *, required: bool
) -> Schema:
    found = distinct(schemas.input(taker)["properties"][name] for taker in takers)
    schema = found[0] if len(found) == 1 else {"anyOf": found}
    parameter: Schema = {"name": name, "in": place, "required": required}
    description = schema.get("description", "")
    actions = [taker.action for taker in takers if taker.action and _requires(taker, name, schemas)]
    if actions and not required:
        description = f"{description} · Required for {', '.join(actions)}.".removeprefix(" · ")
    if description:
        parameter["description"] = description
    parameter["schema"] = {key: value for key, value in schema.items() if key != "description"}
    return parameter


def _action_parameter(group: Sequence[AnyEndpoint]) -> Schema:
    parameter: Schema = {"name": "action", "in": "query", "required": group[0].method in BODILESS_METHODS}
    if not parameter["required"]:
        parameter["description"] = "May stand in the body instead."
    parameter["schema"] = {"type": "string", "enum": [endpoint.action for endpoint in group]}
    return parameter


def body(path: str, group: Sequence[AnyEndpoint], schemas: Schemas) -> Schema | None:
    if group[0].method in BODILESS_METHODS:
        return None
    in_path = set(re.findall(PARAMETER, path))
    if group[0].action is not None:
        schema: Schema = {"anyOf": [_with_action(endpoint, in_path, schemas) for endpoint in group]}
        return {"required": False, "content": {JSON: {"schema": schema}}}
    whole = schemas.input(group[0])
    if not whole["properties"].keys() - in_path:
        return None
    required = bool(set(whole.get("required", [])) - in_path)
    return {"required": required, "content": {JSON: {"schema": _body_schema(group[0], in_path, schemas)}}}


def _body_schema(endpoint: AnyEndpoint, in_path: set[str], schemas: Schemas) -> Schema:
    whole = schemas.input(endpoint)
    if in_path.isdisjoint(whole["properties"]):
        return schemas.of(endpoint.input)
    return {
        **whole,
        "properties": {name: schema for name, schema in whole["properties"].items() if name not in in_path},
        "required": [name for name in whole.get("required", []) if name not in in_path],
    }


def _with_action(endpoint: AnyEndpoint, in_path: set[str], schemas: Schemas) -> Schema:
    action = {"type": "object", "properties": {"action": {"const": endpoint.action}}}
    return {"title": endpoint.action, "allOf": [action, _body_schema(endpoint, in_path, schemas)]}


def _requires(endpoint: AnyEndpoint, name: str, schemas: Schemas) -> bool:
    return name in schemas.input(endpoint).get("required", [])
