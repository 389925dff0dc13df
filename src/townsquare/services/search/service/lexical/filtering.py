"""A `FilmFilter` in SQL, and films of a kind with the best known first."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, select

from townsquare.services.search.parts import FACETS, FacetKind, FilmFilter
from townsquare.services.search.service.lexical.tables import facets, films, name_films, names

ENOUGH_TO_COUNT = 300  # of two facets, one with fewer films is the better one to begin with
MOST_IDS = 10_000  # values that a filter names in one statement


def conditions(where: FilmFilter) -> list[ColumnElement[bool]]:
    """What must hold for a row of `films`. An unknown runtime is no runtime under two hours."""
    found: list[ColumnElement[bool]] = []
    for (name, kind), wanted in where.rules():
        if name not in films.c:
            facets_wanted = [f"{FACETS[name]} {value}" for value in wanted]
            if kind == "all_of":
                found += map(has_one, facets_wanted)
            else:
                found.append(has_one(*facets_wanted) if kind == "one_of" else ~has_one(*facets_wanted))
            continue
        column = films.c[name]
        if kind == "at_least":
            found.append(column >= wanted)
        elif kind == "at_most":
            found.append(column <= wanted)
        elif kind == "outside":
            found += [~column.between(first, last) for first, last in wanted]
        elif kind == "one_of":
            found.append(column.in_(wanted[:MOST_IDS]))
        else:
            found.append(column.not_in(wanted[:MOST_IDS]))
    return found


def has_one(*wanted: str) -> ColumnElement[bool]:
    of_film = facets.alias()
    return (
        select(1)
        .where(
            of_film.c.facet.in_(wanted),
            of_film.c.standing == films.c.standing,
            of_film.c.film_id == films.c.id,
        )
        .correlate(films)
        .exists()
    )


def facets_to_begin_with(where: FilmFilter) -> list[str]:
    """Facets that every film of the filter has."""
    first, last = where.first_year, where.last_year
    decade = f"decade {first // 10 * 10}" if first and last and first // 10 == last // 10 else ""
    if decade and where.genres:
        return [f"{decade} genre {genre}" for genre in where.genres]
    found = [f"genre {genre}" for genre in where.genres]
    for kind, wanted in (
        ("language", where.languages),
        ("country", where.countries),
        ("certification", where.certifications),
    ):
        if len(wanted) == 1:
            found.append(f"{kind} {wanted[0]}")
    return [*found, decade] if decade else found


def rarest(connection: Connection, candidates: list[str]) -> str | None:
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    return min(candidates, key=lambda facet: count_up_to(connection, facet))


def count_up_to(connection: Connection, facet: str) -> int:
    rows = select(facets.c.film_id).where(facets.c.facet == facet).limit(ENOUGH_TO_COUNT).subquery()
    return connection.scalar(select(func.count()).select_from(rows)) or 0


def matching(connection: Connection, where: FilmFilter, limit: int) -> list[int]:
    begin = None if where.ids is not None else rarest(connection, facets_to_begin_with(where))
    statement: Select[Any]
    if begin is None:
        statement = (
            select(films.c.id).where(*conditions(where)).order_by(films.c.standing.desc(), films.c.id.desc())
        )
    else:
        same = and_(films.c.id == facets.c.film_id, facets.c.facet == begin)
        statement = (
            select(facets.c.film_id)
            .join(films, same)
            .where(*conditions(where))
            .order_by(facets.c.standing.desc(), facets.c.film_id.desc())
        )
    return list(connection.scalars(statement.limit(limit)).all())


def sequels(connection: Connection) -> list[int]:
    """By year: of a series whose first film is not here, the earliest that is counts as the first."""
    members = (
        select(name_films.c.name_id, films.c.id, films.c.year)
        .join(names, names.c.id == name_films.c.name_id)
        .join(films, films.c.id == name_films.c.film_id)
        .where(names.c.category == "franchise")
        .cte("members")
    )
    firsts = select(members.c.name_id, func.min(members.c.year).label("year")).group_by(members.c.name_id)
    first = firsts.subquery("firsts")
    later = and_(members.c.name_id == first.c.name_id, members.c.year > first.c.year)
    statement = select(members.c.id).join(first, later).distinct().order_by(members.c.id)
    return list(connection.scalars(statement).all())


def facet_values(connection: Connection, kind: FacetKind) -> list[str]:
    prefix = f"{kind} "
    of_kind = facets.c.facet.startswith(prefix, autoescape=True)
    found = connection.scalars(select(facets.c.facet).where(of_kind).distinct()).all()
    return sorted(one.removeprefix(prefix) for one in found)
