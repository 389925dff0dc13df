"""`/movies`: finding films, and one film with its comments and likes."""

from townsquare.api import AnyEndpoint, Call, HtmlPage, Nothing, by_ip
from townsquare.routes import Routes
from townsquare.services.search.pages import film_page, search_page
from townsquare.services.search.problems import FilmNotFound, SearchNotInstalled
from townsquare.services.search.routes.films import OfFilm
from townsquare.services.search.service import MovieSearch

STYLES = ("/search/assets/movies.css",)


def page_endpoints(search: MovieSearch) -> list[AnyEndpoint]:
    routes = Routes("/movies", tag="search")

    @routes.page("")
    async def movies(call: Call, given: Nothing) -> HtmlPage:
        search.start()
        return HtmlPage(
            title="Movies",
            body=search_page(),
            styles=STYLES,
            scripts=("/search/assets/movies.js",),
            images_from_anywhere=True,  # posters may be where the catalogue says
            skip="Skip to the films",
            skip_to="#films",
        )

    @routes.page("/{id}", errors=(FilmNotFound, SearchNotInstalled))
    async def movie(call: Call, given: OfFilm) -> HtmlPage:
        film = await search.film(given.id)
        await search.count_view(film.id, f"{by_ip(call)} {call.user_agent}")
        key, button = await search.comments_key(), await search.like_button(film.id)
        components = {"comments": key, "like": button}
        return HtmlPage(
            title=f"{film.title} ({film.year})",
            body=film_page(film, comments_key=key, like_id=button),
            styles=STYLES,
            scripts=(
                "/search/assets/movie.js",
                *(f"/components/{name}.js" for name, id in components.items() if id),
            ),
            images_from_anywhere=True,
        )

    return routes.endpoints
