"""Parses the commands of a request and finds the declared key of each."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from townsquare.keyspace import AnyKey
from townsquare.services.social.keys import social
from townsquare.services.social.problems import BadCommand

COMMANDS = 100  # in one request
WORDS = 200  # of one command
WORD_LENGTH = 10_000
KEY_LENGTH = 500  # a name is compared with every declaration
VERB = re.compile(r"[A-Za-z]{1,32}")


class GatewayCommand(msgspec.Struct, frozen=True):
    at: int  # its place in the request
    verb: str  # in upper case
    name: str
    arguments: tuple[str, ...]
    key: AnyKey | None  # None: no declaration has this name


def read_commands(given: Sequence[Any]) -> list[GatewayCommand]:
    """Several commands, or the words of one."""
    if given and isinstance(given[0], str):
        given = [given]
    if not 1 <= len(given) <= COMMANDS:
        raise BadCommand(f"Send 1 to {COMMANDS} commands at once")
    return [read_command(at, command) for at, command in enumerate(given)]


def read_command(at: int, given: Any) -> GatewayCommand:
    if not isinstance(given, list) or not given:
        raise BadCommand("A command is a list: its name, a key, and what it takes", at=at)
    if len(given) > WORDS:
        raise BadCommand(f"A command has at most {WORDS} words", at=at)
    verb, *rest = given
    if not isinstance(verb, str) or not VERB.fullmatch(verb):
        raise BadCommand("The name of a command is a word", at=at)
    if rest and not isinstance(rest[0], str):
        raise BadCommand("A key is text", at=at)
    words = [word_of(at, word) for word in rest]
    name = words[0] if words else ""
    if len(name) > KEY_LENGTH:
        raise BadCommand(f"A key has at most {KEY_LENGTH} characters", at=at)
    return GatewayCommand(at, verb.upper(), name, tuple(words[1:]), declared_key(name))


def word_of(at: int, word: Any) -> str:
    if isinstance(word, bool) or not isinstance(word, str | int):
        raise BadCommand("An argument is text or a whole number", at=at)
    text = str(word)
    if len(text) > WORD_LENGTH:
        raise BadCommand(f"A word has at most {WORD_LENGTH:,} characters", at=at)
    return text


def declared_key(name: str) -> AnyKey | None:
    for declared in social.keys.values():
        key = declared.parse(name)
        if key is not None:
            return key
    return None
