"""The results of Lua scripts, and records that scripts take as JSON."""

import msgspec


class Changed(msgspec.Struct, array_like=True):
    changed: bool
    count: int


class ProfileSeen(msgspec.Struct, array_like=True):
    follows: bool
    blocks: bool  # one of them does
    mutes: bool


class ProfileChanged(msgspec.Struct, array_like=True):
    job: str
    posts: int


class RefreshTaken(msgspec.Struct, array_like=True):
    reached: str
    role: str | None  # None: this job does not run
    display_name: str | None
    avatar: str | None


class PostCreated(msgspec.Struct, array_like=True):
    avatar: str | None
    display_name: str | None
    role: str


class HomeBegun(msgspec.Struct, array_like=True):
    begun: bool
    followed: list[str]
