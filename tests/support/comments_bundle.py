"""python -m tests.support.comments_bundle: make the components of threads from their modules.

One file of a third of the size, and one request for a page that embeds it. Its modules import names of each
other as they are, and a style sheet as the text `CSS_TEXT`.
"""

import json
import re
from pathlib import Path

import minify

import townsquare.services.threads as package
from townsquare.services.threads.refusals import REFUSALS

SOURCES = Path(package.__path__[0]) / "widget"
COMPONENTS = Path(package.__path__[0]) / "components"
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
BANNER = "// made by tests.support.comments_bundle\n"


def in_order(name: str, done: dict[str, str]) -> dict[str, str]:
    """A module after all that it imports."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        return {**done, name: f"const CSS_TEXT = `{minify.string('text/css', text)}`;\n"}
    for imported in IMPORT.findall(text):
        if imported not in done:
            done = in_order(imported, done)
    return {**done, name: re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)}


def bundled() -> dict[str, str]:
    """The files by name: the element, its other languages, and the work that few pages ever load."""
    joined = "".join(in_order("element.js", {}).values())
    return {
        "comments.js": packed(f"(() => {{\n{joined}}})();\n"),
        "proof.js": packed((SOURCES / "proof.js").read_text(encoding="utf-8")),
        **{f"comments-{language}.js": packed(words_in(language)) for language in REFUSALS},
    }


def words_in(language: str) -> str:
    words = (SOURCES / f"words-{language}.js").read_text(encoding="utf-8")
    return f"const REFUSALS = {json.dumps(REFUSALS[language], ensure_ascii=False)};\n{words}"


def packed(script: str) -> str:
    return BANNER + str(minify.string("application/javascript", script)) + "\n"


if __name__ == "__main__":
    for name, text in bundled().items():
        (COMPONENTS / name).write_text(text, encoding="utf-8")
