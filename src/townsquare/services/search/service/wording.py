"""Which films tell of an unwanted topic ("no aliens"): by the words of their texts and keywords."""

import re
from collections.abc import Sequence

from townsquare.services.search.models.films import Film
from townsquare.services.search.service.lexical.words import IGNORED, stem
from townsquare.services.search.understanding.local.tokens import forms

SHORTEST_WORD = 3
WITHOUT = ("no", "not", "never", "without", "little", "hardly", "few", "less", "minus", "nor")


def tell_of(topics: Sequence[str], films: Sequence[Film]) -> list[bool]:
    """For each film whether its texts tell of one of these; "without gore" tells of none."""
    topic_words = [
        words
        for topic in topics
        if (
            words := [
                stem(word) for word in forms(topic) if len(word) >= SHORTEST_WORD and word not in IGNORED
            ]
        )
    ]
    if not topic_words:
        return [False] * len(films)
    told = [
        re.sub(r"[-\s]+", " ", f" {' '.join((*film.texts.values(), *film.keywords))}".casefold())
        for film in films
    ]
    return [any(all(_is_told(word, text) for word in words) for words in topic_words) for text in told]


def _is_told(word: str, text: str) -> bool:
    at = text.find(f" {word}")
    while at >= 0:
        before = text[:at].rpartition(" ")[2]
        if before not in WITHOUT:
            return True
        at = text.find(f" {word}", at + 1)
    return False
