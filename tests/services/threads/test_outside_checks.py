"""Others who are asked about a comment: they may hold or refuse it, and lose none when they are away."""

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import parse_qsl

import httpx
import pytest

from tests.services.threads.test_access import by_public
from tests.services.threads.world import ORIGIN, World
from tests.support.receivers import HttpReceiver, http_receiver, resolving
from tests.support.squares import bearer
from townsquare.kit.outgoing import HttpSender
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads import keys
from townsquare.services.threads.problems import RefusedAsSpam
from townsquare.services.threads.service import outside_checks
from townsquare.services.threads.service.outside_checks import OutsideChecks
from townsquare.services.threads.spam import Submission

SPAM, HAM = b"true", b"false"


@pytest.fixture
async def other(world: World) -> AsyncIterator[HttpReceiver]:
    """A server that is asked, on this machine, where real ones may not be."""
    sender = HttpSender(seconds=5, allows=lambda address: True, resolve=resolving("127.0.0.1"))
    world.threads.comments._screening._outside_checks = OutsideChecks(sender)
    async with http_receiver() as receiver:
        yield receiver


async def reasons(world: World, comment_id: str) -> str:
    return (await world.record(keys.comment(comment_id))).get("reasons", "")


async def test_akismet_holds_what_it_doubts(world: World, other: HttpReceiver) -> None:
    await world.settings(akismet_url=other.url, akismet_key="abc")
    ann = await world.user("ann")
    other.body = HAM
    assert (await world.comment(ann, "fine")).status == "approved"
    asked = dict(parse_qsl(other.received[0].body.decode()))
    assert (asked["api_key"], asked["blog"], asked["comment_content"], asked["comment_author"]) == (
        "abc",
        f"{ORIGIN}/",
        "fine",
        "ann",
    )
    assert asked["permalink"] == f"{ORIGIN}/hello"
    other.body = SPAM
    held = await world.comment(ann, "buy now")
    assert (held.status, await reasons(world, held.id)) == ("pending", "akismet")
    assert await world.texts() == ["fine"]
    other.headers = "X-akismet-pro-tip: discard\r\n"
    with pytest.raises(RefusedAsSpam):
        await world.comment(ann, "buy now, now")
    edited = await world.threads.comments.edit(
        await world.moderator(), await world.key(), held.id, "x", as_moderator=True
    )
    assert edited.status == "pending"
    other.headers = ""
    (fine,) = (await world.thread()).comments
    edited = await world.threads.comments.edit(ann, await world.key(), fine.id, "buy this")
    assert edited.status == "pending"
    assert (await world.comment(await world.moderator("mod2"), "never asked")).status == "approved"
    await world.check()


async def test_what_is_flagged_is_held_or_refused_where_nobody_looks(
    world: World, other: HttpReceiver
) -> None:
    await world.settings(text_check_url=other.url, text_check_key="sk-1", text_check_model="omni")
    ann = await world.user("ann")
    other.body = json.dumps(
        {"id": "x", "results": [{"flagged": True, "categories": {"hate": True}}]}
    ).encode()
    held = await world.comment(ann, "grr")
    assert (held.status, await reasons(world, held.id)) == ("pending", "text_check")
    assert other.received[0].headers["authorization"] == "Bearer sk-1"
    assert json.loads(other.received[0].body) == {"input": "grr", "model": "omni"}
    await world.settings(moderation="none")
    with pytest.raises(RefusedAsSpam):
        await world.comment(ann, "grr again")
    other.body = b'{"results": [{"flagged": false}]}'
    assert (await world.comment(ann, "hello")).status == "approved"


async def test_turnstile_proves_that_somebody_is_there(
    world: World, other: HttpReceiver, http: httpx.AsyncClient
) -> None:
    await world.settings(turnstile_url=other.url, turnstile_secret="s1")
    account = await world.square.accounts.sign_up("ann")
    token = (await world.square.accounts.sessions.issue(account, "password", Client())).access_token

    async def write(text: str, **more: str) -> httpx.Response:
        body = {"page_url": "/hello", "content": text, **more}
        return await http.post("/threads/v1/comments", json=body, headers=by_public(world, **bearer(token)))

    other.body = b'{"success": true, "hostname": "blog.example.org"}'
    assert (await write("one", turnstile="proof")).json()["comment"]["status"] == "approved"
    asked = dict(parse_qsl(other.received[0].body.decode()))
    assert (asked["secret"], asked["response"], bool(asked["remoteip"])) == ("s1", "proof", True)
    assert (await write("two")).json()["comment"]["status"] == "pending"
    other.body = b'{"success": false, "error-codes": ["timeout-or-duplicate"]}'
    refused = await write("three", turnstile="used")
    assert (refused.status_code, refused.json()["code"]) == (403, "refused_as_spam")


@pytest.mark.parametrize("how", ["silent", "503 Away", "404 Gone", "nonsense", "too much", "nobody"])
async def test_a_check_that_is_away_holds_the_comment(
    world: World, other: HttpReceiver, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.threads.comments._screening._outside_checks._sender.seconds = 0.3
    other.silent = how == "silent"
    other.answers = [how] * 3 if how[0].isdigit() else []
    other.body = {"nonsense": b"<html>", "too much": b"x" * 100_000}.get(how, HAM)
    url = "http://hooks.example:1/" if how == "nobody" else other.url
    await world.settings(
        akismet_url=url, turnstile_url=url + "&2", text_check_url=url + "&3", moderation="none"
    )
    ann = await world.user("ann")
    submission = Submission(turnstile="proof")
    async with asyncio.timeout(5):
        made = await world.threads.comments.create(
            ann, await world.key(), await world.page(), "kept", submission=submission
        )
    assert made.comment.status == "pending"
    assert "check_is_away" in await reasons(world, made.comment.id)
    asked = len(other.received)
    again = await world.comment(ann, "and this")  # nobody waits for it so soon again
    assert (again.status, len(other.received)) == ("pending", asked)
    monkeypatch.setattr(outside_checks, "REST_SECONDS", -1)
    await world.threads.moderation.approve(await world.moderator(), made.comment.id)
    assert await world.texts() == ["kept"]


async def test_a_site_cannot_ask_our_own_network(world: World) -> None:
    async with http_receiver() as inside:
        await world.settings(akismet_url=f"http://127.0.0.1:{inside.port}/")
        assert (await world.comment(await world.user("ann"))).status == "pending"
        assert inside.received == []
