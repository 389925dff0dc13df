"""Accounts as one thing: what the library, HTTP and the command line call."""

from townsquare.services.accounts.privacy import Privacy
from townsquare.services.accounts.signin import SignIn
from townsquare.services.accounts.users import Users
from townsquare.services.events import Events
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Accounts:
    sign_in: SignIn

    def __init__(self, store: Store, jobs: Jobs, events: Events) -> None:
        self.events = events
        self.users = Users(store, events)
        self.privacy = Privacy(store, jobs, self.users, events)
