"""The social service with the whole web layer around it. A token is a username: nobody signs in here."""

import os
from collections.abc import Callable

from bench.floor.http import Receive, Scope, Send, answer
from townsquare.api import Identity
from townsquare.keyspace import Registry
from townsquare.services.social.keys import social as keyspace
from townsquare.services.social.routes import endpoints
from townsquare.services.social.service import Social
from townsquare.settings import Settings
from townsquare.store.coordination.idempotency import Idempotency
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.coordination.limits import Limiter
from townsquare.store.keys import system
from townsquare.store.near import NearCache
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect
from townsquare.web.app import App
from townsquare.web.auth import KnownCallers
from townsquare.web.kept_answers import KeptAnswers

NEVER_REACHED = dict.fromkeys(("read", "write", "post"), "100000000/60")


async def by_name(token: str) -> Identity:
    return Identity(user_id=token, username=token)


async def site() -> App:
    near = NearCache(64 << 20)
    nodes = await connect(os.environ["BENCH_REDIS"], tracker=near)
    store = Store(Registry([system, keyspace]), "prod", nodes, nodes, near=near)
    callers = KnownCallers(store.clock)
    return App(
        endpoints(Social(store, Jobs(store))),
        settings=Settings.load(environ={}, rate_limit=NEVER_REACHED, log_format="json"),
        limiter=Limiter(store),
        idempotency=Idempotency(store),
        authenticate=by_name,
        begin_reading=store.reading,
        kept_answers=KeptAnswers(store, callers),
        known_callers=callers,
    )


class Site:
    """The application, made when it is first asked for something."""

    def __init__(self) -> None:
        self._app: App | None = None

    def answer_from_memory(self, scope: Scope, otherwise: Callable[[], object]) -> bool:
        if self._app is None or self._app.answer_from_memory is None:
            return False
        return self._app.answer_from_memory(scope, otherwise)

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
