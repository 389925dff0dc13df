"""Create, read, edit, delete, like and bookmark posts. Likes and bookmarks are idempotent."""

from typing import Literal, TypeVar

from townsquare.keyspace import carried_bucket, mint_id
from townsquare.kit.text import BadText, pasted_lines
from townsquare.services.events import ImageStore
from townsquare.services.social import hashtags, records
from townsquare.services.social.fields import Unfit
from townsquare.services.social.fields import url as checked_url
from townsquare.services.social.keys import POST_ID, user_bucket
from townsquare.services.social.models import CountedChange, Item, Post
from townsquare.services.social.problems import BadMedia, BadPost, NotYours, PostBanned, PostNotFound
from townsquare.services.social.scripts import (
    CreatePost,
    DeletePost,
    EditPost,
    LikeOrBookmarkPost,
    SetComments,
    UnlikeOrUnbookmarkPost,
)
from townsquare.services.social.service.page_pipeline import PagePipeline
from townsquare.services.social.usernames import valid_username
from townsquare.store.scripts import Script
from townsquare.store.store import Store

R = TypeVar("R")
Kind = Literal["like", "bookmark"]

CONTENT_LENGTH = 5_000
ALT_LENGTH = 1_000
DELETE_CHUNK = 500  # likes, bookmarks and reports that one script deletes: about a millisecond each


class Posts:
    def __init__(self, store: Store, pipeline: PagePipeline, images: ImageStore | None = None) -> None:
        self._store = store
        self._pipeline = pipeline
        self._images = images

    async def create(
        self, username: str, content: str, media_url: str | None = None, media_alt: str | None = None
    ) -> Post:
        """Create a post with the hashtags of its text."""
        text, media, alt = checked_content(content), checked_media(media_url), checked_alt(media_alt)
        if media and self._images:
            await self._images.use_in_post(valid_username(username), media)
        tags = hashtags.found_in(text)
        id = mint_id(user_bucket(valid_username(username)))
        now = self._store.clock.now_ms()
        author = await self._store.run(
            CreatePost(
                username=username,
                id=id,
                content=text,
                media_url=media,
                media_alt=alt or None,
                hashtags=tags,
                now=now,
            )
        )
        return Post(
            id=id,
            user_id=username,
            content=text,
            media_url=media,
            media_alt=(media and alt) or None,
            created_at=now,
            hashtags=tuple(tags),
            username=username,
            avatar=author.avatar,
            display_name=author.display_name,
            user_role=author.role,
        )

    async def get(self, id: str) -> Post:
        """One post with its copy of the author, banned or not."""
        found = await self._store.read_one(records.POST, checked_id(id))
        if found is None:
            raise PostNotFound()
        return found

    async def see(self, id: str, viewer: str | None, *, as_moderator: bool = False) -> Item:
        """One post as this viewer sees it: a banned one if it is their own. Moderators see every post."""
        items = await self._pipeline.items(
            [checked_id(id)], viewer, blocks=not as_moderator, mutes=False, banned=True
        )
        if not items:
            raise PostNotFound()
        (item,) = items
        if item.post.banned and not as_moderator and viewer != item.post.user_id:
            raise PostNotFound()
        return item

    async def edit(
        self,
        id: str,
        username: str,
        *,
        content: str | None = None,
        media_url: str | None = None,
        media_alt: str | None = None,
    ) -> Post:
        """Change the text, the picture or its description, for 15 minutes; an empty one is removed."""
        text = None if content is None else checked_content(content)
        media = None if media_url is None else checked_media(media_url)
        before = await self.get(id)
        if media and media != before.media_url and self._images and before.user_id == username:
            await self._images.use_in_post(username, media)
        script = EditPost(
            id=checked_id(id),
            username=username,
            content=text,
            hashtags=hashtags.found_in(text) if text else [],
            media_url=media,
            media_alt=None if media_alt is None else checked_alt(media_alt),
            drop_media=media_url == "",
        )
        await self._run(script, id, username)
        after = await self.get(id)
        if before.media_url and after.media_url != before.media_url and self._images:
            await self._images.delete_of_post(before.user_id, before.media_url)
        return after

    async def delete(self, id: str, username: str | None) -> None:
        """Delete a post of this author, or with None of any author. A job removes many likes."""
        job = mint_id(carried_bucket(checked_id(id)))
        before = await self._store.read_one(records.POST, id)
        script = DeletePost(id=id, username=username, job=job, begin=True, chunk=DELETE_CHUNK)
        await self._run(script, id, username)
        if before and before.media_url and self._images:
            await self._images.delete_of_post(before.user_id, before.media_url)

    async def like(self, id: str, username: str) -> CountedChange:
        return await self._like_or_bookmark(id, username, "like")

    async def unlike(self, id: str, username: str) -> CountedChange:
        return await self._unlike_or_unbookmark(id, username, "like")

    async def bookmark(self, id: str, username: str) -> CountedChange:
        return await self._like_or_bookmark(id, username, "bookmark")

    async def unbookmark(self, id: str, username: str) -> CountedChange:
        return await self._unlike_or_unbookmark(id, username, "bookmark")

    async def _like_or_bookmark(self, id: str, username: str, kind: Kind) -> CountedChange:
        script = LikeOrBookmarkPost(id=checked_id(id), username=valid_username(username), kind=kind)
        done = await self._run(script, id, username)
        if not done.changed:
            await self.see(id, username)
        return CountedChange(done.changed, done.count)

    async def _unlike_or_unbookmark(self, id: str, username: str, kind: Kind) -> CountedChange:
        done = await self._store.run(
            UnlikeOrUnbookmarkPost(id=checked_id(id), username=valid_username(username), kind=kind)
        )
        if not done.changed:  # a like or bookmark can be removed even if the post is hidden since
            await self.see(id, username)
        return CountedChange(done.changed, done.count)

    async def _run(self, script: Script[R], id: str, username: str | None) -> R:
        """Run a script on a post. A refusal does not reveal a post that the user cannot see."""
        try:
            return await self._store.run(script)
        except (NotYours, PostBanned):
            await self.see(id, username)
            raise

    async def set_comments_count(self, id: str, count: int) -> bool:
        """Set the number of comments of a post. Returns whether it has changed."""
        return await self._store.run(SetComments(id=checked_id(id), count=count))


def checked_id(id: str) -> str:
    if not POST_ID.matches(id):
        raise PostNotFound()
    return id


def checked_content(content: str) -> str:
    text = visible_text(content, CONTENT_LENGTH)
    if not text:
        raise BadPost(f"content: use 1 to {CONTENT_LENGTH:,} characters that can be seen")
    return text


def visible_text(text: str, longest: int) -> str:
    """A text of several lines as it is stored; empty if it is invisible or too long."""
    try:
        return pasted_lines(text, longest)
    except BadText:
        return ""


def checked_alt(text: str | None) -> str:
    alt = visible_text(text or "", ALT_LENGTH)
    if text and text.strip() and not alt:
        raise BadMedia(f"media_alt: use at most {ALT_LENGTH:,} characters")
    return alt


def checked_media(url: str | None) -> str | None:
    try:
        return checked_url(url or "") or None
    except Unfit as wrong:
        raise BadMedia(f"media_url: {wrong}") from None
