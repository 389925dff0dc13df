"""The back end that holds the API key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.services.social.world import World
from tests.support.squares import Place
from tests.web.asking import silent_logs
from townsquare.services.social.routes import endpoints
from townsquare.web.app import App

API_KEY = "the key of the operator"


@asynccontextmanager
async def with_the_key(world: World, place: Place) -> AsyncIterator[httpx.AsyncClient]:
    app = App(endpoints(world.social), settings=place.settings(admin_token=API_KEY), logs=silent_logs())
    transport = httpx.ASGITransport(app, raise_app_exceptions=True, client=("127.0.0.1", 1))
    headers = {"Authorization": f"Bearer {API_KEY}"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://square.test", headers=headers
    ) as client:
        yield client


async def send(http: httpx.AsyncClient, path: str, **body: Any) -> Any:
    answer = await http.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]
