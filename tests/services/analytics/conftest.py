from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, client_of, open_store
from townsquare.api import Identity
from townsquare.keyspace import Registry
from townsquare.services.analytics.keys import analytics as keyspace
from townsquare.services.analytics.routes import endpoints
from townsquare.services.analytics.service import Analytics
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.web.app import App


@pytest.fixture
async def store(place: Place, clock: PinnedClock) -> AsyncIterator[Store]:
    """A store that knows analytics and nothing else."""
    async with open_store(place, Registry([system, keyspace]), clock) as store:
        yield store


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
    async with client_of(app) as client:
        yield client
