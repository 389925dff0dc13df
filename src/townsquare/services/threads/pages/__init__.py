"""Pages for people: comments without JavaScript, the moderators' desk, and how to put comments on a site."""

from pathlib import Path

import msgspec

from townsquare.kit.templates import Templates, Texts
from townsquare.problems import Problem

FOLDER = Path(__file__).parent
# error messages by code; the widget has its own copy. Other codes have the English message
REFUSALS: dict[str, dict[str, str]] = msgspec.json.decode((FOLDER / "refusals.json").read_bytes())

templates = Templates(FOLDER)
words_for = Texts(FOLDER / "words.json")


def translated(language: str, problem: Problem) -> str:
    """The message of a problem in this language."""
    return REFUSALS.get(language, {}).get(problem.code, problem.detail)
