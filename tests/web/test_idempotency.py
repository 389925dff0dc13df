import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from tests.support.waiting import until
from tests.web.asking import Echo, Reply, app_with, ask, endpoint
from townsquare.api import Auth, Call, Identity
from townsquare.problems import Conflict, OutcomeUnknown, Unavailable
from townsquare.store.coordination.idempotency import IdempotencyKeyReused, RequestInProgress
from townsquare.store.keys import Remembered
from townsquare.web.app import App

KEY = {"Idempotency-Key": "key-1"}


class RememberedInMemory:
    """The store's side in memory."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], Remembered] = {}
        self.away = False

    async def begin(self, scope: str, key: str, fingerprint: str) -> Remembered | None:
        if self.away:
            raise Unavailable
        if (scope, key) not in self.answers:
            self.answers[scope, key] = Remembered(fingerprint)
            return None
        known = self.answers[scope, key]
        if known.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        if not known.status:
            raise RequestInProgress
        return known

    async def finish(self, scope: str, key: str, answer: Remembered) -> None:
        if self.away:
            raise Unavailable
        self.answers[scope, key] = answer

    async def abandon(self, scope: str, key: str) -> None:
        del self.answers[scope, key]


class Shop:
    """Creates things, and counts how many."""

    def __init__(self) -> None:
        self.store = RememberedInMemory()
        self.created = 0
        self.trouble: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()
        self.app: App = app_with(
            endpoint(
                run=self.create, input=Order, method="POST", status=201, creates=True, auth=Auth.OPTIONAL
            ),
            endpoint("/other", run=self.create, input=Order, method="POST", creates=True),
            endpoint("/plain", run=self.create, input=Order, method="POST"),
            idempotency=self.store,
            authenticate=self.authenticate,
        )

    async def create(self, call: Call, given: "Order") -> Echo:
        await self.open.wait()
        if self.trouble:
            raise self.trouble
        self.created += 1
        return Echo(f"{given.name} {self.created}")

    async def authenticate(self, token: str) -> Identity | None:
        return Identity(token)

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
    ],
    ids=["operation", "address", "user"],
)
async def test_a_key_belongs_to_one_sender_and_one_operation(second: dict[str, Any]) -> None:
    shop = Shop()
    await shop.order()
    assert "idempotency-replayed" not in (await shop.order(**second)).headers
    assert shop.created == 2


async def test_a_second_request_while_the_first_runs_is_a_conflict() -> None:
    shop = Shop()
    shop.open.clear()
    first = asyncio.create_task(shop.order())
    await until(lambda: shop.store.answers)
    second = await shop.order()
    assert (second.status, second.json["code"]) == (409, "request_in_progress")
    shop.open.set()
    assert (await first).status == 201


async def test_a_refused_request_gives_its_key_back() -> None:
    shop = Shop()
    shop.trouble = Conflict()
    assert (await shop.order()).status == 409
    shop.trouble = None
    assert (await shop.order()).status == 201


@pytest.mark.parametrize("trouble", [OutcomeUnknown(), RuntimeError()])
async def test_a_request_of_unknown_outcome_keeps_its_key(trouble: Exception) -> None:
    shop = Shop()
    shop.trouble = trouble
    await shop.order()
    shop.trouble = None
    assert (await shop.order()).json["code"] == "request_in_progress"


async def test_without_the_store_a_key_cannot_be_honoured() -> None:
    shop = Shop()
    shop.store.away = True
    assert (await shop.order()).status == 503
    assert shop.created == 0


async def test_what_was_created_is_answered_even_if_it_cannot_be_remembered() -> None:
    shop = Shop()
    shop.open.clear()
    first = asyncio.create_task(shop.order())
    await until(lambda: shop.store.answers)
    shop.store.away = True
    shop.open.set()
    assert (await first).status == 201


@pytest.mark.parametrize("key", ["", "a" * 256, "tab\there", "é"])
async def test_an_odd_key_is_refused(key: str) -> None:
    shop = Shop()
    reply = await shop.order(headers={"Idempotency-Key": key})
    assert (reply.status, shop.created) == (400, 0)
