import msgspec
import pytest

from tests.web.asking import Echo, answering, app_with, ask, endpoint, raising, remembering
from townsquare.api import AnyEndpoint, Call, Content
from townsquare.problems import Invalid, NotFound, Problem, Unavailable
from townsquare.settings import Settings


class Named(msgspec.Struct):
    name: str = ""


def shaped(problem: Problem, call: Call) -> Content:
    return Content(f"{problem.code} for {call.ip}".encode(), "text/plain", problem.status)


async def test_a_struct_is_answered_as_json() -> None:
    reply = await ask(app_with(endpoint()), "GET", "/thing")
    assert (reply.status, reply.json) == (200, {"text": "here"})
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["content-length"] == str(len(reply.body))


async def test_a_declared_status_is_used() -> None:
    app = app_with(endpoint(method="POST", status=201))
    assert (await ask(app, "POST", "/thing")).status == 201


async def test_nothing_is_answered_as_204_without_length() -> None:
    reply = await ask(app_with(endpoint(run=answering(None), output=type(None))), "GET", "/thing")
    assert (reply.status, reply.body) == (204, b"")
    assert {"content-length", "content-type"}.isdisjoint(reply.headers)


async def test_content_keeps_its_type_status_and_headers() -> None:
    content = Content(b"<svg/>", "image/svg+xml", 202, {"Cache-Control": "max-age=5", "X-Own": "1"})
    reply = await ask(app_with(endpoint(run=answering(content))), "GET", "/thing")
    assert (reply.status, reply.body) == (202, b"<svg/>")
    assert reply.headers["cache-control"] == "max-age=5"
    assert reply.headers["x-own"] == "1"


async def test_a_header_with_a_line_break_never_leaves() -> None:
    content = Content(b"", "text/plain", headers={"X-Own": "a\r\nSet-Cookie: b"})
    reply = await ask(app_with(endpoint(run=answering(content))), "GET", "/thing")
    assert reply.status == 500
    assert "x-own" not in reply.headers


async def test_head_is_get_without_the_body() -> None:
    reply = await ask(app_with(endpoint()), "HEAD", "/thing")
    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["content-length"] == str(len(b'{"text":"here"}'))


async def test_options_tells_the_methods() -> None:
    app = app_with(endpoint(), endpoint(method="POST"))
    reply = await ask(app, "OPTIONS", "/thing")
    assert (reply.status, reply.headers["allow"]) == (204, "GET, HEAD, POST, OPTIONS")


async def test_options_of_an_unknown_path_is_not_found() -> None:
    assert (await ask(app_with(), "OPTIONS", "/thing")).status == 404


async def test_an_unknown_path_is_a_problem() -> None:
    reply = await ask(app_with(), "GET", "/thing")
    assert reply.status == 404
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json == {
        "type": "urn:townsquare:problem:not_found",
        "title": "There is nothing here",
        "status": 404,
        "detail": "There is nothing here",
        "code": "not_found",
        "request_id": reply.headers["x-request-id"],
    }


async def test_another_method_is_refused_with_those_that_are_taken() -> None:
    reply = await ask(app_with(endpoint()), "DELETE", "/thing")
    assert (reply.status, reply.json["code"]) == (405, "method_not_allowed")
    assert reply.headers["allow"] == "GET, HEAD, OPTIONS"


async def test_a_problem_keeps_its_extras_but_not_in_place_of_standard_members() -> None:
    app = app_with(endpoint(run=raising(Invalid("No", field="x", status=200))))
    reply = await ask(app, "GET", "/thing")
    assert (reply.status, reply.json["status"], reply.json["field"]) == (422, 422, "x")


async def test_an_absent_store_tells_when_to_retry() -> None:
    reply = await ask(app_with(endpoint(run=raising(Unavailable()))), "GET", "/thing")
    assert (reply.status, reply.headers["retry-after"]) == (503, "1")


async def test_an_unforeseen_error_tells_nothing_of_the_inside() -> None:
    reply = await ask(app_with(endpoint(run=raising(RuntimeError("secret of the house")))), "GET", "/thing")
    assert (reply.status, reply.json["code"]) == (500, "internal")
    assert b"secret" not in reply.body
    assert reply.json["request_id"] == reply.headers["x-request-id"]


async def test_an_answer_that_cannot_be_encoded_is_an_internal_problem() -> None:
    class Odd(msgspec.Struct):
        value: object

    reply = await ask(app_with(endpoint(run=answering(Odd("\ud800")))), "GET", "/thing")
    assert reply.status == 500


