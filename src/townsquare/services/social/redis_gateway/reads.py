"""Reads: a fixed list of commands, each on one declared key, none larger than a page or a small set."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from townsquare.keyspace import AnyKey, Visibility
from townsquare.services.social import fields
from townsquare.services.social.keys import post, user
from townsquare.services.social.problems import BadCommand, CommandBlocked
from townsquare.services.social.redis_gateway.commands import GatewayCommand, read_commands
from townsquare.store.commands import Command
from townsquare.store.store import Store
from townsquare.store.wire.connection import ReplyError

PAGE = 1_000  # members in the reply to one command
SMALL = 10_000  # members of the sets that one request may read whole
ANSWERED = 10_000  # members and fields in the replies to one request
RECORD = 100  # the cost of a whole record, in fields
NAMES = 100
WHOLE = re.compile(r"-?[0-9]{1,9}")
SCORE = re.compile(r"[-+]inf|\(?-?[0-9]{1,16}(\.[0-9]{1,16})?")
WITH_SCORES = "WITHSCORES"
WHOLE_SET = "SMEMBERS"
INSTEAD_OF_ALL = "SSCAN, or GET /social/users/{username}/followers"

Check = Callable[[GatewayCommand], None]


class GatewayReads:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def run(self, given: Sequence[Any]) -> list[Any]:
        """The replies of Redis, without secret fields."""
        commands = read_commands(given)
        asked = [checked(command) for command in commands]
        if sum(map(answered_by, commands)) > ANSWERED:
            raise BadCommand(f"Ask for at most {ANSWERED:,} members and fields in one request")
        await self._all_small([command for command in commands if command.verb == WHOLE_SET])
        replies = await self._store.try_pipeline(asked)
        return [answer(command, reply) for command, reply in zip(commands, replies, strict=True)]

    async def _all_small(self, commands: Sequence[GatewayCommand]) -> None:
        """Refuse to read large sets whole."""
        sizes = await self._store.pipeline([("SCARD", command.key) for command in commands if command.key])
        total = 0
        for command, size in zip(commands, sizes, strict=True):
            total += size
            if total > SMALL:
                says = f"Whole sets of at most {SMALL:,} members together. Use SSCAN for {command.name}"
                raise CommandBlocked(says, at=command.at, hint=INSTEAD_OF_ALL)


def checked(command: GatewayCommand) -> Command:
    if command.verb not in ALLOWED:
        hint = INSTEAD.get(command.verb, f"one of {', '.join(ALLOWED)}")
        raise CommandBlocked(f"{command.verb} is not open to clients. Use {hint}", at=command.at, hint=hint)
    if command.key is None:
        raise CommandBlocked(f"{command.name[:80]!r} is not a key of ours", at=command.at)
    kind, check = ALLOWED[command.verb]
    if kind and command.key.declared.kind.redis_type != kind:
        raise BadCommand(f"{command.verb} does not read {command.name}", at=command.at)
    check(command)
    upper = [WITH_SCORES if word.upper() == WITH_SCORES else word for word in command.arguments]
    return (command.verb, command.key, *upper)


def answered_by(command: GatewayCommand) -> int:
    """The most members or fields in the reply to a valid command. Whole sets are checked separately."""
    words = command.arguments
    match command.verb:
        case "ZRANGE" | "ZREVRANGE" | "LRANGE":
            return max(0, int(words[1]) - int(words[0]) + 1)
        case "ZRANGEBYSCORE" | "ZREVRANGEBYSCORE":
            limited = [word for word in words if word.upper() != WITH_SCORES]
            return int(limited[-1])
        case "SSCAN" | "ZSCAN":
            return int(words[-1]) if len(words) > 1 else 1
        case "HGETALL":
            return RECORD
    return max(1, len(words))


def answer(command: GatewayCommand, reply: Any) -> Any:
    if isinstance(reply, ReplyError):
        raise BadCommand(f"{command.verb}: {reply.message}", at=command.at)
    if command.verb == "HGETALL" and command.key is not None:
        shown = {name.decode(): as_json(value) for name, value in reply.items()}
        return {name: value for name, value in shown.items() if is_shown(command.key, name)}
    if any(word.upper() == WITH_SCORES for word in command.arguments):
        return [word for member, score in reply for word in (as_json(member), str(as_json(score)))]
    return as_json(reply)


def as_json(reply: Any) -> Any:
    if isinstance(reply, bytes):
        return reply.decode(errors="replace")
    if isinstance(reply, list | tuple | set | frozenset):
        return [as_json(one) for one in reply]
    if isinstance(reply, Mapping):
        return {as_json(name): as_json(value) for name, value in reply.items()}
    if isinstance(reply, float) and reply.is_integer():
        return int(reply)
    return reply


def is_shown(key: AnyKey, name: str) -> bool:
    if key.declared is user:
        return name in fields.PUBLIC_FIELDS or fields.is_private(name)
    return name not in key.declared.kind.visible_fields(Visibility.SECRET)


def takes(least: int, most: int) -> Check:
    def check(command: GatewayCommand) -> None:
        if not least <= len(command.arguments) <= most:
            raise BadCommand(f"{command.verb} takes {least} to {most} words after its key", at=command.at)

    return check


def takes_fields(least: int, most: int) -> Check:
    def check(command: GatewayCommand) -> None:
        takes(least, most)(command)
        for name in command.arguments:
            if command.key is not None and not is_shown(command.key, name):
                raise CommandBlocked(f"{name[:64]} is not a public field", at=command.at, field=name[:64])

    return check


def whole_record(command: GatewayCommand) -> None:
    takes(0, 0)(command)
    if command.key is None or command.key.declared not in (user, post):
        raise CommandBlocked(f"{command.name} grows with use. Use HMGET", at=command.at, hint="HMGET")


def by_rank(command: GatewayCommand) -> None:
    """Two ranks from the same end, at most a page apart."""
    takes(2, 3)(command)
    first, last, *options = command.arguments
    if not WHOLE.fullmatch(first) or not WHOLE.fullmatch(last) or not scores_only(options):
        raise BadCommand(f"{command.verb} takes two whole numbers and WITHSCORES", at=command.at)
    start, stop = int(first), int(last)
    if (start < 0) != (stop < 0) or stop - start >= PAGE:
        raise BadCommand(f"Read at most {PAGE:,} members at once: 0 {PAGE - 1}", at=command.at)


def by_score(command: GatewayCommand) -> None:
    takes(5, 6)(command)
    low, high, *options = command.arguments
    limit = [word for word in options if word.upper() != WITH_SCORES]
    numbers = limit[1:]
    if (
        not SCORE.fullmatch(low)
        or not SCORE.fullmatch(high)
        or len(limit) != 3
        or limit[0].upper() != "LIMIT"
        or not all(WHOLE.fullmatch(number) for number in numbers)
    ):
        raise BadCommand(f"{command.verb} takes two scores, LIMIT, an offset and a count", at=command.at)
    if not 0 <= int(numbers[1]) <= PAGE or not 0 <= int(numbers[0]) <= PAGE:
        raise BadCommand(f"Read at most {PAGE:,} members at once", at=command.at)


def walked(command: GatewayCommand) -> None:
    takes(1, 3)(command)
    cursor, *options = command.arguments
    counted = len(options) == 2 and options[0].upper() == "COUNT" and WHOLE.fullmatch(options[1])
    if not cursor.isdigit() or (options and not (counted and 0 < int(options[1]) <= PAGE)):
        raise BadCommand(f"{command.verb} takes a cursor, and COUNT up to {PAGE:,}", at=command.at)


def scores_only(options: Sequence[str]) -> bool:
    return not options or [option.upper() for option in options] == [WITH_SCORES]


ALLOWED: dict[str, tuple[str, Check]] = {
    "HGET": ("hash", takes_fields(1, 1)),
    "HMGET": ("hash", takes_fields(1, NAMES)),
    "HEXISTS": ("hash", takes_fields(1, 1)),
    "HGETALL": ("hash", whole_record),
    "SCARD": ("set", takes(0, 0)),
    "SISMEMBER": ("set", takes(1, 1)),
    "SMISMEMBER": ("set", takes(1, NAMES)),
    "SSCAN": ("set", walked),
    WHOLE_SET: ("set", takes(0, 0)),
    "ZCARD": ("zset", takes(0, 0)),
    "ZSCORE": ("zset", takes(1, 1)),
    "ZMSCORE": ("zset", takes(1, NAMES)),
    "ZRANK": ("zset", takes(1, 1)),
    "ZREVRANK": ("zset", takes(1, 1)),
    "ZRANGE": ("zset", by_rank),
    "ZREVRANGE": ("zset", by_rank),
    "ZRANGEBYSCORE": ("zset", by_score),
    "ZREVRANGEBYSCORE": ("zset", by_score),
    "ZSCAN": ("zset", walked),
    "GET": ("string", takes(0, 0)),
    "LLEN": ("list", takes(0, 0)),
    "LRANGE": ("list", by_rank),
    "EXISTS": ("", takes(0, 0)),
    "TYPE": ("", takes(0, 0)),
    "TTL": ("", takes(0, 0)),
}
INSTEAD = {
    "HSCAN": "HMGET",
    "HKEYS": "HGETALL",
    "HVALS": "HGETALL",
    "HSET": "POST /redis/write",
    "HDEL": "POST /redis/write",
    "HINCRBY": "POST /redis/write",
}
