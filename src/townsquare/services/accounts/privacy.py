"""Export and deletion of all data of a user.

Every service registers its export and the record that represents a user. A deletion closes the account at
once, each service deletes its data in bounded steps, and the user document with its indexes goes last, so an
interrupted deletion can resume.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from townsquare.clock import from_iso, iso
from townsquare.keyspace import AnyKey, Visibility, carried_bucket, mint_id
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import AccountStatus, PrivateUser, User
from townsquare.services.accounts.problems import UserBeingDeleted, UserChanged, UserNotFound
from townsquare.services.accounts.scripts import BeginDeletion
from townsquare.services.accounts.service_updates import ServiceUpdates
from townsquare.services.accounts.users import ATTEMPTS, Users, text_of
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

Exporter = Callable[[User], Awaitable[Any]]
Deleter = Callable[[User], Awaitable[int]]  # deletes a bounded amount; 0 if nothing is left
RecordOf = Callable[[User], AnyKey | None]  # the record that represents a user in a service


class UserExport(msgspec.Struct, rename="camel", kw_only=True):
    exported_at: str
    user_id: str
    services: dict[str, Any]


class AccountPrivacy:
    def __init__(self, store: Store, jobs: Jobs, users: Users, updates: ServiceUpdates) -> None:
        self._store = store
        self._jobs = jobs
        self._users = users
        self._updates = updates
        self._exporters: dict[str, Exporter] = {"accounts": self._export_account}
        self._deleters: list[Deleter] = []
        self._records: list[RecordOf] = []
        jobs.deletion.before(keys.user, self._delete_elsewhere, self._records_of)
        jobs.deletion.begin_by(keys.user, self._begin_by_key)

    def register(
        self,
        service: str,
        *,
        export: Exporter | None = None,
        record: RecordOf | None = None,
        delete: Deleter | None = None,
    ) -> None:
        if export:
            self._exporters[service] = export
        if record:
            self._records.append(record)
            self._deleters.append(partial(self._delete_record, record))
        if delete:
            self._deleters.append(delete)

    async def export(self, id: str) -> UserExport:
        """All data of a user in all services, without secrets."""
        user = await self._users.get(id)
        return UserExport(
            exported_at=iso(self._store.clock.now_ms()),
            user_id=id,
            services={service: await export(user) for service, export in self._exporters.items()},
        )

    async def _export_account(self, user: User) -> dict[str, Any]:
        ids = await self._store.call("ZRANGE", keys.user_sessions(user.id), 0, keys.SESSIONS_PER_USER - 1)
        sessions = await self._store.get_many([keys.session(id.decode()) for id in ids])
        hidden = keys.session.kind.visible_fields(Visibility.SECRET)
        return {
            "user": PrivateUser.of(user),
            "deviceId": user.device_id,
            "providers": user.providers,
            "outside": user.outside,
            "sessions": [
                {name: value for name, value in session.items() if name not in hidden}
                for session in sessions
                if session
            ],
        }

    async def delete(self, id: str) -> None:
        """Delete the user from every service and wait until it is done."""
        await self._jobs.run(await self.begin_deletion(id))

    async def begin_deletion(self, id: str) -> str:
        """Close the account and start the deletion job; returns the id of the job."""
        for _ in range(ATTEMPTS):
            user = await self._users.get(id)
            if user.deleting:
                return user.deleting
            job = mint_id(carried_bucket(id))
            with suppress(UserChanged, UserBeingDeleted):
                await self._begin(user, job)
                return job
        raise UserChanged()

    async def _begin(self, user: User, job: str) -> None:
        now = self._store.clock.now_ms()
        closed = replace(
            user,
            account_status=AccountStatus.DISABLED,
            deleting=job,
            version=user.version + 1,
            updated_at=iso(now),
        )
        await self._store.run(
            BeginDeletion(
                id=user.id,
                version=user.version,
                document=text_of(closed),
                created=from_iso(user.created_at),
                job=job,
                now=now,
            )
        )

    async def _delete_record(self, record_of: RecordOf, user: User) -> int:
        record = record_of(user)
        return await self._jobs.deletion.share(record) if record else 0

    async def _records_of(self, key: AnyKey) -> list[AnyKey]:
        (id,) = key.values
        user = await self._users.get(id)
        return [record for record_of in self._records if (record := record_of(user))]

    async def _begin_by_key(self, key: AnyKey) -> str:
        (id,) = key.values
        return await self.begin_deletion(id)

    async def _delete_elsewhere(self, key: AnyKey) -> int:
        """Delete some data of other services; 0 if only the account is left."""
        (id,) = key.values
        try:
            user = await self._users.get(id)
        except UserNotFound:
            return 0
        if await self._updates_left(id):
            return 1
        for delete in self._deleters:
            removed = await delete(user)
            if removed:
                return removed
        return 0

    async def _updates_left(self, id: str) -> bool:
        """Whether an update job is open; until it ends, services may have an older username."""
        job = await self._updates.open_job(id)
        if job is None:
            return False
        if await self._updates.wait(job) == "failed":
            raise UserChanged("A service has not applied the last change of this account yet")
        return True
