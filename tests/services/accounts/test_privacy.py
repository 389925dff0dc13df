import msgspec
import pytest

from tests.services.accounts.core import Core, account_keys, assert_indexes_follow, core_of
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean, raw_names
from townsquare.clock import iso
from townsquare.services.accounts import keys
from townsquare.services.accounts.ids import new_session_id
from townsquare.services.accounts.models import (
    AccountStatus,
    AdminUser,
    Facts,
    PrivateUser,
    PublicUser,
    User,
    UserProfile,
)
from townsquare.services.accounts.problems import TooManyCodes, UserBeingDeleted, UserNotFound
from townsquare.services.accounts.signin.models import VerificationType
from townsquare.services.accounts.signin.verification_codes import VerificationCodes
from townsquare.services.accounts.users import changes
from townsquare.square import Square
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import job, jobs_open

HASH = "$argon2id$v=19$secret"


@pytest.fixture
def core(square: Square) -> Core:
    return core_of(square)


@pytest.fixture
async def alice(core: Core) -> User:
    return await core.users.create(
        UserProfile(email="alice@example.org", phone="+966501234567", city="Riyadh", custom={"pet": "cat"}),
        Facts(password_hash=HASH, providers={"google": "g-1"}),
    )


class Shelf:
    """Another service, with things of a user."""

    def __init__(self, count: int, failures: int = 0) -> None:
        self.things = list(range(count))
        self.failures = failures

    async def export(self, user: User) -> list[int]:
        return self.things

    async def forget(self, user: User) -> int:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("away")
        taken, self.things = self.things[:10], self.things[10:]
        return len(taken)


async def give_session(core: Core, user: User, clock: PinnedClock) -> str:
    id, now = new_session_id(user.id), clock.now_ms()
    told = ("user_id", user.id, "created_at", iso(now), "last_used", iso(now), "refresh", "hashed")
    await core.store.call("HSET", keys.session(id), *told)
    await core.store.call("EXPIRE", keys.session(id), keys.SESSION_SECONDS)
    await core.store.call("ZADD", keys.user_sessions(user.id), now, id)
    await core.store.call("EXPIRE", keys.user_sessions(user.id), keys.SESSION_SECONDS)
    return id


async def test_an_export_has_everything_of_every_service_and_no_secrets(
    core: Core, alice: User, clock: PinnedClock
) -> None:
    await give_session(core, alice, clock)
    core.privacy.register("shelf", export=Shelf(3).export)
    text = msgspec.json.encode(await core.privacy.export(alice.id)).decode()
    export = msgspec.json.decode(text)
    assert export["services"]["shelf"] == [0, 1, 2]
    account = export["services"]["accounts"]
    assert account["user"]["email"] == "alice@example.org"
    assert account["user"]["custom"] == {"pet": "cat"}
    assert account["providers"] == {"google": "g-1"}
    assert account["sessions"][0]["user_id"] == alice.id
    assert HASH not in text
    assert "hashed" not in text


async def test_deletion_goes_through_every_service_and_leaves_nothing(
    core: Core, alice: User, clock: PinnedClock
) -> None:
    shelf = Shelf(35)
    core.privacy.register("shelf", delete=shelf.forget)
    await give_session(core, alice, clock)
    await core.store.call("SET", keys.verify("alice@example.org"), "{}", "EX", keys.CODE_SECONDS)
    await core.privacy.delete(alice.id)
    assert shelf.things == []
    assert await account_keys(core.store) == []
    assert not [name for name in await raw_names(core.store) if alice.id in name or "job" in name]
    with pytest.raises(UserNotFound):
        await core.privacy.delete(alice.id)


async def test_codes_that_were_sent_name_nobody_and_still_count_after_the_deletion(
    core: Core, alice: User
) -> None:
    codes = VerificationCodes(core.store, "a secret of the tests")
    for number in range(keys.CODE_MAILS):
        assert await codes.issue("alice@example.org", VerificationType.EMAIL, alice.id, f"192.0.2.{number}")
    await core.privacy.delete(alice.id)
    assert not [name for name in await raw_names(core.store) if "alice" in name]
    with pytest.raises(TooManyCodes):
        await codes.issue("alice@example.org", VerificationType.EMAIL, None, "192.0.2.9")


async def test_an_account_is_closed_before_its_deletion_is_done(
    core: Core, alice: User, clock: PinnedClock
) -> None:
    await give_session(core, alice, clock)
    begun = await core.privacy.begin_deletion(alice.id)
    closed = await core.users.get(alice.id)
    assert (closed.account_status, closed.deleting) == (AccountStatus.DISABLED, begun)
    assert await core.store.call("EXISTS", keys.user_sessions(alice.id)) == 0
    assert not await core.users.is_free("email", "alice@example.org")
    with pytest.raises(UserBeingDeleted):
        await core.users.set_status(alice.id, AccountStatus.ACTIVE)
    assert await core.privacy.begin_deletion(alice.id) == begun
    await assert_clean(core.store)
    await core.jobs.run_open()
    assert await account_keys(core.store) == []
    await assert_clean(core.store)


async def test_a_deletion_that_stopped_half_way_goes_on(core: Core, alice: User, clock: PinnedClock) -> None:
    shelf = Shelf(35, failures=1)
    core.privacy.register("shelf", delete=shelf.forget)
    with pytest.raises(RuntimeError):
        await core.privacy.delete(alice.id)
    closed = await core.users.get(alice.id)
    assert closed.deleting
    record = await core.store.get(job(closed.deleting))
    assert record is not None
    assert record.state == "failed"

    clock.move(minutes=1)
    after_a_restart = Core(core.store, Jobs(core.store))
    after_a_restart.privacy.register("shelf", delete=shelf.forget)
    await after_a_restart.jobs.run_open()
    assert shelf.things == []
    assert await account_keys(core.store) == []
    assert await core.store.call("ZCARD", jobs_open()) == 0


async def test_a_user_who_signs_up_again_is_another_user(core: Core, alice: User) -> None:
    await core.privacy.delete(alice.id)
    again = await core.users.create(UserProfile(email="alice@example.org"))
    assert again.id != alice.id
    assert await assert_indexes_follow(core.store) == [again]


async def test_each_sees_what_is_theirs_to_see(core: Core, alice: User) -> None:
    await core.users.flag(alice.id, "stolen card")
    user = await core.users.edit(alice.id, changes.with_verified_email)
    public, private, admin = (
        msgspec.to_builtins(view(user)) for view in (PublicUser.of, PrivateUser.of, AdminUser.of)
    )
    assert set(public) == {
        "id",
        "username",
        "displayName",
        "firstName",
        "avatar",
        "links",
        "role",
        "createdAt",
    }
    assert (private["email"], private["hasPassword"]) == ("alice@example.org", True)
    assert private["linkedProviders"] == ("google",)
    assert not {"fraudFlags", "trustScore", "passwordHash", "deviceId"} & set(private)
    assert admin["fraudFlags"][0]["reason"] == "stolen card"
    for seen in (public, private, admin):
        assert HASH not in str(seen)
