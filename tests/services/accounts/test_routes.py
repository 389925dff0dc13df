from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.services.accounts.door import EMAIL, LAPTOP, PASSWORD, Door, browse_door, open_door
from tests.support.clock import PinnedClock
from tests.support.logs import capture_logs
from tests.support.squares import assert_clean, bearer
from townsquare.services.accounts.models import UserRole
from townsquare.services.accounts.signin.models import SignedIn
from townsquare.square import Square

NOBODY = "usr_" + "0" * 32
ANSWER = {"access_token", "refresh_token", "token_type", "expires_in", "user"}


async def post(web: httpx.AsyncClient, path: str, token: str = "", **body: Any) -> httpx.Response:
    return await web.post(f"/accounts{path}", json=body, headers=bearer(token))


@pytest.fixture
async def alice(web: httpx.AsyncClient) -> dict[str, Any]:
    answer = await post(web, "/signup", email=EMAIL, username="alice", password=PASSWORD)
    assert answer.status_code == 201
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
async def admin(door: Door) -> dict[str, str]:
    signed_up = await door.sign_up("admin@example.org")
    await door.users.set_role(signed_up.user.id, UserRole.ADMIN)
    signed_in = await door.accounts.password.sign_in("admin@example.org", PASSWORD, LAPTOP)
    return bearer(signed_in.access_token)


async def test_signing_up_and_in_answers_as_the_design_says(
    web: httpx.AsyncClient, alice: dict[str, Any]
) -> None:
    answer = await post(web, "/login", login="alice", password=PASSWORD)
    assert answer.status_code == 200
    assert set(answer.json()) == set(alice) == ANSWER
    assert (answer.json()["token_type"], answer.json()["expires_in"]) == ("Bearer", 900)
    assert answer.json()["user"]["email"] == EMAIL
    assert "passwordHash" not in answer.text
    assert "argon2" not in answer.text
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["login", "email", "username"])
async def test_login_takes_any_name(web: httpx.AsyncClient, alice: dict[str, Any], name: str) -> None:
    value = "alice" if name == "username" else EMAIL
    assert (await post(web, "/login", **{name: value, "password": PASSWORD})).status_code == 200


async def test_a_taken_name_is_told_with_its_field(web: httpx.AsyncClient, alice: dict[str, Any]) -> None:
    answer = await post(web, "/signup", email="other@example.org", username="alice", password=PASSWORD)
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (409, "taken", "username")
    assert answer.json()["detail"] == "This username is already taken"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"email": "x@example.org"}, "invalid"),
        ({"email": "x@example.org", "password": "short"}, "bad_password"),
        ({"email": "x@example.org", "password": "x" * 129}, "bad_password"),
        ({"email": "x@example.org", "password": "password123"}, "common_password"),
        ({"email": "someone@example.org", "password": "Someone@Example.org"}, "common_password"),
        ({"email": "nonsense", "password": PASSWORD}, "bad_profile"),
        ({"password": PASSWORD}, "bad_profile"),
        ({"email": "x@example.org", "username": "with space", "password": PASSWORD}, "bad_profile"),
    ],
)
async def test_bad_signups_say_why(web: httpx.AsyncClient, body: dict[str, Any], code: str) -> None:
    answer = await post(web, "/signup", **body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)


async def test_nobody_signs_up_as_an_administrator_or_with_trust(web: httpx.AsyncClient, door: Door) -> None:
    more: dict[str, Any] = {
        "role": "admin",
        "accountStatus": "active",
        "trustScore": 99,
        "emailVerified": True,
    }
    answer = await post(web, "/signup", email=EMAIL, password=PASSWORD, **more)
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_field")
    assert [error["field"] for error in answer.json()["errors"]] == list(more)
    assert await door.users.find_by("email", EMAIL) is None


