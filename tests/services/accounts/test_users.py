import asyncio
import hashlib
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.services.accounts.core import Core, account_keys, assert_indexes_follow, core_of
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.clock import iso
from townsquare.integrity import check
from townsquare.problems import BadCursor, Taken
from townsquare.services.accounts import keys
from townsquare.services.accounts.ids import new_session_id
from townsquare.services.accounts.migrations import shorten_accounts
from townsquare.services.accounts.models import AccountStatus, Facts, Geolocation, User, UserProfile, UserRole
from townsquare.services.accounts.problems import (
    AlreadyRegistered,
    BadProfile,
    ConsentRequired,
    FlagNotFound,
    UserChanged,
    UserExists,
    UserNotFound,
)
from townsquare.services.accounts.signin.models import Client
from townsquare.services.accounts.users import Index, changes, write_of
from townsquare.square import Square

ALICE = UserProfile(
    email="alice@example.org",
    username="alice",
    phone="+966501234567",
    device_id="device-123",
    province="Riyadh",
    city="Riyadh",
)
NOBODY = "usr_" + "0" * 32


@pytest.fixture
def core(square: Square) -> Core:
    return core_of(square)


@pytest.fixture
async def alice(core: Core) -> User:
    return await core.users.create(ALICE, Facts(providers={"google": "g-1", "github": "77"}))


async def test_every_key_of_the_seed_is_there(core: Core, alice: User) -> None:
    store = core.store
    document = msgspec.json.decode(await store.call("GET", keys.user(alice.id)))
    assert document["id"] == alice.id
    assert (document["email"], document["deviceId"]) == ("alice@example.org", "device-123")
    assert (document["accountStatus"], document["trustScore"]) == ("active", 100)
    assert None not in document.values()
    raw = {
        keys.email("alice@example.org"): "email:alice@example.org",
        keys.username("alice"): "username:alice",
        keys.phone("+966501234567"): "phone:+966501234567",
        keys.device("device-123"): "device:device-123",
        keys.google("g-1"): "google:g-1",
        keys.provider_google("g-1"): "provider:google:g-1",
        keys.provider_github("77"): "provider:github:77",
    }
    for index, text in raw.items():
        assert index.text == text
        assert await store.call("GET", index) == alice.id.encode()
    assert await store.call("SISMEMBER", keys.province_users("Riyadh"), alice.id)
    assert await store.call("SISMEMBER", keys.city_users("Riyadh"), alice.id)
    await assert_indexes_follow(store)
    await assert_clean(store)


async def test_a_document_with_empty_fields_is_read_and_rewritten(square: Square) -> None:
    """Earlier versions wrote every field, and the whole hash of a refresh token."""
    accounts, store = square.accounts, square.store
    alice = await accounts.sign_up("alice")
    signed_in = await accounts.sessions.issue(alice, "code", Client())
    document = msgspec.json.decode(await store.call("GET", keys.user(alice.id)))
    empty: dict[str, Any] = {
        "phone": None,
        "passwordChangedAt": None,
        "deleting": None,
        "links": [],
        "registered": True,
    }
    await store.call("SET", keys.user(alice.id), msgspec.json.encode({**empty, **document}))
    (session,) = await accounts.sessions.list(alice.id)
    whole = hashlib.sha256(signed_in.refresh_token.encode()).hexdigest()
    await store.call("HSET", keys.session(session.id), "refresh", whole)
    await store.call("ZADD", keys.users_by("role", "user"), 5, alice.id)
    assert (await accounts.users.get(alice.id)).links == ()
    await accounts.users.change(alice.id, UserProfile(occupation="Baker"))
    assert "phone" not in msgspec.json.decode(await store.call("GET", keys.user(alice.id)))
    refreshed = await accounts.sessions.refresh(signed_in.refresh_token, Client())
    assert refreshed.user.id == alice.id
    bob = await accounts.sign_up("bob")
    whole_document = {**empty, **msgspec.json.decode(await store.call("GET", keys.user(bob.id)))}
    await store.call("SET", keys.user(bob.id), msgspec.json.encode(whole_document))
    found = [
        keys.user(alice.id),
        keys.user(bob.id),
        keys.users_by("role", "user"),
        keys.users_by("role", "admin"),
    ]
    assert await shorten_accounts(store, found, False) == 2
    assert [await shorten_accounts(store, found, True) for _ in range(2)] == [2, 1]
    assert "phone" not in msgspec.json.decode(await store.call("GET", keys.user(bob.id)))
    assert await accounts.users.get(bob.id) == bob
    await assert_clean(store)


