"""Authentication that a service brings, and limits by whatever a call has."""

import msgspec
import pytest

from tests.web.asking import Reply, app_with, ask, endpoint, remembering
from tests.web.test_limits import FixedWindows
from townsquare.api import Auth, Call, Identity, Limit, Scheme, has_role
from townsquare.problems import Forbidden, Unauthorized, Unavailable
from townsquare.web.app import App
from townsquare.web.openapi import describe


class OfSite(msgspec.Struct):
    site: str


async def by_site_key(call: Call) -> Identity | None:
    """pk- is the public key of a site, sk- its secret one, each followed by the site's name."""
    key = call.headers.get("x-site-key")
    if key is None:
        return None
    if key == "away":
        raise Unavailable
    kind, _, site = key.partition("-")
    if kind not in ("pk", "sk"):
        raise Unauthorized("There is no such site key")
    if site != call.path["site"]:
        raise Forbidden("This is the key of another site")
    return Identity(f"site.{site}", role="owner" if kind == "sk" else "public", scope=site)


SITE_KEY = Scheme("siteKey", {"type": "apiKey", "in": "header", "name": "X-Site-Key"}, by_site_key)
PUBLIC = Auth(SITE_KEY)
OWNER = Auth(SITE_KEY, admits=has_role("owner"))
MAYBE = Auth(SITE_KEY, required=False)


def site_app(auth: Auth, calls: list[tuple[Call, OfSite]], limit: Limit | None = None) -> App:
    return app_with(
        endpoint("/sites/{site}", remembering(calls), OfSite, auth=auth, limit=limit, unknown="ignore"),
        limiter=FixedWindows(),
    )


async def asked(auth: Auth, key: str | None) -> tuple[Reply, list[tuple[Call, OfSite]]]:
    calls: list[tuple[Call, OfSite]] = []
    headers = {"X-Site-Key": key} if key is not None else {}
    return await ask(site_app(auth, calls), "GET", "/sites/cats", headers=headers), calls


@pytest.mark.parametrize(
    ("auth", "key", "status"),
    [
        (PUBLIC, "pk-cats", 200),
        (PUBLIC, "sk-cats", 200),
        (OWNER, "sk-cats", 200),
        (OWNER, "pk-cats", 403),
        (PUBLIC, "sk-dogs", 403),
        (PUBLIC, "nonsense", 401),
        (PUBLIC, None, 401),
        (MAYBE, None, 200),
        (MAYBE, "nonsense", 401),
        (PUBLIC, "away", 503),
    ],
)
async def test_a_service_brings_its_own_scheme(auth: Auth, key: str | None, status: int) -> None:
    reply, calls = await asked(auth, key)
    assert (reply.status, len(calls)) == (status, int(status == 200))
    assert "www-authenticate" not in reply.headers


async def test_the_endpoint_learns_the_role_and_where_it_holds() -> None:
    _, calls = await asked(OWNER, "sk-cats")
    assert calls[0][0].identity == Identity("site.cats", role="owner", scope="cats")


async def test_a_scheme_of_its_own_takes_no_bearer_token() -> None:
    reply = await ask(site_app(PUBLIC, []), "GET", "/sites/cats", headers={"Authorization": "Bearer x"})
    assert reply.status == 401


def test_a_scheme_is_described() -> None:
    document = msgspec.json.decode(describe([endpoint("/sites/{site}", input=OfSite, auth=OWNER)]))
    assert document["components"]["securitySchemes"]["siteKey"] == SITE_KEY.security
    operation = document["paths"]["/sites/{site}"]["get"]
    assert operation["security"] == [{"siteKey": []}]
    assert {"401", "403"} <= operation["responses"].keys()


async def test_a_limit_counts_by_any_function_of_the_call() -> None:
    limit = Limit("per_site", 2, 60, key=lambda call: call.path["site"])
    app = site_app(MAYBE, [], limit)
    statuses = [
        (await ask(app, "GET", f"/sites/{site}", client=(f"192.0.2.{place}", 1))).status
        for place, site in enumerate(["cats", "cats", "cats", "dogs"])
    ]
    assert statuses == [200, 200, 429, 200]


async def test_where_a_limit_finds_nothing_it_counts_by_address() -> None:
    app = site_app(MAYBE, [], Limit("per_query", 2, 60, key=lambda call: call.query.get("page", "")))
    statuses = [
        (await ask(app, "GET", "/sites/cats", client=(ip, 1))).status
        for ip in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2")
    ]
    assert statuses == [200, 200, 429, 200]


async def test_a_very_long_key_is_counted_too() -> None:
    app = site_app(MAYBE, [], Limit("per_query", 1, 60, key=lambda call: call.query["page"]))
    page = "x" * 5_000
    statuses = [(await ask(app, "GET", f"/sites/cats?page={page}{last}")).status for last in "aab"]
    assert statuses == [200, 429, 200]