@pytest.mark.parametrize("error", [NotFound(), RuntimeError()], ids=["problem", "error"])
async def test_an_endpoint_may_shape_its_problems(error: Exception) -> None:
    app = app_with(endpoint(run=raising(error), on_problem=shaped))
    reply = await ask(app, "GET", "/thing")
    code = "not_found" if isinstance(error, NotFound) else "internal"
    assert (reply.status, reply.body) == (
        404 if code == "not_found" else 500,
        f"{code} for 203.0.113.9".encode(),
    )


async def test_a_shape_that_fails_falls_back_to_the_standard_one() -> None:
    def broken(problem: Problem, call: Call) -> Content:
        raise KeyError("oops")

    app = app_with(endpoint(run=raising(NotFound()), on_problem=broken))
    reply = await ask(app, "GET", "/thing")
    assert (reply.status, reply.json["code"]) == (404, "not_found")


async def test_an_alias_leads_to_the_same_endpoint() -> None:
    app = app_with(endpoint("/thing", aliases=("/old/thing",)))
    assert (await ask(app, "GET", "/old/thing")).json == {"text": "here"}


async def test_path_parameters_reach_the_endpoint() -> None:
    calls: list[tuple[Call, Named]] = []
    app = app_with(endpoint("/things/{name}", remembering(calls), Named))
    await ask(app, "GET", "/things/a%2Fb%20%E2%9C%93")
    assert calls[0][1].name == "a/b ✓"


async def test_a_call_knows_its_request() -> None:
    calls: list[tuple[Call, Named]] = []
    app = app_with(endpoint(run=remembering(calls), input=Named, unknown="warn"))
    await ask(
        app,
        "GET",
        "/thing?name=ann&x=1",
        headers={
            "User-Agent": "Browser/1",
            "Origin": "https://a.example",
            "Accept-Language": "ja-JP,en;q=0.5",
            "X-Request-Id": "abc-123",
        },
    )
    call = calls[0][0]
    assert (call.request_id, call.ip, call.user_agent, call.origin) == (
        "abc-123",
        "203.0.113.9",
        "Browser/1",
        "https://a.example",
    )
    assert (call.base_url, call.language, call.identity) == ("http://testserver", "ja", None)
    assert (dict(call.query), call.unknown) == ({"name": "ann", "x": "1"}, ("x",))
    assert call.headers["User-Agent"] == "Browser/1"
    assert call.headers.get("x-none") is None
    assert {"user-agent", "host"} <= set(call.headers)


def actions() -> list[AnyEndpoint]:
    return [
        endpoint(action="get", run=answering(Echo("got"))),
        endpoint(action="count", run=answering(Echo("counted"))),
        endpoint(method="POST", action="create", run=answering(Echo("created")), on_problem=shaped),
        endpoint(method="POST", action="delete", run=answering(Echo("deleted"))),
    ]


@pytest.mark.parametrize(
    ("method", "target", "body", "text"),
    [
        ("GET", "/thing?action=get", {}, "got"),
        ("GET", "/thing?action=count", {}, "counted"),
        ("POST", "/thing?action=delete", {}, "deleted"),
        ("POST", "/thing", {"action": "create"}, "created"),
        ("POST", "/thing?action=delete", {"action": "create"}, "deleted"),
    ],
)
async def test_endpoints_of_one_path_are_told_apart_by_action(
    method: str, target: str, body: dict[str, str], text: str
) -> None:
    app = app_with(*actions())
    reply = await ask(app, method, target, body or b"")
    assert reply.json == {"text": text}


async def test_a_form_may_name_the_action() -> None:
    app = app_with(*actions())
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert (await ask(app, "POST", "/thing", b"action=delete", form)).json == {"text": "deleted"}


@pytest.mark.parametrize("target", ["/thing", "/thing?action=", "/thing?action=create"])
async def test_a_missing_or_unknown_action_is_answered_with_those_that_exist(target: str) -> None:
    reply = await ask(app_with(*actions()), "GET", target)
    assert (reply.status, reply.json["code"]) == (400, "unknown_action")
    assert reply.json["actions"] == ["get", "count"]


@pytest.mark.parametrize("action", ["other", 7])
async def test_a_body_with_an_unknown_action_is_refused_although_the_query_names_one(action: object) -> None:
    app = app_with(endpoint(method="POST", action="delete"))
    assert (await ask(app, "POST", "/thing?action=delete", {"action": "delete"})).status == 200
    reply = await ask(app, "POST", "/thing?action=delete", {"action": action})
    assert (reply.status, reply.json["code"]) == (400, "unknown_action")


