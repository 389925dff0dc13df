"""Posts of a feed as models, or as JSON that is joined from the fragments of posts and authors."""

from msgspec import Raw
from msgspec.structs import replace

from townsquare.kit.fragments import encode
from townsquare.kit.paging import Page
from townsquare.services.social.models import Item, Post, Profile
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


def item_json(post: Post, author: Profile, is_liked: bool = False, is_bookmarked: bool = False) -> bytes:
    """The JSON of that `Item`."""
    post = current_post(post, author)
    return b"".join((b'{"post":', post.json, STATE_JSON[is_liked, is_bookmarked], author.json, b"}"))


# each post of a page with its index, its author, and its JSON for a viewer without likes and bookmarks
POST_LIST = Composite[list[tuple[int, Post, Profile, bytes]]](
    memory=lambda posts: sum([LISTED + len(json) for _, _, _, json in posts])
)


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
