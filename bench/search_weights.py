"""Fit the weights of movie search by cross-validation and write them with their figures.

`python -m bench.search_weights [--data DIR] [--write]`. The candidates of every training query are collected
once; then the weights are chosen by coordinate search over their evidence alone. Each fifth of the queries is
scored with weights that were fitted to the other four.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import asdict, replace
from rich.console import Console
from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]

import townsquare
from bench.report import Result
from bench.search_evaluation import LOOKED_AT, TRAINING, Asked, asked_in, is_right
from townsquare.services.search.models.results import IndexProgress
from townsquare.services.search.service import MovieSearch
from townsquare.services.search.service.explain import Trace
from townsquare.services.search.service.pipeline import Pipeline, SearchRequest
from townsquare.services.search.service.rerank import (
    FILE,
    OF_TEXTS,
    Evidence,
    FittedWeights,
    ScoreWeights,
    fitted,
)
from townsquare.settings import Settings

DESCRIPTIVE = frozenset(
    [
        "mood",
        "plot",
        "theme",
        "technique",
        "occasion",
        "watch_context",
        "like",
        "like_x",
        "mixed",
        "multilingual",
    ]
)
FITTED = ("anchor", "best_channel", "words", "fame", "quality", "similar")  # few queries have the others
FACTORS = (0.6, 0.8, 1.25, 1.6)
PASSES = 2
FOLDS = 5
RANDOM_TEXTS = 60
RANDOM_WORDS = [word for word in FREQUENCY_LISTS["english_wikipedia"][:8_000] if len(word) > 3]
OUTSIDE = 1_000.0  # films outside of a relaxed limit come last
SEED = 7


class Collected(NamedTuple):
    """The candidates of a query: their evidence, what is not fitted, and which are right."""

    kind: str
    evidence: Any  # a row for each candidate, a column for each signal
    fixed: Any
    right: list[int]


async def collect(search: MovieSearch, asked: Asked) -> Collected:
    opened = await search._opening.get()
    trace = Trace()
    await Pipeline(opened.parts).search(SearchRequest(query=asked.query), IndexProgress(), trace)
    by = fitted().weights
    scored = trace.scored
    fixed = [one.score - one.evidence.score(by) - OUTSIDE * one.outside for one in scored]
    right = [
        place for place, one in enumerate(scored) if any(is_right(one.film, each) for each in asked.right)
    ]
    evidence = np.array([one.evidence for one in scored]).reshape(len(scored), len(Evidence._fields))
    return Collected(asked.kind, evidence, np.array(fixed), right)


def place_of_right(one: Collected, by: ScoreWeights) -> int | None:
    """The place of the first right film."""
    if not one.right:
        return None
    scores = one.evidence @ np.array([getattr(by, name) for name in Evidence._fields]) + one.fixed
    return 1 + int((scores > scores[one.right].max()).sum())


def quality(queries: Sequence[Collected], by: ScoreWeights) -> float:
    """Half the share found in the first ten, half the mean reciprocal place."""
    places = [place_of_right(one, by) for one in queries]
    return statistics.fmean((0.5 * (place <= LOOKED_AT) + 0.5 / place) if place else 0.0 for place in places)


def found(queries: Sequence[Collected], by: ScoreWeights) -> int:
    places = [place_of_right(one, by) for one in queries]
    return sum(place is not None and place <= LOOKED_AT for place in places)


def fit(queries: Sequence[Collected], start: ScoreWeights) -> ScoreWeights:
    best, reached = start, quality(queries, start)
    for _ in range(PASSES):
        for name in FITTED:
            for factor in FACTORS:
                tried = replace(best, **{name: round(getattr(best, name) * factor, 3)})
                if (value := quality(queries, tried)) > reached:
                    best, reached = tried, value
    return best


def cross_validated(queries: Sequence[Collected], start: ScoreWeights) -> int:
    shuffled = list(queries)
    random.Random(SEED).shuffle(shuffled)
    folds = [shuffled[number::FOLDS] for number in range(FOLDS)]
    return sum(
        found(fold, fit([one for other in folds if other is not fold for one in other], start))
        for fold in folds
    )


async def random_text_evidence(search: MovieSearch, by: ScoreWeights) -> float:
    """The median over lists of random words of the best text evidence."""
    chooser = random.Random(SEED)
    best = []
    for _ in range(RANDOM_TEXTS):
        text = " ".join(chooser.choice(RANDOM_WORDS) for _ in range(chooser.randint(2, 7)))
        one = await collect(search, Asked(query=text, kind="random"))
        of_texts = [getattr(by, name) * (name in OF_TEXTS) for name in Evidence._fields]
        best.append(float((one.evidence @ np.array(of_texts)).max(initial=0.0)))
    return round(statistics.median(best), 2)


async def fit_weights(data: Path, *, write: bool) -> list[Result]:
    settings = Settings.load(environ={}, data_dir=str(data))
    async with townsquare.open(settings=settings, background=False) as square:
        search = square.services["search"]
        await search.wait_until_ready()
        asked = [one for file in TRAINING for one in asked_in(file) if one.right and one.kind in DESCRIPTIVE]
        queries = [await collect(search, one) for one in asked]
        before = fitted().weights
        validated = cross_validated(queries, before)
        after = fit(queries, before)
        threshold = await random_text_evidence(search, after)
    figures = {
        "training queries": str(len(queries)),
        "found in the first ten before": str(found(queries, before)),
        "found in the first ten, cross-validated": str(validated),
        "found in the first ten, fitted": str(found(queries, after)),
    }
    if write:
        fit_result = FittedWeights(weights=after, random_text=threshold, figures=figures)
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(fit_result), indent=2) + b"\n")
    return [
        Result(
            "Movie search: fitted weights",
            f"{FOLDS}-fold cross-validation on descriptive training queries. "
            + ", ".join(f"{name}: {value}" for name, value in figures.items()),
            ["signal", "before", "fitted"],
            [[name, f"{value:g}", f"{asdict(after)[name]:g}"] for name, value in asdict(before).items()],
        )
    ]


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(fit_weights(Path(folder), write=False))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.search_weights", description=__doc__)
    parser.add_argument("--data", type=Path, help="a data folder that is there already, or shall stay")
    parser.add_argument("--write", action="store_true", help="replace the weights of the search")
    given: Any = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for result in asyncio.run(fit_weights(given.data or Path(folder), write=given.write)):
            result.show(Console())


if __name__ == "__main__":
    main()