async def test_a_misspelt_field_is_refused_with_the_one_that_was_meant(web: httpx.AsyncClient) -> None:
    answer = await post(web, "/signup", emial=EMAIL, username="alice", password=PASSWORD)
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_field")
    assert "emial: is not known here; did you mean `email`?" in answer.json()["detail"]


async def test_wrong_names_and_wrong_passwords_get_the_same_answer(
    web: httpx.AsyncClient, alice: dict[str, Any]
) -> None:
    answers = [
        await post(web, "/login", login=login, password="not the password")
        for login in ("alice", EMAIL, "nobody", "nobody@example.org", "+966501234567", "not a name at all")
    ]
    told = [{k: v for k, v in answer.json().items() if k != "request_id"} for answer in answers]
    assert [answer.status_code for answer in answers] == [401] * 6
    assert all(one == told[0] for one in told)


@pytest.mark.parametrize("path", ["/code/send", "/password/forgot"])
async def test_asking_for_a_code_tells_nothing(
    web: httpx.AsyncClient, alice: dict[str, Any], path: str
) -> None:
    known = await post(web, path, email=EMAIL)
    unknown = await post(web, path, email="nobody@example.org")
    assert (known.status_code, known.json()) == (unknown.status_code, unknown.json()) == (202, unknown.json())


async def test_a_code_signs_in_over_http_and_limits_say_when(web: httpx.AsyncClient, door: Door) -> None:
    for _ in range(10):
        assert (await post(web, "/code/send", email="new@example.org")).status_code == 202
    refused = await post(web, "/code/send", email="new@example.org")
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_codes")
    assert refused.headers["retry-after"] == "3600"
    wrong = await post(web, "/code/verify", email="new@example.org", code="nonsense")
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_code")
    code = await door.code_for("new@example.org")
    right = await post(web, "/code/verify", email="new@example.org", code=code)
    assert set(right.json()) == ANSWER


async def test_a_place_for_a_code_is_one_place(web: httpx.AsyncClient) -> None:
    for body in ({}, {"email": EMAIL, "phone": "+966501234567"}):
        assert (await post(web, "/code/send", **body)).status_code == 422


async def test_me_needs_a_token_that_is_good(web: httpx.AsyncClient, alice: dict[str, Any]) -> None:
    assert (await web.get("/accounts/me")).status_code == 401
    for token in ("nonsense", alice["refresh_token"], alice["access_token"][:-2] + "xx"):
        assert (await web.get("/accounts/me", headers=bearer(token))).status_code == 401
    mine = await web.get("/accounts/me", headers=bearer(alice["access_token"]))
    assert (mine.status_code, mine.json()["username"]) == (200, "alice")


async def test_me_changes_what_users_may_change(
    web: httpx.AsyncClient, door: Door, alice: dict[str, Any]
) -> None:
    headers = bearer(alice["access_token"])
    body = {"firstName": "Alice", "custom": {"pet": "cat"}}
    refused = await web.patch(
        "/accounts/me", json={**body, "role": "admin", "accountStatus": "active"}, headers=headers
    )
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_field")
    changed = await web.patch("/accounts/me", json=body, headers=headers)
    assert (changed.status_code, changed.json()["firstName"], changed.json()["role"]) == (
        200,
        "Alice",
        "user",
    )
    stale = await web.patch("/accounts/me", json={"firstName": "A", "version": 1}, headers=headers)
    assert (stale.status_code, stale.json()["code"]) == (409, "user_changed")
    emptied = await web.patch("/accounts/me", json={"firstName": None}, headers=headers)
    assert emptied.json()["firstName"] is None
    assert (await door.users.get(alice["user"]["id"])).account_status == "pending_verification"


async def test_refresh_and_logout(web: httpx.AsyncClient, alice: dict[str, Any]) -> None:
    fresh = await post(web, "/refresh", refresh_token=alice["refresh_token"])
    assert set(fresh.json()) == ANSWER
    gone = await post(web, "/logout", fresh.json()["access_token"])
    assert gone.status_code == 204
    assert (await web.get("/accounts/me", headers=bearer(alice["access_token"]))).status_code == 401
    again = await post(web, "/refresh", refresh_token=fresh.json()["refresh_token"])
    assert (again.status_code, again.json()["code"]) == (401, "bad_refresh_token")


