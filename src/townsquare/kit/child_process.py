"""Child processes of ours that read untrusted files: their command, environment and limits."""

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

ENVIRONMENT = ("PATH", "LANG", "LD_LIBRARY_PATH")  # the child gets no secrets


def child_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours; the path of imports is in the environment."""
    from multiprocessing.spawn import get_executable

    return [os.fsdecode(get_executable() or "python3"), "-P", "-m", module, *arguments]


def child_environment(folder: Path) -> dict[str, str]:
    """The environment of a child that writes temporary files into the folder."""
    kept = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return {**kept, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def limit(kind: int, value: int) -> None:
    """Lower a soft limit; the hard one stays, since a limit can grow with the file."""
    _, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):  # not every system can limit everything
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
