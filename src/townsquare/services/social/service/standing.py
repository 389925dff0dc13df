"""What a write on a cluster must look at afterwards.

On one node a refusal of the other side is part of the script. On a cluster the other side is an effect: if
it refuses, it takes the write back before the caller is answered, and the caller has to be told so.
"""

from townsquare.keyspace import AnyKey, Role
from townsquare.services.social import records
from townsquare.services.social.problems import PostNotFound, ProfileNotFound
from townsquare.store.store import Store


async def stands(store: Store, key: AnyKey, member: str) -> bool:
    """Whether this member, written a moment ago, is still there."""
    if not store.sides[Role.DATA].layout.clustered:
        return True
    verb = "ZSCORE" if key.declared.kind.redis_type == "zset" else "SISMEMBER"
    reply = await store.call(verb, key, member)
    return reply is not None and reply != 0


async def taken_back(store: Store, username: str) -> PostNotFound | ProfileNotFound:
    """Why a like, bookmark or report of this user does not stand: the post is hidden, or the user is gone."""
    living = records.profile(await store.call(*records.read_profile(username)))
    return PostNotFound() if living else ProfileNotFound()
