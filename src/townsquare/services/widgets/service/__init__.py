from functools import partial

from townsquare.services.widgets.keys.common import DELETE_JOB
from townsquare.services.widgets.owners import Owners
from townsquare.services.widgets.service.bbs import BbsService
from townsquare.services.widgets.service.counter import CounterService
from townsquare.services.widgets.service.like import LikeService
from townsquare.services.widgets.service.ranking import RankingService
from townsquare.services.widgets.service.widget import Workshop, delete_step
from townsquare.services.widgets.webhooks import HttpSender, Webhooks
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Widgets:
    """All widgets over one store."""

    def __init__(self, store: Store, jobs: Jobs, secret: str, webhooks: Webhooks | None = None) -> None:
        self.webhooks = webhooks or Webhooks(secret, HttpSender())
        workshop = Workshop(store, jobs, Owners(), self.webhooks, secret)
        self._owners = workshop.owners
        self.counter = CounterService(workshop)
        self.like = LikeService(workshop)
        self.ranking = RankingService(workshop)
        self.bbs = BbsService(workshop)
        self.by_kind = {each.kind: each for each in (self.counter, self.like, self.ranking, self.bbs)}
        jobs.register(DELETE_JOB, partial(delete_step, store))

    def close(self) -> None:
        self.webhooks.close()
        self._owners.close()
