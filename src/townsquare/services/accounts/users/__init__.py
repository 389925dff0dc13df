"""Create, find, change and list users. All writes of `user:{id}` are here."""

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from townsquare.clock import from_iso, iso
from townsquare.keyspace import Declared, carried_bucket, mint_id
from townsquare.kit.paging import Page
from townsquare.kit.usernames import is_username
from townsquare.problems import Conflict, Invalid, Taken
from townsquare.services.accounts import keys, problems
from townsquare.services.accounts.ids import USER_ID, new_flag_id, new_user_id
from townsquare.services.accounts.models import (
    FULL_TRUST,
    AccountStatus,
    Facts,
    FraudFlag,
    User,
    UserProfile,
    UserRole,
)
from townsquare.services.accounts.scripts import ChangeUser, CreateUser, DeleteUser
from townsquare.services.accounts.service_updates import ServiceUpdates, update_start
from townsquare.services.accounts.users import changes, listing, normalise
from townsquare.services.accounts.users.listing import By
from townsquare.services.accounts.users.unique_values import (
    INDEXES,
    Claim,
    claims_of,
    new_claims,
    run_claiming,
)
from townsquare.services.events import RequestedName
from townsquare.store.store import Store

ATTEMPTS = 60  # of a change that conflicts with others
PAGE_LENGTH = 50
UserCount = Annotated[int, Meta(ge=1, le=200)]  # of a page

Edit = Callable[[User], User]
Index = Literal["email", "username", "phone", "device", "google", "github"]
ADDRESSES: tuple[Index, ...] = ("email", "phone")

FOUND_BY: dict[Index, tuple[Declared[..., str], Callable[[str], str]]] = {
    "email": (keys.email, normalise.mailbox),
    "username": (keys.username, normalise.username),
    "phone": (keys.phone, normalise.phone),
    "device": (keys.device, normalise.device_id),
    "google": (keys.google, lambda id: normalise.provider("google", id)[1]),
    "github": (keys.provider_github, lambda id: normalise.provider("github", id)[1]),
}  # the index key and the function that normalises its value


