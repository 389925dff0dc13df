"""A program that stops the engines of a data folder if the process that started them has died.

`python watchdog.py FOLDER OWNER ROLE…` imports no module of ours, because a short command pays for its start.
It waits for the end of the pipe from the owner: the kernel closes it when that process ends, by any signal.
"""

import fcntl
import os
import signal
import sys
import time

POLL = 0.05
STOP_SECONDS = 20.0  # before an engine that ignores SIGTERM is killed


def main(folder: str, owner: str, *roles: str) -> None:
    os.read(sys.stdin.fileno(), 1)
    fcntl.flock(opened(f"{folder}/guests"), fcntl.LOCK_EX)
    lock = opened(f"{folder}/lock")
    while not locked(lock):  # the kernel may close the pipe before it releases the lock
        if os.pread(lock, 20, 0).strip() != owner.encode():
            return  # another process has become the owner
        time.sleep(POLL)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    for role in roles:
        stop(f"{folder}/{role}.pid", opened(f"{folder}/{role}.lock"))
    os.ftruncate(lock, 0)


def stop(pid_file: str, engine_lock: int) -> None:
    """The engine holds its lock until it ends. If it has just started, its pid file is still to come."""
    deadline = time.monotonic() + STOP_SECONDS
    number = signal.SIGTERM
    while not locked(engine_lock):
        try:
            with open(pid_file) as file:
                os.kill(int(file.read()), number)
        except (OSError, ValueError):
            pass
        if time.monotonic() > deadline:
            number = signal.SIGKILL
        time.sleep(POLL)
    if os.path.exists(pid_file):
        os.unlink(pid_file)


def opened(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
