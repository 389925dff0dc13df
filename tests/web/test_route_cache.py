import gc
import itertools
from typing import Any

import msgspec
import pytest

from tests.web.asking import app_with, ask, endpoint, remembering
from townsquare.api import Call
from townsquare.problems import Invalid, UriTooLong
from townsquare.web.bound_endpoint import RouteActions
from townsquare.web.inputs import InputReader
from townsquare.web.query import Query
from townsquare.web.route_cache import ENTRIES, LONGEST_TARGET, ParsedTarget, RouteCache
from townsquare.web.router import Router


class Plain(msgspec.Struct, kw_only=True):
    id: str = ""
    limit: int | None = None


class Listing(msgspec.Struct):
    tags: list[str] = []


class Numbered(msgspec.Struct):
    id: str = ""
    number: int = msgspec.field(default_factory=itertools.count().__next__)


class Checked(msgspec.Struct):
    id: str = ""

    def __post_init__(self) -> None:
        self.id += "!"


def target(query: bytes, path: dict[str, str] | None = None, *, chosen: Any = (None, None)) -> ParsedTarget:
    return ParsedTarget(RouteActions("/things"), path or {}, Query(query), chosen)


def test_a_target_is_parsed_once_and_every_request_has_an_input_of_its_own() -> None:
    reader = InputReader(Plain, unknown="warn")
    same = target(b"id=a&limit=3&x=1")
    first, again = same.read(reader), same.read(reader)
    assert first == again == Plain(id="a", limit=3)
    assert same.unknown == ("x",)
    first.id = again.id = "changed by the endpoint"
    assert same.read(reader) == Plain(id="a", limit=3)


def test_mutable_values_of_an_input_are_not_shared() -> None:
    lists = target(b"tags=a,b")
    one, other = (lists.read(InputReader(Listing)) for _ in range(2))
    assert one == other == Listing(["a", "b"])
    assert one.tags is not other.tags
    assert lists.given is None


def test_an_input_that_does_not_follow_from_the_target_alone_is_made_each_time() -> None:
    same = target(b"id=a")
    reader = InputReader(Numbered)
    assert same.read(reader).number < same.read(reader).number
    same = target(b"id=a")
    assert [same.read(InputReader(Checked)).id for _ in range(2)] == ["a!", "a!"]
    assert same.given is None


def test_the_repr_of_a_target_hides_its_values() -> None:
    same = target(b"id=secret")
    same.read(InputReader(Plain))
    assert same.given is not None
    assert "secret" not in repr(same)


def test_a_target_that_is_wrong_stays_wrong() -> None:
    wrong = target(b"limit=much")
    for _ in range(2):
        with pytest.raises(Invalid):
            wrong.read(InputReader(Plain))
    assert wrong.given is None


def test_an_input_is_shared_only_if_the_target_alone_names_the_action() -> None:
    unsaid = target(b"id=a", chosen=None)
    assert unsaid.read(InputReader(Plain)) == Plain(id="a")
    assert unsaid.given is None


def found(route_cache: RouteCache, path: str, method: str = "GET", query: str = "") -> ParsedTarget | None:
    return route_cache.find(method, path.encode(), query.encode())


@pytest.fixture
def route_cache() -> RouteCache:
    router: Router[RouteActions] = Router()
    for method in ("GET", "POST"):
        router.add(method, "/things/{id}", RouteActions("/things/{id}"))
    return RouteCache(router, 1_000)


def test_short_targets_of_get_are_parsed_once(route_cache: RouteCache) -> None:
    assert found(route_cache, "/things/a") is found(route_cache, "/things/a")
    assert found(route_cache, "/things/a") is not found(route_cache, "/things/b")
    assert found(route_cache, "/things/a") is not found(route_cache, "/things/a", query="x=1")
    assert found(route_cache, "/things/a", "POST") is not found(route_cache, "/things/a", "POST")
    long = "/things/" + "a" * LONGEST_TARGET
    assert found(route_cache, long) is not found(route_cache, long)
    assert found(route_cache, "/elsewhere") is None
    many = "&".join("abcdefghijklmnopq")
    assert found(route_cache, "/things/a", query=many) is not found(route_cache, "/things/a", query=many)
    head = found(route_cache, "/things/a", "HEAD")
    assert head is not None
    assert head.path == {"id": "a"}
    for method in ("GET", "OPTIONS", "POST"):
        with pytest.raises(UriTooLong):
            found(route_cache, "/things/a", method, query="a" * 1_000)


def test_the_cache_is_bounded(route_cache: RouteCache) -> None:
    before = {id(one) for one in gc.get_objects() if isinstance(one, ParsedTarget)}  # of other tests
    for number in range(ENTRIES * 3):
        found(route_cache, f"/things/{number}")
    cached = [one for one in gc.get_objects() if isinstance(one, ParsedTarget) and id(one) not in before]
    assert len(cached) <= ENTRIES + 1


async def test_one_target_means_what_each_request_says() -> None:
    calls: list[tuple[Call, Any]] = []
    app = app_with(
        endpoint(run=remembering(calls), action="list", input=Plain),
        endpoint(run=remembering(calls), action="", input=Plain),
        endpoint("/thing/{id}", run=remembering(calls), input=Plain),
    )
    for _ in range(2):
        assert (await ask(app, "GET", "/thing?action=list&limit=2")).status == 200
        assert (await ask(app, "GET", "/thing?limit=2")).json["code"] == "unknown_action"
        assert (await ask(app, "GET", "/thing?limit=2", headers={"accept": "text/html"})).status == 200
        assert (await ask(app, "GET", "/thing/a%2Fb?limit=2")).status == 200
        assert (await ask(app, "HEAD", "/thing/a%2Fb?limit=2")).status == 200
        assert (await ask(app, "GET", "/thing/a?limit=x")).json["code"] == "invalid"
        assert (await ask(app, "GET", "/thing/a?id=b")).status == 422
        assert (await ask(app, "POST", "/thing/a")).status == 405
    assert [given for _, given in calls] == [
        Plain(limit=2),
        Plain(limit=2),
        Plain(id="a/b", limit=2),
        Plain(id="a/b", limit=2),
    ] * 2
    assert len({id(given) for _, given in calls}) == len(calls)
