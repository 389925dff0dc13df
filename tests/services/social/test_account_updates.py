"""Profiles keep to their accounts, whatever happens at the same time and whoever dies."""

import asyncio
import contextlib
import itertools
import math
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.services.social.changing_accounts import POOL
from tests.services.social.name_search import keys_naming
from tests.support.clock import PinnedClock
from tests.support.commands import commands_on
from tests.support.squares import Place, assert_clean, browse, open_square
from townsquare.clock import SystemClock
from townsquare.integrity.check import check
from townsquare.integrity.findings import FindingKind, Outcome
from townsquare.keyspace import Role
from townsquare.services.accounts import keys as account_keys
from townsquare.services.accounts import service_updates
from townsquare.services.accounts.models import Facts, User, UserProfile, UserRole
from townsquare.services.accounts.signin.models import Client
from townsquare.services.social import keys
from townsquare.services.social.keys.common import RENAME_USER_JOB
from townsquare.services.social.problems import BadProfileField, ProfileNotFound, UserBeingRenamed
from townsquare.square import Square
from townsquare.store.coordination.jobs import RETRY_SECONDS
from townsquare.store.keys import LEASE_SECONDS

PICTURE = "https://example.org/new.png"
CLIENTS = 100
DEEDS = 400  # that a process does before it is killed


@pytest.fixture
async def ann(square: Square) -> User:
    user = await square.accounts.users.create(UserProfile(username="ann"), Facts(role=UserRole.MODEL))
    await square.social.posts.create("ann", "mine")
    return user


