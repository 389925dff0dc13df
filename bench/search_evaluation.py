"""How good movie search is, by files of queries with right answers, and what a warm search costs.

`python -m bench.search_evaluation [QUERIES.jsonl …] [--data DIR] [--misses] [--scores-only]`. Without files
it reports the sets apart: training (`search_queries.jsonl`, `search_open.jsonl`), to which weights are
fitted; development (`search_development.jsonl`), whose misses may be examined; test
(`search_held_out.jsonl`), of which only figures are read. Authors of development and test queries have not
read the code or the texts of the catalogue. 20 development queries in Spanish, German and French are in
`search_languages.jsonl`, translated before any was run. Each line is
`{"query": …, "kind": …, "right": [{"title": …, "year": …}, …]}` (one of them must be found) or
`{"query": …, "kind": …, "must": {…}}` (what must hold for every result; see `violations`), or both.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

import townsquare
from bench.report import Result
from townsquare.kit.text import folded
from townsquare.services.search.models.films import Film
from townsquare.services.search.models.results import Explanation
from townsquare.services.search.service import MovieSearch
from townsquare.settings import Settings

HERE = Path(__file__).parent
TRAINING = (HERE / "search_queries.jsonl", HERE / "search_open.jsonl")
DEVELOPMENT = HERE / "search_development.jsonl"
TEST = HERE / "search_held_out.jsonl"
LANGUAGES = HERE / "search_languages.jsonl"
FILES = (*TRAINING, DEVELOPMENT, TEST, LANGUAGES)
SETS = {
    **dict.fromkeys(TRAINING, "training"),
    DEVELOPMENT: "development",
    TEST: "test",
    LANGUAGES: "translated",
}
LOOKED_AT = 10  # results of a query
TIMED_ROUNDS = 5
AT_ONCE = 16


class RightFilm(msgspec.Struct):
    title: str
    year: int | None = None


class Must(msgspec.Struct, forbid_unknown_fields=True):
    first_year: int | None = None
    last_year: int | None = None
    periods: list[tuple[int, int]] = []  # first and last years: in one of them
    shortest: int | None = None
    longest: int | None = None
    genres: list[str] = []  # all of them
    without_genres: list[str] = []
    languages: list[str] = []  # one of them
    without_languages: list[str] = []
    countries: list[str] = []  # one of them
    without_countries: list[str] = []
    certifications: list[str] = []  # one of them
    people: list[str] = []  # names of cast, crew, characters, studios or the franchise: all of them
    without_people: list[str] = []
    without_titles: list[str] = []


class Asked(msgspec.Struct):
    query: str
    kind: str
    right: list[RightFilm] = []
    must: Must | None = None


class Judged(msgspec.Struct):
    asked: Asked
    place: int | None  # of the first right film
    violations: list[str]
    relaxed: bool
    empty: bool
    found: list[str]


def names_of(film: Film) -> set[str]:
    roles = (name for role in film.cast for name in (role.actor, *role.character.split(" / ")))
    names = (*film.directors, *film.writers, *film.studios, film.franchise, *roles)
    return {folded(name) for name in names if name}


def has_name(film: Film, name: str) -> bool:
    return folded(name) in names_of(film)


def violations(film: Film, must: Must) -> list[str]:
    """What does not hold for a film that must."""
    wrong = {
        "first_year": must.first_year is not None and film.year < must.first_year,
        "last_year": must.last_year is not None and film.year > must.last_year,
        "periods": bool(must.periods) and not any(one <= film.year <= last for one, last in must.periods),
        "shortest": must.shortest is not None and (film.runtime or 0) < must.shortest,
        "longest": must.longest is not None and (film.runtime or 10_000) > must.longest,
        "genres": not set(must.genres) <= set(film.genres),
        "without_genres": bool(set(must.without_genres) & set(film.genres)),
        "languages": bool(must.languages) and not set(must.languages) & set(film.languages),
        "without_languages": bool(set(must.without_languages) & set(film.languages)),
        "countries": bool(must.countries) and not set(must.countries) & set(film.countries),
        "without_countries": bool(set(must.without_countries) & set(film.countries)),
        "certifications": bool(must.certifications) and film.certification not in must.certifications,
        "people": not all(has_name(film, name) for name in must.people),
        "without_people": any(has_name(film, name) for name in must.without_people),
        "without_titles": folded(film.title) in {folded(title) for title in must.without_titles},
    }
    return [f"{film.title} ({film.year}): {name}" for name, is_wrong in wrong.items() if is_wrong]


def is_right(film: Film, right: RightFilm) -> bool:
    titles = {folded(film.title), folded(film.original_title)}
    return folded(right.title) in titles and (right.year is None or abs(film.year - right.year) <= 1)


async def judge(search: MovieSearch, asked: Asked) -> Judged:
    answer = await search.search(asked.query, limit=LOOKED_AT)
    films = [await search.film(film.id) for film in answer.results]
    places = [place for place, film in enumerate(films, 1) if any(is_right(film, one) for one in asked.right)]
    return Judged(
        asked=asked,
        place=places[0] if places else None,
        violations=[one for film in films for one in violations(film, asked.must)] if asked.must else [],
        relaxed=any(notice.code == "relaxed" for notice in answer.notices),
        empty=not films,
        found=[f"{film.title} ({film.year})" for film in films],
    )


def scores(judged: list[Judged], name: str) -> Result:
    kinds: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        kinds[one.asked.kind].append(one)
    rows = [score_row(kind, some) for kind, some in sorted(kinds.items())]
    return Result(
        f"Movie search: right films found, {name}",
        "Share of queries with a right film in the first 1, 5 and 10. Violations: results that break what "
        "was stated, of all results of queries that state something, unless the answer says it was relaxed.",
        ["kind", "queries", "hit@1", "hit@5", "hit@10", "violations", "relaxed", "no result"],
        [*rows, score_row("all", judged)],
    )


def score_row(kind: str, judged: list[Judged]) -> list[str]:
    searched = [one for one in judged if one.asked.right]
    limited = [one for one in judged if one.asked.must]
    broken = sum(len(one.violations) for one in limited if not one.relaxed)
    total = sum(len(one.found) for one in limited)

    def hit(most: int) -> str:
        found = sum(1 for one in searched if one.place and one.place <= most)
        return f"{found / len(searched):.3f}" if searched else ""

    return [
        kind,
        str(len(judged)),
        hit(1),
        hit(5),
        hit(10),
        f"{broken} of {total}" if limited else "",
        str(sum(one.relaxed for one in judged) or ""),
        str(sum(one.empty for one in judged) or ""),
    ]


async def warm_costs(search: MovieSearch, queries: list[str]) -> list[Result]:
    explained: list[Explanation] = []
    times = []
    for _ in range(TIMED_ROUNDS):
        for query in queries:
            began = time.perf_counter()
            explained.append(await search.explain(query, limit=LOOKED_AT))
            times.append((time.perf_counter() - began) * 1000)
    began = time.perf_counter()
    waiting = [query for _ in range(TIMED_ROUNDS) for query in queries]
    count = len(waiting)

    async def ask() -> None:
        while waiting:
            await search.search(waiting.pop(), limit=LOOKED_AT)

    await asyncio.gather(*(ask() for _ in range(AT_ONCE)))
    rate = count / (time.perf_counter() - began)
    spent: defaultdict[str, float] = defaultdict(float)
    for one in explained:
        for step in one.steps:
            spent[step.name] += step.took_ms
    whole = sum(spent.values())
    tenths = statistics.quantiles(times, n=10)
    return [
        Result(
            "Movie search: a warm search",
            f"One process, no HTTP, {len(queries)} queries in turn, all caches warm; then {AT_ONCE} at once.",
            ["", "p50", "p90", "searches a second"],
            [["search", f"{statistics.median(times):.1f} ms", f"{tenths[-1]:.1f} ms", f"{rate:,.0f}"]],
        ),
        Result(
            "Movie search: where the time goes",
            "Time in each step over all of them; steps that run in parallel count each.",
            ["step", "mean", "share"],
            [
                [name, f"{took / len(explained):.2f} ms", f"{took / whole:.0%}"]
                for name, took in sorted(spent.items(), key=lambda one: -one[1])
            ],
        ),
    ]


async def evaluate(
    files: Sequence[Path], data: Path, console: Console, *, misses: bool, costs: bool
) -> list[Result]:
    settings = Settings.load(environ={}, data_dir=str(data))
    results = []
    async with townsquare.open(settings=settings, background=False) as square:
        search = square.services["search"]
        await search.wait_until_ready()
        for file in files:
            judged = [await judge(search, one) for one in asked_in(file)]
            for one in judged if misses else ():
                show_misses(one, console)
            results.append(scores(judged, f"{SETS.get(file, 'given')} set, {file.stem}"))
        if costs:
            results += await warm_costs(search, [one.query for one in asked_in(files[0])])
    return results


def asked_in(file: Path) -> list[Asked]:
    return [msgspec.json.decode(line, type=Asked) for line in file.read_bytes().splitlines() if line.strip()]


def show_misses(judged: Judged, console: Console) -> None:
    wrong = judged.asked.right and (judged.place is None or judged.place > LOOKED_AT)
    broken = judged.violations and not judged.relaxed
    if wrong or broken or judged.empty:
        console.print(f"[bold]{judged.asked.kind}: {judged.asked.query}[/bold]", highlight=False)
        if judged.asked.right:
            console.print(f"  wanted {', '.join(one.title for one in judged.asked.right)}", highlight=False)
        console.print(f"  found {', '.join(judged.found[:5]) or 'nothing'}", highlight=False)
        if broken:
            console.print(f"  broken {', '.join(judged.violations[:5])}", highlight=False)


def run(
    files: Sequence[Path] = FILES, data: Path | None = None, *, misses: bool = False, costs: bool = True
) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(evaluate(files, data or Path(folder), Console(), misses=misses, costs=costs))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.search_evaluation", description=__doc__)
    parser.add_argument("queries", nargs="*", type=Path, help="default: the files that are here")
    parser.add_argument("--data", type=Path, help="a data folder that is there already, or shall stay")
    parser.add_argument("--misses", action="store_true", help="print every query that went wrong")
    parser.add_argument("--scores-only", action="store_true", help="measure no times")
    given: Any = parser.parse_args()
    files = given.queries or FILES
    for result in run(files, given.data, misses=given.misses, costs=not given.scores_only):
        result.show(Console())


if __name__ == "__main__":
    main()
