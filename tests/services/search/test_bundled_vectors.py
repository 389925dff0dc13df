"""The vectors that come with the package are those that the encoder makes of the bundled texts."""

import random

import pytest
from scripts.generators.vectors import bundled_rows, bundled_texts, wrong

from townsquare.services.search.service.local_embedder import DIMENSIONS

SAMPLE = 48  # of 10,000: `python -m scripts.generators.vectors` compares all


def test_the_files_have_a_vector_of_each_bundled_text_and_no_other() -> None:
    texts, files = bundled_texts(), bundled_rows()
    assert list(files.places) == list(texts), "run scripts/generate"
    assert files.rows.stat().st_size == len(texts) * DIMENSIONS


@pytest.mark.slow
def test_they_are_what_the_encoder_makes() -> None:
    digests = random.Random(4).sample(list(bundled_texts()), SAMPLE)
    assert wrong(digests) == [], "delete the files and run scripts/generate"
