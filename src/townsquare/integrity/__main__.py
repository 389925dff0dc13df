"""A check in a process of its own: `python -m townsquare.integrity [--repair]`.

The settings are JSON on stdin. It runs at a low priority, and stores its result for the server.
"""

import asyncio
import os
import re
import sys

import msgspec

from townsquare.integrity.check import check, collect_rarely
from townsquare.integrity.findings import Finding
from townsquare.open_store import opened_store
from townsquare.problems import Problem
from townsquare.secret_repr import REDACTED, STORED_SECRET
from townsquare.settings import Settings
from townsquare.store.keys import (
    CHECK_DETAILS_SECONDS,
    CheckDetails,
    CheckFinding,
    LastCheck,
    check_details,
    last_check,
)

NICE = 10
LISTED = 200  # findings for the console
VALUES = re.compile(r"b?['\"].*", re.DOTALL)  # from the first quoted value to the end


async def main() -> None:
    os.nice(NICE)
    collect_rarely()
    settings = msgspec.json.decode(sys.stdin.buffer.read(), type=Settings)
    async with opened_store(settings) as store:
        began = store.clock.now_ms()
        report = await check(store, repair="--repair" in sys.argv)
        result = LastCheck(began, store.clock.now_ms(), report.keys, report.left)
        details = CheckDetails(report.repair, [*map(shown, report.findings[:LISTED])], report.counts)
        await store.pipeline(
            [
                ("SET", check_details(), msgspec.json.encode(details), "EX", CHECK_DETAILS_SECONDS),
                ("SET", last_check(), msgspec.json.encode(result)),
            ]
        )


def shown(finding: Finding) -> CheckFinding:
    """A finding without the values of secrets."""
    problem, note = finding.problem, finding.note
    if STORED_SECRET.search(finding.key) or STORED_SECRET.search(problem.partition(" ")[0]):
        problem, note = VALUES.sub(REDACTED, problem), VALUES.sub(REDACTED, note)
    return CheckFinding(finding.kind, finding.key, problem, finding.outcome, note)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Problem as problem:
        sys.exit(f"{problem.title}: {problem.detail}")
