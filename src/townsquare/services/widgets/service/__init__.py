import hashlib
import hmac
from urllib.parse import quote

from townsquare.services.widgets.service.bbs import BbsService
from townsquare.services.widgets.service.counter import CounterService
from townsquare.services.widgets.service.like import LikeService
from townsquare.services.widgets.service.ranking import RankingService
from townsquare.services.widgets.service.widget import Dependencies, OwnerTokens
from townsquare.services.widgets.webhooks import Webhooks
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

OWN_HOST = "own.invalid"  # no page of the web can have this address


class Widgets:
    """All widgets over one store."""

    def __init__(
        self,
        store: Store,
        jobs: Jobs,
        secret: str,
        webhooks: Webhooks | None = None,
        first_secret: str = "",
    ) -> None:
        self.webhooks = webhooks or Webhooks(secret)
        owners = OwnerTokens()
        dependencies = Dependencies(store, jobs, owners, self.webhooks, secret, first_secret or secret)
        self._dependencies = dependencies
        self._owner_tokens = dependencies.owner_tokens
        self.counter = CounterService(dependencies)
        self.like = LikeService(dependencies)
        self.ranking = RankingService(dependencies)
        self.bbs = BbsService(dependencies)
        self.by_kind = {each.kind: each for each in (self.counter, self.like, self.ranking, self.bbs)}

    async def own_like_button(self, name: str) -> str:
        """The id of the like button of a page of another service, created on first use.

        Nobody else can create it: part of its URL derives from the first secret of the server.
        """
        mark = hmac.new(
            self._dependencies.first_secret.encode(), f"own like button: {name}".encode(), hashlib.sha256
        ).hexdigest()
        url = f"https://{OWN_HOST}/{quote(name, safe='')}?{mark[:16]}"
        found = await self.like.get_batch([], [url])
        return found[url].id if found else (await self.like.create(url, mark[16:])).id

    def close(self) -> None:
        self.webhooks.close()
        self._owner_tokens.close()
