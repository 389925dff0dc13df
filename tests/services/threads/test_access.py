"""Who may do what: keys, origins, roles and single sign-on of a site, over HTTP."""

import asyncio
from contextvars import Context
from hashlib import sha256
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from tests.services.threads.world import ORIGIN, World
from tests.support.squares import bearer
from townsquare.api import OPERATOR
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads import keys
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import SiteSettings
from townsquare.services.threads.service.proof_of_work import leading_zero_bits

COMMENTS = "/threads/v1/comments"
SSO_KEY = "k" * 40
OTHER_SSO_KEY = "o" * 40


def by_public(world: World, **more: str) -> dict[str, str]:
    return {"X-API-Key": world.site.api_key_public, "Origin": ORIGIN, **more}


def by_secret(world: World, **more: str) -> dict[str, str]:
    return {"X-API-Key": world.site.api_key_secret, **more}


async def token_of(world: World, name: str) -> tuple[str, str]:
    """A new account and its access token."""
    account = await world.square.accounts.sign_up(name)
    signed_in = await world.square.accounts.sessions.issue(account, "password", Client(ip="1.2.3.4"))
    return account.id, signed_in.access_token


def sso_token(world: World, key: str = SSO_KEY, **claims: Any) -> str:
    now = world.store.clock.now_ms() // 1000
    told = {"sub": "42", "name": "Ann of the site", "exp": now + 600, **claims}
    return jwt.encode({"alg": "HS256"}, told, OctKey.import_key(key))


async def test_a_key_leads_to_its_site_and_a_wrong_one_nowhere(world: World, http: httpx.AsyncClient) -> None:
    params = {"page_url": "/hello"}
    assert (await http.get(COMMENTS, params=params)).json()["code"] == "bad_api_key"
    for wrong in ("tsq_pub_nobody", "nonsense", "tsq_pub_" + "x" * 500, "tsq_sec_ä"):
        answer = await http.get(COMMENTS, params=params, headers=[(b"x-api-key", wrong.encode())])
        assert (answer.status_code, answer.json()["code"]) == (401, "bad_api_key")
    for headers in (by_public(world), by_secret(world), {"projectid": world.site.api_key_public}):
        assert (await http.get(COMMENTS, params=params, headers=headers)).status_code == 200
    in_query = {**params, "site": world.site.api_key_public}
    assert (await http.get(COMMENTS, params=in_query)).status_code == 200


