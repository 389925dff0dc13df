"""`/movie/{id}`: one film, its poster; and what is trending."""

from typing import Annotated

import msgspec

from townsquare.api import AnyEndpoint, Call, Content
from townsquare.kit.files import CACHE, tagged
from townsquare.routes import Routes
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.films import FilmId
from townsquare.services.search.models.results import FilmList, ResultCount
from townsquare.services.search.problems import FilmNotFound, SearchNotInstalled
from townsquare.services.search.service import MovieSearch


class OfFilm(msgspec.Struct):
    id: FilmId


class TrendingAsked(msgspec.Struct):
    limit: ResultCount = 20


SVG = "image/svg+xml"


def film_endpoints(search: MovieSearch) -> list[AnyEndpoint]:
    routes = Routes(tag="search", errors=(FilmNotFound, SearchNotInstalled))

    @routes.get("/movie/{id}")
    async def show_film(call: Call, given: OfFilm) -> FilmDetails:
        """A film with all that is known of it."""
        return await search.details(given.id)

    @routes.get("/movie/{id}/poster.svg", open_to_any_origin=True)
    async def draw_film_poster(call: Call, given: OfFilm) -> Annotated[Content, SVG]:
        """A drawn poster, for films that have none."""
        return tagged(call, (await search.poster(given.id)).encode(), SVG, CACHE)

    @routes.get("/trending", errors=(SearchNotInstalled,))
    async def trending_films(call: Call, given: TrendingAsked) -> FilmList:
        """What is trending, the best known first."""
        return FilmList(await search.trending(given.limit))

    return routes.endpoints
