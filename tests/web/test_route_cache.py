import gc
import itertools
from typing import Any

import msgspec
import pytest

from tests.web.asking import app_with, ask, endpoint, remembering
from townsquare.api import Call
from townsquare.problems import Invalid, UriTooLong
from townsquare.web.addresses import ADDRESSES_KEPT, LONGEST_KEPT, Addresses, KnownAddress
from townsquare.web.inputs import InputReader
from townsquare.web.operation import Target
from townsquare.web.query import Query
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


def address(query: bytes, path: dict[str, str] | None = None, *, chosen: Any = (None, None)) -> KnownAddress:
    return KnownAddress(Target("/things"), path or {}, Query(query), chosen)


def test_an_address_is_read_once_and_every_request_has_an_input_of_its_own() -> None:
    reader = InputReader(Plain, unknown="tell")
    same = address(b"id=a&limit=3&x=1")
    first, again = same.read(reader), same.read(reader)
    assert first == again == Plain(id="a", limit=3)
    assert same.unknown == ("x",)
    first.id = again.id = "changed by who was asked"
    assert same.read(reader) == Plain(id="a", limit=3)


def test_what_can_be_changed_within_an_input_is_not_shared() -> None:
    lists = address(b"tags=a,b")
    one, other = (lists.read(InputReader(Listing)) for _ in range(2))
    assert one == other == Listing(["a", "b"])
    assert one.tags is not other.tags
    assert lists.given is None


def test_an_input_that_does_not_follow_from_the_address_alone_is_made_anew() -> None:
    same = address(b"id=a")
    reader = InputReader(Numbered)
    assert same.read(reader).number < same.read(reader).number
    same = address(b"id=a")
    assert [same.read(InputReader(Checked)).id for _ in range(2)] == ["a!", "a!"]
    assert same.given is None


def test_what_an_address_says_is_not_shown() -> None:
    same = address(b"id=secret")
    same.read(InputReader(Plain))
    assert same.given is not None
    assert "secret" not in repr(same)


def test_an_address_that_is_wrong_stays_wrong() -> None:
    wrong = address(b"limit=much")
    for _ in range(2):
        with pytest.raises(Invalid):
            wrong.read(InputReader(Plain))
    assert wrong.given is None


def test_an_input_is_kept_only_where_the_address_alone_says_whose_it_is() -> None:
    unsaid = address(b"id=a", chosen=None)
    assert unsaid.read(InputReader(Plain)) == Plain(id="a")
    assert unsaid.given is None


def found(addresses: Addresses, path: str, method: str = "GET", query: str = "") -> KnownAddress | None:
    return addresses.find(method, path.encode(), query.encode())


@pytest.fixture
def addresses() -> Addresses:
    router: Router[Target] = Router()
    for method in ("GET", "POST"):
        router.add(method, "/things/{id}", Target("/things/{id}"))
    return Addresses(router, 1_000)


def test_short_addresses_of_get_are_found_once(addresses: Addresses) -> None:
    assert found(addresses, "/things/a") is found(addresses, "/things/a")
    assert found(addresses, "/things/a") is not found(addresses, "/things/b")
    assert found(addresses, "/things/a") is not found(addresses, "/things/a", query="x=1")
    assert found(addresses, "/things/a", "POST") is not found(addresses, "/things/a", "POST")
    long = "/things/" + "a" * LONGEST_KEPT
    assert found(addresses, long) is not found(addresses, long)
    assert found(addresses, "/elsewhere") is None
    many = "&".join("abcdefghijklmnopq")
    assert found(addresses, "/things/a", query=many) is not found(addresses, "/things/a", query=many)
    head = found(addresses, "/things/a", "HEAD")
    assert head is not None
    assert head.path == {"id": "a"}
    for method in ("GET", "OPTIONS", "POST"):
        with pytest.raises(UriTooLong):
            found(addresses, "/things/a", method, query="a" * 1_000)


def test_few_addresses_are_kept_however_many_are_asked(addresses: Addresses) -> None:
    for number in range(ADDRESSES_KEPT * 3):
        found(addresses, f"/things/{number}")
    kept = [one for one in gc.get_objects() if isinstance(one, KnownAddress)]
    assert len(kept) <= ADDRESSES_KEPT + 1


async def test_one_address_means_what_each_request_says() -> None:
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
