"""HTML of comments becomes Markdown that shows the same text."""

import re
import time
from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from townsquare.comment_files.html_markdown import LONGEST_HTML, to_markdown
from townsquare.services.threads import content


class Text(HTMLParser):
    """What a reader sees, by lines."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("b", "strong", "i", "em", "s", "del", "u", "span", "a", "code"):
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        self.handle_starttag(tag, [])

    def handle_data(self, data: str) -> None:
        self.text += data.replace("\n", " ")


def seen(html: str) -> list[str]:
    text = re.sub(r"[ \t]+", " ", Text(html).text)
    return [line for line in (line.strip() for line in text.split("\n")) if line]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("Hello", "Hello"),
        ("<p>One</p>\n<p>two</p>", "One\n\ntwo"),
        ("a<br>b<br/><br />c", "a\\\nb\n\nc"),
        ("<b>bold</b> and <em>so</em> <s>gone</s>", "**bold** and *so* ~~gone~~"),
        ("<b><i>both</i></b>", "**both**"),
        ("<b> spaced </b>word", "**spaced** word"),
        ("a<b>“b”</b>c", "a“b”c"),
        ("<b>a</b><i>b</i>", "**a**b"),
        ("x * y_z _a_ [b] `c` \\d ~~e~~", "x \\* y_z \\_a\\_ \\[b\\] \\`c\\` \\\\d \\~\\~e\\~\\~"),
        (
            "# no<br>- list<br>1. here<br>&gt; q<br>---<br>===",
            "\\# no\\\n\\- list\\\n1\\. here\\\n\\> q\\\n\\---\\\n\\===",
        ),
        ("2 &lt; 3 &amp;&amp; 5 > 4 &amp;copy;", "2 \\< 3 && 5 > 4 \\&copy;"),
        ("see http://a.org/x_y*z.", "see <http://a.org/x_y*z>."),
        ('<a href="http://a.org/(b)">c [d]</a>', "[c \\[d\\]](http://a.org/%28b%29)"),
        ('<a href="http://a.org/">http://a.org/</a>', "<http://a.org/>"),
        ('wow!<a href="http://a.org/">b</a>', "wow\\![b](http://a.org/)"),
        ('<a href="javascript:x()">b</a>', "b"),
        (
            '<a href="https://disq.us/url?url=x" title="http://a.org/long">a.org/...</a>',
            "[a.org/...](http://a.org/long)",
        ),
        ('<img src="http://a.org/b.png" alt="a *cat*">', "![a \\*cat\\*](http://a.org/b.png)"),
        ("<code>a`b</code> <code>`</code>", "``a`b`` `` ` ``"),
        ("<pre><code>if a:\n    b = '```'\n</code></pre>", "````\nif a:\n    b = '```'\n````"),
        ("<blockquote><p>a</p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("<ul><li>a<li>b<ol><li>c</ol></ul>", "- a\n\n- b\n\n  1. c"),
        ("<h2>Head</h2>text", "**Head**\n\ntext"),
        ("a<script>alert(1)</script><style>x</style>b", "ab"),
        ("<unknown>a</unknown><spoiler>b</spoiler>", "ab"),
        ("a &#0;&#1;&#13;&#x2028; b", "a \ufffd b"),
        ("<p></p><br> ", ""),
    ],
)
def test_what_people_write(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


def items(blocks: list[str]) -> str:
    return "".join(f"<li>{block}</li>" for block in blocks)


TEXTS = st.text(alphabet="ab 1.)-+*_~`#>=|![]()<&;:\\/\n\"'é。😀\u00a0", min_size=1, max_size=12).map(escape)
INLINE = st.recursive(
    TEXTS | st.just("<br>"),
    lambda inner: (
        st.builds(
            "<{0}>{1}</{0}>".format,
            st.sampled_from(["b", "i", "s", "u", "em"]),
            st.lists(inner, max_size=3).map("".join),
        )
        | st.builds('<a href="http://a.org/">{}</a>'.format, TEXTS)
    ),
    max_leaves=8,
)
BLOCKS = st.recursive(
    st.lists(INLINE, max_size=4).map(lambda parts: f"<p>{''.join(parts)}</p>"),
    lambda inner: st.builds(
        "<{0}>{1}</{0}>".format,
        st.sampled_from(["blockquote", "ul", "ol", "div"]),
        st.lists(inner, max_size=3).map(items),
    ),
    max_leaves=6,
)


def rendered(markdown: str) -> str:
    try:
        return content.render(markdown).html
    except content.BadContent:
        return ""


@given(html=BLOCKS)
def test_readers_see_the_same_text(html: str) -> None:
    assert seen(rendered(to_markdown(html))) == seen(html)


@given(html=st.text(alphabet="<>/!-abpu=\"' &#;x[]?", max_size=60) | st.text(max_size=60))
def test_anything_is_turned_into_something(html: str) -> None:
    to_markdown(html)


@pytest.mark.parametrize(
    "piece",
    [
        "<b>",
        "<b>a</b>",
        "<blockquote>",
        "<li>",
        "<a href=",
        "<!",
        "<![",
        "<!--",
        "&",
        "&#",
        "</",
        "<p",
        "<br>",
        "<a>",
        "*",
    ],
)
def test_no_html_takes_long(piece: str) -> None:
    begun = time.process_time()
    to_markdown(piece * (LONGEST_HTML // len(piece) + 1))
    assert time.process_time() - begun < 5
