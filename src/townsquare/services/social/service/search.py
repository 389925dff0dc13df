"""Search for users and hashtags."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from townsquare.kit.paging import Cursor, Page, PageSize, cursors, cut, page_down, page_up
from townsquare.services.social import hashtags, keys
from townsquare.services.social.models import ModelRank, Profile, TagPosts, Trend
from townsquare.services.social.problems import BadHashtag
from townsquare.services.social.scripts import CorrectTrends, RankTag
from townsquare.services.social.service.page_pipeline import PagePipeline
from townsquare.store.store import Store

PostsOfTag = Annotated[int, Meta(ge=1, le=20, description="posts of each")]
TrendCount = Annotated[int, Meta(ge=1, le=50)]

TAGS_ASKED = 12
TRENDS_COUNTED = 100  # the first of the list are counted again by every reader
TRENDS_SWEPT = 20  # and the last of it, so that old ones leave
ROUNDS = 4
READ_BESIDES = 8  # names, since some of them share their first nine characters with the last of a page
SORTED_NAMES = 500  # that share their first nine characters, and are sorted by the others when they are read


class SocialSearch:
    def __init__(self, store: Store, pipeline: PagePipeline) -> None:
        self._store = store
        self._pipeline = pipeline

    async def newest_users(
        self,
        role: Literal["user", "model"],
        viewer: str | None,
        cursor: str | None = None,
        limit: PageSize = 20,
    ) -> Page[Profile]:
        registry = keys.users_models() if role == "model" else keys.users_regular()
        return await self._pipeline.profile_page(registry, viewer, cursor, limit)

    async def top_models(
        self, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[ModelRank]:
        """Models by the engagement of all their posts."""
        read = await page_down(self._store, keys.models_top(), Cursor.decode(cursor), limit + 1)
        found, next = cut(read, limit)
        scores = {place.member: int(place.score) for place in found}
        profiles = await self._pipeline.profiles(list(scores), viewer)
        items = [ModelRank(profile, scores[profile.username]) for profile in profiles]
        return Page(items, next)

    async def users(
        self, prefix: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[Profile]:
        """Users whose name starts with the prefix, in alphabetical order; case does not matter."""
        wanted = prefix.strip().lower()
        if not wanted or not set(wanted) <= set(keys.NAME_ALPHABET):
            return Page([], None)
        lowest = keys.name_rank(wanted)
        free = max(0, keys.RANKED_NAME_LENGTH - len(wanted))
        highest = lowest + (len(keys.NAME_ALPHABET) + 1) ** free - 1
        names: list[str] = []
        after = Cursor.decode(cursor)
        for _ in range(ROUNDS):
            left = limit - len(names)
            found = await self._by_alphabet(after, lowest, highest, left + 1)
            names += [place.member for place in found[:left] if place.member.lower().startswith(wanted)]
            if len(found) <= left:
                after = None
                break
            after = found[left - 1]
            if len(names) == limit:
                break
        return Page(await self._pipeline.profiles(names, viewer), after.encode() if after else None)

    async def _by_alphabet(
        self, after: Cursor | None, lowest: float, highest: float, count: int
    ) -> list[Cursor]:
        """The next names. Redis sorts by the first nine characters, this method by the rest."""
        asked = count + READ_BESIDES
        start = max(lowest, after.score) if after else lowest
        ahead: list[Cursor] = []
        while len(ahead) < count and start <= highest:
            found = await self._ranked_between(Cursor(start, ""), highest, asked)
            ended, last = len(found) < asked, found[-1].score if found else highest
            ahead += in_order(found if ended else [place for place in found if place.score < last], after)
            if ended:
                break
            if len(ahead) < count:
                ahead += await self._sharing(last, after, count)
            start = last + 1
        return ahead[:count]

    async def _sharing(self, rank: float, after: Cursor | None, count: int) -> list[Cursor]:
        """Names with these first nine characters; too many to sort are left in the order of their bytes."""
        found = await self._ranked_between(Cursor(rank, ""), rank, SORTED_NAMES + 1)
        if len(found) <= SORTED_NAMES:
            return in_order(found, after)
        same = after if after and after.score == rank else Cursor(rank, "")
        return await self._ranked_between(same, rank, count)

    async def _ranked_between(self, after: Cursor, highest: float, count: int) -> list[Cursor]:
        found = await page_up(self._store, keys.users_names(), after, count)
        return [name for name in found if name.score <= highest]

    async def top_posts(
        self, tags: Sequence[str], viewer: str | None, limit: PostsOfTag = 3
    ) -> list[TagPosts]:
        """The best posts of several hashtags, for each its own."""
        asked = list(dict.fromkeys(map(hashtags.normalised, tags)))
        if not 1 <= len(asked) <= TAGS_ASKED:
            raise BadHashtag(f"Ask for 1 to {TAGS_ASKED} hashtags")
        answers = await self._store.run_many(
            [RankTag(tag=tag, viewer=None, scored=None, after=None, position=0, count=limit) for tag in asked]
        )
        best: dict[str, list[str]] = {}
        for tag, answer in zip(asked, answers, strict=True):
            if isinstance(answer, Exception):
                raise answer
            best[tag] = answer[1].decode().split()
        ids = list(dict.fromkeys(id for found in best.values() for id in found))
        items = {item.post.id: item for item in await self._pipeline.items(ids, viewer)}
        return [TagPosts(tag, [items[id] for id in found if id in items]) for tag, found in best.items()]

    async def trending(self, limit: TrendCount = 10) -> list[Trend]:
        """Hashtags by their posts of the last 24 hours, counted now."""
        first, last = await self._store.pipeline(
            [
                ("ZREVRANGE", keys.hashtags_trending(), 0, TRENDS_COUNTED - 1, "WITHSCORES"),
                ("ZRANGE", keys.hashtags_trending(), 0, TRENDS_SWEPT - 1, "WITHSCORES"),
            ]
        )
        known = {place.member: int(place.score) for place in (*cursors(first), *cursors(last))}
        counted = await self._count_trends(list(known))
        await self._correct(known, counted)
        ranked = sorted(counted.items(), key=lambda trend: Cursor(trend[1], trend[0]), reverse=True)
        return [Trend(tag, count) for tag, count in ranked if count][:limit]

    async def _count_trends(self, tags: Sequence[str]) -> dict[str, int]:
        since = self._store.clock.now_ms() - keys.TREND_MS
        counts = await self._store.pipeline(
            [("ZCOUNT", keys.hashtag_posts(tag), f"({since}", "+inf") for tag in tags]
        )
        return dict(zip(tags, counts, strict=True))

    async def _correct(self, known: dict[str, int], counted: dict[str, int]) -> None:
        """Lower the stored counts of tags whose posts have left the 24-hour window: no write does this."""
        fallen = [tag for tag, count in counted.items() if count < known[tag]]
        if fallen:
            seen, counts = [known[tag] for tag in fallen], [counted[tag] for tag in fallen]
            await self._store.run(CorrectTrends(tags=fallen, seen=seen, counts=counts))


def spelling(place: Cursor) -> tuple[float, list[int], str]:
    """The sort key of a name; case does not matter."""
    return (
        place.score,
        [keys.NAME_ALPHABET.find(character) for character in place.member.lower()],
        place.member,
    )


def in_order(names: Sequence[Cursor], after: Cursor | None) -> list[Cursor]:
    """The names after a name, sorted."""
    return sorted((one for one in names if after is None or spelling(one) > spelling(after)), key=spelling)