@pytest.mark.parametrize(
    "path", [f"{COMMENTS}?page_url=/x&site=", f"{COMMENTS}?page_url=/x&project_id=", "/threads/sign-in?site="]
)
async def test_a_secret_key_in_a_url_is_refused_and_not_logged(
    world: World, http: httpx.AsyncClient, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = world.site.api_key_secret
    refused = await http.get(path + secret, headers={"Accept": "application/json"})
    assert refused.status_code == 401
    assert "secret key is not accepted in a URL" in refused.text
    assert secret not in refused.text
    assert secret not in "".join(capfd.readouterr())


@pytest.mark.with_client_cache  # without it a request reads from Redis, and does not run again
async def test_what_changes_before_a_comment_is_written_counts(
    world: World, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, token = await token_of(world, "ann")
    headers, begun = by_public(world, **bearer(token)), 0

    admission = world.threads.comments._admission
    admit = admission.admit

    async def closing(*args: Any) -> CommenterRecord:
        nonlocal begun
        begun += 1
        if begun == 3:  # somebody else, while a comment is on its way by a key that is known by now
            await asyncio.create_task(world.settings(posting_disabled=True), context=Context())
        return await admit(*args)

    monkeypatch.setattr(admission, "admit", closing)
    codes = []
    for text in ("one", "two", "three"):
        answer = await http.post(COMMENTS, json={"content": text, "page_url": "/hello"}, headers=headers)
        codes.append(answer.json().get("code"))
    assert codes == [None, None, "posting_closed"]
    assert sorted(await world.texts()) == ["one", "two"]
    assert begun == 4, "it has run again"


async def test_a_public_key_works_from_the_pages_of_its_site(world: World, http: httpx.AsyncClient) -> None:
    _, token = await token_of(world, "ann")
    await world.settings(proof_of_work=False)
    body = {"content": "hi", "page_url": "/hello"}

    async def write(origin: str | None) -> httpx.Response:
        headers = {"X-API-Key": world.site.api_key_public, **bearer(token)}
        if origin:
            headers["Origin"] = origin
        return await http.post(COMMENTS, json={**body, "content": f"from {origin}"}, headers=headers)

    own: tuple[str | None, ...] = (ORIGIN, "https://www.blog.example.org", "http://square.test")
    for origin in own:
        assert (await write(origin)).status_code == 201
    for origin in (
        "https://evil.org",
        "https://notblog.example.org",
        "https://blog.example.org.evil.org",
        "null",
        None,
    ):
        answer = await write(origin)
        assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")
    await world.settings(writes_without_origin=True, allowed_origins=("https://evil.org",))
    assert (await write(None)).status_code == 201
    assert (await write("https://evil.org")).status_code == 201


async def test_a_public_key_writes_on_pages_of_its_site_alone(world: World, http: httpx.AsyncClient) -> None:
    """The address of a page stands in feeds and mails of the site: nobody may choose where that leads."""
    _, token = await token_of(world, "ann")
    await world.settings(proof_of_work=False, allowed_origins=("http://localhost:4000",))

    async def write(url: str, headers: dict[str, str]) -> int:
        body = {"content": f"the page ending in {url[-2:]}", "page_url": url}
        return (await http.post(COMMENTS, json=body, headers={**headers, **bearer(token)})).status_code

    for url in ("https://evil.example/win", "//evil.example/", f"{ORIGIN}.evil.example/", f"{ORIGIN}:8080/"):
        assert await write(url, by_public(world)) == 422, url
    for url in ("/", f"{ORIGIN}/a", "http://www.blog.example.org/b", "http://localhost:4000/c"):
        assert await write(url, by_public(world)) == 201, url
    assert await write("https://elsewhere.example/", by_secret(world)) == 201


async def test_settings_that_change_count_at_once(world: World, http: httpx.AsyncClient) -> None:
    _, token = await token_of(world, "ann")
    headers = by_public(world, **bearer(token))
    body = {"content": "hi", "page_url": "/hello"}
    assert (await http.post(COMMENTS, json=body, headers=headers)).status_code == 201
    await world.settings(posting_disabled=True)
    answer = await http.post(COMMENTS, json={**body, "content": "again"}, headers=headers)
    assert answer.json()["code"] == "posting_closed"
    await world.threads.sites.rotate_keys(world.site.id, "public")
    answer = await http.get(COMMENTS, params={"page_url": "/hello"}, headers=headers)
    assert answer.json()["code"] == "bad_api_key"


async def test_a_role_holds_on_its_own_site_alone(world: World, http: httpx.AsyncClient) -> None:
    other = await world.threads.sites.create("Other", "other.example.org")
    user_id, token = await token_of(world, "mod")
    await world.threads.sites.set_role(world.site.id, user_id, "admin")
    _, author = await token_of(world, "ann")
    there = {"X-API-Key": other.api_key_public, "Origin": "https://other.example.org"}
    made = await http.post(
        COMMENTS, json={"content": "hi", "page_url": "/x"}, headers={**there, **bearer(author)}
    )
    id = made.json()["comment"]["id"]
    for headers in ({**there, **bearer(token)}, by_public(world, **bearer(token)), by_secret(world)):
        deleted = await http.delete(f"{COMMENTS}/{id}?as_moderator=true", headers=headers)
        assert deleted.status_code in (403, 404)
        assert (await http.post(f"{COMMENTS}/{id}/pin", json={}, headers=headers)).status_code in (403, 404)
    assert (await http.get("/threads/v1/site", headers={**there, **bearer(token)})).status_code == 403
    assert (await http.get("/threads/v1/site", headers=by_public(world, **bearer(token)))).status_code == 200
    await world.threads.sites.set_role(world.site.id, user_id, "user")
    assert (await http.get("/threads/v1/site", headers=by_public(world, **bearer(token)))).status_code == 403


async def test_single_sign_on_is_for_its_own_site(world: World, http: httpx.AsyncClient) -> None:
    await world.settings(sso_keys=(SSO_KEY,))
    body = {"content": "hi", "page_url": "/hello"}
    token = sso_token(world, email="ann@example.org")
    made = await http.post(COMMENTS, json=body, headers=by_public(world, **bearer(token)))
    assert made.json()["comment"]["author"]["name"] == "Ann of the site"
    user = await world.record(keys.user(made.json()["comment"]["author"]["id"]))
    assert (user["provider"], user["provider_id"]) == (f"sso:{world.site.id}", "42")
    other = await world.threads.sites.create("Other", "other.example.org")
    there = {"X-API-Key": other.api_key_public, "Origin": "https://other.example.org", **bearer(token)}
    assert (await http.post(COMMENTS, json=body, headers=there)).status_code == 401
    profile = f"/threads/v1/users/{user['id']}"
    assert (await http.get(profile, headers=by_public(world))).json()["name"] == "Ann of the site"
    assert (await http.get(profile, headers={"X-API-Key": other.api_key_secret})).status_code == 404
    now = world.store.clock.now_ms() // 1000
    unsigned = "eyJhbGciOiJub25lIn0." + token.split(".")[1] + "."
    for wrong in (
        sso_token(world, OTHER_SSO_KEY),
        sso_token(world, exp=now - 600),
        unsigned,
        token[:-3],
        "x.y.z",
    ):
        answer = await http.post(COMMENTS, json=body, headers=by_public(world, **bearer(wrong)))
        assert answer.status_code == 401
    await world.settings(sso_keys=(OTHER_SSO_KEY, SSO_KEY))
    for valid in (token, sso_token(world, OTHER_SSO_KEY)):
        assert (
            await http.get(f"{COMMENTS}?page_url=/hello", headers=by_public(world, **bearer(valid)))
        ).is_success
    await world.settings(sso_keys=(OTHER_SSO_KEY,))
    assert (
        await http.get(f"{COMMENTS}?page_url=/hello", headers=by_public(world, **bearer(token)))
    ).status_code == 401


async def test_who_came_in_a_way_that_the_site_does_not_take_cannot_take_part(
    world: World, http: httpx.AsyncClient
) -> None:
    """Accounts and visitors are those of all sites; each site says whom it takes."""
    comment = await world.comment(await world.moderator())
    visitor = await world.square.accounts.sign_in_anonymously("d" * 32, Client(ip="1.2.3.4"))
    _, account = await token_of(world, "ann")
    body = {"content": "hi", "page_url": "/hello", "direction": "up", "reason": "spam"}
    asked = (
        ("/threads/v1/comments", ("content", "page_url")),
        (f"/threads/v1/comments/{comment.id}/vote", ("direction",)),
        (f"/threads/v1/comments/{comment.id}/report", ("reason",)),
        (f"/threadkit/v1/comments/{comment.id}/vote", ("direction",)),
    )
    for token, changes in (
        (visitor.access_token, {"anonymous": False}),
        (account, {"sign_in": ("sso", "anonymous")}),
    ):
        await world.settings(**changes)
        for path, fields in asked:
            given = {name: body[name] for name in fields}
            answer = await http.post(path, json=given, headers=by_public(world, **bearer(token)))
            assert answer.status_code == 403, path
    assert (await world.thread()).comments[0].upvotes == 0


async def test_a_thread_that_did_not_change_is_not_sent_again(world: World, http: httpx.AsyncClient) -> None:
    ann = await world.user("ann")
    await world.comment(ann)
    headers = by_public(world)
    first = await http.get(f"{COMMENTS}?page_url=/hello", headers=headers)
    again = await http.get(
        f"{COMMENTS}?page_url=/hello", headers={**headers, "If-None-Match": first.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    await world.comment(ann, "more")
    changed = await http.get(
        f"{COMMENTS}?page_url=/hello", headers={**headers, "If-None-Match": first.headers["ETag"]}
    )
    assert changed.json()["total"] == 2


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"content": "", "page_url": "/x"}, "bad_comment"),
        ({"content": "\u200b \n", "page_url": "/x"}, "bad_comment"),
        ({"content": "x" * 10_001, "page_url": "/x"}, "bad_comment"),
        ({"content": "x"}, "bad_page"),
        ({"content": "x", "page_url": "ftp://example.org/"}, "bad_page"),
        ({"content": "x", "page_url": "/x", "parent_id": "nobody"}, "comment_not_found"),
        ({"content": "x", "page_url": "/x", "website": "http://spam"}, "refused_as_spam"),
        ({"content": "x", "page_url": "/x", "elapsed_ms": 10}, "refused_as_spam"),
        ({"content": "x", "page_url": "/x", "parent": "y"}, "unknown_field"),
        ({"content": 7, "page_url": "/x"}, "invalid"),
    ],
)
async def test_a_bad_comment_is_refused_and_changes_nothing(
    world: World, http: httpx.AsyncClient, body: dict[str, Any], code: str
) -> None:
    _, token = await token_of(world, "ann")
    answer = await http.post(COMMENTS, json=body, headers=by_public(world, **bearer(token)))
    assert answer.json()["code"] == code
    assert await world.scores(keys.site_pages(world.site.id)) == {}


