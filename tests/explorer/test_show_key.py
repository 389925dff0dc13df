import pytest

from townsquare.explorer.key_tree import read_tree
from townsquare.explorer.show_key import KeyNotDeclared, read_key
from townsquare.secret_repr import REDACTED
from townsquare.services.social import keys as social
from townsquare.services.threads.models.sites import Alerts, SiteSettings
from townsquare.square import Square
from townsquare.store import keys as system


async def test_a_record_with_its_declaration_relations_and_lifetime(square: Square) -> None:
    await square.accounts.sign_up("alice")
    await square.store.call("HSET", social.user("alice"), "username", "alice", "display_name", "Alice")
    details = await read_key(square.store, "social:user:alice")
    assert details.name == square.store.name(social.user("alice"))
    assert details == await read_key(square.store, details.name)
    assert details.exists
    assert details.value["username"] == "alice"
    assert details.declaration.pattern == "user:{username}"
    assert details.declaration.relations
    assert details.lifetime_ms is None
    assert details.bytes > 0
    related = {one.name: one.exists for one in details.related}
    assert square.store.name(social.following("alice")) in related


async def test_members_of_a_collection_and_a_lifetime(square: Square) -> None:
    await square.store.call("ZADD", system.jobs_open(), 5, "00000000-0000-4000-8000-0000000000aa")
    details = await read_key(square.store, "system:jobs:open")
    assert (details.members, details.value) == (1, {"00000000-0000-4000-8000-0000000000aa": 5.0})
    await square.store.call("SET", system.lease("x"), "me", "EX", 10)
    assert 0 < ((await read_key(square.store, "system:lease:x")).lifetime_ms or 0) <= 10_000
    assert not (await read_key(square.store, "system:lease:y")).exists


async def test_secrets_are_hidden(square: Square) -> None:
    assert (await read_key(square.store, "system:secret")).value == REDACTED


async def test_secrets_within_a_field_are_hidden(square: Square) -> None:
    alerts = Alerts(webhook="https://hooks.example", webhook_secret="a-webhook-secret")
    made = await square.threads.sites.create("Blog", "blog.example", settings=SiteSettings(alerts=alerts))
    details = await read_key(square.store, f"threads:site:{made.id}:config")
    shown = str(details.value)
    assert "hooks.example" in shown
    assert "a-webhook-secret" not in shown
    assert details.value["api_key_secret"] == REDACTED


async def test_a_key_without_declaration(square: Square) -> None:
    with pytest.raises(KeyNotDeclared):
        await read_key(square.store, "social:nothing:like:this")


async def test_the_tree_counts_the_keys_below_each_part(square: Square) -> None:
    for name in "ab":
        await square.store.call("SET", system.lease(name), "me", "EX", 10)
    tree = await read_tree(square.store)
    leases = tree.children["system"].children["lease"]
    assert (leases.keys, leases.children["{name}"].keys) == (2, 2)
    assert tree.keys == sum(child.keys for child in tree.children.values()) >= 3
