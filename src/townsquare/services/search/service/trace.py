"""What a search did, step by step: for the log line of the request and for who asks why."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from townsquare.services.search.models.results import ChannelUse, SearchNotice, SearchStep
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.service.rerank import Scored


class Trace:
    """Fills up while one search runs."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self.steps: list[SearchStep] = []
        self.notices: list[SearchNotice] = []
        self.channels: list[ChannelUse] = []
        self.understanding = QueryUnderstandingResponse()
        self.scored: list[Scored] = []

    @property
    def elapsed_ms(self) -> float:
        return round((time.perf_counter() - self._began) * 1000, 3)

    @contextmanager
    def step(self, name: str) -> Iterator[SearchStep]:
        step = SearchStep(name=name, began_ms=self.elapsed_ms, took_ms=0.0)
        self.steps.append(step)
        try:
            yield step
        finally:
            step.took_ms = round(self.elapsed_ms - step.began_ms, 3)

    def tell(self, notice: SearchNotice) -> None:
        if notice not in self.notices:
            self.notices.append(notice)
