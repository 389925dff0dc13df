"""Check, repair and document the keyspace: all derived from the declarations."""

from townsquare.integrity.check import check
from townsquare.integrity.findings import Finding, FindingKind, Outcome, Report
from townsquare.integrity.reference import KeyRow, rows

__all__ = ["Finding", "FindingKind", "KeyRow", "Outcome", "Report", "check", "rows"]
