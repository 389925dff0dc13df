"""The social service: parts that share one store, and the operations that people ask for by name."""

from typing import TYPE_CHECKING

from townsquare.services.social.models import Options
from townsquare.services.social.raw.reads import Reads
from townsquare.services.social.raw.writes import Writes
from townsquare.services.social.service.feeds import Feeds
from townsquare.services.social.service.follows import Follows
from townsquare.services.social.service.home import Home
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.interactions import Interactions
from townsquare.services.social.service.leaving import Leaving
from townsquare.services.social.service.moderation import Moderation
from townsquare.services.social.service.moving import Moving
from townsquare.services.social.service.owners import Nobody, Owners
from townsquare.services.social.service.posts import Posts
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.refreshing import Refreshing
from townsquare.services.social.service.search import Search
from townsquare.services.social.service.sync import Sync
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

if TYPE_CHECKING:
    from townsquare.services.social.membership import Membership


class Social:
    """Profiles, follows, posts and feeds over one store."""

    membership: "Membership"

    def __init__(self, store: Store, jobs: Jobs, options: Options | None = None) -> None:
        options = options or Options()
        self.owners: Owners = Nobody()
        self.hydration = Hydration(store)
        self.profiles = Profiles(store, jobs, options)
        self.refreshing = Refreshing(store, jobs)
        self.follows = Follows(store, self.profiles, self.hydration)
        self.posts = Posts(store, jobs, self.hydration)
        self.interactions = Interactions(store, self.posts)
        self.moderation = Moderation(store, self.posts)
        self.feeds = Feeds(store, self.profiles, self.hydration)
        self.home = Home(store, self.hydration, options)
        self.search = Search(store, self.hydration)
        self.leaving = Leaving(store, jobs)
        self.moving = Moving(store, jobs)
        self.sync = Sync(store, self.profiles, options)
        self.raw_reads = Reads(store)
        self.raw_writes = Writes(store, sensitive=options.sensitive_fields)

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
