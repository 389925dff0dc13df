"""Unique values of a user: the claims of a document, and writes that claim values."""

import asyncio
import random
import time

import msgspec

from townsquare.keyspace import Indexes
from townsquare.problems import Taken
from townsquare.services.accounts import keys, problems
from townsquare.services.accounts.models import User
from townsquare.services.accounts.scripts import ChangeUser, CreateUser
from townsquare.store.store import Store

CLAIM_PATIENCE = 2.0  # seconds to wait for an unfinished claim of another request

INDEXES = {
    relation.index.name: relation for relation in keys.accounts.relations if isinstance(relation, Indexes)
}
Claim = list[str]  # the name of an index and its values


def claims_of(user: User) -> list[Claim]:
    document = msgspec.to_builtins(user)
    found = ((name, index.values(document)) for name, index in INDEXES.items())
    return [[name, *values] for name, values in found if values]


def new_claims(before: User | None, after: User) -> list[Claim]:
    had = claims_of(before) if before else []
    return [claim for claim in claims_of(after) if claim not in had]


def field_of(index: str) -> str:
    """The field of an index, by its name in the API."""
    *_, path = INDEXES[index].params.values()
    return str(path).rpartition(".")[2]


async def run_claiming(store: Store, call: CreateUser | ChangeUser) -> str:
    """Run a script that claims unique values; raises Taken with the field.

    On a cluster the claim of a concurrent request may be undecided. Wait for its outcome, so that exactly
    one of several requests for the same values succeeds.
    """
    give_up = time.monotonic() + CLAIM_PATIENCE
    while True:
        try:
            return await store.run(call)
        except Taken as taken:
            index, *values = next(claim for claim in call.claims if claim[0] == taken.detail)
            key = INDEXES[index].index(*values)
            left, holder = await store.call("PTTL", key), await store.call("GET", key)
            is_theirs = holder != call.id.encode()
            if (is_theirs and left == -1) or time.monotonic() > give_up:
                raise (problems.taken(field_of(index)) if is_theirs else problems.UserChanged()) from None
        await asyncio.sleep(random.uniform(0.005, 0.03))
