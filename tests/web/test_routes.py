"""How a service declares its endpoints: by decorators, with types from the annotations."""

from collections.abc import AsyncIterator
from types import NoneType

import msgspec

from townsquare.api import (
    CONNECT,
    CREATE,
    READ,
    WRITE,
    Auth,
    Call,
    Connection,
    Content,
    HtmlPage,
    Nothing,
    Socket,
    Stream,
    StreamEvent,
)
from townsquare.problems import NotFound
from townsquare.routes import Routes


class Cat(msgspec.Struct):
    name: str


def cats() -> Routes:
    routes = Routes("/cats", tag="cats", auth=Auth.USER, errors=(NotFound,))

    @routes.get("/{name}")
    async def show(call: Call, given: Cat) -> Cat:
        """One cat."""
        return given

    @routes.put("/{name}", status=201, limit=CREATE, errors=())
    async def make(call: Call, given: Cat) -> Cat | Content:
        return given

    @routes.delete("/{name}")
    async def remove(call: Call, given: Cat) -> None:
        pass

    @routes.patch("/{name}", output=list[Cat])
    async def change(call: Call, given: Cat) -> object:
        return [given]

    @routes.post("", auth=Auth.NONE)
    async def create(call: Call, given: Nothing) -> Content:
        return Content(b"", "text/plain")

    @routes.page("/about")
    async def about(call: Call, given: Nothing) -> HtmlPage:
        return HtmlPage(title="Cats", body="")

    @routes.socket("/{name}/talk", messages=3)
    async def talk(call: Call, given: Cat, connection: Connection[Cat, str]) -> None:
        pass

    @routes.stream("/{name}/meows")
    async def meows(call: Call, given: Cat) -> AsyncIterator[StreamEvent[Cat]]:
        raise NotFound

    return routes


def test_input_and_output_are_the_annotations() -> None:
    found = [(each.method, each.path, each.input, each.output) for each in cats().endpoints]
    assert found == [
        ("GET", "/cats/{name}", Cat, Cat),
        ("PUT", "/cats/{name}", Cat, Cat),
        ("DELETE", "/cats/{name}", Cat, NoneType),
        ("PATCH", "/cats/{name}", Cat, list[Cat]),
        ("POST", "/cats", Nothing, Content),
        ("GET", "/cats/about", Nothing, HtmlPage),
    ]


def test_options_of_the_routes_are_those_of_each_endpoint_unless_it_has_its_own() -> None:
    show, make, remove, _, create, about = cats().endpoints
    assert (show.auth, show.errors, show.limit, show.status) == (Auth.USER, (NotFound,), READ, 200)
    assert (make.errors, make.limit, make.status) == ((), CREATE, 201)
    assert (remove.limit, create.auth) == (WRITE, Auth.NONE)
    assert (show.documented, about.documented, show.tag) == (True, False, "cats")


def test_sockets_and_streams_are_declared_alike() -> None:
    routes = cats()
    talk, meows = routes.sockets
    assert isinstance(talk, Socket)
    assert isinstance(meows, Stream)
    assert (talk.path, talk.input, talk.receives, talk.messages) == ("/cats/{name}/talk", Cat, Cat, 3)
    assert (meows.path, meows.input, meows.limit, meows.tag) == ("/cats/{name}/meows", Cat, CONNECT, "cats")
