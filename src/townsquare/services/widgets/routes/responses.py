"""Responses in the shape that earlier clients expect."""

from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.api import Call, Content
from townsquare.problems import Problem
from townsquare.services.widgets.drawing import draw_number
from townsquare.services.widgets.models import WidgetView

D = TypeVar("D")

FRESH = {"Cache-Control": "no-store"}
WARNINGS_SHOWN, WARNING_LENGTH, HEADER_LENGTH = 20, 200, 2_000  # of unknown parameters
NOT_KNOWN = "not used: it is unknown, empty, or given twice"


class Success(msgspec.Struct, Generic[D]):
    data: D
    success: bool = True
    warnings: list[str] | UnsetType = UNSET  # parameters that had no effect, and why


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


class Sum(msgspec.Struct):
    total: int
    success: bool = True
    warnings: list[str] | UnsetType = UNSET


class CreatedMany(msgspec.Struct):
    created: int
    skipped: int  # there were widgets of these URLs
    data: dict[str, str]  # the id of each URL
    success: bool = True
    warnings: list[str] | UnsetType = UNSET


def flat_model(view: type[WidgetView]) -> type[Any]:
    """The response of `create`: the widget under `data` for older clients, at the top for newer ones."""
    beside: list[Any] = [("data", view), ("success", bool, True), ("warnings", list[str] | UnsetType, UNSET)]
    return msgspec.defstruct(f"Created{view.__name__}", beside, bases=(view,), kw_only=True, rename="camel")


def flat(model: type[Any], success: Success[Any]) -> Any:
    view = success.data
    return model(data=view, **{name: getattr(view, name) for name in view.__struct_fields__})


def unused(call: Call, name: str, why: str) -> None:
    """Report a parameter that had no effect."""
    call.unknown = (*call.unknown, f"{name}: {why}")


def add_warnings(result: Any, call: Call) -> Any:
    """The response with the names of unused parameters: in JSON, or in a header of text and pictures."""
    warnings = [
        (one if ": " in one else f"{one[:WARNING_LENGTH]}: {NOT_KNOWN}")[: 2 * WARNING_LENGTH]
        for one in call.unknown[:WARNINGS_SHOWN]
    ]
    if isinstance(result, Content):
        result.headers = {**result.headers, "X-Warnings": "; ".join(map(ascii, warnings))[:HEADER_LENGTH]}
    else:
        result.warnings = warnings
    return result


def text(body: str) -> Content:
    return Content(body.encode(), "text/plain; charset=utf-8", headers=FRESH)


def svg(body: str) -> Content:
    return Content(body.encode(), "image/svg+xml; charset=utf-8", headers=FRESH)


def failure(problem: Problem, call: Call, *, picture: bool) -> Content:
    """JSON, or for an image a dash with status 200: a failed widget does not break the page it is on."""
    if picture:
        return svg(draw_number("-", call.query.get("theme", ""), "error"))
    shown = Failure(
        problem.detail,
        problem.code,
        success=False,
        errors=problem.extra.get("errors"),
        actions=problem.extra.get("actions"),
    )
    return Content(msgspec.json.encode(shown), "application/json", problem.status)