async def test_who_is_unknown_works_after_a_few_comments(world: World, http: httpx.AsyncClient) -> None:
    _, token = await token_of(world, "ann")
    headers = by_public(world, **bearer(token))

    async def write(text: str, **more: str) -> httpx.Response:
        return await http.post(COMMENTS, json={"content": text, "page_url": "/x", **more}, headers=headers)

    for number in range(3):
        assert (await write(f"text {number}")).status_code == 201
    asked = (await write("fourth")).json()
    assert (asked["code"], asked["difficulty"]) == ("proof_required", 14)
    number = 0
    while leading_zero_bits(sha256(f"{asked['challenge']}:{number}".encode()).digest()) < asked["difficulty"]:
        number += 1
    assert (await write("fourth", proof=f"{asked['challenge']}:x")).json()["code"] == "proof_required"
    proof = f"{asked['challenge']}:{number}"
    assert (await write("fourth", proof=proof)).status_code == 201
    assert (await write("fifth", proof=proof)).json()["difficulty"] == 15
    await world.settings(proof_of_work=False)
    assert (await write("fifth")).status_code == 201


async def test_a_moderator_lists_the_sites_with_what_is_held_and_reported(
    world: World, http: httpx.AsyncClient
) -> None:
    ann, token = await token_of(world, "ann")
    reader = await world.user("bob")
    other = await world.threads.sites.create("Another", "other.example.org")
    await world.threads.sites.change(world.site.id, settings=SiteSettings(moderation="pre"))
    await world.comment(reader, "held")
    for nobody in (ann, OPERATOR.user_id):
        assert await world.threads.sites.moderated_by(nobody) == []
    await world.threads.sites.set_role(world.site.id, ann, "moderator")
    await world.threads.sites.set_role(other.id, ann, "admin")
    [first, second] = await world.threads.sites.moderated_by(ann)
    found = {one.id: (one.role, one.waiting, one.reports, one.api_key_public) for one in (first, second)}
    assert found == {
        world.site.id: ("moderator", 1, 0, world.site.api_key_public),
        other.id: ("admin", 0, 0, other.api_key_public),
    }
    await world.threads.sites.set_role(world.site.id, ann, "user")
    assert [one.id for one in await world.threads.sites.moderated_by(ann)] == [other.id]
    listed = await http.get("/threads/v1/sites/mine", headers=bearer(token))
    assert [one["id"] for one in listed.json()["items"]] == [other.id]
    assert (await http.get("/threads/v1/sites/mine")).status_code == 401
