"""No text input makes Unicode normalisation quadratic: it only gets short runs of combining marks."""

import unicodedata
from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from typing import Any

import pytest

from townsquare.comment_files import values
from townsquare.kit import text as kit
from townsquare.problems import Problem
from townsquare.services.accounts.users import normalise
from townsquare.services.analytics.service import recording
from townsquare.services.search.service import checked_query
from townsquare.services.search.service.lexical import normal
from townsquare.services.search.understanding.local import tokens
from townsquare.services.social import fields, hashtags
from townsquare.services.threads import content, spam
from townsquare.services.threads.blocked_words import blocked_words_in
from townsquare.services.threads.service import comment_texts
from townsquare.services.widgets import texts

LONGEST_RUN = 3 * kit.MARKS + 3  # one character decomposes to three marks at most
INPUTS: dict[str, Callable[[str], Any]] = {
    "comment": content.written,
    "import": values.lines,
    "page title": comment_texts.checked_title,
    "report": comment_texts.checked_details,
    "fingerprint": spam.fingerprint,
    "blocked words in a comment": lambda text: blocked_words_in(text, ("word",)),
    "blocked words": lambda text: blocked_words_in("wörd", (text,)),
    "post": lambda text: hashtags.found_in(kit.pasted_lines(text, 5_000)),
    "hashtags of a stored text": lambda text: hashtags.found_in("#ä" + text),
    "hashtag": lambda text: hashtags.normalised("#ä" + text),
    "name": lambda text: kit.visible_name("n" + text, 100),
    "bio": fields.bio,
    "display name": fields.line,
    "profile field": fields.text,
    "account": lambda text: normalise.line("n" + text, "city"),
    "search": lambda text: checked_query("n" + text),
    "film name": normal.folded,
    "search word": tokens.form_of,
    "widget line": lambda text: texts.line(text, 1_000, "It"),
    "widget lines": lambda text: texts.lines(text, 1_000, "It"),
    "product": recording.clean,
    "text of a third party": kit.cleaned_line,
}


def longest_run(text: str) -> int:
    """The combining marks in a row after decomposition: canonical ordering takes their square."""
    marks = map(unicodedata.combining, normalize("NFKD", text))
    return max((len(list(run)) for is_mark, run in groupby(marks, bool) if is_mark), default=0)


normalize = unicodedata.normalize


@pytest.mark.parametrize("size", [50, 400, 4_990])
@pytest.mark.parametrize("name", INPUTS)
def test_the_work_per_character_does_not_grow_with_the_text(
    name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [0]

    def counting(form: Any, text: str) -> str:
        runs.append(longest_run(text))
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", counting)
    with suppress(Problem, kit.BadText, fields.Unfit, content.BadContent):
        result = INPUTS[name]("\uff9e\u0301" * size)
        runs.extend(longest_run(text) for text in (result if isinstance(result, list) else [str(result)]))
    assert max(runs) <= LONGEST_RUN
