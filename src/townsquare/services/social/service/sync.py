"""Loading from an outside source of truth: many records at once, each answered by itself.

Loading is idempotent. A record that cannot be loaded gets an error of its own and does not stop the
others. Times are those of the source; counters, registries and feeds are updated as usual.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec

from townsquare.keyspace import DAY
from townsquare.problems import Invalid, OutcomeUnknown, Problem, Unavailable
from townsquare.services.social import fields, hashtags
from townsquare.services.social.keys import name_rank
from townsquare.services.social.models import Options
from townsquare.services.social.problems import UsernameTaken
from townsquare.services.social.records import whole_user
from townsquare.services.social.scripts import (
    ImportFollows,
    ImportLikes,
    ImportPost,
    RegisterUser,
    RewritePost,
)
from townsquare.services.social.service.follows import FOLLOWING_LIMIT
from townsquare.services.social.service.posts import checked_content, checked_media
from townsquare.services.social.sync_records import (
    RECORDS,
    SyncFollow,
    SyncLike,
    SyncPost,
    SyncResult,
    SyncUser,
    loaded,
    parser_of,
    post_id,
    refused,
    user_record,
)
from townsquare.services.social.usernames import new_username, two_users, valid_username
from townsquare.store.store import Store

AT_ONCE = 64  # scripts on their way
SHARE = 50  # follows or likes in one script
FUTURE_MS = DAY * 1000  # how far the source's clock may be ahead of ours

R = TypeVar("R", bound=msgspec.Struct)
ChangeProfile = Callable[..., Awaitable[object]]
Load = Callable[[str, Sequence[R]], Awaitable[list[SyncResult]]]


class Sync:
    def __init__(self, store: Store, change_profile: ChangeProfile, options: Options) -> None:
        self._store = store
        self._change_profile = change_profile
        self._options = options
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def users(self, records: Sequence[Any]) -> list[SyncResult]:
        """Make profiles, or give them the fields and the role that they have elsewhere."""
        return await self._load(
            records, user_record, lambda record: record.username, self._load_profile, at_once=1
        )

    async def posts(self, records: Sequence[Any]) -> list[SyncResult]:
        """Write posts, or give them the text and the picture that they have elsewhere."""
        return await self._load(
            records, parser_of(SyncPost), lambda record: post_id(record.id), self._load_post, at_once=1
        )

    async def follows(self, records: Sequence[Any]) -> list[SyncResult]:
        return await self._load(
            records, parser_of(SyncFollow), lambda record: record.follower, self._load_follows
        )

    async def likes(self, records: Sequence[Any]) -> list[SyncResult]:
        """Likes of posts by the id that these have elsewhere, or here."""
        return await self._load(
            records, parser_of(SyncLike), lambda record: post_id(record.post_id), self._load_likes
        )

    async def _load(
        self,
        records: Sequence[Any],
        parse: Callable[[Any], R],
        home: Callable[[R], str],
        load: Load[R],
        *,
        at_once: int = SHARE,
    ) -> list[SyncResult]:
        """Records of one home after each other and in few steps, different homes at once."""
        if not 1 <= len(records) <= RECORDS:
            raise Invalid(f"Send 1 to {RECORDS:,} records at once")
        answers: dict[int, SyncResult] = {}
        groups: dict[str, list[tuple[int, R]]] = defaultdict(list)
        for place, record in enumerate(records):
            try:
                parsed = self._in_time(parse(record))
                groups[home(parsed)].append((place, parsed))
            except Problem as problem:
                answers[place] = refused(problem)

        async def work(name: str, group: Sequence[tuple[int, R]]) -> None:
            for first in range(0, len(group), at_once):
                share = group[first : first + at_once]
                async with self._turns:
                    loaded = await attempt(load, name, [record for _, record in share])
                answers.update((place, answer) for (place, _), answer in zip(share, loaded, strict=True))

        await asyncio.gather(*(work(name, group) for name, group in groups.items()))
        return [answers[place] for place in range(len(records))]

    def _in_time(self, record: R) -> R:
        at = getattr(record, "created_at", None)
        if at is not None and at > self._store.clock.now_ms() + FUTURE_MS:
            raise Invalid("created_at is in the future")
        return record

    def _at(self, record: SyncFollow | SyncLike | SyncUser) -> int:
        return self._store.clock.now_ms() if record.created_at is None else record.created_at

    async def _load_profile(self, username: str, records: Sequence[SyncUser]) -> list[SyncResult]:
        (record,) = records
        new_username(username)
        kept, removed = fields.stored(record.given, sensitive=self._options.sensitive_fields)
        try:
            await self._store.run(
                RegisterUser(
                    username=username,
                    role=record.role or "user",
                    fields=kept,
                    rank=name_rank(username),
                    now=self._at(record),
                )
            )
            return [SyncResult(status="created")]
        except UsernameTaken:
            found = await whole_user(self._store, username)
            if not found or "deleting" in found:
                raise
        same = record.role in (None, found["role"]) and not any(name in found for name in removed)
        if same and all(found.get(name) == value for name, value in pairs(kept)):
            return [SyncResult(status="unchanged")]
        await self._change_profile(username, record.given, role=record.role)
        return [SyncResult(status="updated")]

    async def _load_post(self, id: str, records: Sequence[SyncPost]) -> list[SyncResult]:
        (record,) = records
        username = valid_username(record.username)
        text, media = checked_content(record.content), checked_media(record.media_url)
        tags = hashtags.found_in(text)
        outcome = await self._store.run(
            ImportPost(
                id=id,
                username=username,
                content=text,
                media_url=media,
                hashtags=tags,
                created_at=record.created_at,
            )
        )
        if outcome == "created":
            return [SyncResult(status="created", id=id)]
        changed = await self._store.run(
            RewritePost(id=id, username=username, content=text, media_url=media, hashtags=tags)
        )
        return [SyncResult(status="updated" if changed else "unchanged", id=id)]

    async def _load_follows(self, follower: str, records: Sequence[SyncFollow]) -> list[SyncResult]:
        for record in records:
            two_users(follower, record.followed)
        outcomes, refusals = await self._store.run_asking(
            ImportFollows(
                username=follower,
                others=[record.followed for record in records],
                times=[self._at(record) for record in records],
                limit=FOLLOWING_LIMIT,
            )
        )
        return answers(outcomes, refusals)

    async def _load_likes(self, id: str, records: Sequence[SyncLike]) -> list[SyncResult]:
        names = [valid_username(record.username) for record in records]
        outcomes, refusals = await self._store.run_asking(
            ImportLikes(
                id=id,
                usernames=names,
                times=[self._at(record) for record in records],
            )
        )
        results = answers(outcomes, refusals)
        for answer in results:
            answer.id = id
        return results


def answers(outcomes: Sequence[str], refusals: Sequence[Problem | None]) -> list[SyncResult]:
    """The result of each record; `refusals` are those of other homes for the created records."""
    asked = iter(refusals)
    results = []
    for outcome in outcomes:
        refusal = next(asked, None) if outcome == "created" else None
        results.append(loaded(refusal.code if refusal else outcome))
    return results


async def attempt(load: Load[R], name: str, records: Sequence[R]) -> list[SyncResult]:
    """Load these, or if they cannot be loaded together, one by one."""
    try:
        return await load(name, records)
    except (Unavailable, OutcomeUnknown):
        raise
    except Problem as problem:
        if len(records) == 1:
            return [refused(problem)]
    return [answer for record in records for answer in await attempt(load, name, [record])]


def pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(words[::2], words[1::2], strict=True))
