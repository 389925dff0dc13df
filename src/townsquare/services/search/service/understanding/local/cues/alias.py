"""Another name, and the one by which the catalogue finds what it means."""

from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory


class Alias(NamedTuple):
    category: EntityCategory
    name: str


def title(name: str) -> Alias:
    return Alias("movie_title", name)


def series(name: str) -> Alias:
    return Alias("franchise", name)


def studio(name: str) -> Alias:
    return Alias("studio", name)


def person(name: str) -> Alias:
    return Alias("person", name)
