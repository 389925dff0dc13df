import asyncio
from typing import Any

import httpx
import pytest

from tests.services.accounts.door import LAPTOP, PASSWORD, Door
from tests.support.squares import assert_clean, bearer
from townsquare.api import Identity
from townsquare.problems import BadCursor
from townsquare.services.accounts import keys
from townsquare.services.accounts.audit import AuditLog
from townsquare.services.accounts.models import UserRole
from townsquare.services.accounts.problems import SessionNotFound

ADMIN = Identity("usr_" + "0" * 32, role="admin")


@pytest.fixture
async def admin(door: Door) -> dict[str, str]:
    signed_up = await door.sign_up("admin@example.org", username="root")
    await door.users.set_role(signed_up.user.id, UserRole.ADMIN)
    return bearer((await door.accounts.password.sign_in("admin@example.org", PASSWORD, LAPTOP)).access_token)


async def log_of(web: httpx.AsyncClient, admin: dict[str, str], **query: Any) -> dict[str, Any]:
    answer = await web.get("/accounts/audit", headers=admin, params=query)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


async def test_the_log_has_every_action_of_an_admin(
    web: httpx.AsyncClient, door: Door, admin: dict[str, str]
) -> None:
    bob = (await door.sign_up("bob@example.org", username="bob")).user.id
    path = f"/accounts/users/{bob}"
    await web.patch(path, json={"role": "model", "trustScore": 90}, headers=admin)
    flagged = (await web.post(f"{path}/flags", json={"reason": "spam"}, headers=admin)).json()
    await web.delete(f"{path}/flags/{flagged['fraudFlags'][0]['id']}", headers=admin)
    await door.accounts.password.sign_in("bob", PASSWORD, LAPTOP)
    listed = (await web.get(f"{path}/sessions", headers=admin)).json()["sessions"]
    assert (await web.delete(f"{path}/sessions/{listed[0]['id']}", headers=admin)).status_code == 204
    assert (await web.delete(f"{path}/sessions", headers=admin)).json() == {"ended": 0}
    exported = await web.post(f"{path}/export", headers=admin)
    assert exported.json()["services"]["accounts"]["user"]["username"] == "bob"
    await web.patch(path, json={"status": "suspended"}, headers=admin)
    log = await log_of(web, admin)
    assert [(one["action"], one["detail"]) for one in reversed(log["items"])] == [
        ("user.role", "model"),
        ("user.trust", "90"),
        ("user.flag", ""),
        ("user.unflag", ""),
        ("user.end_session", ""),
        ("user.end_sessions", ""),
        ("user.export", ""),
        ("user.status", "suspended"),
    ]
    assert {one["target"] for one in log["items"]} == {bob}
    assert sorted(log["names"].values()) == ["bob", "root"]
    await web.delete(path, headers=admin)
    assert (await log_of(web, admin))["items"][0]["action"] == "user.delete"
    await assert_clean(door.store)


async def test_a_refused_action_has_its_outcome(door: Door) -> None:
    log = door.accounts.audit
    with pytest.raises(SessionNotFound):
        async with log.recorded(ADMIN, "user.end_session", "somebody"):
            raise SessionNotFound()
    (outcome, action), following = await log.page()
    assert following is None
    assert (outcome.of, outcome.outcome) == (action.id, "session_not_found")
    assert not action.outcome


async def test_the_log_is_read_in_pages_and_bounded(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.accounts.audit.AUDIT_LENGTH", 5)
    log = AuditLog(door.store)
    await asyncio.gather(*(log.add("somebody", "act", str(number)) for number in range(100)))
    assert await door.store.call("XLEN", keys.audit()) == 5
    first, cursor = await log.page(limit=3)
    rest, end = await log.page(cursor, 3)
    assert (len(first), len(rest), end) == (3, 2, None)
    assert len({one.target for one in first + rest}) == 5
    for bad in ("x", "1", "99999999999999999999-0", "(1-1"):
        with pytest.raises(BadCursor):
            await log.page(bad)


async def test_the_log_and_the_sessions_of_others_are_for_admins(web: httpx.AsyncClient, door: Door) -> None:
    bob = await door.sign_up("bob@example.org")
    path = f"/accounts/users/{bob.user.id}"
    for method, address in (
        ("GET", "/accounts/audit"),
        ("GET", f"{path}/sessions"),
        ("DELETE", f"{path}/sessions"),
        ("DELETE", f"{path}/sessions/x"),
        ("POST", f"{path}/export"),
    ):
        for token, status in (("", 401), (bob.access_token, 403)):
            assert (await web.request(method, address, headers=bearer(token))).status_code == status
    assert not (await door.accounts.audit.page())[0]
