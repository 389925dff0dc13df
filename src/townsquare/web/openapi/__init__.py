"""The OpenAPI 3.1 document, derived from the declared endpoints."""

import inspect
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

import msgspec

from townsquare.api import SESSION, AnyEndpoint
from townsquare.web.openapi.requests import Requests
from townsquare.web.openapi.responses import responses
from townsquare.web.openapi.schemas import Schema, Schemas, operation_ids

ABOUT = """The community layer for any website or app, on one Redis.

Sign up with `POST /accounts/signup` and send the `access_token` of the answer as `Authorization: Bearer
<token>`. Errors are RFC 9457 problem JSON with a stable `code`. Lists page by `cursor`: the `next` of the
page before.
"""


def describe(endpoints: Sequence[AnyEndpoint], tags: Mapping[str, str]) -> bytes:
    """The whole document as JSON; `tags` are the descriptions of the tags."""
    documented = [endpoint for endpoint in endpoints if endpoint.documented]
    schemas = Schemas(documented)
    requests = Requests(schemas)
    groups: dict[tuple[str, str], list[AnyEndpoint]] = {}
    for endpoint in documented:
        groups.setdefault((endpoint.path, endpoint.method.lower()), []).append(endpoint)
    ids = operation_ids(groups.values())
    paths: dict[str, Schema] = {}
    for (path, method), group in groups.items():
        operation = _operation(group, requests, schemas)
        paths.setdefault(path, {})[method] = {"operationId": ids[id(group[0])], **operation}
    used = sorted({endpoint.tag for endpoint in documented})
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Townsquare", "version": _version(), "description": ABOUT},
        "tags": [{"name": tag, "description": tags.get(tag, "")} for tag in used],
        "paths": paths,
        "components": {"schemas": schemas.used_by(paths), "securitySchemes": _schemes(documented)},
    }
    return msgspec.json.encode(document)


def with_server(description: bytes, base_url: str) -> bytes:
    """The document with the base URL of the client."""
    return b'{"servers":' + msgspec.json.encode([{"url": base_url}]) + b"," + description[1:]


def _operation(group: Sequence[AnyEndpoint], requests: Requests, schemas: Schemas) -> Schema:
    first = group[0]
    operation: Schema = {
        "tags": [first.tag],
        "summary": _summary(first) if first.action is None else " · ".join(str(e.action) for e in group),
        "description": _description(group),
        "parameters": requests.parameters(group),
        "requestBody": requests.body(group),
        "responses": responses(group, schemas),
        "security": _security(group),
    }
    return {name: value for name, value in operation.items() if value or name == "responses"}


def _summary(endpoint: AnyEndpoint) -> str:
    return (inspect.getdoc(endpoint.run) or "").partition("\n")[0]


def _description(group: Sequence[AnyEndpoint]) -> str:
    """The docstring after its first line, then authentication, limits and aliases."""
    first = group[0]
    text = (inspect.getdoc(first.run) or "").partition("\n")[2].strip()
    if first.action is not None:
        text = "\n".join(f"- `{endpoint.action}`: {_summary(endpoint)}" for endpoint in group)
    also = f"Also at {', '.join(f'`{path}`' for path in first.aliases)}." if first.aliases else ""
    return "\n\n".join(filter(None, (text, f"{_who(group)} {_limits(group)}".strip(), also)))


def _who(group: Sequence[AnyEndpoint]) -> str:
    asked = [endpoint.auth for endpoint in group if endpoint.auth.scheme]
    if not asked:
        return "Anybody may call it."
    if not all(endpoint.auth.required for endpoint in group):
        return f"Anybody may call it; who is {asked[0].who} says so with `{_proof(group)}`."
    return f"Takes the `{_proof(group)}` of {' or '.join(dict.fromkeys(auth.who for auth in asked))}."


def _proof(group: Sequence[AnyEndpoint]) -> str:
    return "` or `".join(dict.fromkeys(each.auth.scheme.name for each in group if each.auth.scheme))


def _limits(group: Sequence[AnyEndpoint]) -> str:
    limits = [endpoint.limit for endpoint in group if endpoint.limit]
    shown = dict.fromkeys(f"{limit.count:,} in {limit.seconds} s (`{limit.name}`)" for limit in limits)
    return f"At most {', or '.join(shown)}, unless the settings say otherwise." if shown else ""


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
