"""Movie search, and the four caches that make it fast."""

from pathlib import Path
from typing import TYPE_CHECKING

from townsquare.service import CommandGroup, Imported, Link, Pages, Service
from townsquare.services.search import keys
from townsquare.settings import Settings, SettingsError

if TYPE_CHECKING:
    from townsquare.services.search.service import MovieSearch


def check_settings(settings: Settings) -> None:
    if settings.search_trending == "tmdb" and not settings.tmdb_key:
        raise SettingsError("search_trending is tmdb: that takes a tmdb_key")


SERVICE: "Service[MovieSearch]" = Service(
    name="search",
    keyspace=keys.search,
    build=Imported("townsquare.services.search.service.building:build"),
    endpoints=Imported("townsquare.services.search.routes:endpoints"),
    pages=Pages(
        links=[Link("Movies", "/movies", "Find a film by title, person, mood or plot", demo=True)],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[
        CommandGroup(
            "search",
            "Find films, see why they were found, and look after the catalogue and its indexes.\n\n"
            'Begin with: townsquare search query "slow-burn space movie from the 80s, not too long"',
            "townsquare.services.search.commands:commands",
        )
    ],
    privacy=None,  # nobody's queries are kept with who asked them
    check_settings=check_settings,
    close=lambda search: search.close(),
)
