"""The shape that pages written for the earlier system expect."""

from typing import Any, Generic, TypeVar

import msgspec

from townsquare.api import Call, Content
from townsquare.problems import Problem
from townsquare.services.widgets.drawing import draw_number

D = TypeVar("D")

FRESH = {"Cache-Control": "no-store"}


class Success(msgspec.Struct, Generic[D]):
    data: D
    success: bool = True


class Failure(msgspec.Struct, omit_defaults=True):
    error: str
    code: str
    success: bool
    errors: Any = None
    actions: Any = None


class Named(msgspec.Struct):
    id: str


class Gone(msgspec.Struct):
    id: str
    deleted: bool = True


def text(body: str) -> Content:
    return Content(body.encode(), "text/plain; charset=utf-8", headers=FRESH)


def svg(body: str) -> Content:
    return Content(body.encode(), "image/svg+xml; charset=utf-8", headers=FRESH)


def failure(problem: Problem, call: Call) -> Content:
    """JSON, or for an image a dash with status 200: a failed widget does not break the page it is on."""
    if call.query.get("format") == "image":
        return svg(draw_number("-", call.query.get("theme", ""), "error"))
    told = Failure(
        problem.detail,
        problem.code,
        success=False,
        errors=problem.extra.get("errors"),
        actions=problem.extra.get("actions"),
    )
    return Content(msgspec.json.encode(told), "application/json", problem.status)