async def test_users_of_the_usual_role_are_those_without_another_one(core: Core) -> None:
    people = [await core.users.create(UserProfile(username=f"person{number}")) for number in range(12)]
    for one in people[2:9]:
        await core.users.set_role(one.id, UserRole.MODEL)
    usual = sorted((one.id for one in [*people[:2], *people[9:]]), reverse=True)  # all at the same time
    assert await core.users.count("role", "user") == len(usual)
    found, cursor = [], None
    while True:
        page = await core.users.list("role", "user", limit=1, cursor=cursor)
        found += [one.id for one in page.items]
        if (cursor := page.next) is None:
            break
    assert found == usual
    assert [one.id for one in (await core.users.list("role", "user")).items] == usual
    assert not await core.store.call("EXISTS", keys.users_by("role", "user"))
    await assert_clean(core.store)


@pytest.mark.parametrize(
    ("index", "value"),
    [
        ("email", " ALICE@example.org "),
        ("username", "alice"),
        ("phone", "+966 50 123 4567"),
        ("device", "device-123"),
        ("google", "g-1"),
        ("github", "77"),
    ],
)
async def test_a_user_is_found_by_each_index(core: Core, alice: User, index: Index, value: str) -> None:
    assert await core.users.find_by(index, value) == alice
    assert not await core.users.is_free(index, value)


async def test_usernames_tell_upper_from_lower_case(core: Core, alice: User) -> None:
    assert await core.users.find_by("username", "Alice") is None
    await core.users.create(UserProfile(username="Alice"))
    await assert_indexes_follow(core.store)


async def test_many_are_read_at_once_and_unknown_ones_are_none(core: Core, alice: User) -> None:
    assert await core.users.get_many([NOBODY, alice.id, "nonsense", alice.id]) == [None, alice, None, alice]
    with pytest.raises(UserNotFound):
        await core.users.get("usr_../../etc")


@pytest.mark.parametrize(
    ("field", "profile"),
    [
        ("email", UserProfile(email="Alice@Example.org")),
        ("username", UserProfile(username="alice", email="new@example.org")),
        ("phone", UserProfile(phone="+966501234567")),
        ("deviceId", UserProfile(device_id="device-123")),
    ],
)
async def test_a_taken_value_is_refused_with_its_field(
    core: Core, alice: User, field: str, profile: UserProfile
) -> None:
    with pytest.raises(Taken) as refused:
        await core.users.create(profile)
    assert refused.value.extra["field"] == field
    assert refused.value.detail.endswith("is already taken")
    assert await assert_indexes_follow(core.store) == [alice]


async def test_a_changed_value_frees_the_old_one(core: Core, alice: User) -> None:
    after = await core.users.change(alice.id, UserProfile(email="new@example.org", city="Jeddah"))
    assert (after.email, after.version) == ("new@example.org", 2)
    assert await core.users.find_by("email", "alice@example.org") is None
    assert await core.users.count("city", "Riyadh") == 0
    await core.users.create(UserProfile(email="alice@example.org"))
    await assert_indexes_follow(core.store)
    await assert_clean(core.store)


async def test_null_removes_the_index(core: Core, alice: User) -> None:
    await core.users.change(alice.id, UserProfile(email=None, phone=None, device_id=None, province=None))
    for index, value in (
        ("email", "alice@example.org"),
        ("phone", "+966501234567"),
        ("device", "device-123"),
    ):
        assert await core.users.is_free(index, value)  # type: ignore[arg-type]
    await assert_indexes_follow(core.store)


