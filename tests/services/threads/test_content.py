import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.services.threads.safe_html import faults_in
from tests.services.threads.xss_payloads import PAYLOADS
from townsquare.services.threads.content import (
    CONTENT_LENGTH,
    HTML_LENGTH,
    BadContent,
    Rendered,
    plain,
    render,
    sanitise,
    written,
)

REL = 'rel="nofollow ugc noopener"'


def filled(unit: str) -> str:
    return (unit * (CONTENT_LENGTH // len(unit) + 1))[:CONTENT_LENGTH]


def wide_table(columns: int) -> str:
    return filled("|a" * columns + "|\n" + "|-" * columns + "|\n" + "x\n" * CONTENT_LENGTH)


UNITS = (
    *(
        "[",
        "![",
        "[a](",
        "[a](<",
        "[a]: b\n",
        "[x][x]",
        "[]()",
        "]()",
        "<",
        "<a",
        "<!--",
        "<?",
        "&",
        "&#",
        '"',
    ),
    *(
        "*",
        "**a",
        "*a_ ",
        "*a*",
        "*_",
        "_",
        "~~a",
        "`",
        "``` ",
        "***",
        "*漢*",
        "&CounterClockwiseContourIntegral;",
    ),
    *(">", "> ", "- ", "> > - 1. ", "- [x] a\n", "- a\n", "# a\n", "a\n", "a|b\n", "@a ", "a@b.co "),
    *("http://a.b/ ", "www.", "![a](http://b.c)", "(http://a.b"),
)
HOSTILE = {
    **{unit: filled(unit) for unit in UNITS},
    **{f"a table of {columns}": wide_table(columns) for columns in (10, 50, 200, 1_000, 2_000, 3_000)},
    "quotations in quotations": (">" * 99 + "a\n\n") * 98,
    "lists in lists": ("- " * 99 + "a\n\n\n") * 49,
    "deeper lists": "".join(" " * (98 * depth) + "- " * 49 + "a\n" for depth in range(13))[:CONTENT_LENGTH],
    "emphasis in emphasis": "*" * 4_999 + "a" + "*" * 4_999,
    "brackets": "[" * 4_999 + "a" + "]" * 4_999,
    "backticks": " ".join("`" * length for length in range(1, 140)),
    "a long reference": ("[a]: http://b.c/" + "x" * 4_000 + "\n\n" + "[a]" * 3_000)[:CONTENT_LENGTH],
}


@pytest.mark.parametrize("make", [render, sanitise])
@pytest.mark.parametrize("show_images", [False, True])
def test_nothing_gets_through_that_could_run(make: Callable[..., Rendered], show_images: bool) -> None:
    faults = {}
    for payload in PAYLOADS:
        with suppress(BadContent):  # some swallow the x
            faults[payload] = faults_in(make(f"{payload}\n\nx", show_images=show_images).html)
    assert len(faults) > 0.98 * len(PAYLOADS)
    assert not {payload: found for payload, found in faults.items() if found}


def test_the_judge_of_payloads_can_find_them() -> None:
    assert len(PAYLOADS) >= 200
    for bad in (
        "<script>",
        '<a href="javascript:x" rel="' + REL + '">x</a>',
        "<p onclick=x>y</p>",
        "<!-- -->",
        "</p>",
    ):
        assert faults_in(bad)


@given(st.text(st.sampled_from("<>&\"'`[]()!*_~|#-:@/\\ \n\tahref=javscpt1.ー漢\u0301\u200b"), max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_a_page_that_is_not_safe(text: str) -> None:
    try:
        html = render(text, show_images=True).html
    except BadContent:
        return
    assert not faults_in(html)
    assert len(plain(html, 20)) <= 20


def cpu_seconds(text: str) -> float:
    before = time.thread_time()
    plain(render(text).html, 200)
    return time.thread_time() - before


@pytest.mark.parametrize("name", HOSTILE)
def test_no_comment_costs_much(name: str) -> None:
    text = HOSTILE[name]
    assert len(text) <= CONTENT_LENGTH
    with suppress(BadContent):
        assert len(render(text).html) <= 1.1 * HTML_LENGTH
        assert min(cpu_seconds(text) for _ in range(3)) < 0.05


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\x00\x07", "[a]: http://a.example", "[]()"])
def test_what_shows_nothing_is_no_comment(text: str) -> None:
    with pytest.raises(BadContent, match="empty"):
        render(text)


def test_the_length_is_looked_at_first() -> None:
    assert len(written("x" * CONTENT_LENGTH)) == CONTENT_LENGTH
    for text in ("x" * (CONTENT_LENGTH + 1), "x" * 50_000_000):
        with pytest.raises(BadContent, match="too long"):
            render(text)


def test_half_a_character_is_refused() -> None:
    with pytest.raises(BadContent, match="half a character"):
        render("a\ud800")


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>"),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("<b>raw</b>", "<p>&lt;b&gt;raw&lt;/b&gt;</p>"),
        ("- [x] done\n- [ ] open", "<ul>\n<li>☑ done</li>\n<li>☐ open</li>\n</ul>"),
        ("3. c", '<ol start="3">\n<li>c</li>\n</ol>'),
        ("**強調。**です", "<p><strong>強調。</strong>です</p>"),
        ('[a](https://a.example "t")', f'<p><a href="https://a.example" {REL}>a</a></p>'),
        ("www.a.example", f'<p><a href="http://www.a.example" {REL}>www.a.example</a></p>'),
        ("[a](/path) [b](//b.example) [c](#d)", "<p>a b c</p>"),
        ("![cat](https://a.example/c)", f'<p><a href="https://a.example/c" {REL}>cat</a></p>'),
        ("![](https://a.example/c)", f'<p><a href="https://a.example/c" {REL}>https://a.example/c</a></p>'),
        (
            "[![cat](https://a.example)](https://b.example)",
            f'<p><a href="https://b.example" {REL}>cat</a></p>',
        ),
        ("no footnote[^1]", "<p>no footnote[^1]</p>"),
    ],
)
def test_markdown(markdown: str, html: str) -> None:
    assert render(markdown).html == html


def test_a_table() -> None:
    html = render("|a|b|\n|:-|-:|\n|1|2|").html
    assert '<th align="left">a</th>' in html
    assert '<td align="right">2</td>' in html


def test_what_would_cost_too_much_is_shown_as_it_was_written() -> None:
    assert "<table>" not in render(wide_table(50)).html
    assert render(">" * 101 + "a").html == f"<p>{'&gt;' * 101}a</p>"
    assert render(">" * 100 + "a").html.startswith("<blockquote>")


def test_images_are_shown_where_the_site_says_so() -> None:
    assert render("![a](https://a.example/c)", show_images=True).html == (
        '<p><img src="https://a.example/c" alt="a" loading="lazy" referrerpolicy="no-referrer"></p>'
    )


def test_links_and_images_are_counted() -> None:
    rendered = render("[a](https://a.example) www.b.example c@d.example ![e](https://f.example) [g](/h)")
    assert (rendered.links, rendered.images) == (3, 1)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@bob, and @Alice.", ("bob", "Alice")),
        ("(@bob) **@carol** @bob @BOB", ("bob", "carol")),
        ("ありがとう@taroさん", ("taro",)),
        ("@a_b-c.d @a_b_c", ("a_b-c.d", "a_b_c")),
        ("`@bob` and\n\n    @carol\n\n```\n@dave\n```", ()),
        ("[@bob](https://a.example) a@bob @bob@a.example @bob@host /@bob @me", ()),
        ("@" + "a" * 31 + " @" + "b" * 30, ("b" * 30,)),
        (" ".join(f"@n{number}" for number in range(20)), tuple(f"n{number}" for number in range(10))),
    ],
)
def test_mentions(text: str, names: tuple[str, ...]) -> None:
    assert render(text).mentions == names


def test_an_excerpt_is_one_line_cut_between_words() -> None:
    html = render("# Title\n\nOne **two**three & <four>\nfive").html
    assert plain(html, 100) == "Title One twothree & <four> five"
    assert plain(html, 17) == "Title One…"
    assert plain(html, 100_000) == plain(html, 32)
    assert plain(render("漢" * 100).html, 10) == "漢" * 9 + "…"


def test_sanitising_removes_tags_and_attributes_that_are_not_listed() -> None:
    rendered = sanitise(
        '<p class="x">Hi <b>bold</b> <a href="https://a.example" target=_blank>a</a> @bob</p>',
        show_images=False,
    )
    assert rendered.html == f'<p>Hi bold <a href="https://a.example" {REL}>a</a> @bob</p>'
    assert (rendered.links, rendered.mentions) == (1, ("bob",))