@pytest.mark.parametrize("body", [b"", b"{}", b'{"action": 7}'])
async def test_a_body_without_a_usable_action_gets_the_shape_of_the_path(body: bytes) -> None:
    reply = await ask(app_with(*actions()), "POST", "/thing", body)
    assert (reply.status, reply.body) == (400, b"unknown_action for 203.0.113.9")


async def test_a_request_id_is_made_for_each_request() -> None:
    app = app_with(endpoint())
    ids = {(await ask(app, "GET", "/thing")).headers["x-request-id"] for _ in range(50)}
    assert len(ids) == 50


@pytest.mark.parametrize("given", ["a" * 129, "a b", "a\tb", "é", ""])
async def test_an_odd_request_id_is_replaced(given: str) -> None:
    reply = await ask(app_with(endpoint()), "GET", "/thing", headers={"X-Request-Id": given})
    assert reply.headers["x-request-id"] != given


async def test_a_sane_request_id_is_kept() -> None:
    reply = await ask(app_with(), "GET", "/nowhere", headers={"X-Request-Id": "trace-1:2/3"})
    assert reply.headers["x-request-id"] == reply.json["request_id"] == "trace-1:2/3"


async def test_a_body_over_the_limit_is_refused_by_its_announcement() -> None:
    app = app_with(endpoint(method="POST", input=Named), settings=Settings(body_limit=10))
    reply = await ask(app, "POST", "/thing", b"", {"Content-Length": "11"})
    assert (reply.status, reply.json["limit"], reply.headers["connection"]) == (413, 10, "close")


async def test_a_chunked_body_over_the_limit_is_refused_while_it_comes() -> None:
    app = app_with(endpoint(method="POST", input=Named), settings=Settings(body_limit=10))
    assert (await ask(app, "POST", "/thing", [b"x" * 6, b"x" * 6, b"never read"])).status == 413


async def test_a_body_longer_than_it_announced_is_refused() -> None:
    app = app_with(endpoint(method="POST", input=Named), settings=Settings(body_limit=10))
    assert (await ask(app, "POST", "/thing", b"x" * 11, {"Content-Length": "5"})).status == 413


@pytest.mark.parametrize("length", ["x", "-1", "9" * 5000, "1.5"])
async def test_an_odd_length_is_refused(length: str) -> None:
    app = app_with(endpoint(method="POST", input=Named))
    assert (await ask(app, "POST", "/thing", b"{}", {"Content-Length": length})).status == 413


async def test_a_chunked_body_is_put_together() -> None:
    calls: list[tuple[Call, Named]] = []
    app = app_with(endpoint(run=remembering(calls), method="POST", input=Named))
    assert (await ask(app, "POST", "/thing", [b'{"na', b"", b'me": "ann"}'])).status == 200
    assert calls[0][1].name == "ann"


async def test_an_empty_chunked_body_with_actions_is_read_once() -> None:
    reply = await ask(app_with(*actions()), "POST", "/thing?action=delete", [b""])
    assert reply.json == {"text": "deleted"}


async def test_a_client_that_leaves_mid_body_gets_no_answer_and_no_error() -> None:
    calls: list[tuple[Call, Named]] = []
    app = app_with(endpoint(run=remembering(calls), method="POST", input=Named))
    with pytest.raises(IndexError):
        await ask(app, "POST", "/thing", [])
    assert not calls


async def test_wrong_values_are_named() -> None:
    class Counted(msgspec.Struct):
        count: int

    app = app_with(endpoint(method="POST", input=Counted))
    reply = await ask(app, "POST", "/thing", {"count": "x"})
    assert (reply.status, reply.json["code"]) == (422, "invalid")
    assert reply.json["errors"] == [{"field": "count", "message": "Expected `int`, got `str`"}]


async def test_a_wrong_media_type_is_refused() -> None:
    app = app_with(endpoint(method="POST", input=Named))
    assert (await ask(app, "POST", "/thing", b"<a/>", {"Content-Type": "text/xml"})).status == 415


@pytest.mark.parametrize("codings", [[b"gzip, chunked"], [b"gzip", b"chunked"], [b"identity"]])
async def test_a_transfer_coding_other_than_chunked_is_not_implemented(codings: list[bytes]) -> None:
    headers = [(b"transfer-encoding", coding) for coding in codings]
    reply = await ask(app_with(endpoint(method="POST", input=Echo)), "POST", "/thing", b"", headers)
    assert (reply.status, reply.json["code"]) == (501, "transfer_coding_not_implemented")
    assert reply.headers["connection"] == "close"
