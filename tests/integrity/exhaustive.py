"""The check without batches and double entry: every row of every key confirmed one by one. Slow and sure.

What it finds is what `check` must find, on a store that nobody writes to.
"""

import re
from collections.abc import AsyncIterator

from townsquare.integrity.confirm import Confirmed, Confirmer
from townsquare.integrity.findings import FindingKind, Report
from townsquare.integrity.rules import DeclaredRules, rules_for
from townsquare.integrity.rules.declared import UNDECLARED, value_read
from townsquare.integrity.rules.members import START
from townsquare.integrity.rules.rule import Row, Suspicion
from townsquare.integrity.store_reader import StoreReader, Unknown, is_error, raw
from townsquare.keyspace import AnyKey, Role, kinds
from townsquare.store.coordination.claims import CLAIM_MS
from townsquare.store.store import Store
from townsquare.store.wire.connection import ReplyError

Found = set[tuple[FindingKind, str, str]]
COUNTDOWN = re.compile(r"expires in \d+ s")


def findings(report: Report) -> Found:
    return {(one.kind, one.key, COUNTDOWN.sub("expires", one.problem)) for one in report.findings}


async def exhaustive(store: Store) -> Found:
    reader = StoreReader(store)
    confirmer = Confirmer(reader)
    found: Found = set()
    async for suspicion in everything(store):
        verdict = await confirmer.confirm(suspicion)
        if isinstance(verdict, Confirmed):
            fault = verdict.fault
            name = raw(reader.name(fault.target)).decode(errors="backslashreplace")
            found.add((fault.kind, name, COUNTDOWN.sub("expires", fault.problem)))
    return found


async def everything(store: Store) -> AsyncIterator[Suspicion]:
    """Every rule for every key, and for every entry that a key or a member makes."""
    clustered = store.role_stores[Role.DATA].layout.clustered
    rules = rules_for(store.registry, CLAIM_MS if clustered else -1)
    for role, side in store.role_stores.items():
        names = {name async for batch in store.scan(role) for name in batch}
        for name in sorted(names):
            key = store.registry.parse(name, side.layout)
            if key is None or key.declared.role is not role:
                yield Suspicion(UNDECLARED, Row(Unknown(role, name), -1))
                continue
            its = rules[key.declared]
            row = await whole(store, key, its)
            for rule in (rule for group in its.groups for rule in group):
                yield Suspicion(rule, row)
            for suspicion in of_entries(row, its):
                yield suspicion


def of_entries(row: Row, rules: DeclaredRules) -> list[Suspicion]:
    return [
        Suspicion(side.rule, Row(key, -1, entry=entry))
        for side in rules.sides
        if not side.by_members or not is_error(row.value)
        for entry in side.entries([row])
        if (key := side.rule.key_for(entry))
    ]


async def whole(store: Store, key: AnyKey, rules: DeclaredRules) -> Row:
    """A key with all of its value, or all of its members."""
    left = await store.call("PTTL", key)
    try:
        if not rules.walked:
            verb, args = value_read(key.declared.kind)
            return Row(key, left, await store.call(verb, key, *args))
        if key.declared.kind is not kinds.SORTED_SET:
            return Row(key, left, [START, await store.call("SMEMBERS", key)])
        items = [item for pair in await store.call("ZRANGE", key, 0, -1, "WITHSCORES") for item in pair]
        return Row(key, left, [START, items])
    except ReplyError as error:
        return Row(key, left, error)
