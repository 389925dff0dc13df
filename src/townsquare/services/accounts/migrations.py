"""Migrations of stored data; docs/upgrading.md explains how they run."""

from collections.abc import Sequence

import msgspec

from townsquare.keyspace import AnyKey
from townsquare.services.accounts.keys import users_by
from townsquare.services.accounts.models import User, UserRole
from townsquare.store.scripts.assembly import LuaText
from townsquare.store.store import Store

REPLACE = LuaText("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
""")


async def shorten_accounts(store: Store, found: Sequence[AnyKey], write: bool) -> int:
    """Before version 2, a document had every field, and a role listed also the users of the default role."""
    usual = [key for key in found if key == users_by("role", UserRole.USER)]
    if usual and write:
        await store.call("UNLINK", usual[0])
    users = [key for key in found if key.declared is not users_by]
    documents = await store.pipeline([("GET", key) for key in users])
    changed = len(usual)
    for key, old in zip(users, documents, strict=True):
        new = msgspec.json.encode(msgspec.json.decode(old, type=User)) if old else b""
        if len(new) < len(old or b""):
            changed += await store.evaluate(REPLACE, key, old, new) if write else 1
    return changed
