"""No request, whatever stands in which field of which endpoint, breaks the server or holds a worker up."""

import time
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from bench.hostile_requests import HostileRequest, Sizes, field_requests, header_requests, worth_asking

from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from tests.web.asking import Reply, ask
from townsquare.api import Auth
from townsquare.kit import hashing
from townsquare.services import OURS
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.signin.models import Client
from townsquare.square import Square
from townsquare.web.app import App
from townsquare.web.site import site_of

pytestmark = pytest.mark.slow

ADMIN = "the token of the operator"
MOST_CPU = 0.1  # seconds of the thread that answers everybody; hashes are made in others
EXPECTED_ABOVE_500 = (503, 507)


@pytest.fixture
async def square(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Square]:
    """With hashes that cost little: they are made in other threads, and would only take time."""
    monkeypatch.setattr(hashing, "MEMORY_KIB", 8)
    async with open_square(plain_place, clock, admin_token=ADMIN) as square:
        yield square


async def cost_of(app: App, request: HostileRequest, tokens: Callable[[Auth], str]) -> tuple[Reply, float]:
    headers = [*request.headers]
    if request.media_type:
        headers.append((b"content-type", request.media_type.encode()))
    token = tokens(request.auth)
    if token and not any(name == b"authorization" for name, _ in headers):
        headers.append((b"authorization", b"Bearer " + token.encode()))
    began = time.thread_time()
    reply = await ask(app, request.method, request.target, request.body, headers)
    return reply, time.thread_time() - began


@pytest.mark.parametrize("service", list(OURS))
async def test_no_field_of_any_endpoint_holds_a_worker_up(square: Square, service: str) -> None:
    app = site_of(square)
    (endpoints,) = [one.endpoints(built) for one, built in square.enabled if one.name == service]
    signed_in = await square.accounts.password.sign_up(
        UserProfile(username="somebody"), "correct horse battery", Client("192.0.2.1")
    )
    sizes = Sizes(square.settings.body_limit, square.settings.line_limit)

    def tokens(auth: Auth) -> str:
        return ADMIN if auth in (Auth.ADMIN, Auth.API_KEY) else signed_in.access_token if auth.scheme else ""

    def hostile() -> Iterator[HostileRequest]:
        for endpoint, fields in worth_asking(endpoints):
            yield from field_requests(endpoint, sizes, fields=fields)
            if endpoint.path == "/social/feed/explore":
                yield from header_requests(endpoint, sizes)

    dear = []
    for request in hostile():
        reply, spent = await cost_of(app, request, tokens)
        assert reply.status < 500 or reply.status in EXPECTED_ABOVE_500, (request.says, reply.body[:500])
        if spent > MOST_CPU:  # once more: what is dear is dear again
            _, again = await cost_of(app, request, tokens)
            if again > MOST_CPU:
                dear.append((round(min(spent, again) * 1000), request.says))
    assert not dear
