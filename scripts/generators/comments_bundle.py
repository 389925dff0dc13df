"""The JavaScript of the comments, bundled from its modules.

One file of a third of the size, and one request for a page that embeds it. The modules import names of each
other unchanged, and a style sheet as the text `CSS_TEXT`.
"""

import json
import re
from pathlib import Path

import minify

import townsquare.services.threads as package
from townsquare.services.threads.pages import REFUSALS

SOURCES = Path(package.__path__[0]) / "widget"
COMPONENTS = Path(package.__path__[0]) / "components"
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
BANNER = "// made by scripts/generate\n"


def in_order(name: str, done: dict[str, str]) -> dict[str, str]:
    """A module after everything that it imports."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        return {**done, name: f"const CSS_TEXT = `{minify.string('text/css', text)}`;\n"}
    for imported in IMPORT.findall(text):
        if imported not in done:
            done = in_order(imported, done)
    return {**done, name: re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)}


def generate() -> dict[Path, str]:
    """The element, its other languages, and the proof of work, which few pages load."""
    joined = "".join(in_order("element.js", {}).values())
    files = {
        "comments.js": packed(f"(() => {{\n{joined}}})();\n"),
        "proof.js": packed((SOURCES / "proof.js").read_text(encoding="utf-8")),
        **{f"comments-{language}.js": packed(words_in(language)) for language in REFUSALS},
    }
    return {COMPONENTS / name: text for name, text in files.items()}


def words_in(language: str) -> str:
    words = (SOURCES / f"words-{language}.js").read_text(encoding="utf-8")
    return f"const REFUSALS = {json.dumps(REFUSALS[language], ensure_ascii=False)};\n{words}"


def packed(script: str) -> str:
    return BANNER + str(minify.string("application/javascript", script)) + "\n"
