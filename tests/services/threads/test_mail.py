"""Mail about comments, against a real mail server: replies, followed pages, and alerts to moderators."""

import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator
from email.message import EmailMessage
from urllib.parse import urlsplit

import httpx
import pytest
from msgspec.structs import replace

from tests.services.threads.test_access import by_public
from tests.services.threads.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.mail import MailServer, mail_server
from tests.support.receivers import http_receiver, resolving
from tests.support.squares import Place, bearer, browse
from townsquare.api import Identity
from townsquare.kit.outgoing import HttpSender, SendQueue
from townsquare.services.accounts.models import Facts, UserProfile
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Alerts, Viewer

SQUARE = "https://square.example.org"
LINK = re.compile(rf"{SQUARE}(/\S+)")


class Post:
    """A site whose mails arrive in a box."""

    def __init__(self, world: World, server: MailServer, http: httpx.AsyncClient, clock: PinnedClock) -> None:
        self.world = world
        self.box = server.box
        self.http = http
        self._clock = clock

    async def user(self, name: str, *, verified: bool = True) -> Viewer:
        profile = UserProfile(username=name, email=f"{name}@example.org")
        account = await self.world.square.accounts.users.create(profile, Facts(email_verified=verified))
        await self.world.threads.commenters.get(account.id)
        return Viewer(site_id=self.world.site.id, user_id=account.id)

    async def headers(self, viewer: Viewer) -> dict[str, str]:
        account = await self.world.square.accounts.users.get(str(viewer.user_id))
        signed_in = await self.world.square.accounts.sessions.issue(account, "password", Client(ip="1.2.3.4"))
        return by_public(self.world, **bearer(signed_in.access_token))

    async def mails(self, *, minutes: float = 6) -> list[EmailMessage]:
        """What has come, some minutes later."""
        self._clock.move(minutes=minutes)
        for _ in range(3):  # a job of a page starts those of its followers
            await self.world.square.jobs.run_open()
            self._clock.move(minutes=minutes)
        await self.world.square.accounts.delivered()
        came, self.box.mails = self.box.mails, []
        return came


@pytest.fixture
async def post(place: Place, clock: PinnedClock) -> AsyncIterator[Post]:
    async with (
        mail_server() as server,
        open_world(place, clock, delivery="smtp", smtp_url=server.url, public_url=SQUARE) as world,
        browse(world.square) as http,
    ):
        yield Post(world, server, http, clock)