class Users:
    def __init__(self, store: Store, updates: ServiceUpdates) -> None:
        self._store = store
        self._updates = updates

    async def register(
        self, profile: UserProfile, facts: Facts | None = None, *, visitor: str | None = None
    ) -> User:
        """Sign up a user. A visitor with this id or device becomes a registered user; otherwise a user is
        created."""
        if visitor is not None:
            try:
                return await self.convert_visitor(visitor, profile, facts)
            except (problems.AlreadyRegistered, problems.UserNotFound):
                pass
        device = profile.device_id
        holder = await self.find_by("device", device) if isinstance(device, str) else None
        if holder is None:
            return await self.create(profile, facts)
        try:
            return await self.convert_visitor(holder.id, profile, facts)
        except problems.AlreadyRegistered:
            raise problems.taken("deviceId") from None

    async def convert_visitor(self, id: str, profile: UserProfile, facts: Facts | None = None) -> User:
        """Turn a visitor into a registered user with the same id."""
        fields = normalise.profile(profile)
        now = self._now()

        def edit(visitor: User) -> User:
            if visitor.registered:
                raise problems.AlreadyRegistered()
            return changes.with_facts(changes.with_profile(visitor, fields), facts or Facts(), now)

        return await self.edit(id, edit)

    async def create(
        self, profile: UserProfile, facts: Facts | None = None, *, vouched: bool = False
    ) -> User:
        """Create a user; raises Taken with the field if another user has the value.

        `vouched` confirms that the username is this user's, so existing records of other services under it
        become the user's.
        """
        return await self._write_new(self._new(profile, facts or Facts()), vouched=vouched)

    async def visitor(self, device_id: str) -> User:
        """The visitor with this device, created if it is new."""
        new = replace(self._new(UserProfile(device_id=device_id), Facts()), registered=False)
        for _ in range(2):
            known = await self.find_by("device", device_id)
            if known is not None:
                if known.registered:
                    raise problems.AlreadyRegistered()
                return known
            try:
                return await self._write_new(new)
            except Taken:
                continue  # a concurrent request of the same device
        raise problems.UserChanged()

    def _new(self, profile: UserProfile, facts: Facts) -> User:
        now = self._now()
        blank = User(
            id=new_user_id(),
            version=1,
            created_at=now,
            updated_at=now,
            account_status=AccountStatus.ACTIVE,
            role=UserRole.USER,
            trust_score=FULL_TRUST,
        )
        return changes.with_facts(changes.with_profile(blank, normalise.profile(profile)), facts, now)

    async def _write_new(self, user: User, *, vouched: bool = False) -> User:
        if not claims_of(user):
            raise normalise.bad_field("email", "a user needs an email, username, phone, device or provider")
        if user.username:
            await self._updates.check_name(RequestedName(None, user.username, vouched, user.id))
        job = await run_claiming(self._store, write_of(None, user))
        if job:
            await self._updates.wait(job)
        return user

    async def get(self, id: str) -> User:
        user = await self._store.get(keys.user(id)) if USER_ID.matches(id) else None
        if user is None:
            raise problems.UserNotFound()
        return user

    async def find(self, who: str) -> User:
        """Find a user by id, email address, phone number or username."""
        if USER_ID.matches(who):
            return await self.get(who)
        index = index_of(who)
        user = await self.find_by(index, who)
        if user is None:
            raise problems.UserNotFound(f"Nobody has the {index} {who}")
        return user

    async def find_by_any(self, who: str) -> User | None:
        """Find a user by id or by any index, in two round trips."""
        if USER_ID.matches(who):
            return await self._store.get(keys.user(who))
        asked: list[Claim] = []
        for leading, normalised in FOUND_BY.values():
            with contextlib.suppress(Invalid):  # not the form of such an identifier
                asked.append([leading.name, normalised(who)])
        ids = await self._store.get_many([INDEXES[name].index(value) for name, value in asked])
        held = [(claim, id) for claim, id in zip(asked, ids, strict=True) if id]
        users = await self.get_many([id for _, id in held])
        found = zip(held, users, strict=True)
        return next((user for (claim, _), user in found if user and claim in claims_of(user)), None)

    async def get_many(self, ids: Sequence[str]) -> list[User | None]:
        """Read users in one round trip; None for those that do not exist."""
        found = dict.fromkeys(ids)
        asked = [id for id in found if USER_ID.matches(id)]
        users = dict(zip(asked, await self._store.get_many([keys.user(id) for id in asked]), strict=True))
        return [users.get(id) for id in ids]

    async def ids_of_names(self, names: Sequence[str]) -> list[str]:
        """Ids by username, in one round trip; unknown usernames are omitted."""
        asked = [keys.username(name) for name in names if is_username(name)]
        return [id for id in await self._store.get_many(asked) if id]

    async def find_by(self, index: Index, value: str) -> User | None:
        """Find a user by an index, in two O(1) steps."""
        leading, normalised = FOUND_BY[index]
        return await self._holder(leading, normalised(value))

    async def find_by_outside(self, issuer: str, subject: str) -> User | None:
        """Find a user by the identity at an outside token issuer."""
        return await self._holder(keys.outside, issuer, subject)

    async def _holder(self, leading: Declared[..., str], *spelled: str) -> User | None:
        id = await self._store.get(leading(*spelled))
        user = await self._store.get(keys.user(id)) if id else None
        return user if user and [leading.name, *spelled] in claims_of(user) else None

    async def is_free(self, index: Index, value: str) -> bool:
        leading, normalised = FOUND_BY[index]
        if await self._store.get(leading(normalised(value))) is not None:
            return False
        if index == "username":
            try:
                await self._updates.check_name(RequestedName(None, value))
            except (Taken, Invalid):
                return False
        return True

    async def change(self, id: str, profile: UserProfile, *, version: int | None = None) -> User:
        """Change a profile; with `version` only if it is still the current version."""
        fields = normalise.profile(profile)
        for index in ADDRESSES:
            holder = await self.find_by(index, fields[index]) if fields.get(index) else None
            if holder is not None and holder.id != id:  # a pending address is not claimed yet
                raise problems.taken(index)
        return await self.edit(id, lambda user: changes.with_profile(user, fields), version=version)

    async def edit(self, id: str, edit: Edit, *, version: int | None = None) -> User:
        """Apply a pure function to the document with compare-and-set; retried after a conflict unless
        `version` is given."""
        for attempt in range(ATTEMPTS):
            before = await self.get(id)
            if version is not None and before.version != version:
                raise problems.UserChanged()
            edited = edit(before)
            if edited == before:
                return before
            if edited.username != before.username:
                await self._updates.check_name(RequestedName(before.username, edited.username, user_id=id))
            after = replace(edited, version=before.version + 1, updated_at=self._now())
            try:
                job = await run_claiming(self._store, write_of(before, after))
            except Conflict as conflict:  # a concurrent write, or an expired claim
                if version is not None or isinstance(conflict, problems.UserBeingDeleted):
                    raise
                await asyncio.sleep(random.uniform(0, 0.002 * attempt))
                continue
            if job:
                await self._updates.wait(job)
            return after
        raise problems.UserChanged()

    async def delete(self, id: str) -> User:
        """Delete the user and its indexes in one step; returns the deleted user.

        Data of other services stays: `AccountPrivacy.delete` deletes it everywhere.
        """
        user = await self.get(id)
        job, now = mint_id(carried_bucket(id)), self._store.clock.now_ms()
        await self._store.run(DeleteUser(id=id, job=job, begin=True, chunk=1, now=now))
        return user

    async def set_status(self, id: str, status: AccountStatus) -> User:
        """Set the status. Sessions of suspended and disabled users end at once."""
        return await self.edit(id, lambda user: replace(user, account_status=status))

    async def set_role(self, id: str, role: UserRole) -> User:
        return await self.edit(id, lambda user: replace(user, role=role))

    async def leave(self, id: str, service: str) -> User:
        """Delete the user's data in one service; the account stays."""
        return await self.edit(id, lambda user: replace(user, left=tuple(sorted({*user.left, service}))))

    async def join(self, id: str, service: str) -> User:
        """Join a service again after `leave`."""
        return await self.edit(
            id, lambda user: replace(user, left=tuple(one for one in user.left if one != service))
        )

    async def set_trust(self, id: str, score: int) -> User:
        if not 0 <= score <= FULL_TRUST:
            raise normalise.bad_field("trustScore", f"use 0 to {FULL_TRUST}")
        return await self.edit(
            id, lambda user: changes.suspended_if_untrusted(replace(user, trust_score=score))
        )

    async def flag(self, id: str, reason: str, *, by: str | None = None) -> User:
        """Raise a fraud flag. It lowers the trust score; three flags or a low score suspend the account."""
        why = normalise.line(reason, "reason")
        if why is None:
            raise normalise.bad_field("reason", "say why")
        if not USER_ID.matches(id):
            raise problems.UserNotFound()
        flag = FraudFlag(id=new_flag_id(id), reason=why, at=self._now(), by=by)
        return await self.edit(id, lambda user: changes.with_flag(user, flag))

    async def unflag(self, id: str, flag_id: str) -> User:
        return await self.edit(id, lambda user: changes.without_flag(user, flag_id))

    async def link(self, id: str, provider: str, provider_id: str) -> User:
        return await self.edit(id, lambda user: changes.with_provider(user, provider, provider_id))

    async def unlink(self, id: str, provider: str) -> User:
        """Remove a sign-in method, except for the last one."""

        def edit(user: User) -> User:
            without = changes.without_provider(user, provider)
            if without != user and not changes.has_a_way_in(without):
                raise problems.LastWay()
            return without

        return await self.edit(id, edit)

    async def list(
        self,
        by: By | None = None,
        value: str = "",
        *,
        limit: UserCount = PAGE_LENGTH,
        cursor: str | None = None,
    ) -> Page[User]:
        """A page of all users, or of one status, role, province or city; newest first."""
        ids, following = await listing.page(self._store, by, value, limit, cursor)
        users = await self.get_many(ids)
        return Page([user for user in users if user], following)

    async def count(self, by: By | None = None, value: str = "") -> int:
        return await listing.count(self._store, by, value)

    async def count_visitors(self) -> int:
        return int(await self._store.call("SCARD", keys.non_registered_users()))

    def _now(self) -> str:
        return iso(self._store.clock.now_ms())


def index_of(identifier: str) -> Index:
    """The index for an identifier that a user entered."""
    if "@" in identifier:
        return "email"
    return "phone" if identifier.startswith("+") else "username"


def write_of(before: User | None, after: User) -> CreateUser | ChangeUser:
    """The script that writes a new or changed user."""
    inputs: dict[str, Any] = {
        "id": after.id,
        "document": text_of(after),
        "created": from_iso(after.created_at),
        "claims": new_claims(before, after),
        **update_start(before, after),
    }
    return CreateUser(**inputs) if before is None else ChangeUser(**inputs, version=before.version)


def text_of(user: User) -> str:
    return msgspec.json.encode(user).decode()
