"""`townsquare search …`: what an operator asks of movie search, and does for it, from a terminal."""

import asyncio
from typing import Annotated

import click
import msgspec

from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.commands import Commands, Json, as_written
from townsquare.kit.terminal import ProgressBar, print_table
from townsquare.service_resources import Resources
from townsquare.services.search.importing.commands import import_command
from townsquare.services.search.models.results import (
    Explanation,
    ScoredFilm,
    SearchAnswer,
    SearchFilters,
    SearchStep,
)
from townsquare.services.search.service import MovieSearch, checked_query
from townsquare.services.search.service.tmdb import TmdbFailed

LOOK_SECONDS = 0.2  # between two looks at how far the vectors are
FIRST_TIME = "Reading moods and plots (only the first time)"  # about half a minute

Query = Annotated[str, Argument(help='What you are looking for, in quotes: "a heist that goes wrong".')]
Count = Annotated[int, Option("--limit", "-n", min=1, max=50, help="How many films.")]
FirstYear = Annotated[int | None, Option("--from", metavar="YEAR", help="No film before this year.")]
LastYear = Annotated[int | None, Option("--until", metavar="YEAR", help="No film after this year.")]
Longest = Annotated[int | None, Option("--longest", metavar="MINUTES", help="No longer film.")]
Genre = Annotated[
    list[str] | None,
    Option("--genre", metavar="NAME", help="Only films of it; several are all of them."),
]

commands = Commands(name="search", no_args_is_help=True)


@commands.command(creates=True)
async def query(
    square: Resources,
    query: Query,
    limit: Count = 10,
    first_year: FirstYear = None,
    last_year: LastYear = None,
    longest: Longest = None,
    genre: Genre = None,
    json: Json = False,
) -> None:
    """Find films by title, person, mood, plot or occasion; say what you do not want too.

    Examples: "forest gump" · "Miyazaki without the war" · "like Heat but funnier" · "told backwards".
    """
    checked_query(query)  # before anybody waits
    search = square.service(MovieSearch)
    filters = SearchFilters(
        first_year=first_year, last_year=last_year, longest=longest, genres=tuple(genre or ())
    )
    await wait_for_vectors(search, FIRST_TIME)
    answer = await search.search(query, filters=filters, limit=limit)
    if json:
        click.echo(msgspec.json.format(msgspec.json.encode(answer)))
    else:
        show_answer(answer)


@commands.command(creates=True)
async def explain(square: Resources, query: Query, limit: Count = 10, json: Json = False) -> None:
    """The same, with every step: what was understood, cache hits and misses, times, channels, scores."""
    checked_query(query)
    search = square.service(MovieSearch)
    await wait_for_vectors(search, FIRST_TIME)
    found = await search.explain(query, limit=limit)
    if json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)))
        return
    show_explanation(found)


@commands.command()
async def status(square: Resources, json: Json = False) -> None:
    """How many films there are, and how far their vectors are made."""
    found = await square.service(MovieSearch).status()
    if json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)))
        return
    read = f"{found.texts_done:,} of {found.texts_total:,} texts are read"
    state = as_written(found.fault or ("ready" if found.ready else read))
    print_table(("", ""), [("films", f"{found.films:,}"), ("moods and plots", state)])


@commands.command(creates=True)
async def reindex(square: Resources) -> None:
    """Bring the indexes up to date with the catalogue and the imports now, and wait for it.

    A server also does this when it starts and while it runs.
    """
    search = square.service(MovieSearch)
    await wait_for_vectors(search, "Reading moods and plots")
    found = await search.status()
    click.echo(found.fault or f"{found.films:,} films are up to date.")


@commands.command(name="refresh-trending")
async def refresh_trending(square: Resources) -> int:
    """Find out now what is trending; a server does it once a day. Nothing found changes nothing."""
    try:
        count = await square.service(MovieSearch).refresh_trending()
    except TmdbFailed as failure:
        click.secho(
            f"TMDB cannot be reached ({failure}); the trending films stay as they are", fg="red", err=True
        )
        return 1
    click.echo(
        f"{count:,} films are trending now." if count else "Nothing was found: what was trending stays."
    )
    return 0


commands.command(name="import", creates=True)(import_command)


async def wait_for_vectors(search: MovieSearch, says: str) -> None:
    found = await search.status()
    if found.ready:
        return
    working = asyncio.create_task(search.wait_until_ready())
    try:
        with ProgressBar(says, found.texts_total or None) as bar:
            while not working.done():
                found = await search.status()
                bar.update(found.texts_done, found.texts_total)
                await asyncio.wait([working], timeout=LOOK_SECONDS)
    finally:
        if not working.done():
            working.cancel()
    await working


def show_answer(answer: SearchAnswer) -> None:
    if answer.understood:
        understood = " · ".join(part.label for part in answer.understood)
        click.echo(as_written(f"Understood: {understood}"))
    for notice in answer.notices:
        click.secho(as_written(notice.detail), fg="yellow")
    rows = [
        (
            str(place),
            as_written(film.title),
            str(film.year),
            str(film.runtime or ""),
            as_written(", ".join(film.genres[:3])),
            as_written(film.why[0].text if film.why else ""),
        )
        for place, film in enumerate(answer.results, 1)
    ]
    print_table(("", "film", "year", "minutes", "genres", "why"), rows)
    click.echo(f"{len(answer.results)} films in {answer.took_ms:.0f} ms")


def show_explanation(found: Explanation) -> None:
    print_table(("step", "began", "took", "from cache", "made", "found"), map(step_row, found.steps))
    if found.channels:
        click.echo()
        uses = [
            (one.channel, as_written(one.text), f"{one.weight:.2f}", str(one.found)) for one in found.channels
        ]
        print_table(("channel", "compared with", "counts", "found"), uses)
    headers = ("film", "year", "score", "names", "texts", "facts", "prior", "bonus", "best channel")
    click.echo()
    print_table(headers, map(score_row, found.scores[: len(found.answer.results)]))
    for notice in found.answer.notices:
        click.secho(as_written(notice.detail), fg="yellow")


def score_row(film: ScoredFilm) -> tuple[str, ...]:
    numbers = (film.score, film.lexical, film.vector, film.metadata, film.prior, film.bonus)
    scores = (f"{one:.3f}" for one in numbers)
    return as_written(film.title), str(film.year), *scores, film.best_channel or ""


def step_row(step: SearchStep) -> tuple[str, ...]:
    counted = (str(number) if number else "" for number in (step.hits, step.misses, step.found))
    return step.name, f"{step.began_ms:.1f} ms", f"{step.took_ms:.1f} ms", *counted
