"""Migrations of stored data; docs/upgrading.md explains how they run."""

from collections.abc import Sequence

import msgspec

from townsquare.keyspace import AnyKey
from townsquare.services.threads.models.sites import SiteSettings
from townsquare.services.threads.service.sites import DEFAULTS, differences
from townsquare.store.scripts.assembly import LuaText
from townsquare.store.store import Store

REPLACE_SETTINGS = LuaText("""
if redis.call('HGET', KEYS[1], 'settings') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'settings', ARGV[2])
return 1
""")


async def shorten_settings(store: Store, sites: Sequence[AnyKey], write: bool) -> int:
    """Before version 2 every setting was stored. A stored default looked like a choice: a site without alerts
    got alerts, and a new default did not apply."""
    changed = 0
    for key, old in zip(
        sites, await store.pipeline([("HGET", key, "settings") for key in sites]), strict=True
    ):
        if old is None:
            continue
        settings = msgspec.to_builtins(msgspec.json.decode(old, type=SiteSettings))
        new = msgspec.json.encode(differences(settings, DEFAULTS))
        if len(new) < len(old):
            changed += await store.evaluate(REPLACE_SETTINGS, key, old, new) if write else 1
    return changed
