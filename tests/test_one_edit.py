"""A fact stands in one place: one edit of one file, and Lua, Python, the checker and the reference follow.

Each test edits a copy of the source and runs it in a process of its own.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import townsquare
from tests.support.squares import Place
from townsquare.keyspace import DAY, MINUTE

pytestmark = pytest.mark.slow

SOURCE = Path(townsquare.__file__).parent
FACTS = Path("services/social/keys/common.py")

PROBE = """
import asyncio, json, sys
import townsquare
from townsquare.integrity.check import check
from townsquare.integrity.reference import rows
from townsquare.integrity.reference import as_markdown
from townsquare.services import registry
from townsquare.settings import Settings

async def main():
    settings = Settings.load(environ={{}}, env="test", data_url=sys.argv[1], cache_url=sys.argv[2])
    async with townsquare.open(settings=settings, background=False) as square:
        social, call = square.social, square.store.call
        seen = {{}}
{deeds}
        seen["findings"] = [str(one) for one in (await check(square.store)).findings]
    seen["reference"] = as_markdown(rows(registry()))
    print(json.dumps(seen))

asyncio.run(main())
"""


def after_edit(folder: Path, place: Place, file: Path, before: str, after: str, deeds: str) -> dict[str, Any]:
    """What a process sees that runs the source with this edit."""
    return after_edits(folder, place, [(file, before, after)], deeds)


def after_edits(
    folder: Path, place: Place, edits: Sequence[tuple[Path, str, str]], deeds: str
) -> dict[str, Any]:
    """The same with several edits."""
    shutil.copytree(SOURCE, folder / "townsquare")
    for file, before, after in edits:
        edited = folder / "townsquare" / file
        assert edited.read_text().count(before) == 1
        edited.write_text(edited.read_text().replace(before, after))
    lines = "\n".join(" " * 8 + line for line in deeds.strip().splitlines())
    ended = subprocess.run(
        [sys.executable, "-c", PROBE.format(deeds=lines), place.data_url, place.cache_url],
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    seen: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    assert not seen["findings"]
    return seen


def test_the_weight_of_a_like(tmp_path: Path, place: Place) -> None:
    seen = after_edit(
        tmp_path,
        place,
        FACTS,
        "LIKE_WEIGHT, COMMENT_WEIGHT, BOOKMARK_WEIGHT = 3, 5, 4",
        "LIKE_WEIGHT, COMMENT_WEIGHT, BOOKMARK_WEIGHT = 7, 5, 4",
        """
from townsquare.services.social import keys
from townsquare.services.social.keys import weight
for name in ("ann", "ben"):
    await social.profiles.register(name)
post = await social.posts.create("ann", "hello #travel")
await social.posts.like(post.id, "ben")
seen["python"] = weight({"likesCount": 1})
seen["lua"] = await call("ZSCORE", keys.hashtag_weights("travel"), post.id)
seen["author"] = int(await call("HGET", keys.user("ann"), "engagement"))
""",
    )
    assert (seen["python"], seen["lua"], seen["author"]) == (7, 7, 7)
    assert "likes*7 + comments*5 + bookmarks*4" in seen["reference"]


def test_the_lifetime_of_a_home_feed(tmp_path: Path, place: Place) -> None:
    seen = after_edit(
        tmp_path,
        place,
        FACTS,
        "HOME_SECONDS = 300  #",
        "HOME_SECONDS = 900  #",
        """
from townsquare.services.social import keys
for name in ("ann", "ben"):
    await social.profiles.register(name)
await social.follows.follow("ben", "ann")
await social.posts.create("ann", "hello")
await social.feeds.home("ben")
seen["feed"] = await call("TTL", keys.home_feed("ben"))
seen["state"] = await call("TTL", keys.home_state("ben"))
seen["watchers"] = await call("TTL", keys.watchers("ann"))
until = await call("ZSCORE", keys.watchers("ann"), "ben")
seen["pushed_for"] = (until - square.store.clock.now_ms()) / 1000
""",
    )
    nearly, lifetime = 14 * MINUTE, 15 * MINUTE
    assert nearly < seen["feed"] <= lifetime
    assert nearly < seen["state"] <= lifetime
    assert nearly < seen["pushed_for"] <= lifetime < seen["watchers"]
    assert "lifetime 15 minutes" in section("tmp:home:{username}", seen["reference"])


def test_the_lifetime_of_a_session(tmp_path: Path, place: Place) -> None:
    seen = after_edit(
        tmp_path,
        place,
        Path("services/accounts/keys.py"),
        "SESSION_SECONDS = 30 * DAY",
        "SESSION_SECONDS = 7 * DAY",
        """
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.signin.models import Client
client = Client("192.0.2.1", "laptop")
signed = await square.accounts.password.sign_up(UserProfile(username="ann"), "correct horse battery", client)
(session,) = await call("ZRANGE", keys.user_sessions(signed.user.id), 0, 9)
seen["opened"] = await call("TTL", keys.session(session.decode()))
await call("EXPIRE", keys.session(session.decode()), 60)
await square.accounts.sessions.refresh(signed.refresh_token, client)
seen["refreshed"] = await call("TTL", keys.session(session.decode()))
seen["listed"] = await call("TTL", keys.user_sessions(signed.user.id))
""",
    )
    assert all(6 * DAY < seen[name] <= 7 * DAY for name in ("opened", "refreshed", "listed"))
    assert "lifetime 7 days" in section("session:{session_id}", seen["reference"])


def test_a_field_of_a_post_is_in_the_cached_pages(tmp_path: Path, place: Place) -> None:
    """No cache code names the fields of a post: the page shows a new one, and each change of it."""
    seen = after_edit(
        tmp_path,
        place,
        Path("services/social/models.py"),
        "    content: str\n    media_url",
        "    content: str\n    mood: str | None = None\n    media_url",
        """
