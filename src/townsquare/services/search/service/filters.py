"""Filters of a request that no film can pass, since the catalogue has no such genre, language or country."""

from townsquare.services.search.models.results import SearchFilters
from townsquare.services.search.parts import FacetKind, FilmFilter, LexicalIndex
from townsquare.services.search.problems import UnknownFilter
from townsquare.services.search.service.certifications import SPELLINGS
from townsquare.services.search.service.genres import GENRES
from townsquare.services.search.service.limits import of_request

MOST_LISTED = 80


async def check_filters(index: LexicalIndex, filters: SearchFilters) -> None:
    """An empty answer would hide a misspelt filter, and one that excludes would silently not."""
    where = of_request(filters)
    asked: list[tuple[FacetKind, str, FilmFilter]] = [
        *(("genre", one, FilmFilter(genres=(one,))) for one in (*where.genres, *where.without_genres)),
        *(
            ("language", one, FilmFilter(languages=(one,)))
            for one in (*where.languages, *where.without_languages)
        ),
        *(
            ("country", one, FilmFilter(countries=(one,)))
            for one in (*where.countries, *where.without_countries)
        ),
        *(("certification", one, FilmFilter(certifications=(one,))) for one in where.certifications),
    ]
    for kind, value, having in asked:
        if value in GENRES or value in SPELLINGS or await index.matching(having, limit=1):
            continue
        if there := await index.facets(kind):  # else there are no films yet
            known = ", ".join(there[:MOST_LISTED])
            raise UnknownFilter(f"No film has the {kind} {value[:40]!r}. There are: {known}")
