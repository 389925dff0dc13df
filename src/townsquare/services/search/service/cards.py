"""A film as a result shows it, and the keywords that results share."""

from collections import Counter
from collections.abc import Collection, Sequence

from townsquare.services.search.models.films import Film
from townsquare.services.search.models.results import FoundFilm, KeywordFacet, poster_of

SHOWN_CAST = 3
FACET_FILMS = 50  # the best ones, whose keywords become facets
MOST_FACETS = 12


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
        cast=tuple(role.actor for role in film.cast[:SHOWN_CAST]),
        poster=poster_of(film),
    )


def keyword_facets(films: Sequence[Film], chosen: Collection[str]) -> list[KeywordFacet]:
    """The keywords that most of these films share, without those that all of them have."""
    counts = Counter(keyword for film in films for keyword in film.keywords if keyword not in chosen)
    shared = [(keyword, count) for keyword, count in counts.most_common() if 1 < count < len(films)]
    return [KeywordFacet(keyword, count) for keyword, count in shared[:MOST_FACETS]]
