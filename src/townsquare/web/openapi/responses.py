"""Responses of an operation: its outputs and its problems."""

from collections.abc import Sequence
from http import HTTPStatus
from types import NoneType
from typing import Any, get_type_hints

from townsquare import problems
from townsquare.api import AnyEndpoint
from townsquare.problems import Problem
from townsquare.store.coordination.idempotency import IdempotencyKeyReused
from townsquare.web.bound_endpoint import BODILESS_METHODS, UnknownAction
from townsquare.web.openapi.examples import Examples
from townsquare.web.openapi.schemas import REF, Schema, Schemas, distinct, is_data
from townsquare.web.responses import JSON, PROBLEM_JSON

LOCATION: Schema = {"headers": {"Location": {"schema": {"type": "string"}}}}
OCTETS = "application/octet-stream"
AS_TEXT: Schema = {"schema": {"type": "string"}}


def responses(group: Sequence[AnyEndpoint], schemas: Schemas) -> Schema:
    found: Schema = {}
    for status in sorted({_status(endpoint) for endpoint in group}):
        alike = [endpoint for endpoint in group if _status(endpoint) == status]
        found[str(status)] = {"description": HTTPStatus(status).phrase, **_success(alike, schemas)}
    own_shape = any(endpoint.on_problem for endpoint in group)
    problem: Schema = (
        {JSON: {"schema": {}}} if own_shape else {PROBLEM_JSON: {"schema": {"$ref": REF + "Problem"}}}
    )
    for status, titles in sorted(_problems(group).items()):
        answer = {"content": problem} if status >= HTTPStatus.BAD_REQUEST else LOCATION
        found.setdefault(str(status), {"description": " / ".join(titles), **answer})
    return found


def _success(group: Sequence[AnyEndpoint], schemas: Schemas) -> Schema:
    outputs = distinct(endpoint.output for endpoint in group)
    if outputs == [NoneType]:
        return {}
    if any(not is_data(output) for output in outputs):
        return {"content": dict.fromkeys(media_types(outputs[0]) or [OCTETS], AS_TEXT)}
    found = [schemas.of(output) for output in outputs]
    schema = found[0] if len(found) == 1 else {"anyOf": found}
    content: Schema = {JSON: {"schema": schema, "example": Examples(schemas).value(found[0])}}
    for endpoint in group:
        if endpoint.on_problem is not None:
            shaped = get_type_hints(endpoint.on_problem, include_extras=True).get("return")
            content |= dict.fromkeys(media_types(shaped), AS_TEXT)
    return {"content": content}


def media_types(output: Any) -> list[str]:
    """The media types in an annotation: `Annotated[Content, "image/png"]`."""
    return list(getattr(output, "__metadata__", ()))


def _problems(group: Sequence[AnyEndpoint]) -> dict[int, list[str]]:
    kinds: list[type[Problem]] = [problem for endpoint in group for problem in endpoint.errors]
    if any(endpoint.limit for endpoint in group):
        kinds += (problems.BadRequest, problems.UriTooLong, problems.Invalid)
        kinds += (problems.TooManyRequests, problems.Unavailable)
    if any(endpoint.action is not None for endpoint in group):
        kinds.append(UnknownAction)
    if any(endpoint.unknown == "refuse" for endpoint in group):
        kinds.append(problems.UnknownField)
    if any("cursor" in endpoint.input.__struct_fields__ for endpoint in group):
        kinds.append(problems.BadCursor)
    if any(endpoint.method not in BODILESS_METHODS for endpoint in group):
        kinds += (problems.PayloadTooLarge, problems.UnsupportedMediaType)
    if any(endpoint.replay for endpoint in group):
        kinds.append(IdempotencyKeyReused)
    if any(endpoint.auth.scheme for endpoint in group):
        kinds.append(problems.Unauthorized)
    if any(endpoint.auth.admits for endpoint in group):
        kinds.append(problems.Forbidden)
    found: dict[int, list[str]] = {}
    for kind in dict.fromkeys(kinds):
        found.setdefault(kind.status, []).append(f"{kind.title} (`{kind.code}`)")
    return found


def _status(endpoint: AnyEndpoint) -> int:
    return 204 if endpoint.output is NoneType else endpoint.status
