"""Genres and certifications as the catalogue spells them, and other spellings of them."""

from collections.abc import Iterable
from typing import Literal, get_args

GenreName = Literal[
    "action",
    "adventure",
    "animation",
    "biography",
    "comedy",
    "crime",
    "documentary",
    "drama",
    "family",
    "fantasy",
    "film-noir",
    "history",
    "horror",
    "music",
    "musical",
    "mystery",
    "romance",
    "science fiction",
    "sport",
    "superhero",
    "thriller",
    "war",
    "western",
]
GENRES: tuple[GenreName, ...] = get_args(GenreName)
OTHER_NAMES = {
    "animated": "animation",
    "anime": "animation",
    "biopic": "biography",
    "cartoon": "animation",
    "film noir": "film-noir",
    "historical": "history",
    "noir": "film-noir",
    "romantic": "romance",
    "sci-fi": "science fiction",
    "scifi": "science fiction",
    "science-fiction": "science fiction",
    "sports": "sport",
    "suspense": "thriller",
}


def known_genres(names: Iterable[str]) -> tuple[str, ...]:
    """In the catalogue's spelling, each once; an unknown one stays, and no film has it."""
    lower = [name.strip().lower() for name in names]
    return tuple(dict.fromkeys(OTHER_NAMES.get(name, name) for name in lower))


SPELLINGS = ("G", "PG", "PG-13", "R", "NC-17", "Not Rated", "Unrated", "Approved", "Passed")
BY_LOWER = {spelling.lower(): spelling for spelling in SPELLINGS}


def certification_of(text: str) -> str:
    text = " ".join(text.split())
    return BY_LOWER.get(text.lower()) or text.upper()
