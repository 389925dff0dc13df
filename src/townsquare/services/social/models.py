"""Models of the responses. The names of the fields are the seed's."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from townsquare.keyspace import Visibility, about
from townsquare.kit.fragments import Fragment

Role = Literal["user", "model", "admin"]
SYSTEM = Visibility.SYSTEM


class Profile(Fragment, kw_only=True, frozen=True):
    """A user as everybody may see it."""

    username: str
    display_name: str | None
    bio: str | None
    avatar: str | None
    links: tuple[str, ...]
    role: str
    post_count: int = field(name="postCount")
    follower_count: int = field(name="followerCount")
    following_count: int = field(name="followingCount")
    created_at: int


class SeenProfile(Profile, kw_only=True, frozen=True):
    """A profile with the viewer's relation to it; for its owner also with the private fields."""

    is_following: bool = field(name="isFollowing", default=False)
    is_muted: bool = field(name="isMuted", default=False)
    private: dict[str, str] | UnsetType = UNSET


class Post(Fragment, kw_only=True, frozen=True):
    """A post, with what it shows of its author. A field of it is a field of `post:{id}` too."""

    id: Annotated[str, about("UUID; its last three digits are the bucket of its author", SYSTEM)]
    user_id: Annotated[str, about("username of its author", SYSTEM)]
    content: str
    media_url: str | None = None
    media_alt: Annotated[str | None, about("what the picture shows")] = None
    created_at: Annotated[int, about("ms", SYSTEM)]
    edited_at: Annotated[int | None, about("ms", SYSTEM)] = None
    hashtags: Annotated[tuple[str, ...], about("normalised, with spaces between", SYSTEM, separator=" ")] = ()
    username: Annotated[str, about("copied from the author", SYSTEM)]
    avatar: Annotated[str | None, about("copied from the author", SYSTEM)] = None
    display_name: Annotated[str | None, about("copied from the author", SYSTEM)] = None
    user_role: Annotated[str, about("copied from the author", SYSTEM)]
    likes_count: int = field(name="likesCount", default=0)
    comments_count: int = field(name="commentsCount", default=0)
    bookmarks_count: int = field(name="bookmarksCount", default=0)
    banned: Annotated[bool, about("true, or absent", SYSTEM)] = False
    banned_at: Annotated[int | None, about("ms", SYSTEM)] = None


class Item(msgspec.Struct, kw_only=True, frozen=True):
    """A post in a feed, for one viewer."""

    post: Post
    is_liked: bool = field(name="isLiked")
    is_bookmarked: bool = field(name="isBookmarked")
    author: Profile


class CountedChange(msgspec.Struct):
    """The result of a like, a bookmark or a follow; `count` is the number afterwards."""

    changed: bool
    count: int


class Change(msgspec.Struct):
    changed: bool


class ModelRank(msgspec.Struct):
    profile: Profile
    engagement: int


class Trend(msgspec.Struct):
    """A hashtag and its posts of the last 24 hours."""

    hashtag: str
    posts: int


class TagPosts(msgspec.Struct):
    hashtag: str
    items: list[Item]


class PostReport(msgspec.Struct):
    username: str
    reason: str
    at: int


class ReportedPost(msgspec.Struct):
    post: Post
    reports: list[PostReport]
    count: int


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Options that the operator sets."""

    own_posts_in_home: bool = True
    sensitive_fields: bool = False  # passwords, cards and the like can be stored; they are never returned
