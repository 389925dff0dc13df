"""The results of Lua scripts, and records that scripts take as JSON."""

import msgspec


class CodeSend(msgspec.Struct, array_like=True):
    allowed: bool
    wait: int


class IssuedCode(msgspec.Struct, array_like=True):
    salt: str
    send: bool
    wait: int


class Tried(msgspec.Struct, array_like=True):
    right: bool
    user_id: str | None


class Refreshed(msgspec.Struct, array_like=True):
    outcome: str
    user_id: str
