"""Check, repair and document the keyspace: all derived from the declarations.

How a check goes, and where each part of it is:

- `check` scans all names and takes them in batches: the whole loop is there. It asks all rules of a batch in
  one round trip. That is not one moment: a fault is a `Suspicion`.
- `row_reader` reads each key of a batch once: a `Row` is its lifetime and its value.
- `rules/` has one rule for each relation: `reads` says what else it must read for a batch of rows, `judge`
  tells the fault of one row. `rules/__init__` says which rules a declared key comes under.
- `double_entry` is for rules about two sides that must say the same (indexes, groups, orders, pairs): each
  side is only added up, and a second walk judges the entries that do not balance.
- `confirm` judges a suspicion again, by the same rule, with all that it reads read at one moment.
- `repair` makes the one write that puts it right, if nothing that was read has changed since.
- `findings` is what comes out. `store_reader` and `reads` say how and what is read, `concurrency` how much
  at a time.

`reference` and `render` are apart from that: they print the declarations as `townsquare keys` does.
"""

from townsquare.integrity.check import check
from townsquare.integrity.findings import Finding, FindingKind, Outcome, Report
from townsquare.integrity.reference import KeyRow, rows

__all__ = ["Finding", "FindingKind", "KeyRow", "Outcome", "Report", "check", "rows"]