async def test_sessions_are_listed_and_ended(web: httpx.AsyncClient, alice: dict[str, Any]) -> None:
    here = bearer(alice["access_token"])
    other = (await post(web, "/login", login="alice", password=PASSWORD)).json()
    listed = (await web.get("/accounts/me/sessions", headers=here)).json()["sessions"]
    assert [one["current"] for one in listed].count(True) == 1
    assert not any("refresh" in one for one in listed)
    elsewhere = next(one["id"] for one in listed if not one["current"])
    assert (await web.delete(f"/accounts/me/sessions/{elsewhere}", headers=here)).status_code == 204
    assert (await web.delete(f"/accounts/me/sessions/{elsewhere}", headers=here)).status_code == 404
    assert (await web.get("/accounts/me", headers=bearer(other["access_token"]))).status_code == 401
    await post(web, "/login", login="alice", password=PASSWORD)
    ended = await web.request("DELETE", "/accounts/me/sessions", json={"keepCurrent": True}, headers=here)
    assert ended.json() == {"ended": 1}
    everything = await web.delete("/accounts/me/sessions", headers=here)
    assert everything.json() == {"ended": 1}
    assert (await web.get("/accounts/me", headers=here)).status_code == 401


async def test_a_new_password_gives_new_tokens(
    web: httpx.AsyncClient, alice: dict[str, Any], clock: PinnedClock
) -> None:
    clock.move(minutes=1)
    headers = bearer(alice["access_token"])
    wrong = {"currentPassword": "wrong", "newPassword": "another good one"}
    assert (await web.put("/accounts/me/password", json=wrong, headers=headers)).status_code == 401
    right = {"currentPassword": PASSWORD, "newPassword": "another good one"}
    changed = await web.put("/accounts/me/password", json=right, headers=headers)
    assert (await web.get("/accounts/me", headers=headers)).status_code == 401
    fresh = bearer(changed.json()["access_token"])
    assert (await web.get("/accounts/me", headers=fresh)).status_code == 200


async def test_export_and_deletion(web: httpx.AsyncClient, door: Door, alice: dict[str, Any]) -> None:
    headers = bearer(alice["access_token"])
    exported = await web.get("/accounts/me/export", headers=headers)
    assert exported.json()["services"]["accounts"]["user"]["email"] == EMAIL
    assert "argon2" not in exported.text
    assert '"refresh"' not in exported.text
    deleting = await web.delete("/accounts/me", headers=headers)
    assert deleting.status_code == 202
    assert (await web.get("/accounts/me", headers=headers)).status_code == 401
    await door.jobs.run(deleting.json()["job"])
    available = await web.get("/accounts/availability", params={"username": "alice"})
    assert available.json() == {"username": True}
    await assert_clean(door.store)


async def test_availability_is_of_usernames_only(web: httpx.AsyncClient, alice: dict[str, Any]) -> None:
    asked = await web.get("/accounts/availability", params={"username": "alice"})
    assert asked.json() == {"username": False}
    asked = await web.get("/accounts/availability", params={"username": "no good"})
    assert asked.status_code == 422
    answers = [
        await web.get("/accounts/availability", params={"email": address, **name})
        for name in ({}, {"username": "nobody-else"})
        for address in (EMAIL, "nobody@example.org")
    ]
    assert {answer.status_code for answer in answers} == {422}
    said = [answer.json() | {"request_id": ""} for answer in answers]
    assert (said[0], said[2]) == (said[1], said[3])


