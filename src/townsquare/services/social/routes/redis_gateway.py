"""Redis commands and bulk loading, for the bearer of the API key."""

from typing import Annotated, Any, Literal

import msgspec

from townsquare.api import AnyEndpoint, Auth, Call, Nothing
from townsquare.kit.field_aliases import BARE_LIST, field_aliases
from townsquare.problems import Forbidden, Invalid, Unauthorized
from townsquare.routes import Routes
from townsquare.services.accounts.problems import BadProfile, UserBeingDeleted
from townsquare.services.social.keys import user
from townsquare.services.social.problems import (
    BadCommand,
    BadProfileField,
    CommandBlocked,
    NotANumber,
    ProfileNotFound,
    SensitiveField,
)
from townsquare.services.social.service import Social
from townsquare.services.social.sync_records import RECORDS, SyncResult

ANN = user("ann").text
POST = {"id": "42", "username": "ann", "content": "Hello #travel", "created_at": 1_784_021_400_000}
COMMANDS_PER_CALL = 10  # of the limit


class RedisCommands(msgspec.Struct):
    commands: Annotated[
        list[Any],
        field_aliases(BARE_LIST),
        msgspec.Meta(description='each a list: ["HSET", "user:alice", "colour", "red"]', min_length=1),
    ]


class RedisResults(msgspec.Struct):
    results: list[Any]


class PingReply(msgspec.Struct):
    status: Literal["ok"] = "ok"
    message: Literal["pong"] = "pong"


class SyncRecords(msgspec.Struct):
    records: Annotated[list[Any], msgspec.Meta(description=f"at most {RECORDS:,}", min_length=1)]


class SyncResults(msgspec.Struct):
    """The result of each record, in order."""

    results: list[SyncResult]


def commands_cost(given: RedisCommands) -> int:
    return 1 + len(given.commands) // COMMANDS_PER_CALL


def gateway_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.API_KEY)
    refusals = (Unauthorized, Forbidden, BadCommand, CommandBlocked)
    loading = (Unauthorized, Forbidden, Invalid)

    @routes.post(
        "/redis/write",
        aliases=("/social/redis/write",),
        cost=commands_cost,
        errors=(
            *(*refusals, SensitiveField, BadProfileField, ProfileNotFound, NotANumber),
            *(BadProfile, UserBeingDeleted),
        ),
        example={"commands": [["HSET", ANN, "colour", "red"]]},
    )
    async def redis_write(call: Call, given: RedisCommands) -> RedisResults:
        """Change fields of profiles that posts do not copy: HSET, HDEL and HINCRBY (API key)."""
        return RedisResults(await social.redis_writes.run(given.commands))

    @routes.post(
        "/redis/read",
        aliases=("/social/redis/read",),
        cost=commands_cost,
        errors=refusals,
        example={"commands": [["HGET", ANN, "bio"]]},
    )
    async def redis_read(call: Call, given: RedisCommands) -> RedisResults:
        """Read declared keys with a fixed list of commands (API key)."""
        return RedisResults(await social.redis_reads.run(given.commands))

    @routes.get("/ping", auth=Auth.NONE, limit=None, unknown="ignore")
    async def ping(call: Call, given: Nothing) -> PingReply:
        """The health check of the original; `/healthz` is ours."""
        return PingReply()

    @routes.post(
        "/social/sync/users",
        errors=loading,
        example={"records": [{"username": "ann", "bio": "I like trains."}]},
    )
    async def load_users(call: Call, given: SyncRecords) -> SyncResults:
        """Load users (API key)."""
        return SyncResults(await social.sync.users(given.records))

    @routes.post("/social/sync/posts", errors=loading, example={"records": [POST]})
    async def load_posts(call: Call, given: SyncRecords) -> SyncResults:
        """Load posts (API key)."""
        return SyncResults(await social.sync.posts(given.records))

    @routes.post(
        "/social/sync/follows", errors=loading, example={"records": [{"follower": "ann", "followed": "bob"}]}
    )
    async def load_follows(call: Call, given: SyncRecords) -> SyncResults:
        """Load follows (API key)."""
        return SyncResults(await social.sync.follows(given.records))

    @routes.post(
        "/social/sync/likes", errors=loading, example={"records": [{"post_id": "42", "username": "bob"}]}
    )
    async def load_likes(call: Call, given: SyncRecords) -> SyncResults:
        """Load likes (API key)."""
        return SyncResults(await social.sync.likes(given.records))

    return routes.endpoints
