"""Email addresses that were stored by an older rule, and their migration.

The older rule folded the case of all letters, which joined mailboxes (`straße` and `strasse`), and kept
domains as they were typed. What it stored stays findable by what its owner types. The migration respells what
the rule of today spells differently, page by page, and goes on after a crash. Where another account has the
new spelling both stay as they are, and `check` names them.
"""

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog

from townsquare.keyspace import mint_id
from townsquare.problems import Taken
from townsquare.services.accounts.keys import EMAIL_MIGRATION_JOB, email_migration
from townsquare.services.accounts.models import User
from townsquare.services.accounts.problems import UserBeingDeleted, UserNotFound
from townsquare.services.accounts.scripts import BeginEmailMigration, EndEmailMigrationStep
from townsquare.services.accounts.users import listing
from townsquare.services.accounts.users.addresses import respelled, with_email_respelled
from townsquare.services.accounts.users.normalise import email_address
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.services.accounts.users import Users

PAGE_LENGTH = 100

log = structlog.get_logger()


def old_spelling(text: str) -> str:
    """As the older rule spelled an address."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.strip()).casefold())


def mailboxes(text: str) -> list[str]:
    """The spellings that an account may have this mailbox under, the one of today last.

    Only the domain may differ: another local part is another mailbox, whatever the older rule made of it.
    """
    mailbox = email_address(text).mailbox
    local = mailbox.rpartition("@")[0]
    old = f"{local}@{old_spelling(text).rpartition('@')[2]}"
    return [mailbox] if old == mailbox else [old, mailbox]


@dataclass(frozen=True)
class RespelledPage:
    cursor: str | None  # of the next page
    left: list[User]  # whose new spelling another account has


class EmailMigration:
    def __init__(self, store: Store, jobs: Jobs, users: "Users") -> None:
        self._store = store
        self._users = users
        jobs.register(EMAIL_MIGRATION_JOB, self._step, rests=True)

    async def begin(self) -> None:
        """Start the migration where it has never been; the runner of jobs goes on with it."""
        job = mint_id(email_migration().bucket)
        await self._store.run(BeginEmailMigration(job=job, now=self._store.clock.now_ms()))

    async def respell(self, cursor: str | None = None) -> RespelledPage:
        """One page of users by today's rule."""
        ids, following = await listing.page(self._store, None, "", PAGE_LENGTH, cursor)
        users = [user for user in await self._users.get_many(ids) if user]
        left = [user for user in users if not await self._respelled(user)]
        return RespelledPage(following, left)

    async def _respelled(self, user: User) -> bool:
        if user.email is None or respelled(user.email) == user.email:
            return True
        try:
            await self._users.edit(user.id, with_email_respelled)
        except Taken:
            log.warning("email left in its old spelling: another account has the new one", user_id=user.id)
            return False
        except (UserNotFound, UserBeingDeleted):
            pass  # it goes, with its address
        return True

    async def _step(self, args: dict[str, Any]) -> int:
        migration = await self._store.get(email_migration())
        if migration is None:
            return 0
        page = await self.respell(migration.cursor)
        await self._store.run(EndEmailMigrationStep(job=migration.job, cursor=page.cursor))
        return 1
