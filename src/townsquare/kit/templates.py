"""HTML from templates: files with `$placeholders`, escaped by default."""

from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from string import Template

import msgspec


class Markup(str):
    """HTML, which is not escaped again."""


NOTHING = Markup("")


class Templates:
    """The templates of one folder; a template is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read = cache(self._text)

    def _text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def fill(self, name: str, /, **values: object) -> Markup:
        """The template with all placeholders replaced; all are required."""
        return fill(self._read(name), **values)


class Texts:
    """The texts of pages by language, from a JSON file; English where a language is missing."""

    def __init__(self, file: Path) -> None:
        self.languages: dict[str, dict[str, str]] = msgspec.json.decode(file.read_bytes())

    def __call__(self, language: str) -> tuple[str, dict[str, str]]:
        """The language of the texts, and the texts by name."""
        known = language if language in self.languages else "en"
        return known, self.languages[known]


def fill(markup: str, /, **values: object) -> Markup:
    return Markup(Template(markup).substitute({name: _safe(value) for name, value in values.items()}))


def joined(parts: Iterable[Markup]) -> Markup:
    return Markup("".join(parts))


def _safe(value: object) -> str:
    return value if isinstance(value, Markup) else escape(str(value))
