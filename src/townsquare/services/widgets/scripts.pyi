"""The Lua scripts of this service as typed structs; made by `scripts/generate` from `lua/*.lua`."""

from typing import Any

import msgspec

from townsquare.services.widgets.script_types import CreatedWidget as CreatedWidget
from townsquare.services.widgets.script_types import ShownRanking as ShownRanking
from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.scripts.deletion import DeletionShare

lua: LuaFolder

class ShownCounter(msgspec.Struct, array_like=True):
    counted: bool
    timezone: str
    url: str
    total: int
    last_visit: str | None
    today: int
    yesterday: int
    week: int
    month: int
    webhook: str | None

class FoundMessage(msgspec.Struct, array_like=True):
    record: str
    message: str

class ShownBoard(msgspec.Struct, array_like=True):
    record: str
    page: int
    total: int
    messages: list[str]

class ShownHistory(msgspec.Struct, array_like=True):
    timezone: str
    url: str
    total: int
    counts: list[int]

class ShownLikes(msgspec.Struct, array_like=True):
    timezone: str
    url: str
    total: int
    liked: bool
    icon: str
    last_like: str | None
    webhook: str | None

class ChangeBoard(Script[None], kw_only=True):
    """Change what is given of a board: the settings, if they are still those of the `revision` that the caller has read, or all messages (newest first; none clear it), with which the edit tokens of their authors go. The oldest messages go if the board keeps fewer."""

    id: str
    owner: str
    settings: str | None = None
    revision: int | None = None
    messages: str | None = None
    last_message: str | None = None

class ChangeRanking(Script[None], kw_only=True):
    """Change what is given of a ranking: settings, title and description, or all entries (best first; none clear it). The last places go if it keeps fewer."""

    id: str
    owner: str
    meta: Any
    max_entries: int | None = None
    sort_order: str | None = None
    entries: str | None = None
    last_submit: str | None = None

class CountVisit(Script[ShownCounter], kw_only=True):
    """Count one visit, once per visitor and day. `days` are today and the days before it in the time zone that the caller believes the counter to be in; if it is in another, nothing is counted."""

    id: str
    visitor: str
    timezone: str
    days: Any
    now: str
    ttl: int

class CreateWidget(Script[CreatedWidget], kw_only=True):
    """Make a widget for a URL, or find the one that it has. The caller offers an id; if the widget of another URL has it, nothing is made and the caller offers one with more digits. All of them share one home."""

    kind: str
    url: str
    id: str
    record: str
    owner: str
    meta: str | None = None
    now: int | None = None

class DeleteMessage(Script[None], kw_only=True):
    """Remove one message; no other moves."""

    id: str
    message_id: str
    edit: str | None = None
    owner: str | None = None
    visitor: str | None = None

class DeleteWidget(Script[DeletionShare], kw_only=True):
    """Delete a widget with everything of its own. Until all is gone, the widget is gone for everybody and its URL is not free: a new one of that URL would have the same id."""

    kind: str
    id: str
    owner: str | None = None
    job: str
    begin: bool
    chunk: int
    now: int | None = None

class DiscardRecord(Script[bool], kw_only=True):
    """Remove the record of a widget that cannot be one, if its digest is still the one that was seen. What it owned is left to the checker, which knows it from the declarations."""

    kind: str
    id: str
    seen: str

class EditMessage(Script[None], kw_only=True):
    """Replace the text of one message where it stands, if neither it nor the settings have changed since they were read. No other message moves."""

    id: str
    before: str
    after: str
    edit: str | None = None
    owner: str | None = None
    visitor: str | None = None
    revision: int

class FindMessage(Script[FoundMessage], kw_only=True):
    """One message, with the record of its board."""

    id: str
    message_id: str

class PostMessage(Script[ShownBoard], kw_only=True):
    """Put a message on top of a board. `revision` is that of the settings by which it was found acceptable."""

    id: str
    visitor: str
    message_id: str
    message: str
    edit: str
    revision: int
    now: int | None = None
    stamp: str

class RemoveEntry(Script[None], kw_only=True):
    """Take a name out of the ranking."""

    id: str
    owner: str
    name: str

class RotateOwner(Script[None], kw_only=True):
    """Replace the owner's token. `owner` is the hash that the caller has verified, `replaced` the new one."""

    kind: str
    id: str
    owner: str
    replaced: str

class SetCounter(Script[None], kw_only=True):
    """Set the total and, if they are given, replace the counts of all days. Today's visitors stay counted. `owner` is the hash that the caller has verified."""

    id: str
    owner: str
    total: int
    daily: str | None = None

class SetLike(Script[None], kw_only=True):
    """Set the total, the icon, or both. Today's likes stay."""

    id: str
    owner: str
    total: int | None = None
    icon: str | None = None

class SetScore(Script[None], kw_only=True):
    """Give a name that is in the ranking another score, better or not."""

    id: str
    owner: str
    name: str
    score: float
    display: str | None = None
    stamp: str

class SetWebhook(Script[None], kw_only=True):
    """Set or remove the webhook URL of a widget."""

    kind: str
    id: str
    owner: str
    webhook: str | None = None

class ShowBoard(Script[ShownBoard], kw_only=True):
    """One page of a board, the newest messages first or the oldest; `per` messages, or as many as the settings say."""

    id: str
    page: int
    per: int | None = None
    oldest_first: bool

class ShowCounter(Script[ShownCounter], kw_only=True):
    """The figures of a counter, without counting."""

    id: str
    days: Any

class ShowHistory(Script[ShownHistory], kw_only=True):
    """The counts of some days, in the time zone that the caller believes the counter to be in."""

    id: str
    days: Any

class ShowLike(Script[ShownLikes], kw_only=True):
    """A like button as one visitor sees it."""

    id: str
    visitor: str

class ShowRanking(Script[ShownRanking], kw_only=True):
    """The best entries of a ranking."""

    id: str
    limit: int

class SubmitScore(Script[ShownRanking], kw_only=True):
    """Enter a score, if it is better than the one that this name has and good enough for a place. Only then has the visitor to wait before the next."""

    id: str
    visitor: str
    name: str
    score: float
    display: str | None = None
    now: int | None = None
    stamp: str
    limit: int

class ToggleLike(Script[ShownLikes], kw_only=True):
    """Like, or take the like back, once per visitor and day. `timezone` is the one that the caller believes the button to be in; if it is in another, nothing changes."""

    id: str
    visitor: str
    timezone: str
    now: str
    ttl: int
