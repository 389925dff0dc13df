"""Posts of a feed as models, or as JSON that is joined from the fragments of posts and authors."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from townsquare.kit.fragments import encode
from townsquare.kit.paging import Page
from townsquare.services.social.models import Item, Post, Profile
from townsquare.services.social.service.skeletons import NO_STATE, ViewerState
from townsquare.store.client_cache import Composite

LISTED = 200  # bytes that a post of a list takes besides its JSON
JSON = {False: b"false", True: b"true"}
STATE_JSON = {
    (liked, bookmarked): b',"isLiked":%b,"isBookmarked":%b,"author":' % (JSON[liked], JSON[bookmarked])
    for liked in JSON
    for bookmarked in JSON
}


def item(post: Post, author: Profile, is_liked: bool, is_bookmarked: bool) -> Item:
    return Item(
        post=current_post(post, author), is_liked=is_liked, is_bookmarked=is_bookmarked, author=author
    )


def item_json(post: Post, author: Profile, state: ViewerState) -> bytes:
    """The JSON of that `Item`."""
    shown = STATE_JSON[post.id in state.liked, post.id in state.bookmarked]
    return b"".join((b'{"post":', current_post(post, author).json, shown, author.json, b"}"))


class PostList(NamedTuple):
    """The posts of a page as JSON."""

    json: bytes  # for a viewer without likes and bookmarks
    state_at: dict[str, int]  # by id in their order: where the viewer's state begins

    @classmethod
    def of(cls, posts: Sequence[tuple[Post, Profile]]) -> "PostList":
        items = [item_json(post, author, NO_STATE) for post, author in posts]
        begins = accumulate([len(one) + 1 for one in items], initial=0)
        start = len(b'{"post":')
        state_at = {
            post.id: begin + start + len(current_post(post, author).json)
            for (post, author), begin in zip(posts, begins, strict=False)
        }
        return cls(b",".join(items), state_at)

    def for_viewer(self, state: ViewerState) -> bytes:
        liked, bookmarked = state.liked, state.bookmarked
        if not liked and not bookmarked:
            return self.json
        parts, end = [], 0
        for id, at in self.state_at.items():
            if id in liked or id in bookmarked:
                parts += [self.json[end:at], STATE_JSON[id in liked, id in bookmarked]]
                end = at + len(STATE_JSON[False, False])
        return b"".join([*parts, self.json[end:]])


POST_LIST = Composite[PostList](memory=lambda posts: len(posts.json) + LISTED * len(posts.state_at))


def page_json(page: Page[bytes]) -> Raw:
    """The JSON of a `Page[Item]`."""
    return Raw(b'{"items":[%b],"next":%b}' % (b",".join(page.items), encode(page.next)))


def current_post(post: Post, author: Profile) -> Post:
    """With the author as it is now: the copy in the post may be on its way."""
    if (
        post.display_name == author.display_name
        and post.avatar == author.avatar
        and post.user_role == author.role
        and post.username == author.username
    ):
        return post
    return replace(
        post,
        username=author.username,
        display_name=author.display_name,
        avatar=author.avatar,
        user_role=author.role,
    )
