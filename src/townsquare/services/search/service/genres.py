"""Genres as the catalogue writes them, and as people and models do."""

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
