"""Movie search over HTTP."""

from townsquare.api import AnyEndpoint
from townsquare.services.search.routes.films import film_endpoints
from townsquare.services.search.routes.pages import page_endpoints
from townsquare.services.search.routes.searching import search_endpoints
from townsquare.services.search.service import MovieSearch


def endpoints(search: MovieSearch) -> list[AnyEndpoint]:
    return [*search_endpoints(search), *film_endpoints(search), *page_endpoints(search)]
