"""Examine an installation: what an operator should change, and how.

    findings = await examine(square.store, square.settings)

`checks/` has one module per subject. A check is a function in the table of its module.
"""

from townsquare.doctor.examine import examine
from townsquare.doctor.findings import DoctorFinding, Severity

__all__ = ["DoctorFinding", "Severity", "examine"]
