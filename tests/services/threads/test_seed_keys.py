"""Every key of the seed, read directly from Redis: type, fields and lifetime."""

import json

from tests.services.threads.world import World
from townsquare.keyspace import AnyKey
from townsquare.services.accounts.models import UserProfile
from townsquare.services.threads import keys
from townsquare.services.threads.service.sites import digest

COMMENT_FIELDS = {
    *("id", "site_id", "page_id", "page_url", "author_id", "parent_id", "content", "content_html", "upvotes"),
    *("downvotes", "reply_count", "depth", "status", "edited", "created_at", "updated_at"),
}
USER_FIELDS = {
    *("id", "name", "email", "avatar_url", "provider", "email_verified", "phone_verified", "karma"),
    *("global_banned", "shadow_banned", "created_at"),
}


async def kind_of(world: World, key: AnyKey) -> tuple[str, bool]:
    """The Redis type of a key, and whether it expires."""
    found, left = await world.store.pipeline([("TYPE", key), ("PTTL", key)])
    name = found.decode() if isinstance(found, bytes) else found
    return name, left > 0


async def test_comments_and_users_are_kept_as_the_seed_says(world: World) -> None:
    account = await world.square.accounts.sign_up("ann", email="ann@example.org")
    await world.square.accounts.users.change(account.id, UserProfile(avatar="https://example.org/a.png"))
    ann = await world.user("bob")
    await world.threads.commenters.get(account.id)
    root = await world.comment(ann, "root")
    reply = await world.comment(ann, "reply", parent=root.id)
    await world.threads.comments.vote(ann, root.id, "down")
    assert set(await world.record(keys.comment(reply.id))) >= COMMENT_FIELDS
    assert set(await world.record(keys.user(account.id))) >= USER_FIELDS
    page, now = root.page_id, world.store.clock.now_ms()
    assert await world.scores(keys.page_new(page)) == {root.id: now}
    assert await world.scores(keys.page_top(page)) == {root.id: -1}
    assert await world.scores(keys.comment_replies(root.id)) == {reply.id: now}
    assert await world.store.get(keys.vote(str(ann.user_id), root.id)) == "down"
    assert await kind_of(world, keys.vote(str(ann.user_id), root.id)) == ("string", False)
    assert await kind_of(world, keys.page_hot(page)) == ("zset", False)


async def test_sites_are_kept_as_the_seed_says(world: World) -> None:
    ann = await world.user("ann")
    await world.settings(moderation="pre")
    await world.key()
    config = await world.record(keys.site(world.site.id))
    assert set(config) >= {"id", "name", "domain", "api_key_public", "api_key_secret", "settings"}
    assert config["api_key_secret"] == digest(world.site.api_key_secret) != world.site.api_key_secret
    assert json.loads(config["settings"]) == {"moderation": "pre"}
    cached = keys.site_by_api_key(digest(world.site.api_key_public))
    assert 0 < await world.store.call("PTTL", cached) <= 300_000
    found = await world.store.get(cached)
    assert found is not None
    assert (found.site_id, found.key_type) == (world.site.id, "public")
    for role, key in (("admin", keys.site_admins), ("moderator", keys.site_moderators)):
        await world.threads.sites.set_role(world.site.id, str(ann.user_id), role)  # type: ignore[arg-type]
        assert await kind_of(world, key(world.site.id)) == ("set", False)
    await world.settings(moderation="pre")
    held = await world.comment(await world.user("cat"))
    assert await world.scores(keys.site_modqueue(world.site.id)) == {held.id: world.store.clock.now_ms()}