async def test_an_index_that_points_to_somebody_else_is_not_removed(core: Core, alice: User) -> None:
    await core.store.call("SET", keys.email("alice@example.org"), NOBODY)
    await core.users.change(alice.id, UserProfile(email=None))
    assert await core.store.get(keys.email("alice@example.org")) == NOBODY


async def test_a_lost_race_is_told_when_the_caller_names_a_version(core: Core, alice: User) -> None:
    await core.users.change(alice.id, UserProfile(city="Jeddah"), version=1)
    with pytest.raises(UserChanged):
        await core.users.change(alice.id, UserProfile(city="Abha"), version=1)
    assert (await core.users.get(alice.id)).city == "Jeddah"


async def test_concurrent_changes_all_happen(core: Core, alice: User) -> None:
    await asyncio.gather(
        *(core.users.change(alice.id, UserProfile(custom={f"n{n}": n})) for n in range(20)),
    )
    after = await core.users.get(alice.id)
    assert after.custom == {f"n{n}": n for n in range(20)}
    assert after.version == 21


async def test_a_new_address_waits_behind_a_verified_one_only(core: Core, alice: User) -> None:
    replaced = await core.users.change(alice.id, UserProfile(email="b@example.org"))
    assert (replaced.email, replaced.email_verified, replaced.pending_email) == ("b@example.org", False, None)
    await core.users.edit(alice.id, changes.with_verified_email)
    waiting = await core.users.change(alice.id, UserProfile(email="c@example.org"))
    assert (waiting.email, waiting.email_verified) == ("b@example.org", True)
    assert waiting.pending_email == "c@example.org"
    respelled = await core.users.change(alice.id, UserProfile(email="B@example.org"))
    assert (respelled.email, respelled.mail_address) == ("b@example.org", "B@example.org")
    assert (respelled.email_verified, respelled.pending_email) == (True, None)


async def test_free_fields_are_merged_and_kept_as_given(core: Core, alice: User) -> None:
    await core.users.change(
        alice.id, UserProfile(custom={"pets": [], "size": {}, "big": 2**53 + 1, "old": 1})
    )
    after = await core.users.change(alice.id, UserProfile(custom={"old": None, "note": "é"}))
    assert after.custom == {"pets": [], "size": {}, "big": 2**53 + 1, "note": "é"}
    assert (await core.users.get(alice.id)).custom == after.custom
    assert (await core.users.change(alice.id, UserProfile(custom=None))).custom == {}


async def test_deleting_leaves_nothing_and_frees_every_value(core: Core, alice: User) -> None:
    assert await core.users.delete(alice.id) == alice
    assert await assert_indexes_follow(core.store) == []
    with pytest.raises(UserNotFound):
        await core.users.delete(alice.id)
    again = await core.users.create(ALICE, Facts(providers=alice.providers))
    assert await assert_indexes_follow(core.store) == [again]


async def test_an_id_is_used_once(core: Core, alice: User) -> None:
    with pytest.raises(UserExists):
        await core.store.run(write_of(None, alice))
    assert await assert_indexes_follow(core.store) == [alice]


async def test_a_device_is_one_visitor(core: Core) -> None:
    visitors = await asyncio.gather(*(core.users.visitor("phone-1") for _ in range(20)))
    assert len({visitor.id for visitor in visitors}) == 1
    assert await core.users.count_visitors() == 1
    assert not visitors[0].registered


async def test_a_visitor_who_signs_up_stays_the_same_user(core: Core) -> None:
    visitor = await core.users.visitor("phone-1")
    user = await core.users.register(UserProfile(email="v@example.org", device_id="phone-1"))
    assert (user.id, user.registered) == (visitor.id, True)
    assert await core.users.count_visitors() == 0
    with pytest.raises(AlreadyRegistered):
        await core.users.visitor("phone-1")
    with pytest.raises(AlreadyRegistered):
        await core.users.convert_visitor(user.id, UserProfile(email="w@example.org"))
    with pytest.raises(Taken, match="This device is already taken"):
        await core.users.register(UserProfile(email="w@example.org", device_id="phone-1"))
    assert await assert_indexes_follow(core.store) == [user]


