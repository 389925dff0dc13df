import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.support.waiting import until
from tests.web.asking import Echo, Reply, app_with, ask, endpoint
from townsquare.api import Auth, Call, Identity
from townsquare.problems import Conflict, OutcomeUnknown, StoreFull, Unavailable
from townsquare.store.coordination.idempotency import (
    IDEMPOTENT_REQUEST,
    AlreadyDone,
    IdempotencyKeyReused,
    IdempotentRequest,
)
from townsquare.web.app import App

KEY = {"Idempotency-Key": "key-1"}


class KeysInMemory:
    """The keys and their results in memory instead of the store."""

    def __init__(self) -> None:
        self.requests: dict[str, IdempotentRequest] = {}
        self.away = False

    async def begin(self, scope: tuple[bytes, ...], content: tuple[bytes, ...]) -> IdempotentRequest:
        if self.away:
            raise Unavailable
        before = self.requests.get(repr(scope))
        if before is None:
            before = self.requests[repr(scope)] = IdempotentRequest(repr(scope), repr(content))
            return before
        if before.fingerprint != repr(content):
            raise IdempotencyKeyReused
        return replace(before, first=False)

    async def refused(self, request: IdempotentRequest) -> str | None:
        if self.away:
            raise Unavailable
        if request.first:
            del self.requests[request.digest]
        return None

    def remember(self, result: str) -> None:
        request = IDEMPOTENT_REQUEST.get()
        if request is not None:
            if self.requests[request.digest].result:
                raise AlreadyDone(self.requests[request.digest].result or "")
            self.requests[request.digest] = replace(request, result=result)


class Shop:
    """Creates things, and counts how many."""

    def __init__(self) -> None:
        self.store = KeysInMemory()
        self.created = 0
        self.trouble: Exception | None = None
        create: dict[str, Any] = {"run": self.create, "input": Order, "method": "POST"}
        self.app: App = app_with(
            endpoint(**create, status=201, replay=self.replay, auth=Auth.OPTIONAL),
            endpoint("/other", **create, replay=self.replay),
            endpoint("/plain", **create),
            idempotency=self.store,
            authenticate=self.authenticate,
        )

    async def create(self, call: Call, given: "Order") -> Echo:
        await asyncio.sleep(0.01)  # others run
        if self.trouble:
            raise self.trouble
        text = f"{given.name} {self.created + 1}"
        self.store.remember(text)
        self.created += 1
        return Echo(text)

    async def replay(self, call: Call, given: "Order", result: str) -> Echo:
        return Echo(result)

    async def authenticate(self, token: str) -> Identity | None:
        return Identity("" if token == "site" else token, scope="site" if token == "site" else "")

    async def order(
        self, name: str = "tea", headers: Mapping[str, str] = KEY, target: str = "/thing", **rest: Any
    ) -> Reply:
        return await ask(self.app, "POST", target, {"name": name}, headers, **rest)


class Order(msgspec.Struct):
    name: str


async def test_a_retry_gets_the_first_answer_and_creates_nothing() -> None:
    shop = Shop()
    first, second = await shop.order(), await shop.order()
    assert (first.status, first.json) == (second.status, second.json) == (201, {"text": "tea 1"})
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert second.headers["content-type"] == "application/json"
    assert shop.created == 1


async def test_without_a_key_each_request_creates() -> None:
    shop = Shop()
    await shop.order(headers={})
    await shop.order(headers={})
    assert shop.created == 2


async def test_an_endpoint_that_creates_nothing_ignores_the_key() -> None:
    shop = Shop()
    await shop.order(target="/plain")
    await shop.order(target="/plain")
    assert shop.created == 2


@pytest.mark.parametrize("second", [{"name": "coffee"}, {"target": "/thing?name=coffee"}])
async def test_a_key_is_for_one_request_only(second: dict[str, Any]) -> None:
    shop = Shop()
    await shop.order()
    reply = await shop.order(**second)
    assert (reply.status, reply.json["code"]) == (422, "idempotency_key_reused")


@pytest.mark.parametrize(
    "second",
    [
        {"target": "/other"},
        {"client": ("198.51.100.1", 1)},
        {"headers": KEY | {"Authorization": "Bearer ann"}},
        {"headers": KEY | {"Authorization": "Bearer site"}},
    ],
    ids=["operation", "address", "user", "site"],
)
async def test_a_key_belongs_to_one_sender_and_one_operation(second: dict[str, Any]) -> None:
    shop = Shop()
    await shop.order()
    assert "idempotency-replayed" not in (await shop.order(**second)).headers
    assert shop.created == 2


async def test_of_requests_at_the_same_time_one_creates() -> None:
    shop = Shop()
    replies = await asyncio.gather(*(shop.order() for _ in range(10)))
    assert {(reply.status, reply.json["text"]) for reply in replies} == {(201, "tea 1")}
    assert sum("idempotency-replayed" in reply.headers for reply in replies) == 9


async def test_a_refused_request_gives_its_key_back() -> None:
    shop = Shop()
    shop.trouble = Conflict()
    assert (await shop.order()).status == 409
    shop.trouble = None
    assert (await shop.order()).status == 201


@pytest.mark.parametrize("trouble", [OutcomeUnknown(), Unavailable(), StoreFull(), RuntimeError()], ids=repr)
async def test_a_request_of_unknown_outcome_keeps_its_key(trouble: Exception) -> None:
    shop = Shop()
    shop.trouble = trouble
    await shop.order()
    shop.trouble = None
    assert (await shop.order(name="coffee")).json["code"] == "idempotency_key_reused"
    assert (await shop.order()).status == 201


async def test_without_the_store_a_key_cannot_be_honoured() -> None:
    shop = Shop()
    shop.store.away = True
    assert (await shop.order()).status == 503
    assert shop.created == 0


async def test_a_refusal_is_the_response_even_if_the_key_cannot_be_given_back() -> None:
    shop = Shop()
    shop.trouble = Conflict()
    order = asyncio.create_task(shop.order())
    await until(lambda: shop.store.requests)
    shop.store.away = True
    assert (await order).status == 409


@pytest.mark.parametrize("key", ["", "a" * 256, "tab\there", "é"])
async def test_an_odd_key_is_refused(key: str) -> None:
    shop = Shop()
    reply = await shop.order(headers={"Idempotency-Key": key})
    assert (reply.status, shop.created) == (400, 0)


async def test_two_keys_are_refused() -> None:
    shop = Shop()
    twice = [(b"idempotency-key", b"one"), (b"idempotency-key", b"two")]
    reply = await ask(shop.app, "POST", "/thing", {"name": "tea"}, twice)
    assert (reply.status, shop.created) == (400, 0)
