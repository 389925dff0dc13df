"""The header Idempotency-Key: a retry of a creating request gets the response of the first one."""

import re
from typing import Any

from townsquare.api import by_ip
from townsquare.problems import BadRequest, OutcomeUnknown, Problem
from townsquare.store.coordination.idempotency import AlreadyDone, Idempotency
from townsquare.web.bound_endpoint import BoundEndpoint
from townsquare.web.requests import Request

KEY = re.compile(rb"[\x20-\x7e]{1,255}")


async def run_once(idempotency: Idempotency, endpoint: BoundEndpoint, request: Request, given: Any) -> Any:
    """The result of the endpoint, or of its `replay` if a request with the same key has created the object.

    A key belongs to one operation of one caller on one site. Callers without an account are told apart by
    their address. A request that is refused gives its key back. One with an unknown outcome keeps it.
    """
    key = request.raw_headers[b"idempotency-key"]
    if not KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key must be 1 to 255 printable ASCII characters")
    identity = request.identity
    site = identity.scope if identity else ""
    caller = f"user {identity.user_id}" if identity and identity.user_id else f"address {by_ip(request)}"
    attempt = await idempotency.begin(
        (endpoint.name.encode(), site.encode(), caller.encode(), key),
        (request.raw_path, request.scope["query_string"], request.raw_body or b""),
    )
    result = attempt.result
    if result is None:
        try:
            with attempt.running():
                return await endpoint.run(request, given)
        except AlreadyDone as done:
            result = done.detail
        except OutcomeUnknown:
            raise
        except Problem:
            try:
                result = await idempotency.refused(attempt)
            except Problem:
                if not attempt.first:  # the reason may be that an earlier request has succeeded
                    raise
            if result is None:
                raise
    assert endpoint.replay is not None
    replayed = await endpoint.replay(request, given, result)
    request.reply_headers.others.append((b"idempotency-replayed", b"true"))
    return replayed
