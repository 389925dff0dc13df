"""Threads as one thing: what the library, HTTP and the command line call."""

from townsquare.services.accounts.service import Accounts
from townsquare.services.threads.service.commenters import Commenters
from townsquare.services.threads.service.comments import Comments
from townsquare.services.threads.service.exporting import Exporting
from townsquare.services.threads.service.importing import Importing
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.screening import Screening
from townsquare.services.threads.service.sites import Sites
from townsquare.services.threads.single_sign_on import SingleSignOn
from townsquare.store.store import Store


class Threads:
    """Sites, their pages, and the comments on them."""

    def __init__(self, store: Store, accounts: Accounts) -> None:
        self.sites = Sites(store)
        self.commenters = Commenters(store, accounts.users)
        self.reading = Reading(store)
        self.comments = Comments(store, self.commenters, self.reading, Screening(store))
        self.importing = Importing(store, self.sites)
        self.exporting = Exporting(store, self.sites)
        self.single_sign_on = SingleSignOn(store.clock)
        self.authenticate = accounts.authenticate
