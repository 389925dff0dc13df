"""A worker that does what the next line of a plan says, instead of serving."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

PLAN = "STUB_WORKER_PLAN"


def next_step() -> str:
    path = Path(os.environ[PLAN])
    step, *rest = path.read_text().split()
    path.write_text(" ".join(rest or [step]))  # the last one goes for all that follow
    return step


def main() -> None:
    pipe = socket.socket(fileno=int(sys.argv[2]))
    match next_step():
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "fail":
            sys.exit(1)
        case "refuse":
            sys.exit(3)  # CANNOT_START: importing it would cost most of the time that a worker may take
        case "hang":
            time.sleep(3_600)
        case "serve":
            pipe.recv(65_536)
            pipe.send(b'{"type":"ready"}\n')
            pipe.recv(1)


if __name__ == "__main__":
    main()
