"""The two roles of a key, in a module of its own: the supervisor of a server imports nothing else of keys."""

from enum import StrEnum


class Role(StrEnum):
    DATA = "data"  # nothing is evicted, everything is persisted
    CACHE = "cache"  # can be lost at any time without losing information