import httpx
from townsquare.services.social import keys, records
from townsquare.web.site import site_of
await social.profiles.register("ann")
post = await social.posts.create("ann", "hello")
transport = httpx.ASGITransport(site_of(square))
cache = square.store.client_cache
async with httpx.AsyncClient(transport=transport, base_url="http://square.test") as http:
    async def mood():
        (item,) = (await http.get("/social/feed/explore")).json()["items"]
        return item["post"]["mood"]
    seen["moods"] = [await mood()]
    for text in ("merry", 'so "so"'):
        await call("HSET", keys.post(post.id), "mood", text)
        seen["moods"] += [await mood()]
        misses = cache.misses
        seen["moods"] += [await mood(), await mood()]
        assert cache.misses == misses
    cached = cache.entries[records.POST, post.id].value
    seen["fragment"] = cached.__dict__["json"].decode()
""",
    )
    assert seen["moods"] == [None, *["merry"] * 3, *['so "so"'] * 3]
    assert '"mood":"so \\"so\\""' in seen["fragment"]


def test_a_notification_type(tmp_path: Path, place: Place) -> None:
    """One line declares it, one sends it: it is stored, mailed, listed, and removed with its comment."""
    threads = Path("services/threads")
    edits = [
        (
            threads / "models/notifications.py",
            """    MENTION = "mention"
""",
            """    MENTION = "mention"
    PIN = "pin"
""",
        ),
        (
            threads / "models/notifications.py",
            "(NotificationType.REPLY, NotificationType.MENTION)",
            "(NotificationType.REPLY, NotificationType.MENTION, NotificationType.PIN)",
        ),
        (
            threads / "lua/pin_comment.lua",
            "run.log_action(site_id, entry, now)",
            """run.log_action(site_id, entry, now)
local at = cjson.decode(entry).created_at
run.notify_user(comment.author, const.NOTIFY_PIN, site_id, comment_id, '', at, now)
redis.call('HSET', key.comment(comment_id), 'notified', comment.author)""",
        ),
        (threads / "lua/pin_comment.lua", "Runs:    log_action", "Runs:    log_action, notify_user"),
    ]
    assert len({file for file, _, _ in edits}) <= 3
    seen = after_edits(
        tmp_path,
        place,
        edits,
        """
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_address
threads = square.services["threads"]
made = await threads.sites.create("A blog", "blog.example.org", settings=SiteSettings(moderation="post"))
site = await threads.sites.by_key(made.api_key_public)
account = await square.accounts.sign_up("ann")
ann = Viewer(site_id=made.id, user_id=account.id)
owner = Viewer(site_id=made.id, owner=True)
written = await threads.comments.create(ann, site, page_address(site, "/hello"), "hello")
await call("HSET", keys.user(account.id), "email", "ann@example.org", "email_verified", "true")
await threads.comments.pin(owner, written.comment.id, True)
seen["listed"] = [one.notification_type for one in (await threads.notifications.list(ann)).items]
seen["mailed"] = await call("ZCARD", keys.user_mail(account.id))
await threads.moderation.reject(owner, written.comment.id)
seen["hidden"] = [one.notification_type for one in (await threads.notifications.list(ann)).items]
from townsquare.web.site import site_of
import httpx
transport = httpx.ASGITransport(site_of(square))
async with httpx.AsyncClient(transport=transport, base_url="http://square.test") as http:
    seen["documented"] = '"pin"' in (await http.get("/openapi.json")).text
""",
    )
    assert (seen["listed"], seen["mailed"]) == (["pin"], 1)
    assert (seen["hidden"], seen["documented"]) == (["mod_action"], True)


def section(pattern: str, reference: str) -> str:
    """What the reference of keys says of one."""
    return reference.partition(f"### `{pattern}`\n")[2].partition("###")[0]
