"""The social service: every operation by its name, over parts that share one store."""

from townsquare.services.social.models import Options
from townsquare.services.social.redis_gateway.reads import GatewayReads
from townsquare.services.social.redis_gateway.writes import GatewayWrites
from townsquare.services.social.service.account_link import AccountLink
from townsquare.services.social.service.account_profile import AccountProfile
from townsquare.services.social.service.export import ProfileExport
from townsquare.services.social.service.feeds import Feeds
from townsquare.services.social.service.follows import Follows
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.moderation import Moderation
from townsquare.services.social.service.names_and_roles import NamesAndRoles
from townsquare.services.social.service.posts import Posts
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.refresh_posts import PostRefresh
from townsquare.services.social.service.rename_user import UserRename
from townsquare.services.social.service.search import SocialSearch
from townsquare.services.social.service.sync import Sync
from townsquare.services.social.service.views import Views
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Social:
    """Profiles, follows, posts and feeds over one store."""

    def __init__(self, store: Store, jobs: Jobs, options: Options | None = None) -> None:
        options = options or Options()
        views = Views(store, Hydration(store))
        PostRefresh(store, jobs)

        profiles = Profiles(store, jobs, options)
        self.register = profiles.register
        self.get_profile = profiles.public
        self.see_profile = profiles.see
        self.own_profile = profiles.own

        follows = Follows(store, profiles, views)
        self.follow = follows.follow
        self.unfollow = follows.unfollow
        self.block = follows.block
        self.unblock = follows.unblock
        self.mute = follows.mute
        self.unmute = follows.unmute
        self.followers = follows.followers
        self.following = follows.following
        self.blocked = follows.blocked
        self.muted = follows.muted

        posts = Posts(store, views)
        self.create_post = posts.create
        self.get_post = posts.get
        self.see_post = posts.see
        self.edit_post = posts.edit
        self.delete_post = posts.delete
        self.set_comments_count = posts.set_comments_count
        self.like = posts.like
        self.unlike = posts.unlike
        self.bookmark = posts.bookmark
        self.unbookmark = posts.unbookmark

        moderation = Moderation(store, posts)
        self.ban_post = moderation.ban
        self.unban_post = moderation.unban
        self.report_post = moderation.report
        self.reported_posts = moderation.reported

        feeds = Feeds(store, profiles, views, options, views.show_items)
        self.feeds_json = Feeds(store, profiles, views, options, views.show_json)  # for the routes
        self.explore_feed = feeds.explore
        self.home_feed = feeds.home
        self.hashtag_feed = feeds.hashtag
        self.ranked_feed = feeds.ranked
        self.user_posts = feeds.user_posts
        self.bookmarked_posts = feeds.bookmarked

        search = SocialSearch(store, views)
        self.search_users = search.users
        self.newest_users = search.newest_users
        self.top_models = search.top_models
        self.top_hashtag_posts = search.top_posts
        self.trending_hashtags = search.trending

        self.export_user = ProfileExport(store, profiles).export

        renames = UserRename(store, jobs)
        self.current_name = renames.current_name
        self.name_state = renames.name_state
        self.end_redirect = renames.end_redirect

        self._account_profile = AccountProfile(store, jobs, profiles, renames)
        self.apply_account_update = self._account_profile.apply
        self.check_account_name = self._account_profile.check_name

        self._names_and_roles = names_and_roles = NamesAndRoles(profiles, renames, jobs)
        self.change_profile = names_and_roles.change
        self.delete_user = names_and_roles.delete
        self.begin_delete_user = names_and_roles.begin_delete
        self.rename_user = names_and_roles.rename
        self.begin_rename_user = names_and_roles.begin_rename
        self.edit_profile = names_and_roles.edit
        self.join = names_and_roles.join

        sync = Sync(store, names_and_roles.change, options)
        self.sync_users = sync.users
        self.sync_posts = sync.posts
        self.sync_follows = sync.follows
        self.sync_likes = sync.likes

        self.redis_read = GatewayReads(store).run
        self.redis_write = GatewayWrites(
            store, names_and_roles.change_account, sensitive=options.sensitive_fields
        ).run

    def link_accounts(self, accounts: AccountLink) -> None:
        """Without this there are only profiles: a library that brings its own accounts."""
        self._account_profile.accounts = self._names_and_roles.accounts = accounts
