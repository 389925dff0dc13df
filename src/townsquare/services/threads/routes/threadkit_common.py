"""The parts that all endpoints of the original ThreadKit client share."""

from typing import Annotated

import msgspec

from townsquare.api import Call, Content
from townsquare.problems import Problem
from townsquare.routes import Routes
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.threadkit import ThreadKitUser
from townsquare.services.threads.routes.access import SiteAccess, site_routes

PREFIX = "/threadkit/v1"
EMPTY = Content(b"", "text/plain")
Empty = Annotated[Content, "text/plain"]
ERROR_TEXTS = {  # the client recognises these errors by their text
    "bad_api_key": "invalid api key",
    "origin_not_allowed": "origin is not allowed",
    "unauthorized": "unauthorized",
    "name_required": "Name required",
}


def threadkit_routes(access: SiteAccess) -> tuple[Routes, Routes]:
    """Routes that read and routes that write, with errors as the client reads them."""
    return site_routes(access, PREFIX, on_problem=plain_error)


def plain_error(problem: Problem, call: Call) -> Content:
    text = ERROR_TEXTS.get(problem.code, problem.detail)
    headers = {"Retry-After": str(after)} if (after := problem.extra.get("retry_after")) else {}
    return Content(msgspec.json.encode({"error": text}), "application/json", problem.status, headers)


def user_of(record: CommenterRecord) -> ThreadKitUser:
    named = record.named or record.provider != "anonymous"
    return msgspec.convert({**msgspec.structs.asdict(record), "username_set": named}, ThreadKitUser)
