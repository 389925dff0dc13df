"""The threads service, for the library, HTTP and the command line."""

from townsquare.service_resources import Resources
from townsquare.services.accounts.mails import Mails
from townsquare.services.accounts.service import Accounts
from townsquare.services.events import CommentedPosts, ImageStore
from townsquare.services.threads.mails import MailLinks
from townsquare.services.threads.service.admission import Admission
from townsquare.services.threads.service.alerts import ModeratorAlerts
from townsquare.services.threads.service.bans import BanJob
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.comments import Comments
from townsquare.services.threads.service.exporting import Exporting
from townsquare.services.threads.service.importing import Importing
from townsquare.services.threads.service.lists import Lists
from townsquare.services.threads.service.live import BEAT_SECONDS, Live
from townsquare.services.threads.service.mailing import Mailing
from townsquare.services.threads.service.moderation import CommentModeration
from townsquare.services.threads.service.notifications import AllNotifications, Notifications
from townsquare.services.threads.service.outside_checks import OutsideChecks
from townsquare.services.threads.service.pages import PageMerges, SitePages
from townsquare.services.threads.service.post_comments import PostComments
from townsquare.services.threads.service.profiles import CommenterProfiles
from townsquare.services.threads.service.proof_of_work import Proofs
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.request_limits import RequestLimits
from townsquare.services.threads.service.rss import RssFeeds
from townsquare.services.threads.service.screening import Screening
from townsquare.services.threads.service.sign_in import SiteSignIn
from townsquare.services.threads.service.site_imports import SiteImports
from townsquare.services.threads.service.sites import Sites
from townsquare.services.threads.service.usage import FLUSH_SECONDS, PageviewCounts, Usage
from townsquare.services.threads.service.user_export import CommenterExport
from townsquare.services.threads.service.whole_thread import WholeThreads
from townsquare.services.threads.single_sign_on import SingleSignOn


class Threads:
    """Sites, their pages, and the comments on them."""

    def __init__(
        self,
        square: Resources,
        accounts: Accounts,
        posts: CommentedPosts | None = None,
        images: ImageStore | None = None,
    ) -> None:
        store, jobs, settings = square.store, square.jobs, square.settings
        self.images = images
        self.sites = Sites(store)
        self.commenters = Commenters(store, accounts.users)
        self.export_user = CommenterExport(store).read
        self.reading = Reading(store)
        self.whole = WholeThreads(store, self.reading)
        self.usage = Usage(store)
        limits = RequestLimits(store, settings.rate_limits == "on")
        self.count_request = limits.count
        admission = Admission(store, self.commenters, Proofs(store, square.secret), limits)
        screening = Screening(store, OutsideChecks())
        self.comments = Comments(store, self.commenters, self.reading, admission, screening, self.usage)
        self.posts = PostComments(store, jobs, self, posts, settings.public_url)
        self.moderation = CommentModeration(store, self.commenters, self.reading, BanJob(store, jobs))
        self.notifications = Notifications(store, self.reading)
        self.account_notifications = AllNotifications(store, self.reading)
        self.pages = SitePages(store, jobs)
        self.merging = PageMerges(store, jobs)
        self.lists = Lists(store, self.reading)
        self.profiles = CommenterProfiles(store, self.commenters, self.lists)
        self.rss = RssFeeds(store, self.sites, self.commenters, self.lists, self.notifications)
        self.importing = Importing(store, self.sites)
        self.exporting = Exporting(store, self.sites)
        self.imports = SiteImports(store, self.importing, settings.upload_limit)
        texts = Mails(settings)
        links = MailLinks(square.secret, settings.public_url, square.former_secrets.last)
        self.mailing = Mailing(
            store, jobs, accounts, self.sites, self.commenters, self.reading, self.lists, links, texts
        )
        self.alerts = ModeratorAlerts(
            store, jobs, accounts, self.sites, self.reading, self.moderation, self.comments, links, texts
        )
        self.pageviews = PageviewCounts(store, self.usage, square.secret)
        self.live = Live(store, square.channels, self.reading, settings.live_connections)
        self.single_sign_on = SingleSignOn(store.clock)
        self.sign_in = SiteSignIn(accounts, self.commenters)
        self.accounts = accounts
        self.authenticate = accounts.authenticate
        square.background.in_every_process(FLUSH_SECONDS, self.usage.flush)
        square.background.in_every_process(BEAT_SECONDS, self.live.beat)

    async def own_site(self, name: str) -> str:
        """The public key of a site of this server, for pages of another service."""
        return await self.sites.own_site(name)

    async def close(self) -> None:
        await self.live.close()
        await self.imports.close()
        await self.usage.flush()
        self.alerts.close()
