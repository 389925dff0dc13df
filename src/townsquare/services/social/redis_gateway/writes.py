"""Writes: fields of profiles that no other key copies."""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from townsquare.keyspace import Mirrors, Visibility
from townsquare.problems import Problem
from townsquare.services.accounts.problems import BadProfile, UserBeingDeleted
from townsquare.services.social import fields, problems
from townsquare.services.social.keys import social, user
from townsquare.services.social.redis_gateway import hints
from townsquare.services.social.redis_gateway.commands import GatewayCommand, read_commands
from townsquare.services.social.redis_gateway.reads import ALLOWED, INSTEAD
from townsquare.services.social.scripts import WriteFields
from townsquare.services.social.sensitive import is_sensitive
from townsquare.store.store import Store

ChangeLinks = Callable[[str, list[str] | None], Awaitable[bool]]

INCREMENT = re.compile(r"[+-]?[0-9]{1,15}")
COPIED = {
    relation.source_field
    for relation in social.relations
    if isinstance(relation, Mirrors) and relation.source is user
}
OPEN = user.kind.visible_fields(Visibility.PUBLIC, Visibility.PRIVATE) - COPIED
DECLARED = {field.name.lower().replace("_", ""): field.name for field in user.kind.fields}
NO_LINKS = "[]"
REFUSALS = (
    *(problems.NotANumber, problems.BadProfileField, problems.ProfileNotFound),
    *(BadProfile, UserBeingDeleted),  # by the account of the profile
)
COUNTERS = {name.lower(): name for name in hints.BY_FIELD if name.endswith("Count")}


class UserWrite(NamedTuple):
    """The commands for one user, as received and as steps of the script."""

    commands: list[GatewayCommand]
    steps: list[list[str]]


class GatewayWrites:
    def __init__(self, store: Store, change_links: ChangeLinks, *, sensitive: bool) -> None:
        self._store = store
        self._change_links = change_links
        self._sensitive = sensitive

    async def run(self, given: Sequence[Any]) -> list[int]:
        """The replies of Redis. If one command is not allowed or not possible, none is sent.

        The commands of one user are one script. If there are several users, or links, which an account
        copies, all scripts are tried first.
        """
        commands = read_commands(given)
        steps = [self._checked(command) for command in commands]
        await self._all_known(commands)
        by_user: dict[str, list[int]] = defaultdict(list)
        for place, command in enumerate(commands):
            by_user[command.name].append(place)
        writes = {
            tuple(places): UserWrite(
                [commands[place] for place in places], [steps[place] for place in places]
            )
            for places in by_user.values()
        }
        if len(writes) > 1 or links_after(steps):
            for write in writes.values():
                await self._run(write, dry_run=True)
        answers: dict[int, int] = {}
        for places, write in writes.items():
            answers.update(zip(places, await self._run(write, done=sorted(answers)), strict=True))
        return [answers[place] for place in range(len(commands))]

    async def _all_known(self, commands: Sequence[GatewayCommand]) -> None:
        """Raise if a user does not exist: HSET would create one with only that field."""
        keys = {command.at: command.key for command in commands if command.key}
        found = await self._store.pipeline([("HMGET", key, "username", "deleting") for key in keys.values()])
        for at, (username, deleting) in zip(keys, found, strict=True):
            if username is None or deleting is not None:
                raise problems.ProfileNotFound(
                    f"Command {at}: there is no such user", at=at, hint=hints.LOAD_USERS
                )

    async def _run(self, write: UserWrite, *, done: Sequence[int] = (), dry_run: bool = False) -> list[int]:
        key = write.commands[0].key
        assert key is not None
        username, changed = key.params["username"], False
        try:
            for links in [] if dry_run else links_after(write.steps)[-1:]:
                changed = await self._change_links(username, links)
            return await self._store.run(WriteFields(username=username, steps=write.steps, dry_run=dry_run))
        except REFUSALS as problem:
            raise partly_done(problem, write.commands, done, links_changed=changed) from None

    def _checked(self, command: GatewayCommand) -> list[str]:
        """The command without its key, if it is allowed."""
        own = command.key is not None and command.key.declared is user
        if not own or command.verb not in CHECKS:
            word = command.arguments[0].lower() if command.arguments else ""
            raise blocked(command, next((name for name in hints.BY_FIELD if name.lower() == word), None))
        return [command.verb, *CHECKS[command.verb](self, command)]

    def _set(self, command: GatewayCommand) -> list[str]:
        words = command.arguments
        if not words or len(words) % 2:
            raise problems.BadCommand("HSET takes a key, and fields with their values", at=command.at)
        kept: list[str] = []
        for name, value in zip(words[::2], words[1::2], strict=True):
            kept += [self._writable(command, name), self._value(command, name, value)]
        return kept

    def _remove(self, command: GatewayCommand) -> list[str]:
        if not command.arguments:
            raise problems.BadCommand("HDEL takes a key and fields", at=command.at)
        return [self._writable(command, name) for name in command.arguments]

    def _increment(self, command: GatewayCommand) -> list[str]:
        if len(command.arguments) != 2:
            raise problems.BadCommand("HINCRBY takes a key, a field and a whole number", at=command.at)
        name, by = command.arguments
        if name in OPEN:
            raise blocked(command, name)
        self._writable(command, name)
        if not INCREMENT.fullmatch(by):
            raise problems.BadCommand("HINCRBY takes a whole number", at=command.at)
        return [name, str(int(by))]

    def _writable(self, command: GatewayCommand, name: str) -> str:
        """A custom field, or a declared one that nothing copies. Other spellings of ours are refused."""
        if name in OPEN:
            return name
        declared = DECLARED.get(name.lower().replace("_", "")) or COUNTERS.get(name.lower())
        if declared and (self._sensitive or not is_sensitive(name)):
            raise blocked(command, declared)
        try:
            fields.writable(name, sensitive=self._sensitive)
        except problems.BadProfileField as wrong:
            raise problems.BadCommand(wrong.detail, at=command.at) from None
        except problems.SensitiveField as wrong:
            wrong.extra["at"] = command.at
            raise
        return name

    def _value(self, command: GatewayCommand, name: str, value: str) -> str:
        try:
            if name == "links":
                return fields.written(name, links_in(value), sensitive=self._sensitive) or NO_LINKS
            return fields.written(name, value, sensitive=self._sensitive)
        except problems.BadProfileField as wrong:
            raise problems.BadCommand(wrong.detail, at=command.at) from None


