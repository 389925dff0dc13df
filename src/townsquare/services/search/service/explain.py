"""What a search did, step by step, and the parts of each score."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from townsquare.services.search.models.results import (
    ChannelUse,
    Explanation,
    ScoredFilm,
    SearchAnswer,
    SearchNotice,
    SearchStep,
)
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.service.rerank import Scored, weights_of


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


MOST_SCORES = 50


def explanation(answer: SearchAnswer, trace: Trace) -> Explanation:
    return Explanation(
        query=answer.query,
        answer=answer,
        steps=trace.steps,
        understanding=trace.understanding,
        weights=weights_of(trace.understanding),
        channels=trace.channels,
        scores=[scored_film(one) for one in trace.scored[:MOST_SCORES]],
    )


def scored_film(scored: Scored) -> ScoredFilm:
    candidate = scored.candidate
    return ScoredFilm(
        id=scored.film.id,
        title=scored.film.title,
        year=scored.film.year,
        score=round(scored.score, 4),
        lexical=round(scored.lexical, 4),
        vector=round(scored.vector, 4),
        metadata=round(scored.evidence.score(scored.by, "preference"), 4),
        prior=round(scored.evidence.score(scored.by, "fame", "quality"), 4),
        bonus=round(scored.bonus, 4),
        best_channel=scored.best_channel,
        channels={name: round(cosine, 4) for name, cosine in (candidate.texts or candidate.like).items()},
    )
