"""Our catalogue beside the CC0 one: every difference in year, director and runtime."""

from collections import defaultdict

from bench.report import Result
from townsquare.services.search import catalogue
from townsquare.services.search.importing import bokeh
from townsquare.services.search.models.films import Film
from townsquare.services.search.service.lexical.normal import key_of

YEARS_APART = 3  # a film of the same title further away is another one
FACTS = ("runtime", "certification", "countries", "languages", "writers", "cast", "studios", "imdb_id")
MINUTES_APART = 5  # credits and cuts differ by that


def theirs() -> tuple[dict[str, Film], dict[str, list[Film]]]:
    by_id: dict[str, Film] = {}
    by_title: defaultdict[str, list[Film]] = defaultdict(list)
    for film in bokeh.read():
        if isinstance(film, Film):
            by_title[key_of(film.title)].append(film)
            if film.imdb_id:
                by_id[film.imdb_id] = film
    return by_id, by_title


def counterpart(film: Film, by_id: dict[str, Film], by_title: dict[str, list[Film]]) -> Film | None:
    """By title and year; by IMDb id where the title is the same, or none is near."""
    near = [one for one in by_title.get(key_of(film.title), []) if abs(one.year - film.year) <= YEARS_APART]
    if near:
        return min(near, key=lambda one: (one.imdb_id != film.imdb_id, abs(one.year - film.year)))
    return by_id.get(film.imdb_id)


def differences(film: Film, other: Film) -> list[list[str]]:
    found = []
    if film.imdb_id and other.imdb_id and film.imdb_id != other.imdb_id:
        found.append(["IMDb id", film.imdb_id, other.imdb_id])
    if key_of(film.title) != key_of(other.title):
        found.append(["title", film.title, other.title])
    if film.year != other.year:
        found.append(["year", str(film.year), str(other.year)])
    ours, known = ({key_of(name) for name in one.directors} for one in (film, other))
    if ours and known and not ours & known:
        found.append(["director", ", ".join(film.directors), ", ".join(other.directors)])
    if film.runtime and other.runtime and abs(film.runtime - other.runtime) > MINUTES_APART:
        found.append(["runtime", str(film.runtime), str(other.runtime)])
    return found


def run() -> list[Result]:
    by_id, by_title = theirs()
    films = list(catalogue.load())
    compared, rows = 0, []
    for film in films:
        other = counterpart(film, by_id, by_title)
        if other is not None:
            compared += 1
            rows += [[f"{film.title} ({film.year})", *difference] for difference in differences(film, other)]
    missing = {name: sum(not getattr(film, name) for film in films) for name in FACTS}
    return [
        Result(
            "Differences between our catalogue and the CC0 one",
            f"{compared:,} of {len(films):,} films are in both; names alike but for accents are the same, "
            f"and so are runtimes up to {MINUTES_APART} minutes apart.",
            ["film", "fact", "ours", "theirs"],
            rows,
        ),
        Result(
            "Facts that our catalogue does not have",
            "Left out where nobody was sure.",
            ["fact", "films without it"],
            [[name, f"{count:,}"] for name, count in missing.items()],
        ),
    ]
