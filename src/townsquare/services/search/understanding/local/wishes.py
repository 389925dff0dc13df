"""One thing that was said of the wanted film."""

from typing import NamedTuple

from townsquare.services.search.understanding.local.ranges import Minutes, Years
from townsquare.services.search.understanding.local.reading import Claim
from townsquare.services.search.understanding.local.tables import (
    AgeRating,
    Genre,
    Origin,
    Standing,
)


class Wish(NamedTuple):
    """One thing that was said of the film, and where."""

    claim: Claim
    start: int
    end: int
    value: Genre | Origin | AgeRating | Standing | Years | Minutes
    stated: bool = True
    unwanted: bool = False
    either: bool = False  # "horror or comedy"
