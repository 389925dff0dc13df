"""Pages for people: finding films, and one film with its comments and likes."""

from pathlib import Path
from urllib.parse import quote_plus

from townsquare.kit.templates import NOTHING, Markup, Templates, fill, joined
from townsquare.services.search.models.films import CHANNEL_WORDS, CHANNELS, Film
from townsquare.services.search.models.results import poster_of

FOLDER = Path(__file__).parent
templates = Templates(FOLDER)

EXAMPLES = (
    "slow-burn space movie from the 80s, not too long",
    "a heist that goes wrong",
    "something gentle for a rainy Sunday with my grandmother",
    "like Heat but funnier",
    "Miyazaki without the war",
    "told backwards",
    "best horror comedies of the 90s",
    "forest gump",
)
ROLES_SHOWN = 12


def search_page(*, is_open: bool) -> Markup:
    link = '<li><a class="example" href="/movies?q=$query">$text</a></li>'
    examples = joined(fill(link, query=quote_plus(text), text=text) for text in EXAMPLES)
    return templates.fill(
        "movies.html", examples=examples, opening=NOTHING if is_open else Markup(" data-opening")
    )


def film_page(film: Film, *, comments_key: str | None, like_id: str | None) -> Markup:
    """One film. Comments and likes are there where their services are."""
    return templates.fill(
        "movie.html",
        id=film.id,
        title=film.title,
        year=film.year,
        poster=poster_of(film),
        original=labelled("Original title", film.original_title),
        line=" · ".join(filter(None, (length(film.runtime), film.certification, ", ".join(film.genres)))),
        facts=joined(
            (
                labelled("Directed by", ", ".join(film.directors)),
                labelled("Written by", ", ".join(film.writers)),
                labelled("Studio", ", ".join(film.studios)),
                labelled("Series", film.franchise),
                labelled("Countries", ", ".join(film.countries), kind="region"),
                labelled("Languages", ", ".join(film.languages), kind="language"),
                labelled("Awards", ", ".join(film.awards)),
            )
        ),
        cast=cast(film),
        texts=joined(
            fill(
                "<div><dt>$name</dt><dd>$text</dd></div>",
                name=CHANNEL_WORDS[channel].capitalize(),
                text=film.texts[channel],
            )
            for channel in CHANNELS
            if channel in film.texts
        ),
        keywords=keywords(film),
        like=fill('<ts-like id="$id" icon="heart"></ts-like>', id=like_id) if like_id else NOTHING,
        comments=comments(film, comments_key) if comments_key else NOTHING,
    )


def keywords(film: Film) -> Markup:
    if not film.keywords:
        return NOTHING
    link = '<li><a class="example" href="/movies?q=$query&amp;keyword=$query">$keyword</a></li>'
    links = joined(fill(link, query=quote_plus(keyword), keyword=keyword) for keyword in film.keywords)
    return fill('<h2>Keywords</h2><ul class="examples">$links</ul>', links=links)


def comments(film: Film, key: str) -> Markup:
    markup = '<section class="talk"><ts-comments site="$key" page-key="film $id"></ts-comments></section>'
    return fill(markup, key=key, id=film.id)


def cast(film: Film) -> Markup:
    if not film.cast:
        return NOTHING
    rows = joined(
        fill(
            '<li><a href="/movies?q=$query">$actor</a>$character</li>',
            query=quote_plus(role.actor),
            actor=role.actor,
            character=fill(" <small>as $name</small>", name=role.character) if role.character else NOTHING,
        )
        for role in film.cast[:ROLES_SHOWN]
    )
    return fill('<h2>Cast</h2><ul class="cast">$rows</ul>', rows=rows)


def labelled(name: str, text: str, kind: str = "") -> Markup:
    if not text:
        return NOTHING
    codes = fill(' data-codes="$kind"', kind=kind) if kind else NOTHING
    return fill("<div><dt>$name</dt><dd$codes>$text</dd></div>", name=name, text=text, codes=codes)


def length(runtime: int | None) -> str:
    if not runtime or runtime < 60:
        return f"{runtime} min" if runtime else ""
    return f"{runtime // 60} h {runtime % 60:02} min"
