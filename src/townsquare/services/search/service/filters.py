"""Filters of a request that no film can pass, since the catalogue has no such genre, language or country."""

from typing import Any

from townsquare.services.search.models.results import SearchFilters
from townsquare.services.search.parts import FACETS, RULES, FilmFilter, LexicalIndex
from townsquare.services.search.problems import UnknownFilter
from townsquare.services.search.service.certifications import SPELLINGS
from townsquare.services.search.service.genres import GENRES
from townsquare.services.search.service.limits import of_request

MOST_LISTED = 80


async def check_filters(index: LexicalIndex, filters: SearchFilters) -> None:
    """An empty answer would hide a misspelt filter, and one that excludes would silently not."""
    where = of_request(filters)
    having = {rule.property: name for name, rule in RULES.items() if rule.kind in ("all_of", "one_of")}
    asked = [
        (rule.property, one) for rule, values in where.rules() if rule.property in FACETS for one in values
    ]
    for property, value in asked:
        if value in GENRES or value in SPELLINGS:
            continue
        wanted: dict[str, Any] = {having[property]: (value,)}
        if await index.matching(FilmFilter(**wanted), limit=1):
            continue
        kind = FACETS[property]
        if there := await index.facets(kind):  # else there are no films yet
            known = ", ".join(there[:MOST_LISTED])
            raise UnknownFilter(f"No film has the {kind} {value[:40]!r}. There are: {known}")
