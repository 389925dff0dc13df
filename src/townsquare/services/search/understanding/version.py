"""The version of cached understanding: `v{N}` of `qu:v{N}:{hash}`.

It is derived from everything that a cached response depends on, so that a change of any of it is another key:
the schema of the response, the normalisation of the query, the rules and phrase tables, and for a language
model its name, prompts, questions and sampling parameters.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import msgspec

from townsquare.cache import folded, text_digest
from townsquare.services.search.keys import QU_VERSION
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.settings import Settings

FOLDERS = (Path(__file__).with_name("local"), Path(__file__).parents[1] / "phrases")
SUFFIXES = (".py", ".json")
NORMALISATION = (folded, text_digest)


def understanding_version(settings: Settings) -> int:
    found = 0
    for part in _parts(settings):
        found = crc32(part, found)
    return found


def _parts(settings: Settings) -> Iterator[bytes]:
    yield str(QU_VERSION).encode()
    yield msgspec.json.encode(msgspec.json.schema(QueryUnderstandingResponse), order="sorted")
    yield from (inspect.getsource(one).encode() for one in NORMALISATION)
    for file in sorted(file for folder in FOLDERS for file in folder.iterdir()):
        if file.suffix in SUFFIXES:
            yield file.read_bytes()
    if settings.search_understanding == "llm":
        yield from _model_parts(settings.search_llm_model)


def _model_parts(model: str) -> Iterator[bytes]:
    from townsquare.services.search.understanding.llm import client
    from townsquare.services.search.understanding.llm.questions import PROMPTS, QUESTIONS, strict_schema

    asked = [(one.name, one.prompt, strict_schema(one.answer)) for one in QUESTIONS]
    yield msgspec.json.encode((model, PROMPTS, asked, client.SAMPLING), order="sorted")
