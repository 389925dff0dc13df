"""Unique values of a user: which ones a document has, and how a write takes new ones."""

import asyncio
import random
import time
from collections.abc import Callable

from townsquare.keyspace import AnyKey
from townsquare.problems import Taken
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import User
from townsquare.services.accounts.scripts import ChangeUser, CreateUser
from townsquare.store.store import Store

CLAIM_PATIENCE = 2.0  # seconds that we wait for a claim of somebody who has not finished

INPUT_OF_INDEX = {
    "email": "email",
    "username": "username",
    "phone": "phone",
    "device": "device_id",
    "google": "google_id",
    "provider_google": "google_id",
    "provider_github": "github_id",
}
FIELD_OF_INDEX = {"device": "deviceId", "provider_google": "google", "provider_github": "github"}
INDEXES: dict[str, Callable[[str], AnyKey]] = {
    "email": keys.email,
    "username": keys.username,
    "phone": keys.phone,
    "device": keys.device,
    "google": keys.google,
    "provider_google": keys.provider_google,
    "provider_github": keys.provider_github,
}


def unique_values(user: User) -> dict[str, str | None]:
    """By the names of the scripts' inputs."""
    return {
        "email": user.email,
        "username": user.username,
        "phone": user.phone,
        "device_id": user.device_id,
        "google_id": user.providers.get("google"),
        "github_id": user.providers.get("github"),
    }


def newly_unique(before: User, after: User) -> dict[str, str | None]:
    had = unique_values(before)
    return {name: value if value != had[name] else None for name, value in unique_values(after).items()}


async def run_claiming(store: Store, call: CreateUser | ChangeUser) -> None:
    """Run a script that takes unique values; raises Taken with the field.

    On a cluster a claim may be somebody's who has yet to win or lose, perhaps against us over another
    field. Then the outcome is waited for, so that of several who want the same values one gets them.
    """
    give_up = time.monotonic() + CLAIM_PATIENCE
    while True:
        try:
            return await store.run(call)
        except Taken as taken:
            index = taken.detail
            key = INDEXES[index](getattr(call, INPUT_OF_INDEX[index]))
            if await is_settled(store, key) or time.monotonic() > give_up:
                field = FIELD_OF_INDEX.get(index, index)
                raise Taken(field, field=field) from None
        await asyncio.sleep(random.uniform(0.005, 0.03))


async def is_settled(store: Store, index: AnyKey) -> bool:
    return bool(await store.call("PTTL", index) == -1)
