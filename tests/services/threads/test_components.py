"""The file that other people's pages load."""

import gzip
import re

from scripts.generators.comments_bundle import COMPONENTS, SOURCES

from tests.services.threads.world import World
from townsquare.problems import Problem
from townsquare.services.threads import SERVICE
from townsquare.services.threads.pages import REFUSALS

# packed; a reader loads the first, and one of the others at most
MOST_BYTES = {"comments.js": 15_000, "comments-ja.js": 3_000, "proof.js": 1_000}
OWN_FILE = re.compile(r"`\$\{[\w.]+\}/(components/[-\w${}]+|shared/session)\.js`")


def test_the_components_are_small_and_load_nothing_from_elsewhere() -> None:
    assert {path.name for path in COMPONENTS.iterdir()} == MOST_BYTES.keys()
    for name, most in MOST_BYTES.items():
        text = (COMPONENTS / name).read_text(encoding="utf-8")
        assert len(gzip.compress(text.encode())) < most
        assert all(OWN_FILE.fullmatch(address) for address in re.findall(r"import\((.*?)\)", text))
        assert not re.search(r'\bimport\s*["{*]|https?://[a-z]', text)


def test_only_what_the_server_has_sanitised_becomes_html() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.js")))
    for danger in ("outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc", "Function("):
        assert danger not in sources
    given = re.findall(r"innerHTML = (.+);", sources) + re.findall(r"\bhtml: ([\w.]+)", sources)
    assert given
    assert all(text == "html" or "content_html" in text for text in given)


def test_every_language_says_everything() -> None:
    english, japanese = (
        re.findall(r"[{,\s](\w+): ", (SOURCES / name).read_text(encoding="utf-8").partition("= {")[2])
        for name in ("words.js", "words-ja.js")
    )
    assert [*english, "refusals"] == japanese


def test_what_the_widget_is_refused_is_said_in_every_language(world: World) -> None:
    """Whatever the endpoints that it calls may answer, by code."""
    called = ("/comments", "/session", "/preview", "/users/me", "/moderation/approve", "/moderation/reject")
    told = {
        problem.code
        for endpoint in SERVICE.endpoints(world.threads)
        if endpoint.path.startswith(tuple(f"/threads/v1{path}" for path in (*called, "/moderation/ban")))
        for problem in endpoint.errors
    }
    unseen = {"already_registered", "bad_cursor"}  # the widget goes on by itself
    for language, texts in REFUSALS.items():
        assert told - unseen <= texts.keys(), language
        assert texts.keys() <= Problem.by_code.keys()
