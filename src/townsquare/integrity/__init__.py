"""Check, repair and document the keyspace. Everything is derived from the declarations.

The modules, in the order of a check:

- `check` scans all keys and judges them in batches. All rules of a batch are read in one round trip, which is
  not atomic, so a fault is a `Suspicion` at first.
- `row_reader` reads each key of a batch once. A `Row` is its lifetime and its value.
- `rules/` has a rule for each relation: `reads` returns the further reads for a batch of rows, `judge`
  returns the fault of one row. `rules/__init__` selects the rules of a declared key.
- `double_entry` serves rules about two sides that must agree (indexes, groups, orders, pairs). Both sides are
  summed up, and only entries of sums that do not balance are judged, in a second walk.
- `confirm` judges a suspicion again by the same rule, with atomic reads.
- `repair` writes the repair, if no key that the rule read has changed.
- `findings` has the results. `store_reader` describes and sends reads.

`reference` prints the declarations for `townsquare keys`.
"""

from townsquare.integrity.check import check
from townsquare.integrity.findings import Finding, FindingKind, Outcome, Report
from townsquare.integrity.reference import KeyRow, rows

__all__ = ["Finding", "FindingKind", "KeyRow", "Outcome", "Report", "check", "rows"]
