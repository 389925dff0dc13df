"""The users of a square without the rest of it, and what the store must hold for them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from townsquare.clock import from_iso
from townsquare.keyspace import AnyKey, Registry, Role, kinds
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import User, UserRole
from townsquare.services.accounts.privacy import AccountPrivacy
from townsquare.services.accounts.service_updates import ServiceUpdates
from townsquare.services.accounts.users import Users
from townsquare.square import Square
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import system
from townsquare.store.store import Store


@dataclass
class Core:
    store: Store
    jobs: Jobs

    def __post_init__(self) -> None:
        self.updates = ServiceUpdates(self.store, self.jobs)
        self.users = Users(self.store, self.updates)
        self.privacy = AccountPrivacy(self.store, self.jobs, self.users, self.updates)


def core_of(square: Square) -> Core:
    """On a store that knows no other service: none follows these accounts."""
    store = accounts_store(square)
    return Core(store, Jobs(store))


def accounts_store(square: Square) -> Store:
    sides = square.store.role_stores
    return Store(
        Registry([system, keys.accounts]),
        square.settings.env,
        sides[Role.DATA].nodes,
        sides[Role.CACHE].nodes,
        clock=square.store.clock,
    )


def expected(users: Iterable[User]) -> dict[AnyKey, Any]:
    """Every key that leads to these users, with what it holds."""
    strings: dict[AnyKey, Any] = {}
    sets: dict[AnyKey, set[str]] = defaultdict(set)
    orders: dict[AnyKey, dict[str, float]] = defaultdict(dict)
    for user in users:
        google, github = user.providers.get("google"), user.providers.get("github")
        found: list[tuple[Any, str | None]] = [
            (keys.email, user.email),
            (keys.username, user.username),
            (keys.phone, user.phone),
            (keys.device, user.device_id),
            (keys.google, google),
            (keys.provider_google, google),
            (keys.provider_github, github),
        ]
        for index, value in found:
            if value is not None:
                assert index(value) not in strings, "two documents have one unique value"
                strings[index(value)] = user.id
        if user.outside:
            strings[keys.outside(user.outside.issuer, user.outside.subject)] = user.id
        if user.province:
            sets[keys.province_users(user.province)].add(user.id)
        if user.city:
            sets[keys.city_users(user.city)].add(user.id)
        if not user.registered:
            sets[keys.non_registered_users()].add(user.id)
        created = float(from_iso(user.created_at))
        orders[keys.users_by("status", user.account_status.value)][user.id] = created
        if user.role is not UserRole.USER:
            orders[keys.users_by("role", user.role.value)][user.id] = created
        if user.province:
            orders[keys.users_by("province", user.province)][user.id] = created
        if user.city:
            orders[keys.users_by("city", user.city)][user.id] = created
    return {**strings, **sets, **orders}


async def stored(store: Store) -> tuple[list[User], dict[AnyKey, Any]]:
    """The documents in the store, and every other key of accounts with what it holds."""
    users: list[User] = []
    found: dict[AnyKey, Any] = {}
    for key in await account_keys(store):
        if key.declared is keys.user:
            document = await store.get(key)
            assert document is not None
            users.append(document)
        elif key.declared is not keys.user_update:  # there while a job is open
            found[key] = await value_of(store, key)
    return users, found


async def account_keys(store: Store) -> list[AnyKey]:
    side = store.role_stores[keys.user.role]
    names = {name async for batch in store.scan(keys.user.role) for name in batch}
    parsed = [store.registry.parse(name, side.layout) for name in names]
    return [key for key in parsed if key is not None and key.declared.service == "accounts"]


async def value_of(store: Store, key: AnyKey) -> Any:
    assert await store.call("PTTL", key) == -1, f"{key} ends"
    if key.declared.kind is kinds.SET:
        return {member.decode() for member in await store.call("SMEMBERS", key)}
    if key.declared.kind is kinds.SORTED_SET:
        flat = await store.call("ZRANGE", key, 0, -1, "WITHSCORES")
        pairs = flat if flat and isinstance(flat[0], list) else list(zip(flat[::2], flat[1::2], strict=True))
        return {member.decode(): float(score) for member, score in pairs}
    return await store.get(key)


async def assert_indexes_follow(store: Store) -> list[User]:
    """Indexes, sets and lists are what the documents say: nothing less and nothing more."""
    users, found = await stored(store)
    assert found == expected(users)
    return users
