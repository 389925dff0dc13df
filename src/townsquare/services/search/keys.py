"""Keys of movie search: four caches. All of it can be lost and made anew."""

from typing import Annotated

from townsquare.keyspace import DAY, Keyspace, Matching, fixed
from townsquare.keyspace.declare import Role
from townsquare.services.search.models.understanding import QueryUnderstandingResponse

search = Keyspace("search", "Movie search: embeddings, understood queries, trending films, film details.")

SEED = "002"
EMBEDDING_SECONDS = 7 * DAY
UNDERSTANDING_SECONDS = DAY
DETAILS_SECONDS = DAY
QU_VERSION = 1  # raise it with any prompt, model, schema, sampling parameter or normalisation that changes

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