def text_of(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def to_whom(mails: list[EmailMessage]) -> list[str]:
    return sorted(str(mail["To"]) for mail in mails)


async def test_replies_come_by_mail_several_in_one(post: Post) -> None:
    world = post.world
    ann, bob = await post.user("ann"), await post.user("bob")
    root = await world.comment(ann, "root")
    await world.comment(bob, "first <b>", parent=root.id)
    await world.comment(bob, "second, @ann")
    (mail,) = await post.mails()
    assert (mail["To"], mail["Subject"]) == ("ann@example.org", "2 new comments for you on A blog")
    assert "first <b>" in text_of(mail)
    assert f"#comment-{root.id}" not in text_of(mail)
    html = mail.get_body(("html",))
    assert html is not None
    assert "first &lt;b&gt;" in html.get_content()
    assert await post.mails() == []
    await world.check()


async def test_a_mail_about_a_comment_on_a_post_leads_to_the_post(post: Post) -> None:
    people = {name: await post.user(name) for name in ("ann", "bob")}
    ann, bob = (Identity(str(viewer.user_id), name, "user") for name, viewer in people.items())
    posts, made = post.world.threads.posts, await post.world.square.social.posts.create("ann", "look")
    root = await posts.create(made.id, ann, "root")
    reply = await posts.create(made.id, bob, "a reply", parent_id=root.id)
    (mail,) = await post.mails()
    assert f"{SQUARE}/social?post={made.id}#comment-{reply.id}" in text_of(mail)


async def test_nothing_is_mailed_before_approval_or_of_what_is_hidden_by_then(post: Post) -> None:
    world = post.world
    ann, bob, mod = await post.user("ann"), await post.user("bob"), await world.moderator()
    root = await world.comment(ann, "root")
    await world.settings(moderation="pre")
    held = await world.comment(bob, "held", parent=root.id)
    assert await post.mails() == []
    await world.threads.moderation.approve(mod, held.id)
    (mail,) = await post.mails()
    assert "held" in text_of(mail)
    again = await world.comment(bob, "seen and rejected", parent=root.id)
    await world.threads.moderation.approve(mod, again.id)
    await world.threads.moderation.reject(mod, again.id)
    deleted = await world.comment(bob, "deleted", parent=root.id)
    await world.threads.moderation.approve(mod, deleted.id)
    await world.threads.comments.delete(bob, deleted.id)
    shadowed = await world.comment(bob, "ghost", parent=root.id)
    await world.threads.moderation.approve(mod, shadowed.id)
    await world.threads.moderation.shadowban(mod, str(bob.user_id))
    assert await post.mails() == []
    await world.check()


async def test_only_confirmed_addresses_get_mail(post: Post) -> None:
    world = post.world
    await post.user("ann", verified=False)
    await post.user("cat")
    bob = await post.user("bob")
    await world.comment(bob, "hi @ann @cat @bob")
    assert to_whom(await post.mails()) == ["cat@example.org"]


async def test_one_click_ends_the_mails(post: Post) -> None:
    world = post.world
    ann, bob = await post.user("ann"), await post.user("bob")
    await world.comment(bob, "one @ann")
    (mail,) = await post.mails()
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = str(mail["List-Unsubscribe"]).strip("<>").removeprefix(SQUARE)
    page = await post.http.get(address)
    assert (page.status_code, "Unsubscribe" in page.text) == (200, True)
    await world.comment(bob, "two @ann")
    assert len(await post.mails()) == 1  # looking at the page does nothing
    for wrong in (address[:-1] + ("0" if address[-1] != "0" else "1"), address.replace("replies", "x")):
        assert (await post.http.post(wrong)).status_code == 404
    done = await post.http.post(address, data={"List-Unsubscribe": "One-Click"})
    assert done.status_code == 200
    await world.comment(bob, "three @ann")
    assert await post.mails() == []
    assert (await world.threads.notifications.list(ann)).unread == 3
    answer = await post.http.put(
        "/threads/v1/notifications/mail", json={"replies": True}, headers=await post.headers(ann)
    )
    assert answer.json() == {"replies": True}
    await world.comment(bob, "four @ann")
    assert len(await post.mails()) == 1


async def test_who_follows_a_page_gets_mail_of_it(post: Post) -> None:
    world = post.world
    ann, bob = await post.user("ann"), await post.user("bob")
    await world.comment(bob, "before")
    headers = await post.headers(ann)
    path, page = "/threads/v1/pages/follow", {"page_url": "/hello"}
    assert (await post.http.post(path, json=page, headers=headers)).json()["changed"] is True
    assert (await post.http.post(path, json=page, headers=headers)).json()["changed"] is False
    missing = await post.http.post(path, json={"page_url": "/nothing"}, headers=headers)
    assert missing.json()["code"] == "page_not_found"
    await world.comment(bob, "news")
    await world.comment(ann, "my own")
    await world.comment(bob, "effects", path="/else")
    await world.check()
    (mail,) = await post.mails()
    assert (mail["To"], "news" in text_of(mail)) == ("ann@example.org", True)
    assert not any(word in text_of(mail) for word in ("before", "my own", "effects"))
    more = await world.comment(bob, "more")
    assert len(await post.mails()) == 1
    await world.settings(edit_minutes=1_000)
    await world.threads.comments.edit(bob, await world.key(), more.id, "more or less")
    assert await post.mails() == []
    await post.http.post(str(mail["List-Unsubscribe"]).strip("<>").removeprefix(SQUARE))
    await world.comment(bob, "no more")
    assert await post.mails() == []
    await world.threads.mailing.follow(ann, (await world.page()).id)
    gone = await post.http.request("DELETE", f"{path}?page_url=/hello", headers=await post.headers(ann))
    assert gone.json()["following"] is False
    await world.check()


async def test_followers_are_told_in_shares_and_gone_accounts_are_not(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.threads.service.mailing.FOLLOWERS", 2)
    world = post.world
    bob = await post.user("bob")
    await world.comment(bob, "before")
    page = (await world.page()).id
    followers = [await post.user(f"reader{number}") for number in range(7)]
    for one in followers:
        await world.threads.mailing.follow(one, page)
    await world.comment(bob, "news")
    await world.square.accounts.privacy.delete(str(followers[0].user_id))
    assert to_whom(await post.mails()) == [f"reader{number}@example.org" for number in range(1, 7)]
    await world.check()


async def test_moderators_hear_of_the_queue_by_mail_and_act_by_a_link(post: Post) -> None:
    world = post.world
    bob = await post.user("bob")
    await world.settings(moderation="pre", alerts=Alerts(emails=("boss@example.org",), every_minutes=10))
    first, second = await world.comment(bob, "one <i>"), await world.comment(bob, "two")
    (mail,) = await post.mails(minutes=1)
    assert (mail["To"], mail["Subject"]) == ("boss@example.org", "2 comments wait for approval on A blog")
    third = await world.comment(bob, "three")
    assert await post.mails(minutes=1) == []  # not more often than every ten minutes
    assert len(await post.mails(minutes=10)) == 1
    links = [one for one in LINK.findall(text_of(mail)) if one.startswith("/threads/moderate")]
    approve = next(one for one in links if one.endswith("approve"))
    page = await post.http.get(approve)
    assert page.status_code == 200
    assert "one &lt;i&gt;" in page.text or "two" in page.text
    assert await world.texts() == []  # looking is not doing
    form = dict(pair.split("=") for pair in urlsplit(approve).query.split("&"))
    assert (await post.http.post("/threads/moderate", data=form)).status_code == 200
    assert len(await world.texts()) == 1
    assert (await post.http.post("/threads/moderate", data={**form, "action": "delete"})).status_code == 404
    assert (await post.http.get(approve)).status_code == 404
    left = next(one for one in links if one.endswith("delete") and form["token"] not in one)
    await world.settings(alerts=Alerts(emails=("other@example.org",)))
    form = dict(pair.split("=") for pair in urlsplit(left).query.split("&"))
    assert (await post.http.post("/threads/moderate", data=form)).status_code == 404  # no moderator any more
    log = (await world.threads.moderation.log(world.owner)).items
    assert [(one.action, one.details) for one in log] == [("approve", "by mail to boss@example.org")]
    assert {first.id, second.id, third.id} >= {one.target for one in log}
    await world.check()


async def test_a_link_to_a_moderator_runs_out(post: Post) -> None:
    world = post.world
    await world.settings(moderation="pre", alerts=Alerts(emails=("boss@example.org",)))
    await world.comment(await post.user("bob"), "one")
    (mail,) = await post.mails(minutes=1)
    token = re.search(r"token=([\w-]+)", text_of(mail))
    assert token is not None
    key = keys.alert_link(hashlib.sha256(token[1].encode()).hexdigest())
    assert 0 < await world.store.call("TTL", key) <= keys.ALERT_LINK_SECONDS


async def test_a_webhook_hears_of_the_queue_signed_and_again_if_it_was_away(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = post.world
    async with http_receiver() as receiver:
        sender = HttpSender(seconds=5, allows=lambda address: True, resolve=resolving("127.0.0.1"))
        monkeypatch.setattr(world.threads.alerts, "_queue", SendQueue(sender.send, pauses=(0, 0)))
        receiver.answers = ["503 Away", "200 OK"]
        await world.settings(moderation="pre", alerts=Alerts(webhook=receiver.url, webhook_secret="s" * 32))
        comment = await world.comment(await post.user("bob"), "one")
        assert await post.mails(minutes=1) == []
        await world.threads.alerts.settled()
    told = receiver.received
    assert len(told) == 2
    body = json.loads(told[1].body)
    assert (body["event"], [one["comment"]["id"] for one in body["comments"]]) == (
        "moderation_queue",
        [comment.id],
    )
    signed = told[1].headers["x-townsquare-timestamp"].encode() + b"." + told[1].body
    expected = hmac.new(b"s" * 32, signed, hashlib.sha256).hexdigest()
    assert told[1].headers["x-townsquare-signature"] == f"sha256={expected}"


async def test_a_page_of_another_site_cannot_be_followed(post: Post) -> None:
    world = post.world
    ann = await post.user("ann")
    comment = await world.comment(ann)
    other = await world.threads.sites.create("Other", "other.example.org")
    with pytest.raises(Exception, match="another site"):
        await world.threads.mailing.follow(replace(ann, site_id=other.id), comment.page_id)
    await world.check()
