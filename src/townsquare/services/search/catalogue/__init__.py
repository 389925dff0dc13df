"""The films that come with us: one JSON object a line, validated when it is read."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from townsquare.services.search.models.films import Film

FILMS = Path(__file__).with_name("films.jsonl")
VECTORS = Path(__file__).with_name("vectors") / "usem3"  # of their texts, named after the model

decode = msgspec.json.Decoder(Film).decode


class BadCatalogue(Exception):
    """A line that is no film: which one, and why."""


def load(path: Path = FILMS) -> Iterator[Film]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield decode(line)
                except msgspec.MsgspecError as fault:
                    raise BadCatalogue(f"{path.name}, line {number}: {fault}") from None


def digest(path: Path = FILMS) -> str:
    with path.open("rb") as file:
        found = sha256()
        while chunk := file.read(1 << 20):
            found.update(chunk)
    return found.hexdigest()
