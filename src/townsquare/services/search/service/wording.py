"""Which films tell of what was asked in the same words: what vectors blur ("heist", "sung", "one take").

Only candidates are looked at, whose texts are in memory by then: no index, 1 to 3 ms for 300 films.
"""

import re
from collections.abc import Sequence
from math import log

from townsquare.services.search.models.films import Film
from townsquare.services.search.service.understanding.local.cues.words import FILLER, FILM, STOP
from townsquare.services.search.service.understanding.local.tokens import forms

ENDINGS = ("ing", "ies", "ed", "es", "s", "y", "e")  # "dancing" and "dances" begin alike
SHORTEST_STEM = 4  # letters that must be left
SHORTEST_WORD = 3
WITHOUT = ("no", "not", "never", "without", "little", "hardly", "few", "less", "minus", "nor")
MOST_WORDS = 16  # of a query; more tell nothing new and each costs a look at all texts


def telling_words(text: str) -> list[str]:
    """Beginnings of the words that say something of a film."""
    words = (
        stem(word)
        for word in forms(text)
        if len(word) >= SHORTEST_WORD and word not in STOP and word not in FILM and word not in FILLER
    )
    return list(dict.fromkeys(words))[:MOST_WORDS]


def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def same_words(text: str, films: Sequence[Film]) -> list[float]:
    """For each film the share of the words of `text` in its own, rare ones count more; the best is 1."""
    words = telling_words(text)
    if not words or not films:
        return [0.0] * len(films)
    told = [f" {' '.join(film.texts.values())}".casefold().replace("-", " ") for film in films]
    scores = [0.0] * len(films)
    for word in words:
        having = [number for number, one in enumerate(told) if f" {word}" in one]
        rarity = log(1 + len(films) / (1 + len(having)))
        for number in having:
            scores[number] += rarity
    best = max(scores)
    return [score / best for score in scores] if best else scores


def tell_of(topics: Sequence[str], films: Sequence[Film]) -> list[bool]:
    """For each film whether its texts tell of one of these; "without gore" tells of none."""
    topic_words = [
        words
        for topic in topics
        if (words := [stem(word) for word in forms(topic) if len(word) >= SHORTEST_WORD and word not in STOP])
    ]
    if not topic_words:
        return [False] * len(films)
    told = [re.sub(r"[-\s]+", " ", f" {' '.join(film.texts.values())}".casefold()) for film in films]
    return [any(all(_is_told(word, text) for word in words) for words in topic_words) for text in told]


def _is_told(word: str, text: str) -> bool:
    at = text.find(f" {word}")
    while at >= 0:
        before = text[:at].rpartition(" ")[2]
        if before not in WITHOUT:
            return True
        at = text.find(f" {word}", at + 1)
    return False
