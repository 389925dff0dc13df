"""The social service with the whole web layer around it. A token is a username: nobody signs in here."""

import os

from bench.floor.http import Receive, Scope, Send, answer
from townsquare.api import Identity
from townsquare.keyspace import Registry
from townsquare.services.social.keys import social as keyspace
from townsquare.services.social.routes import endpoints
from townsquare.services.social.service import Social
from townsquare.settings import Settings
from townsquare.store.client_cache import ClientCache
from townsquare.store.coordination.idempotency import Idempotency
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.coordination.limits import Limiter
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect
from townsquare.web.app import App

NEVER_REACHED = dict.fromkeys(("read", "write", "post"), "100000000/60")


async def by_name(token: str) -> Identity:
    return Identity(user_id=token, username=token)


async def site() -> App:
    cache = ClientCache(64 << 20)
    nodes = await connect(os.environ["BENCH_REDIS"], tracker=cache)
    store = Store(Registry([system, keyspace]), "prod", nodes, nodes, client_cache=cache)
    return App(
        endpoints(Social(store, Jobs(store))),
        settings=Settings.load(environ={}, rate_limit=NEVER_REACHED, log_format="json"),
        limiter=Limiter(store),
        idempotency=Idempotency(store, "a secret of the benchmark"),
        authenticate=by_name,
        begin_barrier=store.begin_barrier,
    )


class Site:
    """The application, made when it is first asked for something."""

    def __init__(self) -> None:
        self._app: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if self._app is None:
            self._app = await site()
        if scope["path"] == "/":
            await answer(send, b"{}")
        else:
            await self._app(scope, receive, send)


app = Site()
