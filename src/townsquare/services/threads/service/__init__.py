"""Threads as one thing: what the library, HTTP and the command line call."""

from townsquare.services.accounts.service import Accounts
from townsquare.services.threads.mail_links import MailLinks
from townsquare.services.threads.service.alerts import ModeratorAlerts
from townsquare.services.threads.service.bans import BanJob
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.comments import Comments
from townsquare.services.threads.service.feeds import CommentFeeds
from townsquare.services.threads.service.lists import Lists
from townsquare.services.threads.service.mailing import Mailing
from townsquare.services.threads.service.moderation import CommentModeration
from townsquare.services.threads.service.notifications import Notifications
from townsquare.services.threads.service.pages import SitePages
from townsquare.services.threads.service.profiles import CommenterProfiles
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.screening import Screening
from townsquare.services.threads.service.sites import Sites
from townsquare.services.threads.single_sign_on import SingleSignOn
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Threads:
    """Sites, their pages, and the comments on them."""

    def __init__(self, store: Store, jobs: Jobs, accounts: Accounts, links: MailLinks) -> None:
        self.sites = Sites(store)
        self.commenters = Commenters(store, accounts.users)
        self.reading = Reading(store)
        self.comments = Comments(store, self.commenters, self.reading, Screening(store))
        self.moderation = CommentModeration(store, self.commenters, self.reading, BanJob(store, jobs))
        self.notifications = Notifications(store, self.reading)
        self.pages = SitePages(store, jobs, self.sites)
        self.lists = Lists(store, self.reading)
        self.profiles = CommenterProfiles(store, self.commenters, self.lists)
        self.feeds = CommentFeeds(store, self.sites, self.commenters, self.lists, self.notifications)
        self.mailing = Mailing(
            store, jobs, accounts, self.sites, self.commenters, self.reading, self.lists, links
        )
        self.alerts = ModeratorAlerts(
            store, jobs, accounts, self.sites, self.reading, self.moderation, self.comments, links
        )
        self.single_sign_on = SingleSignOn(store.clock)
        self.authenticate = accounts.authenticate
