"""Keys of the guest book."""

from typing import Annotated

import msgspec

from townsquare.keyspace import (
    DELETE,
    Counts,
    Field,
    Groups,
    Keyspace,
    Matching,
    Mirrors,
    Orders,
    Owns,
    Visibility,
    by_script,
    carried_by,
)
from townsquare.services.accounts.keys import UserId
from townsquare.services.accounts.keys import user as account

guestbook = Keyspace("guestbook", "Guests, and what they have written.")

EntryId = Annotated[str, Matching(r"[0-9a-f-]{33}[0-9a-f]{3}")]


class Entry(msgspec.Struct):
    id: str
    user_id: str
    text: str
    created_at: int  # ms


@guestbook.hash(
    "guest:{user_id}",
    Field("user_id", required=True),
    Field("name", description="the username of the account"),
    Field("entries_count", Visibility.SYSTEM, required=True),
    home=carried_by("user_id"),
)
def guest(user_id: UserId) -> None:
    """Somebody who has written."""


@guestbook.set("guest:{user_id}:entries", home=carried_by("user_id"))
def guest_entries(user_id: UserId) -> None:
    """Ids of what a guest has written."""


@guestbook.json(Entry, "entry:{id}", home=carried_by("id"))
def entry(id: EntryId) -> None:
    """What a guest has written, in the bucket of the guest."""


@guestbook.sorted_set("entries", home="entries")
def entries() -> None:
    """Ids of all entries by their time."""


guestbook.relate(
    Owns(guest, (guest_entries,)),
    Counts(guest, "entries_count", guest_entries),
    Groups(
        guest_entries,
        entry,
        member="id",
        params={"user_id": "user_id"},
        with_owner=DELETE,
        removal=by_script("drop_entry"),
    ),
    Orders(entries, entry, member="id", score="created_at"),
    Mirrors(guest, "name", account, "username", params={"id": "user_id"}),
)
