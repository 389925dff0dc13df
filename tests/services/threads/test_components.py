"""The file that other people's pages load."""

import gzip
import re

from tests.support import comments_bundle
from tests.support.comments_bundle import BUNDLE, SOURCES, bundled

MOST_BYTES = 15_000  # packed, everything that it ever loads


def test_the_component_is_made_from_its_modules() -> None:
    fresh = bundled()
    assert BUNDLE.read_text(encoding="utf-8") == fresh, f"renew it: python -m {comments_bundle.__name__}"


def test_the_component_is_small_and_loads_nothing_else() -> None:
    text = BUNDLE.read_text(encoding="utf-8")
    assert len(gzip.compress(text.encode())) < MOST_BYTES
    assert "import(" not in text
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
