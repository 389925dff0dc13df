"""From a key to its name in Redis, and back: the same declarations in two layouts.

plain    prod:social:post:<id>:likes
cluster  prod:social:{0a3}:post:<id>:likes      the bucket of the home is the hash tag
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from townsquare.keyspace.buckets import SLOT_OF_BUCKET
from townsquare.keyspace.declare import AnyKey, Key

NAMES_KNOWN = 2_048
TAG = re.compile(r"\{([0-9a-f]{3})\}:(.*)", re.DOTALL)


@dataclass(frozen=True)
class Layout:
    env: str
    clustered: bool = False

    @cached_property
    def prefix(self) -> str:
        return f"{self.env}:"

    def name(self, key: AnyKey) -> str:
        known = key.named
        if known is not None and known[0] is self:
            return known[1]
        tag = f"{{{key.bucket}}}:" if self.clustered else ""
        name = f"{self.prefix}{key.declared.service}:{tag}{key.text}"
        key.named = (self, name)
        return name

    @cached_property
    def known_name(self) -> Callable[..., str]:
        """The name of a declared key with these values, for names that are wanted again and again."""
        return lru_cache(NAMES_KNOWN)(lambda declared, *values: self.name(Key(declared, values)))

    def slot(self, key: AnyKey) -> int | None:
        return SLOT_OF_BUCKET[key.bucket] if self.clustered else None

    def split(self, name: str) -> tuple[str, str | None, str] | None:
        """Service, bucket (on a cluster) and the rest; None if the name is not of this layout."""
        if not name.startswith(self.prefix):
            return None
        service, colon, text = name[len(self.prefix) :].partition(":")
        if not colon:
            return None
        if not self.clustered:
            return service, None, text
        tagged = TAG.fullmatch(text)
        return (service, tagged[1], tagged[2]) if tagged else None
