"""Names of earlier clients: of parameters, of headers for tokens, of prefixes; and pages beside actions."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import pytest

from tests.web.asking import app_with, ask
from townsquare.api import AnyEndpoint, Auth, Call, HtmlPage
from townsquare.kit.field_aliases import field_aliases
from townsquare.problems import Invalid
from townsquare.routes import Routes
from townsquare.settings import Settings
from townsquare.web.body import Body, parse_body
from townsquare.web.inputs import InputReader
from townsquare.web.query import parse_pairs

NOBODY: Mapping[str, str] = {}


class Limits(msgspec.Struct, rename="camel", kw_only=True):
    max_entries: Annotated[int | None, field_aliases("max", "most")] = None
    title: str = ""
    tags: list[str] = []


reader = InputReader(Limits, unknown="warn", besides=("action",))


def json_body(values: Any) -> Body:
    body = parse_body(msgspec.json.encode(values), b"application/json")
    assert body is not None
    return body


@pytest.mark.parametrize(
    "query", [b"max=3", b"most=3", b"maxEntries=3", b"max=1&maxEntries=3", b"max=1&most=3"]
)
def test_a_field_is_filled_under_each_of_its_names(query: bytes) -> None:
    assert reader.read(NOBODY, None, parse_pairs(query)).max_entries == 3
    form = Body(None, parse_pairs(query))
    assert reader.read(NOBODY, form, []).max_entries == 3


def test_in_a_json_body_our_own_name_counts() -> None:
    assert reader.read(NOBODY, json_body({"max": 3}), []).max_entries == 3
    assert reader.read(NOBODY, json_body({"maxEntries": 3, "max": 1}), []).max_entries == 3


@pytest.mark.parametrize(
    ("query", "body", "unread"),
    [
        (b"max=3&title=x&action=get", {}, ()),
        (b"tags=a&tags=b", {"tags": ["c"]}, ()),
        (b"nonsense=1&Title=x", {}, ("Title", "nonsense")),
        (b"max=3&maxEntries=4", {}, ("max",)),
        (b"title=x&title=y", {}, ("title",)),
        (b"title=x", {"title": "y"}, ("title",)),
        (b"", {"maxEntries": 3, "max": 1}, ("max",)),
        (b"action=get&action=set", {}, ("action",)),
        (b"action=get", {"action": "set"}, ("action",)),
        (b"max=&title=&tags=", {}, ("max",)),
        (b"maxEntries=", {"title": "x"}, ("maxEntries",)),
    ],
)
def test_what_nobody_reads_is_named(query: bytes, body: dict[str, Any], unread: tuple[str, ...]) -> None:
    found = reader.unread_names(json_body(body) if body else None, parse_pairs(query))
    assert set(found) == set(unread)


def test_texts_in_json_are_read_as_in_a_query() -> None:
    given = reader.read(NOBODY, json_body({"max": "3", "tags": "a,b"}), [])
    assert (given.max_entries, given.tags) == (3, ["a", "b"])
    with pytest.raises(Invalid):
        InputReader(Limits).read(NOBODY, json_body({"tags": "a,b"}), [])


def test_what_is_empty_in_a_form_is_named() -> None:
    assert reader.unread_names(Body(None, parse_pairs(b"max=&title=")), []) == ("max",)


def endpoints() -> list[AnyEndpoint]:
    routes = Routes("/new", tag="t", other_prefixes=("/old", ""), unknown="warn")

    @routes.get("/things", action="get")
    async def get(call: Call, given: Limits) -> dict[str, Any]:
        return {"route": call.route, "unknown": call.unknown, "max": given.max_entries}

    @routes.get("/things", action="", documented=False)
    async def page(call: Call, given: Limits) -> HtmlPage:
        return HtmlPage(title="Things", body="<p>for people</p>")

    return routes.endpoints


@pytest.mark.parametrize("prefix", ["/new", "/old", ""])
async def test_other_prefixes_lead_to_the_same_and_say_which_they_are(prefix: str) -> None:
    reply = await ask(app_with(*endpoints()), "GET", f"{prefix}/things?action=get&max=3&x=1")
    assert reply.json == {"route": f"{prefix}/things", "unknown": ["x"], "max": 3}


async def test_a_browser_that_names_no_action_gets_the_page() -> None:
    app = app_with(*endpoints())
    page = await ask(app, "GET", "/things", headers={"Accept": "text/html,*/*;q=0.8"})
    assert b"for people" in page.body
    program = await ask(app, "GET", "/things", headers={"Accept": "*/*"})
    assert (program.status, program.json["actions"]) == (400, ["get"])
    for action in ("", "x"):
        assert (await ask(app, "GET", f"/things?action={action}")).status == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-Authorization": "Bearer secret"}, 200),
        ({"X-Authorization": "secret"}, 200),
        ({"X-Access-Token": "secret"}, 200),
        ({"X-Access-Token": "Bearer secret"}, 200),
        ({"X-Access-Token": "wrong"}, 401),
        ({"X-Authorization": "Basic secret"}, 401),
        ({"Authorization": "Bearer wrong", "X-Access-Token": "secret"}, 401),
        ({}, 401),
    ],
)
async def test_a_token_is_taken_from_where_earlier_clients_put_it(
    headers: dict[str, str], status: int
) -> None:
    routes = Routes(tag="t", auth=Auth.ADMIN)

    @routes.get("/mine")
    async def mine(call: Call, given: Limits) -> str:
        return "mine"

    app = app_with(*routes.endpoints, settings=Settings(admin_token="secret"))
    assert (await ask(app, "GET", "/mine", headers=headers)).status == status


async def test_a_page_elsewhere_may_send_these_headers() -> None:
    app = app_with(*endpoints(), settings=Settings(cors_origins=("https://example.com",)))
    asked = {"Origin": "https://example.com", "Access-Control-Request-Method": "GET"}
    allowed = (await ask(app, "OPTIONS", "/things", headers=asked)).headers["access-control-allow-headers"]
    assert {"X-Authorization", "X-Access-Token", "Authorization"} <= set(allowed.split(", "))
