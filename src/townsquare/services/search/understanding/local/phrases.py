"""Tables of phrases, and where they stand in a query: the longest at each place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from townsquare.services.search.understanding.local.tokens import Token, forms

V = TypeVar("V")

LONGEST = 5  # words of a marker: "not a big fan of"


class FoundPhrase(NamedTuple, Generic[V]):
    """Tokens start to end (not included) are a phrase of a table."""

    start: int
    end: int
    value: V


class Span(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


def covered(spans: Iterable[Span]) -> set[int]:
    """The tokens inside of them."""
    return {at for span in spans for at in range(span.start, span.end)}


class Phrases(Generic[V]):
    def __init__(self, table: Mapping[str, V]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], V]]] = {}
        for phrase, value in table.items():
            words = forms(phrase)
            self._by_first.setdefault(words[0], []).append((words, value))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def words(self) -> Iterator[str]:
        for entries in self._by_first.values():
            for words, _ in entries:
                yield from words

    def at(self, tokens: Sequence[Token], start: int) -> FoundPhrase[V] | None:
        """The longest phrase that begins there."""
        if start >= len(tokens):
            return None
        for words, value in self._by_first.get(tokens[start].form, ()):
            end = start + len(words)
            if end <= len(tokens) and all(
                tokens[start + offset].form == word and not (offset and tokens[start + offset].after_comma)
                for offset, word in enumerate(words)
            ):
                return FoundPhrase(start, end, value)
        return None

    def ending(self, tokens: Sequence[Token], end: int) -> FoundPhrase[V] | None:
        """The longest phrase that ends there."""
        before = tokens[:end]  # "nada" ends before "de terror", whatever begins as "nada de"
        found = (self.at(before, start) for start in range(max(0, end - LONGEST), end))
        return next((one for one in found if one and one.end == end), None)

    def find(self, tokens: Sequence[Token]) -> list[FoundPhrase[V]]:
        """From left to right, none over another."""
        found: list[FoundPhrase[V]] = []
        at = 0
        while at < len(tokens):
            phrase = self.at(tokens, at)
            if phrase:
                found.append(phrase)
            at = phrase.end if phrase else at + 1
        return found
