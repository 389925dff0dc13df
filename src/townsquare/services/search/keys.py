"""Keys of movie search: four caches, which can be lost and made anew, and the views of films."""

from datetime import date
from typing import Annotated

from townsquare.keyspace import DAY, Keyspace, Matching, fixed
from townsquare.roles import Role
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.understanding import QueryUnderstandingResponse

search = Keyspace("search", "Movie search: embeddings, understood queries, trending films, film details.")

SEED = "002"
EMBEDDING_SECONDS = 7 * DAY
UNDERSTANDING_SECONDS = DAY
DETAILS_SECONDS = DAY
VIEWED_DAYS = 7  # whose views make a film trend
QU_VERSION = 6  # raise it to drop all cached responses; any other change is in `understanding_version`

Model = Annotated[str, Matching(r"[A-Za-z0-9._-]{1,64}")]
Digest = Annotated[str, Matching(r"[0-9a-f]{16}")]


@search.packed_floats(
    "emb:{model}:{digest}",
    home="emb:{digest}",
    lifetime=fixed(EMBEDDING_SECONDS),
    role=Role.CACHE,
    seed=SEED,
)
def embedding(model: Model, digest: Digest) -> None:
    """The vector of a text, as little-endian float32; the digest is of the text with white space folded."""


@search.json(
    QueryUnderstandingResponse,
    "qu:v{version}:{digest}",
    home="qu:{digest}",
    lifetime=fixed(UNDERSTANDING_SECONDS),
    role=Role.CACHE,
    seed=SEED,
)
def understanding(version: int, digest: Digest) -> None:
    """What a query means, whole: about 24 answers of a model, or the local rules' one."""


@search.set("trending:current", home="trending", role=Role.CACHE, seed=SEED)
def trending() -> None:
    """Ids of films that are trending: replaced as a whole, never changed, never without members."""


@search.set("trending:next", home="trending", role=Role.CACHE, seed=SEED)
def trending_next() -> None:
    """The set that replaces it, while it is written."""


@search.string("trending:refreshed", home="trending", role=Role.CACHE)
def trending_refreshed() -> None:
    """The day, in UTC, on which the set was last replaced."""


@search.json(
    FilmDetails,
    "tmdb:movie:{id}",
    home="tmdb:movie:{id}",
    lifetime=fixed(DETAILS_SECONDS),
    role=Role.CACHE,
    seed=SEED,
)
def tmdb_movie(id: int) -> None:
    """What TMDB says of a film, shaped: the answer of `GET /movie/{id}`. The id is ours, not TMDB's."""


@search.sorted_set("views:{day}", home="views:{day}", lifetime=fixed((VIEWED_DAYS + 2) * DAY))
def views(day: date) -> None:
    """Films by how many people looked at them on that day, in UTC."""


@search.hyperloglog("views:{day}:{film_id}", home="views:{day}", lifetime=fixed(2 * DAY))
def viewers(day: date, film_id: int) -> None:
    """Who looked at a film on that day: somebody who comes back counts once."""
