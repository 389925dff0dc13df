"""A query while it is read: its words, what each of them was read as, and what was said of the film."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.phrases import Phrases, covered
from townsquare.services.search.understanding.local.ranges import Minutes, Years
from townsquare.services.search.understanding.local.tables import AgeRating, Genre, Origin, Standing
from townsquare.services.search.understanding.local.tokens import QUOTES, Token
from townsquare.services.search.understanding.local.vocabulary import TOKENISER

Claim = Literal[
    "request",
    "name",
    "like",
    "date",
    "length",
    "origin",
    "rating",
    "standing",
    "genre",
    "unwanted",
    "unheld",
    "compared",
    "aspect",
]
KEPT_IN_TEXT: frozenset[Claim] = frozenset({"genre", "aspect"})


class QueryReading:
    def __init__(self, query: str) -> None:
        self.query = query
        self.tokens: list[Token] = TOKENISER.tokens(query)
        self.claims: list[Claim | None] = [None] * len(self.tokens)
        self.known: set[int] = set()  # tokens of phrases that mean something: a genre, a mood
        self.is_prose = False  # a story is told: its years, surnames and lengths belong to the story
        letters = [token for token in self.tokens if token.text[0].isalpha()]
        self.mixed_case = any(token.capital for token in letters) and any(
            not token.capital and (token.form not in tables.STOP or token.form in tables.CONTRAST)
            for token in letters
        )

    def __len__(self) -> int:
        return len(self.tokens)

    def form(self, at: int) -> str:
        """Of a token, or nothing beyond the ends."""
        return self.tokens[at].form if 0 <= at < len(self.tokens) else ""

    def text(self, start: int, end: int) -> str:
        return self.query[self.tokens[start].start : self.tokens[end - 1].end]

    def claim(self, start: int, end: int, claim: Claim) -> None:
        for at in range(start, end):
            self.claims[at] = claim

    def is_free(self, start: int, end: int) -> bool:
        return all(self.claims[at] is None for at in range(start, end))

    def left(self) -> list[int]:
        """The words that nothing has explained."""
        return [at for at, claim in enumerate(self.claims) if claim is None]

    def is_light(self, at: int) -> bool:
        """It says nothing of the film by itself."""
        return self.form(at) in tables.STOP or self.form(at) in tables.FILM or self.form(at) in tables.FILLER

    def is_small_stop_word(self, at: int) -> bool:
        return self.form(at) in tables.STOP and not self.tokens[at].capital

    def covered(self, *subjects: Phrases[Any]) -> set[int]:
        """The tokens that are phrases of these tables."""
        return covered(found for table in subjects for found in table.find(self.tokens))

    def content(self, indexes: Iterable[int]) -> int:
        return sum(not self.is_light(at) for at in indexes)

    def is_quoted(self, start: int, end: int) -> bool:
        before = self.tokens[start].gap[-1:]
        after = self.tokens[end].gap[:1] if end < len(self) else self.query[self.tokens[end - 1].end :][:1]
        return bool(before) and bool(after) and before in QUOTES and after in QUOTES

    def is_capitalised(self, start: int, end: int) -> bool:
        """Written as a name among words that are not."""
        if not self.mixed_case or (start == 0 and end == 1):
            return False
        return all(
            self.tokens[at].capital
            or (self.form(at) in tables.STOP and at > start)
            or self.form(at).isdecimal()
            for at in range(start, end)
        )

    def ends_clause(self, end: int) -> bool:
        return end >= len(self) or self.tokens[end].after_break or self.tokens[end].struck_out

    def clause_start(self, at: int) -> int:
        """Where the clause of a word begins."""
        while at > 0 and not self.tokens[at].after_break:
            at -= 1
        return at

    def ends_clause_or_joins(self, end: int) -> bool:
        """Nothing that belongs to the words before follows: "in french" but not "in french cuisine"."""
        return self.ends_clause(end) or self.form(end) in tables.STOP or self.form(end) in tables.FILM


class Wish(NamedTuple):
    """One thing that was said of the film, and where."""

    claim: Claim
    start: int
    end: int
    value: Genre | Origin | AgeRating | Standing | Years | Minutes
    stated: bool = True
    unwanted: bool = False
    either: bool = False  # "horror or comedy"
