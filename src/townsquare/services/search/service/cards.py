"""A film as a result shows it."""

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.results import FoundFilm, poster_of

SHOWN_CAST = 3


def plain_card(film: Film) -> FoundFilm:
    """A film without a query."""
    return FoundFilm(
        id=film.id,
        title=film.title,
        year=film.year,
        original_title=film.original_title,
        runtime=film.runtime,
        certification=film.certification,
        genres=film.genres,
        countries=film.countries,
        languages=film.languages,
        directors=film.directors,
        keywords=film.keywords,
        cast=tuple(role.actor for role in film.cast[:SHOWN_CAST]),
        poster=poster_of(film),
    )
