"""Vectors on disk, made once for every process and every start: a byte for each number.

A folder has two files that only grow: digests of texts, 16 characters each, and their vectors in the same
order. The vectors are written first: what a crash leaves half written has no digest, and is cut off by the
next writer.

A vector of length 1 is scaled so that its largest number is 127, and rounded. That changes cosines by less
than 0.002 (decision 052).
"""

import os
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from townsquare.services.search.parts import Vector

DIGEST_BYTES = 16
LARGEST = 127

Row = NDArray[np.int8]


def compact(vector: Vector) -> Row:
    numbers = np.frombuffer(vector, np.float32)
    row: Row = np.rint(numbers * (LARGEST / np.abs(numbers).max())).astype(np.int8)
    return row


def restored(row: Row) -> Vector:
    """Of length 1 again."""
    numbers = row.astype(np.float32)
    return array("f", (numbers / np.linalg.norm(numbers)).tobytes())


class RowFile:
    """The two files of a folder."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self.digests, self.rows = folder / "digests", folder / "rows"
        self.dimensions = dimensions
        self.places: dict[str, int] = {}
        self.count = 0  # rows whose digests are known

    def refresh(self) -> None:
        """Read the digests that another process has written meanwhile."""
        try:
            with self.digests.open("rb") as file:
                file.seek(self.count * DIGEST_BYTES)
                new = file.read()
        except FileNotFoundError:
            return
        for begin in range(0, len(new) - DIGEST_BYTES + 1, DIGEST_BYTES):
            self.places[new[begin : begin + DIGEST_BYTES].decode("ascii")] = self.count
            self.count += 1

    def read(self, digests: Sequence[str]) -> dict[str, Row]:
        """The rows of those digests that are here."""
        here = [digest for digest in digests if digest in self.places]
        if not here:
            return {}
        with self.rows.open("rb") as file:
            places = ((digest, self.places[digest] * self.dimensions) for digest in here)
            return {
                digest: np.frombuffer(os.pread(file.fileno(), self.dimensions, place), np.int8)
                for digest, place in places
            }


class VectorFiles:
    """The vectors of a folder, and those that come with the package, if the model is theirs."""

    def __init__(self, folder: Path, dimensions: int, bundled: Path | None = None) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._own = RowFile(folder, dimensions)
        self._files = [self._own]
        if bundled is not None:
            self._files.append(RowFile(bundled, dimensions))
            self._files[-1].refresh()

    def __contains__(self, digest: str) -> bool:
        return any(digest in file.places for file in self._files)

    def refresh(self) -> None:
        """Read what another process has written meanwhile."""
        self._own.refresh()

    def missing(self, digests: Iterable[str]) -> set[str]:
        return {digest for digest in digests if digest not in self}

    def read(self, digests: Sequence[str]) -> list[Vector]:
        found: dict[str, Row] = {}
        for file in self._files:
            found |= file.read([digest for digest in digests if digest not in found])
        return [restored(found[digest]) for digest in digests]

    def append(self, digests: Sequence[str], vectors: Sequence[Vector]) -> None:
        """For one process at a time, the holder of the lock on indexing."""
        self.refresh()
        own = self._own
        with own.rows.open("ab") as file:
            file.truncate(own.count * own.dimensions)
            file.seek(0, os.SEEK_END)
            file.write(b"".join(compact(vector).tobytes() for vector in vectors))
        with own.digests.open("ab") as file:
            file.truncate(own.count * DIGEST_BYTES)
            file.seek(0, os.SEEK_END)
            file.write("".join(digests).encode("ascii"))
        self.refresh()