async def test_a_failed_sign_in_is_a_security_event_of_the_account(
    web: httpx.AsyncClient, alice: dict[str, Any]
) -> None:
    with capture_logs() as logs:
        wrong = await post(web, "/login", login="alice", password="not the password")
        nobody = await post(web, "/login", login="nobody", password="not the password")
        await post(web, "/code/send", email=EMAIL)
        code = await post(web, "/code/verify", email=EMAIL, code="not it")
    assert [answer.status_code for answer in (wrong, nobody, code)] == [401, 401, 401]
    events = [one for one in logs if one["event"] == "sign-in failed"]
    id = alice["user"]["id"]
    assert [(one["method"], one["account"]) for one in events] == [
        ("password", id), ("password", None), ("code", id),
    ]  # fmt: skip
    assert all(one["ip"] and one["log_level"] == "warning" for one in events)


async def test_anonymous(web: httpx.AsyncClient) -> None:
    first = await post(web, "/anonymous", deviceId="device-1234567890")
    again = await post(web, "/anonymous", deviceId="device-1234567890")
    assert first.json()["user"]["id"] == again.json()["user"]["id"]
    joined = await post(web, "/signup", first.json()["access_token"], email=EMAIL, password=PASSWORD)
    assert joined.json()["user"]["id"] == first.json()["user"]["id"]
    taken = await post(web, "/anonymous", deviceId="device-1234567890")
    assert (taken.status_code, taken.json()["code"]) == (409, "already_registered")


async def test_ways_that_are_not_offered_are_not_there(web: httpx.AsyncClient) -> None:
    ways = (await web.get("/accounts/ways")).json()
    assert (ways["google"], ways["github"], ways["password"], ways["email_code"]) == (
        False,
        False,
        True,
        True,
    )
    for path, body in {"/google/start": {}, "/google": {"id_token": "x"}, "/github/start": {}}.items():
        answer = await post(web, path, **body)
        assert (answer.status_code, answer.json()["code"]) == (404, "way_not_offered")


ADMIN_CALLS = [
    ("GET", "/users"), ("GET", "/users/find?index=email&value=a@b.org"), ("GET", f"/users/{NOBODY}"),
    ("PATCH", f"/users/{NOBODY}"), ("POST", f"/users/{NOBODY}/flags?reason=x"),
    ("DELETE", f"/users/{NOBODY}"), ("DELETE", f"/users/{NOBODY}/flags/1"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), ADMIN_CALLS)
async def test_administration_is_for_administrators(
    web: httpx.AsyncClient, alice: dict[str, Any], method: str, path: str
) -> None:
    assert (await web.request(method, f"/accounts{path}")).status_code == 401
    mine = await web.request(method, f"/accounts{path}", headers=bearer(alice["access_token"]))
    assert mine.status_code == 403


async def test_an_administrator_finds_lists_and_changes_users(
    web: httpx.AsyncClient, alice: dict[str, Any], admin: dict[str, str]
) -> None:
    id = alice["user"]["id"]
    found = await web.get("/accounts/users/find", params={"index": "email", "value": EMAIL}, headers=admin)
    assert (found.json()["id"], found.json()["trustScore"]) == (id, 100)
    page = (await web.get("/accounts/users", params={"limit": 1}, headers=admin)).json()
    rest = (
        await web.get("/accounts/users", params={"limit": 1, "cursor": page["cursor"]}, headers=admin)
    ).json()
    assert (page["total"], rest["cursor"]) == (2, None)
    assert {page["users"][0]["id"], rest["users"][0]["id"]} >= {id}
    of_role = await web.get("/accounts/users", params={"by": "role", "value": "admin"}, headers=admin)
    assert of_role.json()["total"] == 1
    changed = await web.patch(f"/accounts/users/{id}", json={"status": "suspended"}, headers=admin)
    assert changed.json()["accountStatus"] == "suspended"
    assert (await web.get("/accounts/me", headers=bearer(alice["access_token"]))).status_code == 401
    closed = await post(web, "/login", login="alice", password=PASSWORD)
    assert (closed.status_code, closed.json()["code"]) == (403, "account_closed")
    assert (await web.get(f"/accounts/users/{NOBODY}", headers=admin)).status_code == 404
    assert (await web.patch(f"/accounts/users/{id}", json={"role": "king"}, headers=admin)).status_code == 422


