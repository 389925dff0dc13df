"""How one parameter becomes a piece of a key, and back.

No value can contain `:` `{` `}` or whitespace once it is encoded, so none can reach another key. The
type of the parameter in the declaration chooses the part: `str`, `int`, `date`, `Url`, or a validated
`Annotated[str, Matching(...)]`.
"""

import re
from abc import ABC, abstractmethod
from datetime import date
from typing import Annotated, Any, get_args, get_origin
from urllib.parse import quote, unquote


class BadPart(ValueError):
    """A value cannot be part of a key."""


class Part(ABC):
    lua = "{}"  # the Lua expression that encodes a local variable
    pattern = r"[^:{}\s]+"
    verbatim = False  # whether what has this pattern, and no percent sign, is a value and its own encoding

    @abstractmethod
    def encode(self, value: Any) -> str: ...

    @abstractmethod
    def decode(self, text: str) -> Any: ...


UNSAFE = re.compile(r"[\x00-\x20\x7f%:{}]|\s")


class Text(Part):
    """Any text, readable in Redis: only what could break a key apart is percent-encoded."""

    lua = "encode_text({})"
    pattern = r"[^:{}\s\x00-\x20\x7f]+"
    verbatim = True

    def encode(self, value: str) -> str:
        if not value:
            raise BadPart("a key part cannot be empty")
        return UNSAFE.sub(lambda unsafe: quote(unsafe[0], safe=""), value)

    def decode(self, text: str) -> str:
        return unquote(text) if "%" in text else text


class Component(Text):
    """A URL, encoded as JavaScript's encodeURIComponent does for all but its punctuation."""

    lua = "encode_component({})"
    verbatim = False

    def encode(self, value: str) -> str:
        if not value:
            raise BadPart("a key part cannot be empty")
        return quote(value, safe="")


class Matching(Part):
    """Text that was validated against a pattern and needs no encoding."""

    verbatim = True

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._fullmatch = re.compile(pattern).fullmatch

    def matches(self, value: str) -> bool:
        return self._fullmatch(value) is not None

    def encode(self, value: str) -> str:
        if self._fullmatch(value) is None:
            raise BadPart(f"{value[:80]!r} does not match {self.pattern}")
        return value

    def decode(self, text: str) -> str:
        return self.encode(text)


class Integer(Part):
    lua = "string.format('%.0f', {})"
    pattern = r"-?\d+"

    def encode(self, value: int) -> str:
        return str(int(value))

    def decode(self, text: str) -> int:
        return int(text)


class Day(Part):
    pattern = r"\d{4}-\d{2}-\d{2}"

    def encode(self, value: date | str) -> str:
        return value if isinstance(value, str) else value.isoformat()

    def decode(self, text: str) -> date:
        return date.fromisoformat(text)


Url = Annotated[str, Component()]

PLAIN_PARTS: dict[Any, Part] = {str: Text(), int: Integer(), date: Day()}


def part_for(annotation: Any) -> Part:
    if get_origin(annotation) is Annotated:
        for mark in get_args(annotation)[1:]:
            if isinstance(mark, Part):
                return mark
    if annotation in PLAIN_PARTS:
        return PLAIN_PARTS[annotation]
    raise TypeError(
        f"{annotation!r} cannot be part of a key: use str, int, date, Url or Annotated[str, Matching(…)]"
    )
