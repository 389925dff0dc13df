"""A finding, and the facts about the machine and the nodes that checks judge."""

import os
import shutil
from pathlib import Path
from typing import Literal, NamedTuple, Self

import msgspec

from townsquare.keyspace import Role
from townsquare.store.requirements import StoreFinding

Severity = Literal["critical", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "notice")  # the most urgent first


class DoctorFinding(msgspec.Struct, frozen=True):
    """Something that an operator should know or change."""

    code: str
    severity: Severity
    title: str
    found: str
    advice: str


class Machine(NamedTuple):
    """The machine that the server runs on."""

    cores: int
    disk_free: int | None  # bytes free for the data folder; None: it does not exist

    @classmethod
    def this(cls, data_dir: str) -> Self:
        free = shutil.disk_usage(data_dir).free if Path(data_dir).is_dir() else None
        return cls(len(os.sched_getaffinity(0)), free)


class NodeFacts(NamedTuple):
    """The state of one node; values that it does not report are missing or 0."""

    role: Role
    name: str  # for messages: "data store", on a cluster with the address
    info: dict[str, str]
    cluster_info: dict[str, str]
    configuration: list[StoreFinding]  # requirements that are not met
    ping_ms: float  # median
    clock_ms: int  # its clock minus the clock of this machine
    embedded: bool
    both_roles: bool  # one store serves data and cache

    def number(self, name: str) -> int:
        text = self.info.get(name, "")
        return int(text) if text.isdigit() else 0


def megabytes(size: int) -> str:
    return f"{size / 1_048_576:,.0f} MB"