@pytest.fixture
async def site(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(square) as client:
        yield client


async def finish_jobs(square: Square) -> None:
    while await square.jobs.list():
        await square.jobs.run_open()


async def fail(args: dict[str, Any]) -> int:
    raise RuntimeError("no disk")


async def assert_in_line(square: Square, id: str) -> None:
    account = await square.accounts.users.get(id)
    profile = await square.social.profiles.get(str(account.username))
    assert (profile.role, profile.avatar) == (account.role, account.avatar)


async def assert_repairs(square: Square, id: str, says: str) -> None:
    """The checker says so, and repairs it."""
    found = await check(square.store)
    (drift,) = [one for one in found.findings if one.kind is FindingKind.REPRESENTS]
    assert says in drift.problem
    repaired = await check(square.store, repair=True, jobs=square.jobs)
    assert repaired.clean, repaired
    await assert_in_line(square, id)
    await assert_clean(square.store)


async def test_changes_after_a_rename_are_not_lost(square: Square, ann: User) -> None:
    users = square.accounts.users
    await users.change(ann.id, UserProfile(username="anna"))
    await users.set_role(ann.id, UserRole.ADMIN)
    await users.change(ann.id, UserProfile(avatar=PICTURE))
    await finish_jobs(square)
    profile = await square.social.profiles.get("anna")
    assert (profile.role, profile.avatar, profile.post_count) == ("admin", PICTURE, 1)
    await assert_clean(square.store)


async def test_a_change_that_services_could_not_take_in_is_taken_in_later(
    square: Square, ann: User, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = square.accounts.users
    monkeypatch.setitem(square.jobs._steps, account_keys.UPDATE_SERVICES_JOB, fail)
    await users.change(ann.id, UserProfile(username="anna"))
    await users.change(ann.id, UserProfile(username="anita", avatar=PICTURE))
    (open_job,) = await square.jobs.list()
    assert (open_job.kind, open_job.state) == ("accounts.update_services", "failed")
    await assert_clean(square.store)  # it is open, not lost
    monkeypatch.undo()
    clock.move(seconds=10 * RETRY_SECONDS)
    await finish_jobs(square)
    profile = await square.social.profiles.get("anita")
    assert (profile.avatar, profile.post_count) == (PICTURE, 1)
    assert await square.social.renames.current_name("ann") == "anita"
    await assert_clean(square.store)


class Died(BaseException):
    """Nothing catches it, as nothing catches a kill."""


class Mortal:
    """A process that dies at the last script that it has left to run, before or after it."""

    def __init__(self, square: Square, monkeypatch: pytest.MonkeyPatch) -> None:
        nodes = square.store.role_stores[Role.DATA].nodes
        self._execute = nodes.execute
        self.left: float = math.inf
        self.after = False
        monkeypatch.setattr(nodes, "execute", self._counted)

    async def _counted(self, slot: int | None, *words: Any) -> Any:
        if words[0] != "EVALSHA":
            return await self._execute(slot, *words)
        self.left -= 1
        if self.left == 0 and self.after:
            await self._execute(slot, *words)
        if self.left <= 0:
            raise Died
        return await self._execute(slot, *words)


@pytest.mark.slow
async def test_wherever_a_process_dies_another_goes_on(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_square(plain_place, clock) as square, open_square(plain_place, clock) as another:
        users, process = square.accounts.users, Mortal(square, monkeypatch)
        for turn in itertools.count():
            process.left = math.inf
            ann = await users.create(UserProfile(username=f"ann{turn}"))
            post = await square.social.posts.create(f"ann{turn}", "mine")
            process.left, process.after = turn // 2 + 1, turn % 2 == 1
            with contextlib.suppress(Died):
                await users.change(ann.id, UserProfile(username=f"anna{turn}", avatar=PICTURE))
            clock.move(seconds=LEASE_SECONDS + RETRY_SECONDS)
            await finish_jobs(another)
            await assert_in_line(another, ann.id)
            username = (await another.accounts.users.get(ann.id)).username
            assert (await another.social.posts.get(post.id)).username == username
            if process.left > 0:
                break
        assert turn > 20, "it died at every script"
        await assert_clean(another.store)


async def test_a_deletion_in_the_middle_of_a_rename_leaves_nothing(
    square: Square, ann: User, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(square.jobs._steps, RENAME_USER_JOB, fail)
    await square.accounts.users.change(ann.id, UserProfile(username="anna"))
    await square.accounts.privacy.begin_deletion(ann.id)
    await square.jobs.run_open()
    monkeypatch.undo()
    for _ in range(3):
        clock.move(hours=1)
        await square.jobs.run_open()
    assert await square.jobs.list() == []
    assert await keys_naming(square.store, "ann") | await keys_naming(square.store, "anna") == set()
    await assert_clean(square.store)


async def test_a_profile_that_got_in_the_way_is_nobody_elses(
    square: Square, ann: User, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loaded between the check of a name and the write of the account."""

    async def look_away(*_: object) -> None:
        pass

    monkeypatch.setattr(square.services["accounts"].updates, "check_name", look_away)
    await square.social.profiles.register("anna", given={"phone": "555"})
    await square.accounts.users.change(ann.id, UserProfile(username="anna"))
    (job,) = await square.jobs.list()
    assert "The profile anna belongs to another account" in job.error
    assert (await square.social.profiles.get("ann")).post_count == 1
    await square.accounts.users.change(ann.id, UserProfile(username="anita"))
    assert (await square.social.profiles.get("anita")).post_count == 1
    assert (await square.social.profiles.own("anna")).private == {"phone": "555"}
    await assert_clean(square.store)


async def test_who_leaves_has_no_profile_until_coming_back(square: Square, ann: User) -> None:
    await square.social.users.delete("ann")
    await finish_jobs(square)
    await square.accounts.users.change(ann.id, UserProfile(username="anna"))
    with pytest.raises(ProfileNotFound):
        await square.social.profiles.get("anna")
    await assert_clean(square.store)
    assert (await square.social.users.join("anna", "user")).role == "model"
    assert (await square.social.profiles.get("anna")).post_count == 0
    await assert_clean(square.store)


async def test_a_rename_after_a_request_for_a_profile_takes_the_profile_along(
    square: Square, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request found no profile, so services apply the account again. The account is renamed before."""
    users, updates = square.accounts.users, square.services["accounts"].updates
    await updates.reopen(ann.id)
    await users.change(ann.id, UserProfile(username="anna"))
    await finish_jobs(square)
    assert await square.social.renames.name_state("ann") is None
    finish, names = updates._finish, iter(["anita"])

    async def finish_and_rename(*args: Any) -> int:
        left: int = await finish(*args)
        for name in names:
            await users.change(ann.id, UserProfile(username=name))
        return left

    monkeypatch.setattr(updates, "_finish", finish_and_rename)
    await updates.reopen(ann.id)
    await updates.reopen(ann.id)  # the job is open: it runs again when it has finished
    await finish_jobs(square)
    assert (await square.social.profiles.get("anita")).post_count == 1
    assert await square.social.renames.name_state("anna") is None
    await assert_clean(square.store)


async def test_a_request_under_a_former_name_makes_no_profile(
    square: Square, site: httpx.AsyncClient, ann: User
) -> None:
    """The caller is renamed after the request was authenticated, and perhaps somebody else has the name."""
    await square.accounts.users.change(ann.id, UserProfile(username="anna"))
    with pytest.raises(UserBeingRenamed):
        await square.social.users.join("ann", "user", account=ann.id)
    bob = await square.accounts.users.create(UserProfile(username="bob"))
    await square.social.users.delete("bob")
    await finish_jobs(square)
    with pytest.raises(UserBeingRenamed):
        await square.social.users.join("bob", "user", account=ann.id)
    assert (await square.accounts.users.get(bob.id)).left == ("social",)
    assert (await site.get("/social/users/ann")).headers["location"] == "/social/users/anna"
    await assert_clean(square.store)


@pytest.mark.slow
async def test_requests_for_a_profile_race_with_renames(square: Square, site: httpx.AsyncClient) -> None:
    """A hundred clients: of each account, three ask for a profile while the fourth changes the name."""
    users, chance = square.accounts.users, random.Random(1)
    accounts = [await users.create(UserProfile(username=f"old{number}")) for number in range(CLIENTS // 4)]
    tokens = [
        (await square.accounts.sessions.issue(one, "password", Client())).access_token for one in accounts
    ]
    for account in accounts:
        await square.social.users.delete(str(account.username))
    await finish_jobs(square)

    async def join(token: str) -> int:
        await asyncio.sleep(chance.uniform(0, 0.1))
        headers = {"Authorization": f"Bearer {token}"}
        return (await site.post("/social/users/me", headers=headers)).status_code

    async def rename(number: int, account: User) -> int:
        await users.change(account.id, UserProfile(username=f"new{number}"))
        return 200

    clients = [rename(number, account) for number, account in enumerate(accounts)]
    statuses = await asyncio.gather(*clients, *(join(token) for token in tokens for _ in range(3)))
    assert {*statuses} <= {200, 404, 409}
    await finish_jobs(square)
    await assert_clean(square.store)
    for number in range(len(accounts)):
        assert await square.social.renames.name_state(f"old{number}") is None


async def test_what_belongs_to_the_account_is_changed_there(square: Square, ann: User) -> None:
    with pytest.raises(BadProfileField):
        await square.social.users.edit(
            "ann", {"avatar": "javascript:x"}, by="ann", role="user", as_moderator=True
        )
    assert (await square.accounts.users.get(ann.id)).role is UserRole.MODEL
    await square.social.users.edit("ann", {"avatar": PICTURE, "bio": "hi"}, by="ann")
    await square.social.sync.users([{"username": "ann", "role": "user", "links": ["https://example.org"]}])
    account = await square.accounts.users.get(ann.id)
    assert (account.avatar, account.role, account.links) == (PICTURE, "user", ("https://example.org",))
    assert (await square.social.profiles.get("ann")).bio == "hi"
    await square.social.redis_writes.run(
        [["HSET", "user:ann", "links", "https://example.com", "word", "links"]]
    )
    assert (await square.accounts.users.get(ann.id)).links == ("https://example.com",)
    await assert_in_line(square, ann.id)
    await square.social.redis_writes.run([["HDEL", "user:ann", "links"]])
    assert not (await square.accounts.users.get(ann.id)).links
    await assert_in_line(square, ann.id)
    await assert_clean(square.store)


def test_the_operators_rename_is_one_of_the_account(place: Place, clock: PinnedClock) -> None:
    async def on_square(work: Any) -> Any:
        async with open_square(place, clock) as square:
            return await work(square)

    def do(work: Any) -> Any:
        return asyncio.run(on_square(work))

    ann = do(lambda square: square.accounts.users.create(UserProfile(username="ann")))
    with commands_on(lambda: open_square(place, clock)) as say:
        assert say("social", "rename", "ann", "anna").exit_code == 0
    assert do(lambda square: square.accounts.users.get(ann.id)).username == "anna"
    do(lambda square: assert_in_line(square, ann.id))


async def test_the_checker_finds_and_repairs_what_has_drifted(square: Square, ann: User) -> None:
    profile = keys.user("ann")
    await square.store.call("HSET", profile, "avatar", "https://example.org/old.png")
    await assert_repairs(
        square, ann.id, "avatar of social user:ann is 'https://example.org/old.png', not absent"
    )
    await square.jobs.deletion.delete(profile)
    await assert_repairs(square, ann.id, "has no social user:ann")


async def test_a_profile_under_a_former_name_of_its_account_is_found_and_renamed(
    square: Square, ann: User
) -> None:
    before = await square.store.call("GET", account_keys.user(ann.id))
    await square.store.call("SET", account_keys.user(ann.id), before.replace(b'"ann"', b'"anna"'))
    found = await check(square.store)
    assert "is of user:" in " ".join(one.problem for one in found.findings)
    await check(square.store, repair=True, jobs=square.jobs)
    await finish_jobs(square)
    assert (await square.social.profiles.get("anna")).post_count == 1
    await assert_clean(square.store)


async def test_a_repair_does_not_wait_for_the_job_that_it_has_started(square: Square, ann: User) -> None:
    """What has an open job is left alone: so the rest is repaired before jobs are started."""
    before = await square.store.call("GET", account_keys.user(ann.id))
    await square.store.call("SET", account_keys.user(ann.id), before.replace(b'"ann"', b'"anna"'))
    report = await check(square.store, repair=True)  # a server would run the job
    assert {one.outcome for one in report.findings} == {Outcome.REPAIRED}
    assert await square.store.call("GET", account_keys.username("anna")) == ann.id.encode()
    await finish_jobs(square)
    await check(square.store, repair=True, jobs=square.jobs)
    await finish_jobs(square)
    await assert_clean(square.store)


async def test_profiles_from_before_they_knew_their_accounts_keep_what_they_have(
    square: Square, ann: User
) -> None:
    await square.store.call("HDEL", keys.user("ann"), "owner_account")
    await square.store.call("HSET", keys.user("ann"), "avatar", PICTURE)
    await assert_repairs(square, ann.id, "avatar of social user:ann")
    assert (await square.accounts.users.get(ann.id)).avatar == PICTURE
    assert (await square.social.profiles.get("ann")).post_count == 1


async def test_an_answer_says_that_a_change_is_under_way(
    square: Square, site: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = Client("192.0.2.1", "laptop")
    eve = await square.accounts.password.sign_up(UserProfile(username="eve"), "correct horse battery", device)
    headers = {"Authorization": f"Bearer {eve.access_token}"}
    done = await site.patch("/accounts/me", json={"avatar": PICTURE}, headers=headers)
    assert done.json()["updating"] is None
    assert (await site.get("/social/users/eve")).json()["avatar"] == PICTURE
    monkeypatch.setattr(service_updates, "PATIENCE", 0.0)
    begun = await site.patch("/accounts/me", json={"username": "evelyn"}, headers=headers)
    assert begun.status_code == 200
    shown = await site.get("/accounts/me", headers=headers)
    assert begun.json()["updating"] in (
        shown.json()["updating"],
        *(job.id for job in await square.jobs.list()),
    )
    await finish_jobs(square)
    assert (await site.get("/accounts/me", headers=headers)).json()["updating"] is None
    assert (await site.get("/social/users/evelyn")).status_code == 200


class LaterClock(SystemClock):
    """After the leases of those who were killed."""

    def now_ms(self) -> int:
        return super().now_ms() + 3_600_000


@asynccontextmanager
async def changing(place: Place, seed: int, ids: list[str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Such a process, which is killed after so many deeds."""
    module = "tests.services.social.changing_accounts"
    words = [sys.executable, "-m", module, place.data_url, place.cache_url, str(seed), *ids]
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        await process.wait()


async def killed_while_changing(place: Place, seed: int, ids: list[str]) -> None:
    async with changing(place, seed, ids) as process:
        assert process.stdout
        for _ in range(DEEDS):
            assert await process.stdout.readline()


@pytest.mark.slow
async def test_a_hundred_clients_of_processes_that_die_leave_every_profile_with_its_account(
    place: Place,
) -> None:
    async with open_square(place, SystemClock()) as square:
        people = [
            await square.accounts.users.create(UserProfile(username=f"name{number}"))
            for number in range(CLIENTS)
        ]
        ids, posts = [person.id for person in people], {}
        for number, id in enumerate(ids):
            await square.social.users.change(f"name{number}", {"mark": id})
            posts[id] = (await square.social.posts.create(f"name{number}", "first")).id
    for turn in range(2):
        await asyncio.gather(
            killed_while_changing(place, turn, ids[::2]), killed_while_changing(place, turn + 7, ids[1::2])
        )
    async with open_square(place, LaterClock()) as square:
        async with asyncio.timeout(60):
            while await square.store.effects.sweep() or await square.jobs.list():
                await square.jobs.run_open()
        for id in ids:
            await assert_in_line(square, id)
            username = str((await square.accounts.users.get(id)).username)
            assert (await square.social.profiles.own(username)).private == {"mark": id}
            assert (await square.social.posts.get(posts[id])).username == username
        names = {f"name{number}" for number in range(POOL)}
        taken = {str((await square.accounts.users.get(id)).username) for id in ids}
        for name in names - taken:
            with pytest.raises(ProfileNotFound):
                await square.social.profiles.get(name)
        await assert_clean(square.store)
