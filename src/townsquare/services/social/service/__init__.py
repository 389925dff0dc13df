"""The social service: parts that share one store, and the operations that people ask for by name."""

from typing import TYPE_CHECKING

from townsquare.services.social.models import Options
from townsquare.services.social.redis_gateway.reads import Reads
from townsquare.services.social.redis_gateway.writes import Writes
from townsquare.services.social.service.delete_user import UserDeletion
from townsquare.services.social.service.feeds import Feeds
from townsquare.services.social.service.follows import Follows
from townsquare.services.social.service.home import Home
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.interactions import Interactions
from townsquare.services.social.service.moderation import Moderation
from townsquare.services.social.service.owners import Nobody, Owners
from townsquare.services.social.service.posts import Posts
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.refresh_posts import PostRefresh
from townsquare.services.social.service.rename_user import UserRename
from townsquare.services.social.service.search import Search
from townsquare.services.social.service.sync import Sync
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.services.social.account_profiles import AccountProfiles


class Social:
    """Profiles, follows, posts and feeds over one store."""

    account_profiles: "AccountProfiles"

    def __init__(self, store: Store, jobs: Jobs, options: Options | None = None) -> None:
        options = options or Options()
        self.owners: Owners = Nobody()
        self.hydration = Hydration(store)
        self.profiles = Profiles(store, jobs, options)
        self.post_refresh = PostRefresh(store, jobs)
        self.follows = Follows(store, self.profiles, self.hydration)
        self.posts = Posts(store, jobs, self.hydration)
        self.interactions = Interactions(store, self.posts)
        self.moderation = Moderation(store, self.posts)
        self.feeds = Feeds(store, self.profiles, self.hydration)
        self.home = Home(store, self.hydration, options)
        self.search = Search(store, self.hydration)
        self.user_deletion = UserDeletion(store, jobs)
        self.user_rename = UserRename(store, jobs)
        self.sync = Sync(store, self.profiles, options)
        self.redis_reads = Reads(store)
        self.redis_writes = Writes(store, sensitive=options.sensitive_fields)

        self.register = self.profiles.register
        self.follow = self.follows.follow
        self.unfollow = self.follows.unfollow
        self.create_post = self.posts.create
        self.delete_post = self.posts.delete
        self.like = self.interactions.like
        self.unlike = self.interactions.unlike
        self.bookmark = self.interactions.bookmark
        self.unbookmark = self.interactions.unbookmark
        self.set_comments_count = self.posts.set_comments_count
