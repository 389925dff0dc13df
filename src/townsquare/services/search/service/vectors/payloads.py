"""What Qdrant keeps beside the vectors of a film, and a `FilmFilter` over it, for both kinds of index."""

from typing import Any, NamedTuple

from townsquare.problems import Problem
from townsquare.services.search.models.films import Film
from townsquare.services.search.parts import FilmFilter

KEYWORDS = ("genres", "languages", "countries", "certification", "keywords")
NUMBERS = ("year", "runtime")


class VectorsUnavailable(Problem):
    code, status, title = "vectors_unavailable", 503, "Search by meaning is away"


def payload_of(film: Film) -> dict[str, Any]:
    payload = {
        "year": film.year,
        "genres": list(film.genres),
        "languages": list(film.languages),
        "countries": list(film.countries),
        "certification": film.certification,
        "keywords": list(film.keywords),
    }
    return payload if film.runtime is None else {**payload, "runtime": film.runtime}


class Condition(NamedTuple):
    """On a field: one of the values, or a number within bounds; on `id`: one of these films."""

    field: str
    values: tuple[Any, ...] = ()
    least: int | None = None
    most: int | None = None


def conditions(where: FilmFilter) -> tuple[list[Condition], list[Condition]]:
    """What must hold, and what must not."""
    must, must_not = list[Condition](), list[Condition]()
    for (field, kind), wanted in where.rules():
        if kind == "at_least":
            must.append(Condition(field, least=wanted))
        elif kind == "at_most":
            must.append(Condition(field, most=wanted))
        elif kind == "outside":
            must_not += [Condition(field, least=first, most=last) for first, last in wanted]
        elif kind == "all_of":
            must += [Condition(field, (value,)) for value in wanted]
        else:
            (must if kind == "one_of" else must_not).append(Condition(field, wanted))
    return must, must_not
