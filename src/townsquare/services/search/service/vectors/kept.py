"""Vectors on disk as plain arrays: made once, for every process and every start.

A folder for each model holds two files that only grow: digests of texts, 16 characters each, and their
vectors in the same order. The vectors are written first: what a crash leaves half written has no digest, and
is cut off by the next writer.
"""

import os
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path

from townsquare.services.search.parts import Vector

DIGEST_BYTES = 16
FLOAT_BYTES = 4


class KeptVectors:
    def __init__(self, folder: Path, dimensions: int) -> None:
        self._digests = folder / "digests"
        self._vectors = folder / "vectors"
        self._row_bytes = dimensions * FLOAT_BYTES
        self._places: dict[str, int] = {}
        self._read = 0  # rows whose digests are known
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def __contains__(self, digest: str) -> bool:
        return digest in self._places

    def refresh(self) -> None:
        """Read what another process has written meanwhile."""
        try:
            with self._digests.open("rb") as file:
                file.seek(self._read * DIGEST_BYTES)
                new = file.read()
        except FileNotFoundError:
            return
        for begin in range(0, len(new) - DIGEST_BYTES + 1, DIGEST_BYTES):
            self._places[new[begin : begin + DIGEST_BYTES].decode("ascii")] = self._read
            self._read += 1

    def missing(self, digests: Iterable[str]) -> set[str]:
        return {digest for digest in digests if digest not in self._places}

    def read(self, digests: Sequence[str]) -> list[Vector]:
        with self._vectors.open("rb") as file:
            return [self._row(file.fileno(), self._places[digest]) for digest in digests]

    def _row(self, file: int, place: int) -> Vector:
        return array("f", os.pread(file, self._row_bytes, place * self._row_bytes))

    def append(self, digests: Sequence[str], vectors: Sequence[Vector]) -> None:
        """For one process at a time, the holder of the lock on indexing."""
        self.refresh()
        with self._vectors.open("ab") as file:
            file.truncate(self._read * self._row_bytes)
            file.seek(0, os.SEEK_END)
            file.write(b"".join(vector.tobytes() for vector in vectors))
        with self._digests.open("ab") as file:
            file.truncate(self._read * DIGEST_BYTES)
            file.seek(0, os.SEEK_END)
            file.write("".join(digests).encode("ascii"))
        self.refresh()
