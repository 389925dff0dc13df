"""The weights of the evidence in a score: `weights.json`, written by `bench.search_weights`."""

from functools import cache
from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("weights.json")


class ScoreWeights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one unit of each signal adds to a score; cosines, fame and the other shares are 0 to 1."""

    anchor: float  # cosine of the query to all texts of a film together
    best_channel: float  # the highest cosine to one text
    words: float  # BM25 over texts, keywords, genres and title
    fame: float
    quality: float
    name: float  # a name that the query may mean, by its likeness
    title: float  # a title that the query may mean, by its likeness
    similar: float  # cosine to the film that the result shall resemble
    preference: float  # share of the preferences that a film has
    trending: float


class FittedWeights(msgspec.Struct, frozen=True, kw_only=True):
    weights: ScoreWeights
    random_text: float  # the text evidence of the best film for lists of random words, the median
    figures: dict[str, str] = {}


@cache
def fitted() -> FittedWeights:
    return msgspec.json.decode(FILE.read_bytes(), type=FittedWeights)