async def test_three_flags_suspend_and_end_sessions(
    web: httpx.AsyncClient, alice: dict[str, Any], admin: dict[str, str]
) -> None:
    path = f"/accounts/users/{alice['user']['id']}/flags"
    for number in range(3):
        assert (await web.get("/accounts/me", headers=bearer(alice["access_token"]))).status_code == 200
        flagged = await web.post(path, json={"reason": f"reason {number}"}, headers=admin)
        assert flagged.status_code == 201
    assert (flagged.json()["trustScore"], flagged.json()["accountStatus"]) == (40, "suspended")
    assert (await web.get("/accounts/me", headers=bearer(alice["access_token"]))).status_code == 401
    flag = flagged.json()["fraudFlags"][0]["id"]
    assert (await web.delete(f"{path}/{flag}", headers=admin)).json()["trustScore"] == 60


async def test_an_administrator_deletes_a_user(
    web: httpx.AsyncClient, door: Door, alice: dict[str, Any], admin: dict[str, str]
) -> None:
    deleting = await web.delete(f"/accounts/users/{alice['user']['id']}", headers=admin)
    await door.jobs.run(deleting.json()["job"])
    shown = await web.get(f"/accounts/users/{alice['user']['id']}", headers=admin)
    assert shown.status_code == 404


@pytest.fixture
async def operated(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    async with open_door(square, admin_token="the operator's token") as door, browse_door(door) as client:
        yield client


async def test_the_operator_administers_but_has_no_account(operated: httpx.AsyncClient) -> None:
    operator = bearer("the operator's token")
    assert (await operated.get("/accounts/users", headers=operator)).status_code == 200
    assert (await operated.get("/accounts/me", headers=operator)).status_code == 404
    assert (await operated.get("/accounts/me/sessions", headers=operator)).status_code == 404
    assert (await operated.delete("/accounts/me", headers=operator)).status_code == 404


async def test_every_operation_is_described(web: httpx.AsyncClient) -> None:
    described = (await web.get("/openapi.json")).json()["paths"]
    wanted = {
        "/accounts/signup", "/accounts/login", "/accounts/code/send", "/accounts/code/verify",
        "/accounts/google", "/accounts/github", "/accounts/anonymous", "/accounts/refresh",
        "/accounts/logout",
        "/accounts/me", "/accounts/me/export", "/accounts/me/password", "/accounts/me/sessions",
        "/accounts/me/sessions/{session_id}", "/accounts/availability", "/accounts/password/forgot",
        "/accounts/password/reset", "/accounts/users", "/accounts/users/{id}", "/accounts/users/{id}/flags",
    }  # fmt: skip
    assert wanted <= set(described)
    assert "/accounts/sign-in" not in described


async def test_a_provider_returns_only_to_places_that_we_know(square: Square) -> None:
    settings = {"github_client_id": "x", "github_client_secret": "y", "cors_origins": ["https://app.example"]}
    async with open_door(square, **settings) as door, browse_door(door) as web:
        ours = await post(web, "/github/start")
        theirs = await post(web, "/github/start", redirect_uri="https://app.example/back")
        evil = await post(web, "/github/start", redirect_uri="https://app.example.evil.org/back")
    assert "redirect_uri=http%3A%2F%2Fsquare.test%2Faccounts%2Fsign-in" in ours.json()["url"]
    assert "redirect_uri=https%3A%2F%2Fapp.example%2Fback" in theirs.json()["url"]
    assert evil.status_code == 422


def test_answers_of_signing_in_hold_no_secrets() -> None:
    assert set(SignedIn.__struct_fields__) == ANSWER
