"""A search explained: what each step did, and of which parts each score was made."""

from townsquare.services.search.models.results import Explanation, ScoredFilm, SearchAnswer
from townsquare.services.search.service.rerank import Scored, weights_of
from townsquare.services.search.service.trace import Trace

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
        metadata=round(scored.metadata, 4),
        bonus=round(scored.bonus, 4),
        best_channel=scored.best_channel,
        channels={name: round(cosine, 4) for name, cosine in (candidate.texts or candidate.like).items()},
    )
