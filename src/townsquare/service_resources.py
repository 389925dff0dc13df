"""The resources of a square for its services: settings, store, jobs, limits, cache, background work."""

from typing import Any, NamedTuple, TypeVar

from townsquare.cache import Cache
from townsquare.settings import Settings
from townsquare.store.coordination.background import Background
from townsquare.store.coordination.idempotency import Idempotency
from townsquare.store.coordination.incidents import FLUSH_SECONDS
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.coordination.limits import Limiter
from townsquare.store.store import Store
from townsquare.store.wire.pubsub import PubSub

T = TypeVar("T")


class FormerSecrets(NamedTuple):
    """Secrets before the last and before the first rotation; the first may be the current one."""

    last: str = ""  # signatures made with it are accepted
    first: str = ""  # for names that must not change

    def __repr__(self) -> str:
        return "FormerSecrets(***)"


NONE = FormerSecrets()


class Resources:
    def __init__(self, settings: Settings, store: Store, secret: str, former: FormerSecrets = NONE) -> None:
        self.settings = settings
        self.store = store
        self.secret = secret
        self.former_secrets = former
        self.jobs = Jobs(store)
        self.deletion = self.jobs.deletion
        self.limiter = Limiter(store)
        self.idempotency = Idempotency(store, secret)
        self.channels = PubSub(store)
        self.cache = Cache(store)
        self.background = Background(store, self.jobs)
        self.background.in_every_process(FLUSH_SECONDS, store.incidents.flush)
        self.services: dict[str, Any] = {}  # built so far, by name

    def service(self, kind: type[T]) -> T:
        """The service of this class: `square.service(Accounts)`."""
        for built in self.services.values():
            if isinstance(built, kind):
                return built
        raise LookupError(f"no service of the class {kind.__name__} is built yet")
