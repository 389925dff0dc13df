"""A disk of a few megabytes that a test can fill: a tmpfs that only processes in its namespace see.

Takes no privileges where the kernel lets users have namespaces.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SIZE = "32m"
NAMESPACES = (["--mount"], ["--user", "--map-root-user", "--mount"])
HOLDER = 'mount -t tmpfs -o size="$1" tmpfs "$2" && echo mounted && exec sleep infinity'


class SmallDisk:
    def __init__(self, folder: Path, holder: int, namespaces: list[str]) -> None:
        self.folder = folder
        self._seen = Path(f"/proc/{holder}/root{folder}")  # from outside
        entered = [name for name in namespaces if name in ("--mount", "--user")]
        self.program = ("-m", __name__, str(holder), " ".join(entered))  # of a server that lives on it

    def fill(self, leaving: int = 0) -> None:
        """Until so many bytes are left."""
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError), (self._seen / "filling").open("ab", buffering=0) as file:
                while self._left() > leaving or not leaving:
                    file.write(b"x" * size)

    def _left(self) -> int:
        disk = os.statvfs(self._seen)
        return disk.f_bavail * disk.f_frsize

    def free(self) -> None:
        (self._seen / "filling").unlink()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    folder.mkdir()
    for namespaces in NAMESPACES:
        command = ["unshare", *namespaces, "sh", "-c", HOLDER, "sh", SIZE, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as holder:
            assert holder.stdout is not None
            try:
                if holder.stdout.readline() == b"mounted\n":
                    yield SmallDisk(folder, holder.pid, namespaces)
                    return
            finally:
                holder.kill()
    pytest.skip("the kernel grants no namespace in which a disk could be mounted")


def main() -> None:
    """Become `townsquare` in the namespace of the holder."""
    holder, entered, *arguments = sys.argv[1:]
    options = [*entered.split(), "--target", holder]
    if "--user" in options:
        options.append("--preserve-credentials")
    os.execvp("nsenter", ["nsenter", *options, sys.executable, "-m", "townsquare.cli", "serve", *arguments])


if __name__ == "__main__":
    main()
