"""python -m tests.support.comments_bundle: make components/comments.js of threads from its modules.

One file of a third of the size, and one request for a page that embeds it. Its modules import names of each
other as they are, and a style sheet as the text `CSS_TEXT`.
"""

import re
from pathlib import Path

import minify

import townsquare.services.threads as package

SOURCES = Path(package.__path__[0]) / "widget"
BUNDLE = Path(package.__path__[0]) / "components" / "comments.js"
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
BANNER = "// made by python -m tests.support.comments_bundle\n"


def in_order(name: str, done: dict[str, str]) -> dict[str, str]:
    """A module after all that it imports."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        return {**done, name: f"const CSS_TEXT = `{minify.string('text/css', text)}`;\n"}
    for imported in IMPORT.findall(text):
        if imported not in done:
            done = in_order(imported, done)
    return {**done, name: re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)}


def bundled() -> str:
    joined = "".join(in_order("element.js", {}).values())
    return BANNER + str(minify.string("application/javascript", f"(() => {{\n{joined}}})();\n")) + "\n"


if __name__ == "__main__":
    BUNDLE.parent.mkdir(exist_ok=True)
    BUNDLE.write_text(bundled(), encoding="utf-8")
