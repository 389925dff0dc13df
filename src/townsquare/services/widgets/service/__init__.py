from functools import partial

from townsquare.services.widgets.keys import DELETE_JOB
from townsquare.services.widgets.owner_tokens import OwnerTokens
from townsquare.services.widgets.service.bbs import BbsService
from townsquare.services.widgets.service.counter import CounterService
from townsquare.services.widgets.service.like import LikeService
from townsquare.services.widgets.service.ranking import RankingService
from townsquare.services.widgets.service.widget import Dependencies, delete_step
from townsquare.services.widgets.webhooks import Webhooks
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Widgets:
    """All widgets over one store."""

    def __init__(self, store: Store, jobs: Jobs, secret: str, webhooks: Webhooks | None = None) -> None:
        self.webhooks = webhooks or Webhooks(secret)
        dependencies = Dependencies(store, jobs, OwnerTokens(), self.webhooks, secret)
        self._owner_tokens = dependencies.owner_tokens
        self.counter = CounterService(dependencies)
        self.like = LikeService(dependencies)
        self.ranking = RankingService(dependencies)
        self.bbs = BbsService(dependencies)
        self.by_kind = {each.kind: each for each in (self.counter, self.like, self.ranking, self.bbs)}
        jobs.register(DELETE_JOB, partial(delete_step, store))

    def close(self) -> None:
        self.webhooks.close()
        self._owner_tokens.close()
