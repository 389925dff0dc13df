"""What one does with a guest book, without HTTP."""

import msgspec

from guestbook import keys
from guestbook.keys import Entry
from guestbook.scripts import NameGuest, WriteEntry
from townsquare.keyspace import carried_bucket, mint_id
from townsquare.problems import Invalid
from townsquare.services.accounts.service import Accounts
from townsquare.services.events import UserSnapshot
from townsquare.store.store import Store

LONGEST = 500
SHOWN = 50


class Guestbook:
    def __init__(self, store: Store, accounts: Accounts) -> None:
        self._store = store
        self._accounts = accounts

    async def write(self, user_id: str, text: str) -> Entry:
        if not 0 < len(text) <= LONGEST:
            raise Invalid(f"Write 1 to {LONGEST} characters")
        now = self._store.clock.now_ms()
        entry = Entry(mint_id(carried_bucket(user_id)), user_id, text, now)
        document = msgspec.json.encode(entry).decode()
        count = await self._store.run(WriteEntry(id=entry.id, user_id=user_id, document=document, now=now))
        if count == 1:  # a new guest, who gets the name of the account as any change of it would bring it
            updates = self._accounts.updates
            await updates.wait(await updates.reopen(user_id))
        return entry

    async def apply_account_update(self, before: UserSnapshot | None, after: UserSnapshot | None) -> int:
        """Keep the name of a guest what the account says."""
        if after:
            await self._store.run(NameGuest(user_id=after.id, name=after.username))
        return 0

    async def newest(self) -> list[Entry]:
        return await self._read(await self._store.call("ZREVRANGE", keys.entries(), 0, SHOWN - 1))

    async def entries_of(self, user_id: str) -> list[Entry]:
        """All of them, for the export of an account."""
        found: list[Entry] = []
        cursor = 0
        while True:
            cursor, ids = await self._store.call("SSCAN", keys.guest_entries(user_id), cursor)
            found += await self._read(ids)
            if not int(cursor):
                return found

    async def _read(self, ids: list[bytes]) -> list[Entry]:
        records = await self._store.get_many([keys.entry(id.decode()) for id in ids])
        return [record for record in records if record]
