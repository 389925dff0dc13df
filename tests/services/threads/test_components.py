"""The file that other people's pages load."""

import gzip
import re

from tests.support import comments_bundle
from tests.support.comments_bundle import COMPONENTS, SOURCES, bundled

MOST_BYTES = {"comments.js": 15_000, "proof.js": 1_000}  # packed


def test_the_components_are_made_from_their_modules() -> None:
    for name, fresh in bundled().items():
        kept = (COMPONENTS / name).read_text(encoding="utf-8")
        assert kept == fresh, f"renew it: python -m {comments_bundle.__name__}"


def test_the_components_are_small_and_load_nothing_from_elsewhere() -> None:
    assert {path.name for path in COMPONENTS.iterdir()} == MOST_BYTES.keys()
    for name, most in MOST_BYTES.items():
        text = (COMPONENTS / name).read_text(encoding="utf-8")
        assert len(gzip.compress(text.encode())) < most
        assert re.findall(r"import\((.*?)\)", text) in ([], ["`${this.base}/components/proof.js`"])
        assert not re.search(r'\bimport\s*["{*]|https?://[a-z]', text)


def test_only_what_the_server_has_sanitised_becomes_html() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.js")))
    for danger in ("outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc", "Function("):
        assert danger not in sources
    given = re.findall(r"innerHTML = (.+);", sources) + re.findall(r"\bhtml: ([\w.]+)", sources)
    assert given
    assert all(text == "html" or "content_html" in text for text in given)


def test_every_language_says_everything() -> None:
    text = (SOURCES / "words.js").read_text(encoding="utf-8")
    english, japanese = (re.findall(r"[{,\s](\w+): ", part) for part in text.split("  ja: {"))
    assert english == ["en", *japanese]
