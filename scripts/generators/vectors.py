"""The vectors of the bundled films, so that no server has to make them: `catalogue/vectors/<model>/`.

`scripts/generate` makes those of new texts and drops those of old ones.
`OPENBLAS_NUM_THREADS=1 python -m scripts.generators.vectors` makes all of them again, which takes
minutes, and compares them with the files.
"""

import sys
from array import array
from collections.abc import Iterable, Mapping

from townsquare.cache import text_digest
from townsquare.services.search import catalogue
from townsquare.services.search.service.indexing import texts_of
from townsquare.services.search.service.local_embedder import DIMENSIONS
from townsquare.services.search.service.local_encoder import encoder
from townsquare.services.search.service.vectors.vector_files import Row, RowFile, compact

AT_ONCE = 64
MOST_DIFFERENT = 1  # of 127: processors round differently


def bundled_texts() -> dict[str, str]:
    """All texts of the bundled films by their digests, in the order of the films."""
    texts = (text for film in catalogue.load() for text in texts_of(film).values())
    return {text_digest(text): text for text in texts}


def bundled_rows() -> RowFile:
    rows = RowFile(catalogue.VECTORS, DIMENSIONS)
    rows.refresh()
    return rows


def encoded(texts: Mapping[str, str]) -> dict[str, Row]:
    digests = list(texts)
    found: dict[str, Row] = {}
    for begin in range(0, len(digests), AT_ONCE):
        some = digests[begin : begin + AT_ONCE]
        for digest, vector in zip(some, encoder().encode([texts[one] for one in some]), strict=True):
            found[digest] = compact(array("f", vector.tobytes()))
    return found


def update() -> None:
    """Bring the files up to date."""
    texts, old = bundled_texts(), bundled_rows()
    if list(texts) == list(old.places):
        return
    rows = old.read([digest for digest in texts if digest in old.places])
    rows |= encoded({digest: text for digest, text in texts.items() if digest not in rows})
    catalogue.VECTORS.mkdir(parents=True, exist_ok=True)
    (catalogue.VECTORS / "rows").write_bytes(b"".join(rows[digest].tobytes() for digest in texts))
    (catalogue.VECTORS / "digests").write_text("".join(texts), encoding="ascii")


def wrong(digests: Iterable[str]) -> list[str]:
    """Those of the digests whose vector in the files is not what the encoder makes of the text."""
    texts, files = bundled_texts(), bundled_rows()
    made = encoded({digest: texts[digest] for digest in digests})
    stored = files.read(list(made))
    return [
        digest
        for digest, row in made.items()
        if digest not in stored or abs(row.astype(int) - stored[digest].astype(int)).max() > MOST_DIFFERENT
    ]


if __name__ == "__main__":
    texts = bundled_texts()
    found = wrong(texts)
    if found:
        sys.exit(f"{len(found)} of {len(texts)} vectors differ: delete the files and run scripts/generate")
