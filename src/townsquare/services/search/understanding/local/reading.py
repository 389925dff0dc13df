"""A query as far as it is read: its words, and what each of them was read as.

A pass takes a reading and returns what it found, with the reading in which those words are claimed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.phrases import Phrases, covered
from townsquare.services.search.understanding.local.ranges import Minutes, Years
from townsquare.services.search.understanding.local.tables import AgeRating, Genre, Keyword, Origin, Standing
from townsquare.services.search.understanding.local.tokens import QUOTES, Token

Claim = Literal["request", "name", "like", "limit", "genre", "aspect", "unwanted", "unheld"]
KEPT_IN_TEXT: frozenset[Claim | None] = frozenset({None, "genre", "aspect"})


@dataclass(frozen=True, eq=False)
class QueryReading:
    query: str
    tokens: tuple[Token, ...]
    claims: tuple[Claim | None, ...]
    mixed_case: bool  # capitals tell names
    known: frozenset[int] = frozenset()  # tokens of phrases that mean something: a genre, a mood
    is_prose: bool = False  # a story is told: its years, surnames and lengths belong to the story

    @classmethod
    def of(cls, query: str) -> "QueryReading":
        tokens = tables.TOKENISER.tokens(query)
        letters = [token for token in tokens if token.text[0].isalpha()]
        mixed = any(token.capital for token in letters) and any(
            not token.capital and (token.form not in tables.STOP or token.form in tables.CONTRAST)
            for token in letters
        )
        return cls(query, tokens, (None,) * len(tokens), mixed)

    def __len__(self) -> int:
        return len(self.tokens)

    def claimed(self, claim: Claim, *spans: tuple[int, int]) -> "QueryReading":
        claims = list(self.claims)
        for start, end in spans:
            claims[start:end] = [claim] * (end - start)
        return replace(self, claims=tuple(claims))

    def form(self, at: int) -> str:
        """Of a token, or nothing beyond the ends."""
        return self.tokens[at].form if 0 <= at < len(self.tokens) else ""

    def text(self, start: int, end: int) -> str:
        return self.query[self.tokens[start].start : self.tokens[end - 1].end]

    def is_free(self, start: int, end: int) -> bool:
        return not any(self.claims[start:end])

    def left(self) -> list[int]:
        """The words that nothing has explained."""
        return [at for at, claim in enumerate(self.claims) if claim is None]

    def is_light(self, at: int) -> bool:
        """It says nothing of the film by itself."""
        return self.form(at) in tables.LIGHT

    def are_light(self, indexes: Iterable[int]) -> bool:
        return all(self.is_light(at) for at in indexes)

    def content(self, indexes: Iterable[int]) -> list[int]:
        return [at for at in indexes if not self.is_light(at)]

    def covered(self, *subjects: Phrases[Any]) -> set[int]:
        """The tokens that are phrases of these tables."""
        return covered(found for table in subjects for found in table.find(self.tokens))

    def is_quoted(self, start: int, end: int) -> bool:
        before = self.tokens[start].gap[-1:]
        after = self.tokens[end].gap[:1] if end < len(self) else self.query[self.tokens[end - 1].end :][:1]
        return bool(before and after) and before in QUOTES and after in QUOTES

    def is_capitalised(self, start: int, end: int) -> bool:
        """Written as a name among words that are not."""
        if not self.mixed_case or (start == 0 and end == 1):
            return False
        return all(
            self.tokens[at].capital or (self.form(at) in tables.STOP and at > start)
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
    value: Genre | Origin | AgeRating | Keyword | Standing | Years | Minutes
    stated: bool = True
    unwanted: bool = False
    either: bool = False  # "horror or comedy"
