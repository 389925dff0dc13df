import asyncio

import httpx

from tests.services.accounts.door import LAPTOP, PASSWORD, Door
from tests.support.squares import assert_clean, bearer
from townsquare.api import Identity
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import UserProfile, UserRole
from townsquare.services.accounts.problems import AdminLinkNotValid
from townsquare.services.accounts.signin.models import SignedIn

PATH = "/accounts/first-admin"


async def claim(web: httpx.AsyncClient, token: str, session: SignedIn | None) -> httpx.Response:
    headers = bearer(session.access_token) if session else {}
    return await web.post(PATH, json={"token": token}, headers=headers)


async def test_the_link_makes_its_bearer_an_admin_once(web: httpx.AsyncClient, door: Door) -> None:
    alice, bob = await door.sign_up("a@example.org"), await door.sign_up("b@example.org")
    token = await door.accounts.first_admin.offer()
    assert token
    answer = await claim(web, token, alice)
    assert (answer.status_code, answer.json()["user"]["role"]) == (200, "admin")
    with_new_role = bearer(answer.json()["access_token"])
    assert (await web.get("/accounts/users", headers=with_new_role)).status_code == 200
    refused = await claim(web, token, bob)
    assert (refused.status_code, refused.json()["code"]) == (403, "admin_link_not_valid")
    entries, _ = await door.accounts.audit.page()
    assert [(one.action, one.by, one.target) for one in entries] == [
        ("first_admin", alice.user.id, alice.user.id)
    ]
    await assert_clean(door.store)


async def test_of_a_hundred_clients_with_the_link_one_becomes_an_admin(door: Door) -> None:
    users = await asyncio.gather(
        *(door.users.create(UserProfile(username=f"client-{number}")) for number in range(100))
    )
    token = await door.accounts.first_admin.offer()
    assert token
    results = await asyncio.gather(
        *(door.accounts.first_admin.claim(Identity(user.id), token, LAPTOP) for user in users),
        return_exceptions=True,
    )
    assert len([one for one in results if isinstance(one, SignedIn)]) == 1
    assert len([one for one in results if isinstance(one, AdminLinkNotValid)]) == 99
    assert await door.users.count("role", UserRole.ADMIN) == 1
    assert len((await door.accounts.audit.page())[0]) == 1
    await assert_clean(door.store)


async def test_nothing_but_the_right_token_of_a_member_uses_the_link(
    web: httpx.AsyncClient, door: Door
) -> None:
    alice = await door.sign_up("a@example.org")
    token = await door.accounts.first_admin.offer()
    assert token
    visitor = await door.accounts.sign_in_anonymously("a-device-of-somebody-0001", LAPTOP)
    assert (await claim(web, token, None)).status_code == 401
    assert (await claim(web, token, visitor)).status_code == 403
    assert (await claim(web, token[:-1], alice)).status_code == 403
    assert (await claim(web, token + "a", alice)).status_code == 403
    assert (await claim(web, "é", alice)).status_code == 403
    assert (await web.get(PATH, headers=bearer(alice.access_token))).status_code == 405
    assert (await web.get(f"/console/first-admin?token={token}")).status_code == 404  # no page in this app
    assert (await claim(web, token, alice)).status_code == 200


async def test_only_the_newest_link_is_valid_and_only_its_hash_is_stored(door: Door) -> None:
    alice = await door.sign_up("a@example.org")
    older, newer = await door.accounts.first_admin.offer(), await door.accounts.first_admin.offer()
    assert older
    assert newer
    stored = await door.store.get(keys.first_admin())
    assert stored
    assert newer not in stored
    assert 0 < await door.store.call("TTL", keys.first_admin()) <= 3600
    results = [
        await asyncio.gather(
            door.accounts.first_admin.claim(Identity(alice.user.id), token, LAPTOP), return_exceptions=True
        )
        for token in (older, newer)
    ]
    assert [type(one) for (one,) in results] == [AdminLinkNotValid, SignedIn]


async def test_an_expired_link_is_refused(web: httpx.AsyncClient, door: Door) -> None:
    alice = await door.sign_up("a@example.org")
    token = await door.accounts.first_admin.offer()
    await door.store.call("PEXPIRE", keys.first_admin(), 0)
    assert (await claim(web, token or "", alice)).status_code == 403


async def test_there_is_no_link_where_an_admin_is(web: httpx.AsyncClient, door: Door) -> None:
    alice, bob = await door.sign_up("a@example.org"), await door.sign_up("b@example.org")
    token = await door.accounts.first_admin.offer()
    await door.users.set_role(alice.user.id, UserRole.ADMIN)
    assert await door.accounts.first_admin.offer() is None
    assert (await claim(web, token or "", bob)).status_code == 403
    await door.accounts.password.sign_in("a@example.org", PASSWORD, LAPTOP)
    assert (await door.users.get(bob.user.id)).role is UserRole.USER