async def test_a_visitor_cannot_take_what_somebody_has(core: Core, alice: User) -> None:
    await core.users.visitor("phone-1")
    with pytest.raises(Taken, match="email"):
        await core.users.register(UserProfile(email="alice@example.org", device_id="phone-1"))
    assert await core.users.count_visitors() == 1
    await assert_indexes_follow(core.store)


async def test_signing_up_does_not_lift_a_suspension(core: Core) -> None:
    visitor = await core.users.visitor("phone-1")
    await core.users.set_status(visitor.id, AccountStatus.SUSPENDED)
    user = await core.users.register(UserProfile(email="v@example.org", device_id="phone-1"))
    assert (user.id, user.account_status) == (visitor.id, AccountStatus.SUSPENDED)


async def test_a_user_without_anything_to_be_found_by_is_refused(core: Core) -> None:
    with pytest.raises(BadProfile):
        await core.users.create(UserProfile(city="Riyadh"))


async def test_location_needs_consent_and_goes_with_it(core: Core, alice: User) -> None:
    here = Geolocation(latitude=24.7, longitude=46.7)
    with pytest.raises(ConsentRequired):
        await core.users.change(alice.id, UserProfile(geolocation=here))
    with_place = await core.users.change(alice.id, UserProfile(geolocation_consent=True, geolocation=here))
    assert with_place.geolocation == here
    without = await core.users.change(alice.id, UserProfile(geolocation_consent=False))
    assert (without.geolocation, without.province, without.city) == (None, None, None)
    assert await core.users.count("province", "Riyadh") == 0
    await assert_indexes_follow(core.store)
    await assert_clean(core.store)


async def test_flags_cost_trust_and_the_third_suspends(core: Core, alice: User) -> None:
    assert (await core.users.flag(alice.id, "stolen card")).trust_score == 80
    second = await core.users.flag(alice.id, "again")
    assert (second.trust_score, second.account_status) == (60, AccountStatus.ACTIVE)
    third = await core.users.flag(alice.id, "and again")
    assert (third.trust_score, third.account_status) == (40, AccountStatus.SUSPENDED)
    back = await core.users.unflag(alice.id, third.fraud_flags[0].id)
    assert (back.trust_score, back.account_status) == (60, AccountStatus.SUSPENDED)
    assert await core.users.count("status", "suspended") == 1
    with pytest.raises(FlagNotFound):
        await core.users.unflag(alice.id, third.fraud_flags[0].id)


async def test_trust_below_thirty_suspends_and_zero_is_zero(core: Core, alice: User) -> None:
    assert (await core.users.set_trust(alice.id, 30)).account_status is AccountStatus.ACTIVE
    await core.users.set_trust(alice.id, 0)
    after = await core.users.get(alice.id)
    assert (after.trust_score, after.account_status) == (0, AccountStatus.SUSPENDED)
    for wrong in (-1, 101):
        with pytest.raises(BadProfile):
            await core.users.set_trust(alice.id, wrong)


async def test_verifying_adds_trust_once_and_never_above_a_hundred(core: Core, alice: User) -> None:
    assert (await core.users.edit(alice.id, changes.with_verified_phone)).trust_score == 100
    await core.users.set_trust(alice.id, 50)
    await core.users.change(alice.id, UserProfile(phone="+966501234568"))
    assert (await core.users.edit(alice.id, changes.with_verified_phone)).trust_score == 50
    assert (await core.users.edit(alice.id, changes.with_verified_id)).trust_score == 60
    assert (await core.users.edit(alice.id, changes.with_verified_id)).trust_score == 60


@pytest.mark.parametrize("status", [AccountStatus.SUSPENDED, AccountStatus.DISABLED])
async def test_suspending_ends_sessions_in_the_same_step(
    core: Core, alice: User, status: AccountStatus, clock: PinnedClock
) -> None:
    await give_session(core, alice, clock)
    await core.users.set_status(alice.id, status)
    assert await sessions_left(core, alice) == 0


