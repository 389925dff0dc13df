"""The page shell: what every page has, and errors as pages for browsers."""

import pytest

from tests.web.asking import answering, app_with, ask, endpoint, raising
from townsquare.api import HtmlPage
from townsquare.kit.templates import Markup, Templates, fill, joined
from townsquare.problems import Forbidden, NotFound, Problem, Unavailable
from townsquare.service import Link

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PAGE = HtmlPage(title="Mine <b>", body="<main>hello</main>", scripts=("/a.js",), styles=("/a.css",))
LINKS = [
    Link("Cats & dogs", "/cats", "Animals"),
    Link("Account", "/accounts/sign-in", "Yours", signed_in="/accounts/account"),
]


async def test_a_page_stands_in_the_shell() -> None:
    reply = await ask(app_with(endpoint(run=answering(PAGE)), links=LINKS), "GET", "/thing")
    text = reply.body.decode()
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>Mine &lt;b&gt; · Townsquare</title>" in text
    assert '<a href="/cats">Cats &amp; dogs</a>' in text
    assert 'data-signed-in="/accounts/account"' in text
    assert '<script type="module" src="/a.js"></script>' in text
    assert '<link rel="stylesheet" href="/a.css">' in text
    assert "<main>hello</main>" in text
    assert "default-src 'self'" in reply.headers["content-security-policy"]


async def test_without_accounts_there_is_nobody_to_be() -> None:
    text = (await ask(app_with(endpoint(run=answering(PAGE))), "GET", "/thing")).body.decode()
    assert '<span id="who" class="who"></span>' in text


async def test_a_page_that_is_the_same_is_not_sent_again() -> None:
    app = app_with(endpoint(run=answering(PAGE)))
    first = await ask(app, "GET", "/thing")
    assert first.headers["cache-control"] == "no-cache"
    again = await ask(app, "GET", "/thing", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


async def test_a_page_may_say_how_it_is_kept_and_shown() -> None:
    page = HtmlPage(
        title="Mine", body="", lang="ja", status=202, headers={"Cache-Control": "no-store"}, listed=False
    )
    reply = await ask(app_with(endpoint(run=answering(page))), "GET", "/thing")
    assert (reply.status, reply.headers["cache-control"]) == (202, "no-store")
    assert "etag" not in reply.headers
    assert '<html lang="ja">' in reply.body.decode()
    assert 'content="noindex"' in reply.body.decode()


async def test_pictures_from_elsewhere_only_where_a_page_says_so() -> None:
    wide = HtmlPage(title="Mine", body="", images_from_anywhere=True)
    app = app_with(endpoint(run=answering(PAGE)), endpoint("/wide", run=answering(wide)))
    policies = [
        (await ask(app, "GET", path)).headers["content-security-policy"] for path in ("/thing", "/wide")
    ]
    assert ["https:" in policy for policy in policies] == [False, True]


@pytest.mark.parametrize(
    "problem", [NotFound(), Forbidden("Not <you>"), Unavailable(), RuntimeError("secret")]
)
async def test_a_browser_gets_an_error_as_a_page(problem: Exception) -> None:
    status = problem.status if isinstance(problem, Problem) else 500
    app = app_with(endpoint(run=raising(problem)), links=LINKS)
    reply = await ask(app, "GET", "/thing", headers=BROWSER)
    text = reply.body.decode()
    assert (reply.status, reply.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-request-id"] in text
    assert 'class="shell"' in text
    assert "secret" not in text
    assert "<you>" not in text


async def test_a_path_that_is_not_there_is_a_page_for_browsers() -> None:
    reply = await ask(app_with(), "GET", "/nowhere", headers=BROWSER)
    assert (reply.status, "There is nothing here" in reply.body.decode()) == (404, True)


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/json, text/html", ""])
async def test_who_does_not_ask_for_html_gets_problem_json(accept: str) -> None:
    reply = await ask(app_with(), "GET", "/nowhere", headers={"Accept": accept})
    assert reply.headers["content-type"] == "application/problem+json"


async def test_an_absent_store_tells_a_browser_too_when_to_retry() -> None:
    reply = await ask(app_with(endpoint(run=raising(Unavailable()))), "GET", "/thing", headers=BROWSER)
    assert reply.headers["retry-after"] == "1"


def test_what_is_filled_in_is_escaped_once() -> None:
    inner = fill("<i>$text</i>", text="<&>")
    assert fill("$a", a=joined([inner, inner])) == "<i>&lt;&amp;&gt;</i>" * 2
    assert isinstance(inner, Markup)


def test_a_placeholder_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill("$a $b", a=1)


def test_templates_are_files_of_their_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("templates")
    (folder / "one.html").write_text("<p>$text</p>")
    assert Templates(folder).fill("one.html", text='"') == "<p>&quot;</p>"
