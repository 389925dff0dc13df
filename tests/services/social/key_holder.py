"""The back end that holds the API key."""

from typing import Any

import httpx

from tests.services.social.world import World
from tests.support.squares import Place, client_of
from tests.web.asking import silent_logs
from townsquare.services.social.routes import endpoints
from townsquare.web.app import App

API_KEY = "the key of the operator"


def with_the_key(world: World, place: Place) -> httpx.AsyncClient:
    app = App(endpoints(world.social), settings=place.settings(admin_token=API_KEY), logs=silent_logs())
    return client_of(app, token=API_KEY)


async def send(http: httpx.AsyncClient, path: str, **body: Any) -> Any:
    answer = await http.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]
