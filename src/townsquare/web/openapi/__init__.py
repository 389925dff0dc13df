"""The API described as OpenAPI 3.1, from the same declarations that serve it."""

import inspect
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import msgspec

from townsquare.api import SESSION, AnyEndpoint
from townsquare.web.openapi.requests import body, parameters
from townsquare.web.openapi.responses import responses
from townsquare.web.openapi.schemas import Schema, Schemas


def describe(endpoints: Sequence[AnyEndpoint]) -> bytes:
    """The whole document as JSON."""
    documented = [endpoint for endpoint in endpoints if endpoint.documented]
    schemas = Schemas(documented)
    grouped: dict[str, dict[str, list[AnyEndpoint]]] = {}
    for endpoint in documented:
        for path in (endpoint.path, *endpoint.aliases):
            grouped.setdefault(path, {}).setdefault(endpoint.method.lower(), []).append(endpoint)
    paths = {
        path: {method: _operation(path, group, schemas) for method, group in methods.items()}
        for path, methods in grouped.items()
    }
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Townsquare",
            "version": _version(),
            "description": "The community layer, on one Redis.",
        },
        "tags": [{"name": tag} for tag in sorted({endpoint.tag for endpoint in documented})],
        "paths": paths,
        "components": {"schemas": schemas.used_by(paths), "securitySchemes": _schemes(documented)},
    }
    return msgspec.json.encode(document)


def with_server(description: bytes, base_url: str) -> bytes:
    """The same document, which says where the API is for who reads it."""
    return b'{"servers":' + msgspec.json.encode([{"url": base_url}]) + b"," + description[1:]


def _operation(path: str, group: Sequence[AnyEndpoint], schemas: Schemas) -> Schema:
    first = group[0]
    operation: Schema = {
        "operationId": _operation_id(path, first),
        "tags": [first.tag],
        "summary": _summary(first) if first.action is None else " · ".join(str(e.action) for e in group),
        "description": _description(first) if first.action is None else _action_list(group),
        "parameters": parameters(path, group, schemas),
        "requestBody": body(path, group, schemas),
        "responses": responses(group, schemas),
        "security": _security(group),
    }
    return {name: value for name, value in operation.items() if value or name == "responses"}


def _operation_id(path: str, endpoint: AnyEndpoint) -> str:
    return "_".join([endpoint.method.lower(), *re.findall(r"\w+", path)])


def _summary(endpoint: AnyEndpoint) -> str:
    return (inspect.getdoc(endpoint.run) or "").partition("\n")[0]


def _description(endpoint: AnyEndpoint) -> str:
    return (inspect.getdoc(endpoint.run) or "").partition("\n")[2].strip()


def _action_list(group: Sequence[AnyEndpoint]) -> str:
    return "\n".join(f"- `{endpoint.action}`: {_summary(endpoint)}" for endpoint in group)


def _schemes(endpoints: Sequence[AnyEndpoint]) -> Schema:
    schemes = [SESSION, *(endpoint.auth.scheme for endpoint in endpoints if endpoint.auth.scheme)]
    return {scheme.name: scheme.security for scheme in schemes}


def _security(group: Sequence[AnyEndpoint]) -> list[dict[str, list[str]]]:
    schemes = dict.fromkeys(endpoint.auth.scheme.name for endpoint in group if endpoint.auth.scheme)
    asked: list[dict[str, list[str]]] = [{name: []} for name in schemes]
    return asked if all(endpoint.auth.required for endpoint in group) or not asked else [{}, *asked]


def _version() -> str:
    try:
        return version("townsquare")
    except PackageNotFoundError:
        return "0"
