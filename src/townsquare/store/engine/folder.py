"""The data folder: its owner, and the files of its engines."""

import contextlib
import fcntl
import os
import stat
from pathlib import Path

from townsquare.roles import Role

LONGEST_SOCKET_PATH = 100  # bytes; the limit is 107 on Linux, 103 on macOS


class EngineError(Exception):
    """The embedded store cannot run; the message states the remedy."""


class DataFolderUnusable(EngineError):
    pass


class DataFolderInUse(EngineError):
    def __init__(self, path: Path, pid: str) -> None:
        owner = f"process {pid}" if pid else "another process"
        super().__init__(f"The data folder {path} is in use by {owner}: stop it, or choose another folder")
        self.pid = pid


class FileLock:
    """An flock. The kernel releases it when the last process that has the file open ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    @property
    def held(self) -> bool:
        return self._file is not None

    def take(self, mode: int = fcntl.LOCK_EX) -> bool:
        """Try once, without waiting."""
        if self._file is not None:
            return True
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._file = file
        return True

    def fileno(self) -> int:
        if self._file is None:
            raise ValueError(f"{self.path} is not locked")
        return self._file

    def release(self) -> None:
        """Close our handle; a process that inherited it keeps the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class DataFolder:
    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).expanduser().absolute()
        self.ownership = FileLock(self.path / "lock")
        self.guests = FileLock(self.path / "guests")

    def prepare(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)
            for role in Role:
                self.home(role).mkdir(mode=0o700, exist_ok=True)
            if self._sockets() != self.path:
                make_private_folder(self._sockets())
        except (FileExistsError, NotADirectoryError):
            raise DataFolderUnusable(f"The data folder {self.path} is a file, or lies under one") from None
        except OSError as error:
            raise DataFolderUnusable(f"The data folder {self.path} cannot be used: {error}") from None

    def own(self) -> None:
        """Become the owner, or raise `DataFolderInUse`."""
        try:
            taken = self.ownership.take()
        except OSError as error:
            raise DataFolderUnusable(f"The data folder {self.path} cannot be locked: {error}") from None
        if not taken:
            raise DataFolderInUse(self.path, self.owner())
        os.ftruncate(self.ownership.fileno(), 0)
        with contextlib.suppress(OSError):  # a full disk: the process id is only for messages
            os.pwrite(self.ownership.fileno(), f"{os.getpid()}\n".encode(), 0)

    def disown(self) -> None:
        if self.ownership.held:
            os.ftruncate(self.ownership.fileno(), 0)
            self.ownership.release()

    def owner(self) -> str:
        """The process id in the lock file; empty if unknown."""
        try:
            return self.ownership.path.read_text().strip()
        except OSError:
            return ""

    def home(self, role: Role) -> Path:
        return self.path / role.value

    def log(self, role: Role) -> Path:
        return self.path / f"{role.value}.log"

    def pid_file(self, role: Role) -> Path:
        return self.path / f"{role.value}.pid"

    def engine_lock(self, role: Role) -> FileLock:
        """Held by the engine process itself while it runs."""
        return FileLock(self.path / f"{role.value}.lock")

    def socket(self, role: Role) -> Path:
        return self._sockets() / f"{role.value}.sock"

    def _sockets(self) -> Path:
        return socket_folder(self.path, *(f"{role.value}.sock" for role in Role))


def socket_folder(folder: Path, *names: str) -> Path:
    """Where the sockets of a folder are: in it, or in a private folder if their paths would be too long."""
    if max(len(os.fsencode(folder / name)) for name in names) <= LONGEST_SOCKET_PATH:
        return folder
    import hashlib  # for a long path only: OpenSSL takes 4 MB
    import tempfile

    digest = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"townsquare-{os.geteuid()}-{digest}"


def make_private_folder(path: Path) -> None:
    """A folder in a shared directory must belong to us, or another user could listen on its sockets."""
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user")
    path.chmod(0o700)
