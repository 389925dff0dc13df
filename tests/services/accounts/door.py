"""Sign-in over the store of a square, with a letter box that tests can read, and HTTP in front of it."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.services.accounts.core import accounts_store
from tests.support.squares import client_of
from tests.web.asking import silent_logs
from townsquare.kit.files import REVALIDATED, Assets
from townsquare.services import accounts
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.routes import endpoints
from townsquare.services.accounts.service import Accounts
from townsquare.services.accounts.signin.delivery import Channel, OutgoingMessage
from townsquare.services.accounts.signin.models import Client, SignedIn
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store
from townsquare.web.app import App

PAGE_FILES = Assets("/accounts/assets", Path(accounts.__file__).parent / "pages" / "assets", REVALIDATED)
SECRET = "a secret of the tests"
PASSWORD = "correct horse battery"
EMAIL = "alice@example.org"
PHONE = "+966501234567"
LAPTOP = Client("192.0.2.1", "laptop")
PHONE_DEVICE = Client("192.0.2.2", "phone")


class Letters:
    """Messages kept in a list."""

    channels: frozenset[Channel] = frozenset({"email", "sms"})

    def __init__(self) -> None:
        self.sent: list[OutgoingMessage] = []

    async def send(self, message: OutgoingMessage) -> None:
        self.sent.append(message)

    async def close(self) -> None:
        pass


class Door:
    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.letters = Letters()
        self.jobs = Jobs(store)
        self.accounts = Accounts(store, self.jobs, settings, SECRET, delivery=self.letters)
        self.users = self.accounts.users

    async def code_for(self, to: str) -> str:
        """The digits of the last message to this address."""
        await self.accounts.delivered()
        found = re.search(r"\b\d{6}\b", [letter for letter in self.letters.sent if letter.to == to][-1].text)
        assert found
        return found[0]

    async def sign_up(self, email: str = EMAIL, **profile: Any) -> SignedIn:
        return await self.accounts.password.sign_up(UserProfile(email=email, **profile), PASSWORD, LAPTOP)

    def app(self) -> App:
        return App(
            endpoints(self.accounts),
            settings=self.settings,
            authenticate=self.accounts.authenticate,
            assets=[PAGE_FILES],
            logs=silent_logs(),
        )


@asynccontextmanager
async def open_door(square: Square, **settings: Any) -> AsyncIterator[Door]:
    door = Door(
        accounts_store(square), Settings.load(environ={}, **{"env": "test", "rate_limits": "off", **settings})
    )
    try:
        yield door
    finally:
        await door.accounts.close()


def browse_door(door: Door) -> httpx.AsyncClient:
    return client_of(door.app(), ip=LAPTOP.ip)
