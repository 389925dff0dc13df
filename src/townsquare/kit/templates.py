"""HTML from templates: files with `$placeholders`, escaped by default."""

from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from string import Template


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


def fill(markup: str, /, **values: object) -> Markup:
    return Markup(Template(markup).substitute({name: _safe(value) for name, value in values.items()}))


def joined(parts: Iterable[Markup]) -> Markup:
    return Markup("".join(parts))


def _safe(value: object) -> str:
    return value if isinstance(value, Markup) else escape(str(value))
