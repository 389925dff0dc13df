"""What Qdrant keeps beside the vectors of a film, and a `FilmFilter` over it, for both kinds of index."""

from typing import Any, Literal, NamedTuple

from townsquare.problems import Problem
from townsquare.services.search.models.films import Film
from townsquare.services.search.parts import FilmFilter

KEYWORDS = ("genres", "languages", "countries", "certification")
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
    }
    return payload if film.runtime is None else {**payload, "runtime": film.runtime}


class Condition(NamedTuple):
    """On a field: one of the values, or a number within bounds; on `id`: one of these films."""

    field: Literal["year", "runtime", "genres", "languages", "countries", "certification", "id"]
    values: tuple[Any, ...] = ()
    least: int | None = None
    most: int | None = None


def conditions(where: FilmFilter) -> tuple[list[Condition], list[Condition]]:
    """What must hold, and what must not."""
    must = [Condition("genres", (genre,)) for genre in where.genres]
    if where.first_year is not None or where.last_year is not None:
        must.append(Condition("year", least=where.first_year, most=where.last_year))
    if where.shortest is not None or where.longest is not None:
        must.append(Condition("runtime", least=where.shortest, most=where.longest))
    if where.languages:
        must.append(Condition("languages", where.languages))
    if where.countries:
        must.append(Condition("countries", where.countries))
    if where.certifications:
        must.append(Condition("certification", where.certifications))
    if where.ids is not None:
        must.append(Condition("id", where.ids))
    unwanted = [
        Condition("genres", where.without_genres),
        Condition("languages", where.without_languages),
        Condition("countries", where.without_countries),
        Condition("id", where.without_ids),
    ]
    stretches = [Condition("year", least=first, most=last) for first, last in where.without_years]
    stretches += [Condition("runtime", least=least, most=most) for least, most in where.without_minutes]
    return must, [*stretches, *(condition for condition in unwanted if condition.values)]
