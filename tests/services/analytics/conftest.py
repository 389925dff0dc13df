from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_declared
from townsquare.api import Identity
from townsquare.keyspace import Registry
from townsquare.services.analytics.keys import analytics as keyspace
from townsquare.services.analytics.routes import endpoints
from townsquare.services.analytics.service import Analytics
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect
from townsquare.web.app import App


@pytest.fixture
async def store(place: Place, clock: PinnedClock) -> AsyncIterator[Store]:
    """A store that knows analytics and nothing else."""
    data, cache = await connect(place.data_url), await connect(place.cache_url)
    store = Store(Registry([system, keyspace]), "test", data, cache, clock=clock)
    yield store
    await assert_declared(store)
    await store.close()


@pytest.fixture
def jobs(store: Store) -> Jobs:
    return Jobs(store)


@pytest.fixture
def analytics(store: Store, jobs: Jobs) -> Analytics:
    return Analytics(store, jobs)


@pytest.fixture
async def http(analytics: Analytics, place: Place) -> AsyncIterator[httpx.AsyncClient]:
    """HTTP to analytics; a bearer token is a user id, and `root` is an admin."""

    async def authenticate(token: str) -> Identity | None:
        return Identity(user_id=token, role="admin" if token == "root" else "user")

    app = App(endpoints(analytics), settings=place.settings(), authenticate=authenticate)
    transport = httpx.ASGITransport(app, raise_app_exceptions=True, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://square.test") as client:
        yield client
