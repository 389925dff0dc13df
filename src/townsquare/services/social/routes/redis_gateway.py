"""Redis commands and bulk loading, for the back end that holds the API key."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

import msgspec

from townsquare.api import WRITE, AnyEndpoint, Auth, Call, Endpoint
from townsquare.problems import Forbidden, Invalid, Problem, Unauthorized
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

OPERATOR = "admin"  # the user id of who presents the API key; accounts have ids of another form


class RedisCommands(msgspec.Struct):
    commands: Annotated[
        list[Any],
        msgspec.Meta(description='each a list: ["HSET", "user:alice", "colour", "red"]', min_length=1),
    ]


class RedisResults(msgspec.Struct):
    results: list[Any]


class SyncRecords(msgspec.Struct):
    records: Annotated[list[Any], msgspec.Meta(description=f"at most {RECORDS:,}", min_length=1)]


class SyncResults(msgspec.Struct):
    """What became of each record, in order."""

    results: list[SyncResult]


def with_key_only(call: Call) -> None:
    if call.identity is None or call.identity.user_id != OPERATOR:
        raise Forbidden("This takes the API key")


def gateway_endpoints(social: Social) -> list[AnyEndpoint]:
    async def write(call: Call, given: RedisCommands) -> RedisResults:
        """Change custom fields of profiles: HSET, HDEL and HINCRBY (API key)."""
        with_key_only(call)
        return RedisResults(await social.redis_write(given.commands))

    async def read(call: Call, given: RedisCommands) -> RedisResults:
        """Read declared keys with a fixed list of commands (API key)."""
        with_key_only(call)
        return RedisResults(await social.redis_read(given.commands))

    refusals = (Unauthorized, Forbidden, BadCommand, CommandBlocked)
    writing = (*refusals, SensitiveField, BadProfileField, ProfileNotFound, NotANumber)
    return [
        for_the_key(
            "/redis/write", write, RedisCommands, RedisResults, writing, aliases=("/social/redis/write",)
        ),
        for_the_key(
            "/redis/read", read, RedisCommands, RedisResults, refusals, aliases=("/social/redis/read",)
        ),
        loading("users", social.sync_users, "Load users (API key)."),
        loading("posts", social.sync_posts, "Load posts (API key)."),
        loading("follows", social.sync_follows, "Load follows (API key)."),
        loading("likes", social.sync_likes, "Load likes (API key)."),
    ]


def gateway(
    name: str,
    run: Callable[[Call, RedisCommands], Awaitable[RedisResults]],
    errors: tuple[type[Problem], ...],
) -> AnyEndpoint:
    aliases = (f"/social/redis/{name}",)
    return for_the_key(f"/redis/{name}", run, RedisCommands, RedisResults, errors, aliases=aliases)


def loading(
    name: str, load: Callable[[Sequence[Any]], Awaitable[list[SyncResult]]], says: str
) -> AnyEndpoint:
    async def run(call: Call, given: SyncRecords) -> SyncResults:
        with_key_only(call)
        return SyncResults(await load(given.records))

    run.__doc__ = says
    return for_the_key(
        f"/social/sync/{name}", run, SyncRecords, SyncResults, (Unauthorized, Forbidden, Invalid)
    )


def for_the_key(
    path: str,
    run: Callable[[Call, Any], Awaitable[Any]],
    input: type[msgspec.Struct],
    output: type[msgspec.Struct],
    errors: tuple[type[Problem], ...],
    *,
    aliases: tuple[str, ...] = (),
) -> AnyEndpoint:
    return Endpoint(
        method="POST",
        path=path,
        aliases=aliases,
        run=run,
        input=input,
        output=output,
        tag="social",
        auth=Auth.ADMIN,
        limit=WRITE,
        errors=errors,
    )