def links_in(text: str) -> Any:
    """A JSON array, or one URL as the original stores it."""
    if not text.startswith("["):
        return [text] if text else []
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def links_after(steps: Sequence[list[str]]) -> list[list[str] | None]:
    """The links after each checked command that changes them; None if there are none left."""
    changed = []
    for verb, *words in steps:
        pairs = (
            dict(zip(words[::2], words[1::2], strict=True))
            if verb == "HSET"
            else dict.fromkeys(words, NO_LINKS)
        )
        if "links" in pairs:
            changed.append(msgspec.json.decode(pairs["links"]) or None)
    return changed


def partly_done(
    problem: Problem, refused: Sequence[GatewayCommand], done: Sequence[int], *, links_changed: bool
) -> Problem:
    """The problem of one user's commands, with its position and the commands done for other users.

    Commands are done, or links changed, only if another request has changed a profile after the dry run.
    """
    command, why = refused[0], problem.detail
    if isinstance(problem, problems.NotANumber):
        command, why = refused[int(problem.detail) - 1], problem.title
    written = "Only the links are" if links_changed else "Nothing is"
    message = f"Command {command.at}, {command.name}: {why}. {written} written for {command.name}"
    if done:
        message += f"; commands {', '.join(map(str, done))} are done"
    return type(problem)(message, at=command.at, key=command.name, done=list(done))


CHECKS = {"HSET": GatewayWrites._set, "HDEL": GatewayWrites._remove, "HINCRBY": GatewayWrites._increment}


def blocked(command: GatewayCommand, field: str | None) -> problems.CommandBlocked:
    reads = command.verb in ALLOWED or command.verb in INSTEAD
    hint = hints.READ if reads and command.verb not in CHECKS else hints.instead_of(command, field)
    written = " ".join(word for word in (command.verb, command.name[:80], field) if word)
    return problems.CommandBlocked(f"{written} is not written directly. Use {hint}", at=command.at, hint=hint)
