"""The social service and its parts."""

from townsquare.services.accounts.service import Accounts
from townsquare.services.events import ImageStore
from townsquare.services.social.models import Options
from townsquare.services.social.redis_gateway.reads import GatewayReads
from townsquare.services.social.redis_gateway.writes import GatewayWrites
from townsquare.services.social.service.account_profile import AccountProfile
from townsquare.services.social.service.export import ProfileExport
from townsquare.services.social.service.feeds import Feeds
from townsquare.services.social.service.follows import Follows
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.moderation import Moderation
from townsquare.services.social.service.notices import Notices
from townsquare.services.social.service.page_pipeline import PagePipeline
from townsquare.services.social.service.posts import Posts
from townsquare.services.social.service.profile_accounts import ProfileAccounts
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.refresh_posts import PostRefresh
from townsquare.services.social.service.rename_user import UserRename
from townsquare.services.social.service.search import SocialSearch
from townsquare.services.social.service.sync import Sync
from townsquare.services.social.service.users import SocialUsers
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Social:
    """Profiles, follows, posts and feeds over one store. Without `accounts` a library brings its own."""

    def __init__(
        self,
        store: Store,
        jobs: Jobs,
        options: Options | None = None,
        accounts: Accounts | None = None,
        images: ImageStore | None = None,
    ) -> None:
        options = options or Options()
        pipeline = PagePipeline(store, Hydration(store))
        PostRefresh(store, jobs)
        self.profiles = Profiles(store, jobs, options)
        self.renames = UserRename(store, jobs)
        linked = ProfileAccounts(self.renames, accounts) if accounts else None
        self.users = SocialUsers(self.profiles, self.renames, jobs, linked)
        self.account_profile = AccountProfile(store, jobs, self.profiles, self.renames, linked)
        self.profile_export = ProfileExport(store, self.profiles)
        self.follows = Follows(store, self.profiles, pipeline)
        self.images = images
        self.posts = Posts(store, pipeline, images)
        self.notices = Notices(store)
        self.moderation = Moderation(store, self.posts)
        self.feeds = Feeds(store, self.profiles, options, pipeline.feed)
        self.feeds_json = Feeds(store, self.profiles, options, pipeline.feed_json)  # for the routes
        self.search = SocialSearch(store, pipeline)
        self.sync = Sync(store, self.users.change, options)
        self.redis_reads = GatewayReads(store)
        self.redis_writes = GatewayWrites(
            store, self.users.change_account_links, sensitive=options.sensitive_fields
        )
