"""Double entry: whether two sides of a relation say the same, without asking one about the other.

A pair stands on two sides, and so does the place of a record in a collection. A walk through all keys comes
by both, and each side enters what it says: its hash is added to an account, or subtracted on the other side.
What both say leaves nothing. Only entries of accounts that do not balance have to be looked at one by one:
faults, what shares an account with them, and what was written while we walked.

That a fault leaves its account at zero is as likely as to guess a 64-bit hash.
"""

from collections.abc import Hashable, Iterable

ACCOUNTS = 1 << 14  # of one ledger: few enough to keep, many enough that a fault leaves most entries settled
MASK = ACCOUNTS - 1


class Ledger:
    def __init__(self) -> None:
        self._accounts = [0] * ACCOUNTS

    def add(self, entries: Iterable[Hashable]) -> None:
        accounts = self._accounts
        for entry in entries:
            number = hash(entry)
            accounts[number & MASK] += number

    def subtract(self, entries: Iterable[Hashable]) -> None:
        accounts = self._accounts
        for entry in entries:
            number = hash(entry)
            accounts[number & MASK] -= number

    @property
    def balanced(self) -> bool:
        return not any(self._accounts)

    def doubts(self, entry: Hashable) -> bool:
        return self._accounts[hash(entry) & MASK] != 0
