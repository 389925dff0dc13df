"""Operations that all widgets have: URL, owner, webhook, deletion."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Generic, TypeVar

import msgspec

from townsquare.clock import iso
from townsquare.keyspace import mint_id
from townsquare.kit.hashing import SecretHasher
from townsquare.problems import Invalid, Problem
from townsquare.services.widgets import scripts
from townsquare.services.widgets.ids import Visitor, checked_url, label_of
from townsquare.services.widgets.keys import WIDGET_ID, WidgetKeys, digest_of
from townsquare.services.widgets.models import WidgetRecord, WidgetView
from townsquare.services.widgets.problems import BadToken, WidgetBeingDeleted, WidgetNotFound, WrongToken
from townsquare.services.widgets.webhooks import Webhooks
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.scripts import Script
from townsquare.store.store import Store

R = TypeVar("R", bound=WidgetRecord)
V = TypeVar("V", bound=WidgetView)
X = TypeVar("X", bound=msgspec.Struct)
S = TypeVar("S")
T = TypeVar("T")

IDS_KNOWN = 2_048  # that were looked at last
DELETE_CHUNK = 1_000  # keys of one sort that one script removes: a few milliseconds
SHORTEST_DIGEST, WHOLE_DIGEST = 8, 64  # digits of it in an id
SHORTEST_TOKEN, LONGEST_TOKEN = 8, 64
MOST_AT_ONCE = 1_000  # of widgets that are shown as a few numbers


class OwnerTokens:
    """The bearer of the token owns the widget. It is stored as a slow salted hash."""

    def __init__(self) -> None:
        self._hasher = SecretHasher()

    async def hash(self, token: str) -> str:
        if not SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN:
            raise BadToken()
        return await self._hasher.hash(token)

    async def verify(self, token: str, hashed: str | None) -> str:
        """The hash, if the token is the one behind it."""
        if not hashed or not SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN:
            raise WrongToken()
        if not await self._hasher.matches(token, hashed):
            raise WrongToken()
        return hashed

    def close(self) -> None:
        self._hasher.close()


@dataclass(frozen=True)
class Dependencies:
    store: Store
    jobs: Jobs
    owner_tokens: OwnerTokens
    webhooks: Webhooks
    secret: str = field(repr=False)
    first_secret: str = field(repr=False)


class WidgetService(Generic[R, V, X]):
    """One kind of widget: R is its record, V its view, X its export."""

    most_at_once = MOST_AT_ONCE

    def __init__(self, keys: WidgetKeys[R], dependencies: Dependencies) -> None:
        self.kind = keys.kind
        self._keys = keys
        self._store = dependencies.store
        self._jobs = dependencies.jobs
        self._owner_tokens = dependencies.owner_tokens
        self._webhooks = dependencies.webhooks
        self._secret = dependencies.secret

    @abstractmethod
    async def get_many(self, ids: Sequence[str], visitor: Visitor | None = None) -> list[V | None]:
        """Many widgets in one round trip; None for those that do not exist."""

    @abstractmethod
    async def export(self, id: str, token: str) -> X:
        """All data of the widget, without secrets (for its owner)."""

    @abstractmethod
    async def import_(self, id: str, token: str, given: X) -> V:
        """Replace the data of the widget by an export (for its owner)."""

    async def get(self, id: str, visitor: Visitor | None = None) -> V:
        (found,) = await self.get_many([id], visitor)
        return existing(found)

    async def get_batch(
        self, ids: Sequence[str], urls: Sequence[str] = (), visitor: Visitor | None = None
    ) -> dict[str, V]:
        """Widgets under the given ids and URLs, without those that do not exist."""
        if len(ids) + len(urls) > self.most_at_once:
            raise Invalid(f"At most {self.most_at_once:,} of these widgets at once")
        found = await self._store.get_many([self._keys.url(checked_url(url)) for url in urls]) if urls else []
        named = {url: id for url, id in zip(urls, found, strict=True) if id}
        asked = {id: id for id in ids if WIDGET_ID.matches(id)} | named
        wanted = list(dict.fromkeys(asked.values()))
        views = dict(zip(wanted, await self.get_many(wanted, visitor), strict=True)) if wanted else {}
        return {name: view for name, id in asked.items() if (view := views[id]) is not None}

    async def find(self, url: str) -> str:
        return existing(await self._store.get(self._keys.url(checked_url(url))))

    async def lookup(self, url: str, token: str) -> str:
        """The id of this URL's widget, for its owner."""
        id = await self.find(url)
        await self.verify_owner(id, token)
        return id

    async def rotate_token(self, id: str, token: str, new_token: str) -> None:
        owner = await self.verify_owner(id, token)
        replaced = await self._owner_tokens.hash(new_token)
        await self._store.run(scripts.RotateOwner(kind=self.kind, id=id, owner=owner, replaced=replaced))

    def blanks(self, ids: list[str]) -> dict[str, V]:
        """The views of unknown ids in a batch: none, unless the kind shows zeros."""
        return {}

    def check_webhook(self, webhook: str | None) -> None:
        """Raise BadWebhook for a URL that can never be delivered to."""
        if webhook:
            self._webhooks.check(webhook)

    async def set_webhook(self, id: str, token: str, webhook: str) -> str | None:
        """Set the URL that receives events ("" for none) and return the signing key (for the owner)."""
        self.check_webhook(webhook)
        owner = await self.verify_owner(id, token)
        await self._store.run(scripts.SetWebhook(kind=self.kind, id=id, owner=owner, webhook=webhook or None))
        return self._webhooks.key_for(self.kind, id, webhook) if webhook else None

    async def delete(self, id: str, token: str) -> None:
        """Delete the widget with all its data (for its owner)."""
        await self._delete(id, await self.verify_owner(id, token))

    async def delete_as_operator(self, id: str) -> None:
        await self._delete(checked_id(id), None)

    async def webhook_of(self, id: str, token: str) -> str | None:
        """The URL that receives events (for the owner)."""
        await self.verify_owner(id, token)
        return (await self._record(id)).webhook

    async def _make(
        self,
        url: str,
        token: str,
        record_of: Callable[..., R],
        meta: msgspec.Struct | None = None,
        webhook: str = "",
    ) -> V:
        """Create the widget of a URL, or return the existing one to its owner."""
        checked_url(url)
        self.check_webhook(webhook)
        owner = await self._owner_tokens.hash(token)
        created = await self._claim_url(url, owner, partial(record_of, webhook=webhook or None), meta)
        if created.outcome == "made":
            return await self.created(created.id, webhook)
        await self._owner_tokens.verify(token, created.owner)
        view = await self.get(created.id)
        view.existed = True
        return view

    async def created(self, id: str, webhook: str) -> V:
        """A new widget, as its creator sees it."""
        view = await self.get(id)
        if webhook:
            view.webhook_secret = self._webhooks.key_for(self.kind, id, webhook)
        return view

    async def _claim_url(
        self, url: str, owner: str, record_of: Callable[..., R], meta: msgspec.Struct | None = None
    ) -> scripts.CreatedWidget:
        """The widget of this URL, new or existing; `owner` is the token hash of a new one."""
        label, digest = label_of(url), digest_of(url)
        for digits in range(SHORTEST_DIGEST, WHOLE_DIGEST + 1):
            now = self._store.clock.now_ms()
            id = f"{label}-{digest[:digits]}"
            record = record_of(service=self.kind, id=id, url=url, created=iso(now), owner=owner)
            call = scripts.CreateWidget(
                kind=self.kind,
                url=url,
                id=id,
                record=msgspec.json.encode(record).decode(),
                owner=owner,
                meta=msgspec.json.encode(meta).decode() if meta else None,
                now=now,
            )
            created = await self._create(call)
            if created.outcome != "clash":
                return created
        raise Problem(f"all {WHOLE_DIGEST} digits of two URLs are the same")

    async def _create(self, call: scripts.CreateWidget) -> scripts.CreatedWidget:
        try:
            return await self._store.run(call)
        except WidgetBeingDeleted:
            await self._finish_deletion(call.url)
            return await self._store.run(call)

    async def _finish_deletion(self, url: str) -> None:
        id = await self._store.get(self._keys.url(url))
        record = await self._store.get(self._keys.record(id)) if id else None
        if record and record.deleting:
            await self._jobs.run(record.deleting)

    async def _delete(self, id: str, owner: str | None) -> None:
        share = await self._store.run(
            scripts.DeleteWidget(
                kind=self.kind,
                id=id,
                owner=owner,
                job=mint_id(self._keys.record(id).bucket),
                begin=True,
                chunk=DELETE_CHUNK,
            )
        )
        if share.job:
            await self._jobs.run(share.job)

    async def _change(self, id: str, token: str, script_of: Callable[[str], Script[None]]) -> V:
        """Run a script with the hash of the owner token, and return the changed widget."""
        await self._store.run(script_of(await self.verify_owner(id, token)))
        return await self.get(id)

    async def verify_owner(self, id: str, token: str) -> str:
        """Raise unless this is the owner's token. Returns its hash, which scripts compare again."""
        hashed = await self._store.get(self._keys.owner(checked_id(id)))
        return await self._owner_tokens.verify(token, existing(hashed))

    async def _record(self, id: str) -> R:
        record = await self._store.get(self._keys.record(checked_id(id)))
        if record is None or record.deleting:
            raise WidgetNotFound()
        return record

    async def _shown_many(self, calls: Sequence[Script[S]]) -> list[S | None]:
        """The replies of reading scripts; None for widgets that do not exist."""
        shown: list[S | None] = []
        for answer in await self._store.run_many(calls):
            if isinstance(answer, WidgetNotFound):
                shown.append(None)
            elif isinstance(answer, Problem):
                raise answer
            else:
                shown.append(answer)
        return shown

    def _send_webhook(self, event: str, view: WidgetView, webhook: str | None) -> None:
        if webhook:
            self._webhooks.send(self.kind, view.id, webhook, event, self._store.clock.now_ms(), view)


def existing(found: T | None) -> T:
    if found is None:
        raise WidgetNotFound()
    return found


@lru_cache(IDS_KNOWN)  # errors are not cached, so no overlong id is
def checked_id(id: str) -> str:
    if not WIDGET_ID.matches(id):
        raise WidgetNotFound()
    return id