async def test_a_new_password_or_role_ends_sessions_and_a_rehash_does_not(
    core: Core, alice: User, clock: PinnedClock
) -> None:
    await give_session(core, alice, clock)
    await core.users.edit(alice.id, lambda user: replace(user, password_hash="hash"))
    assert await sessions_left(core, alice) == 1
    await core.users.edit(
        alice.id, lambda user: changes.with_password(user, "other", "2026-03-14T15:09:26.535Z")
    )
    assert await sessions_left(core, alice) == 0
    await give_session(core, alice, clock)
    await core.users.set_role(alice.id, UserRole.MODEL)
    assert await sessions_left(core, alice) == 0


async def give_session(core: Core, user: User, clock: PinnedClock) -> None:
    id, now = new_session_id(user.id), clock.now_ms()
    told = ("user_id", user.id, "created_at", iso(now), "last_used", iso(now))
    await core.store.call("HSET", keys.session(id), *told)
    await core.store.call("EXPIRE", keys.session(id), keys.SESSION_SECONDS)
    await core.store.call("ZADD", keys.user_sessions(user.id), now, id)
    await core.store.call("EXPIRE", keys.user_sessions(user.id), keys.SESSION_SECONDS)
    await assert_clean(core.store)


async def sessions_left(core: Core, user: User) -> int:
    living = [key for key in await account_keys(core.store) if key.declared is keys.session]
    assert int(await core.store.call("ZCARD", keys.user_sessions(user.id))) == len(living)
    return len(living)


async def test_lists_page_newest_first_without_gaps_or_repeats(core: Core, clock: PinnedClock) -> None:
    made = []
    for n in range(23):
        made.append(await core.users.create(UserProfile(username=f"u{n}", city="Abha", province="Asir")))
        if n % 5 == 0:
            clock.move(ms=1)
    wanted = sorted(made, key=lambda user: (user.created_at, user.id), reverse=True)
    for by, value in (
        ("status", "active"),
        ("role", "user"),
        ("province", "Asir"),
        ("city", "Abha"),
        (None, ""),
    ):
        seen: list[User] = []
        cursor = None
        while True:
            page = await core.users.list(by, value, limit=4, cursor=cursor)  # type: ignore[arg-type]
            seen += page.items
            cursor = page.next
            if cursor is None:
                break
        assert seen == wanted
        assert await core.users.count(by, value) == 23  # type: ignore[arg-type]


async def test_a_page_goes_on_when_its_last_user_is_gone(core: Core) -> None:
    made = [await core.users.create(UserProfile(username=f"u{n}")) for n in range(9)]
    wanted = sorted((user.id for user in made), reverse=True)
    first = await core.users.list("role", "user", limit=3)
    await core.users.delete(first.items[-1].id)
    rest = await core.users.list("role", "user", cursor=first.next)
    assert [user.id for user in first.items + rest.items] == wanted


async def test_a_cursor_of_somebody_else_is_refused(core: Core) -> None:
    for wrong in ("!!!", "AAAA", "MTIz", "x" * 5000, "é", "\ud800"):
        with pytest.raises(BadCursor):
            await core.users.list("role", "user", cursor=wrong)
    for limit in (0, -1, 201):
        with pytest.raises(BadProfile):
            await core.users.list("role", "user", limit=limit)
    with pytest.raises(BadProfile):
        await core.users.count("status", "asleep")


async def test_everything_that_leads_to_a_user_can_be_rebuilt(core: Core, alice: User) -> None:
    store = core.store
    await store.call("DEL", keys.email("alice@example.org"))
    await store.call("SET", keys.username("nobody"), alice.id)
    await store.call("SREM", keys.province_users("Riyadh"), alice.id)
    await store.call("SADD", keys.non_registered_users(), alice.id)
    await store.call("ZADD", keys.users_by("status", "active"), 5, alice.id)
    await store.call("ZADD", keys.users_by("role", "admin"), 5, alice.id)
    await store.call("DEL", keys.users_by("city", "Riyadh"))
    report = await check(store)
    assert (report.total, report.clean) == (7, False)
    await check(store, repair=True)
    assert await assert_indexes_follow(store) == [alice]
    await assert_clean(store)
