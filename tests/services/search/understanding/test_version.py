"""A change of anything that understanding depends on is another version: no stale response is served."""

from pathlib import Path

import msgspec
import pytest

from townsquare.services.search.understanding import version
from townsquare.services.search.understanding.llm import client, questions
from townsquare.services.search.understanding.version import understanding_version
from townsquare.settings import Settings

LOCAL = Settings()
MODEL = Settings(search_understanding="llm")


class OtherResponse(msgspec.Struct):
    another_field: bool = False


def test_the_same_code_and_settings_have_the_same_version() -> None:
    assert understanding_version(LOCAL) == understanding_version(Settings())
    assert understanding_version(MODEL) == understanding_version(Settings(search_understanding="llm"))


def test_rules_and_models_have_versions_of_their_own() -> None:
    other = Settings(search_understanding="llm", search_llm_model="another")
    assert len({understanding_version(one) for one in (LOCAL, MODEL, other)}) == 3


def test_a_prompt_is_part_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = understanding_version(MODEL)
    monkeypatch.setitem(questions.PROMPTS, "task", questions.PROMPTS["task"] + " ")
    assert understanding_version(MODEL) != before


def test_the_sampling_parameters_are_part_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = understanding_version(MODEL)
    monkeypatch.setitem(client.SAMPLING, "temperature", 0.1)
    assert understanding_version(MODEL) != before


def test_the_schema_is_part_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = understanding_version(LOCAL)
    monkeypatch.setattr(version, "QueryUnderstandingResponse", OtherResponse)
    assert understanding_version(LOCAL) != before


def test_the_normalisation_is_part_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = understanding_version(LOCAL)
    monkeypatch.setattr(version, "NORMALISATION", (test_the_schema_is_part_of_the_version,))
    assert understanding_version(LOCAL) != before


def test_rules_and_phrase_tables_are_part_of_the_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = understanding_version(LOCAL)
    (tmp_path / "genres.json").write_text("{}")
    monkeypatch.setattr(version, "FOLDERS", (tmp_path,))
    first = understanding_version(LOCAL)
    (tmp_path / "genres.json").write_text('{"genres": []}')
    assert len({before, first, understanding_version(LOCAL)}) == 3
