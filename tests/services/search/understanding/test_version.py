"""A change of what understanding depends on needs another version, so that nobody is answered from before."""

import hashlib
import inspect
import json

import msgspec
import pytest

import townsquare.cache.terms
from townsquare.services.search.keys import QU_VERSION
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.service.understanding.llm import client, prompts
from townsquare.services.search.service.understanding.llm.answers import strict_schema
from townsquare.services.search.service.understanding.llm.questions import QUESTIONS
from townsquare.services.search.service.understanding.version import version_of
from townsquare.settings import Settings

# What each version was made of. When a test below fails: raise QU_VERSION and add its line.
FINGERPRINTS: dict[int, dict[str, str]] = {
    1: {
        "prompts": "3d38361352a83e0d",
        "schema": "38e00633bb309fcd",
        "answers": "c67e2740272caee3",
        "model": "eaeda8397a290f9e",
        "sampling": "a620fc4680bddcc1",
        "normalisation": "aad6e0486c593acd",
    },
    2: {
        "prompts": "3d38361352a83e0d",
        "schema": "2754e2e4837e734c",
        "answers": "c67e2740272caee3",
        "model": "eaeda8397a290f9e",
        "sampling": "a620fc4680bddcc1",
        "normalisation": "aad6e0486c593acd",
    },
    3: {
        "prompts": "0b93696f539b972d",
        "schema": "2754e2e4837e734c",
        "answers": "2851233b9af3ace8",
        "model": "eaeda8397a290f9e",
        "sampling": "a620fc4680bddcc1",
        "normalisation": "aad6e0486c593acd",
    },
    4: {
        "prompts": "0b93696f539b972d",
        "schema": "fa3565429bb158f7",
        "answers": "2851233b9af3ace8",
        "model": "eaeda8397a290f9e",
        "sampling": "a620fc4680bddcc1",
        "normalisation": "aad6e0486c593acd",
    },
    5: {
        "prompts": "0b93696f539b972d",
        "schema": "fa3565429bb158f7",
        "answers": "2851233b9af3ace8",
        "model": "eaeda8397a290f9e",
        "sampling": "a620fc4680bddcc1",
        "normalisation": "3f1f76a843d412da",
    },
    6: {
        "prompts": "0b93696f539b972d",
        "schema": "405157f9cca38a8b",
        "answers": "2851233b9af3ace8",
        "model": "eaeda8397a290f9e",
        "sampling": "a620fc4680bddcc1",
        "normalisation": "3f1f76a843d412da",
    },
}


def digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def fingerprint() -> dict[str, str]:
    return {
        "prompts": digest(prompts.TASK, prompts.QUESTION, [(one.name, one.prompt) for one in QUESTIONS]),
        "schema": digest(msgspec.json.schema(QueryUnderstandingResponse)),
        "answers": digest([(one.name, strict_schema(one.answer)) for one in QUESTIONS]),
        "model": digest(Settings().search_llm_model),
        "sampling": digest(client.SAMPLING),
        "normalisation": digest(inspect.getsource(townsquare.cache.terms)),
    }


@pytest.mark.parametrize("part", fingerprint())
def test_a_change_has_another_version(part: str) -> None:
    assert QU_VERSION in FINGERPRINTS, "a new version: add its fingerprint"
    assert FINGERPRINTS[QU_VERSION][part] == fingerprint()[part], f"{part} changed: raise QU_VERSION"


def test_each_part_changes_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setattr(prompts, "TASK", prompts.TASK + " ")
    monkeypatch.setitem(client.SAMPLING, "temperature", 0.1)
    after = fingerprint()
    assert {part for part in before if before[part] != after[part]} == {"prompts", "sampling"}


def test_what_an_operator_sets_has_a_version_of_its_own() -> None:
    ours = version_of(Settings())
    model = version_of(Settings(search_understanding="llm"))
    other = version_of(Settings(search_understanding="llm", search_llm_model="another"))
    catalogue = version_of(Settings(), "a1b2")
    assert ours == QU_VERSION
    assert len({ours, model, other, catalogue}) == 4
    assert version_of(Settings(search_understanding="llm")) == model
