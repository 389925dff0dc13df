"""What a view is rendered from."""

from typing import NamedTuple

from townsquare.api import Call
from townsquare.services.accounts.service import Accounts
from townsquare.square import Square
from townsquare.web.metrics import Metrics


class ConsoleContext(NamedTuple):
    square: Square
    metrics: Metrics
    call: Call

    @property
    def accounts(self) -> Accounts:
        return self.square.service(Accounts)
