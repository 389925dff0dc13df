"""Movie search, and the four caches that make it fast."""

from functools import partial
from pathlib import Path

from townsquare.resources import Resources
from townsquare.service import Link, Pages, Service
from townsquare.services.events import CommentSites, LikeButtons
from townsquare.services.search import keys, routes
from townsquare.services.search.commands import commands
from townsquare.services.search.service import Search
from townsquare.services.search.service.opening import open_search
from townsquare.services.search.service.tmdb import Tmdb
from townsquare.services.search.service.trending import TmdbTrending, Trending, TrendingSource, Views


def build(square: Resources) -> Search:
    """Nothing is opened here: indexes are, by whoever asks first."""
    settings, off = square.settings, square.settings.disabled_services
    others = [built for name, built in square.services.items() if name not in off]
    tmdb = Tmdb(settings.tmdb_key, settings.tmdb_url) if settings.tmdb_key else None
    views = Views(square.store)
    trending = Trending(square.store, source)
    search = Search(
        partial(open_search, square, trending, tmdb),
        trending=trending,
        views=views,
        comments=next((one for one in others if isinstance(one, CommentSites)), None),
        likes=next((one for one in others if isinstance(one, LikeButtons)), None),
    )
    if "search" not in off:
        trending.schedule(square.background)
    return search


SERVICE: Service[Search] = Service(
    name="search",
    keyspace=keys.search,
    build=build,
    endpoints=routes.endpoints,
    pages=Pages(
        links=[Link("Movies", "/movies", "Find a film by title, person, mood or plot")],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[commands],
    privacy=None,  # nobody's queries are kept with who asked them
    start=Search.start,
    close=Search.close,
)
