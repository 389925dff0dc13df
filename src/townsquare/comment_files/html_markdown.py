"""Convert the HTML of comments to Markdown.

Paragraphs, line breaks, quotations, lists, code, links, pictures and one level of emphasis are converted; of
other elements only the text, of scripts and styles nothing. The result is rendered and sanitised like any
comment, so this module need not sanitise.
"""

import re
from html.parser import HTMLParser

from townsquare.comment_files import inline_markdown
from townsquare.comment_files.inline_markdown import InlineSpan
from townsquare.comment_files.values import readable
from townsquare.kit.urls import is_web_url

LONGEST_HTML = 60_000  # characters; 10,000 characters of a comment are stored
DEEPEST = 8  # nested quotations and lists

MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "del": "~~", "strike": "~~"}
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = HEADINGS | {"p", "div", "center", "section", "article", "figure", "figcaption", "details", "summary"}
BLOCKS |= {"hr", "ul", "ol", "dl", "dt", "dd", "table", "thead", "tbody", "tr"}
LISTS = frozenset({"ul", "ol"})
CONTAINERS = frozenset({"blockquote", "li"})
CODE = frozenset({"code", "tt", "kbd", "samp"})
UNREAD = frozenset({"script", "style"})
FRAMES = frozenset({"iframe", "embed", "video", "audio"})
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
SPACES = re.compile(r"[ \t\n]+")
AROUND_BREAKS = re.compile(r"[ \t]*\n[ \t]*")
MAILTO = re.compile(r"mailto:[^\s<>()\\]{1,300}", re.IGNORECASE)
PARAGRAPHS = re.compile(r"\n{2,}")


def to_markdown(html: str, *, newlines: bool = False) -> str:
    """Convert HTML to Markdown; with `newlines`, line breaks in the text are kept, as in WordPress."""
    writer = Writer(newlines=newlines)
    writer.feed(parsable(html[:LONGEST_HTML]))
    writer.close()
    return writer.markdown()


class Container:
    """A quotation or list item, with the prefix of its lines."""

    def __init__(self, tag: str, first: str) -> None:
        self.tag = tag
        self._first = first
        self._rest = "> " if tag == "blockquote" else " " * len(first)
        self.is_begun = False

    def prefix(self) -> str:
        prefix = self._rest if self.is_begun else self._first
        self.is_begun = True
        return prefix


class Writer(HTMLParser):
    def __init__(self, *, newlines: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._newlines = newlines
        self._lines: list[str] = []
        self._containers: list[Container] = []
        self._lists: list[int] = []  # the number of the next item, 0 in a list without numbers
        self._spans: list[InlineSpan] = []
        self._marks: list[str] = []  # tags; only the outermost is written
        self._unread = ""
        self._code: list[str] | None = None  # the text of an open code element
        self._is_pre = False
        self._href: str | None = None
        self._label: list[str] = []

    def markdown(self) -> str:
        self._end_code()
        self._end_paragraph()
        return "\n".join(self._lines).strip("\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if self._unread:
            return
        if tag in UNREAD:
            self._unread = tag
        elif self._code is not None:
            if tag == "br":
                self._code.append("\n")
        elif tag == "pre":
            self._end_paragraph()
            self._code, self._is_pre = [], True
        elif tag in CODE:
            self._code, self._is_pre = [], False
        elif tag == "br":
            self._break()
        elif tag == "a":
            self._end_link()
            self._href = link_of(attributes)
        elif tag == "img":
            self._picture(attributes)
        elif tag in FRAMES and is_web_url(attributes.get("src", "")):
            self._append(inline_markdown.link(attributes["src"], attributes["src"]))
        elif tag in MARKS:
            self._marks.append(tag)
        elif tag in CONTAINERS:
            self._begin_container(tag)
        elif tag in BLOCKS:
            self._begin_block(tag)
        elif tag in ("td", "th"):
            self._append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._unread:
            self._unread = "" if tag == self._unread else self._unread
        elif self._code is not None:
            if tag == "pre" or (not self._is_pre and tag in CODE):
                self._end_code()
        elif tag == "a":
            self._end_link()
        elif tag in MARKS and tag in self._marks:
            self._marks.remove(tag)
        elif tag in CONTAINERS:
            self._end_container(tag)
        elif tag in BLOCKS:
            self._end_paragraph()
            if tag in LISTS and self._lists:
                self._lists.pop()

    def handle_data(self, data: str) -> None:
        if self._unread:
            return
        data = readable(data)
        if self._code is not None:
            self._code.append(data)
        elif self._newlines and "\n" in data and self._href is None:
            for number, part in enumerate(PARAGRAPHS.split(AROUND_BREAKS.sub("\n", data))):
                if number:
                    self._end_paragraph()
                for place, line in enumerate(part.split("\n")):
                    if place:
                        self._break()
                    self._text(line)
        else:
            self._text(data)

    def _text(self, text: str) -> None:
        text = SPACES.sub(" ", text)
        if self._href is None:
            self._append(inline_markdown.escaped(text))
        else:
            self._label.append(text)

    def _append(self, markdown: str) -> None:
        if markdown.startswith(("[", "![")) and self._spans and self._spans[-1].text.endswith("!"):
            mark, before = self._spans[-1]
            self._spans[-1] = InlineSpan(mark, before[:-1] + "\\!")  # not an image
        mark = MARKS[self._marks[0]] if self._marks else ""
        if self._spans and self._spans[-1].mark == mark:
            markdown = self._spans.pop().text + markdown
        if markdown:
            self._spans.append(InlineSpan(mark, markdown))

    def _break(self) -> None:
        if self._href is not None:
            self._label.append(" ")
        elif self._spans and self._spans[-1].text.rstrip(" ").endswith("\n"):
            self._end_paragraph()
        else:
            self._append("\n")

    def _end_link(self) -> None:
        if self._href is None:
            return
        href, text = self._href, "".join(self._label)
        self._href = None
        self._label.clear()
        if not href:
            self._append(inline_markdown.escaped(text))
            return
        label = text.strip(" ")
        before, _, after = text.partition(label) if label else (text, "", "")
        self._append(before)
        if label:
            self._append(inline_markdown.link(label, href))
        self._append(after)

    def _picture(self, attributes: dict[str, str]) -> None:
        alt, source = SPACES.sub(" ", readable(attributes.get("alt", ""))), attributes.get("src", "")
        if self._href is not None:
            self._label.append(alt or source)
        elif is_web_url(source):
            self._append("!" + inline_markdown.link(alt, source))
        else:
            self._append(inline_markdown.escaped(alt))

    def _end_code(self) -> None:
        if self._code is None:
            return
        text, self._code = "".join(self._code), None
        if self._is_pre or (self._newlines and "\n" in text.strip("\n")):
            self._end_paragraph()
            self._write(fenced(text))
        elif self._href is not None:
            self._label.append(SPACES.sub(" ", text))
        elif text.strip():
            self._append(inline_markdown.code(SPACES.sub(" ", text)))
        else:
            self._append(SPACES.sub(" ", text))

    def _begin_block(self, tag: str) -> None:
        self._end_paragraph()
        if tag in LISTS:
            self._lists.append(1 if tag == "ol" else 0)
        elif tag == "hr":
            self._write(["***"])
        elif tag in HEADINGS:
            self._marks.append("strong")

    def _begin_container(self, tag: str) -> None:
        self._end_paragraph()
        if tag == "li" and self._containers and self._containers[-1].tag == "li" and not self._lists_within():
            self._containers.pop()  # an unclosed item
        if len(self._containers) >= DEEPEST:
            return
        first = "> "
        if tag == "li":
            number = self._lists[-1] if self._lists else 0
            first = f"{number}. " if number else "- "
            if number:
                self._lists[-1] += 1
        self._containers.append(Container(tag, first))

    def _lists_within(self) -> bool:
        items = sum(container.tag == "li" for container in self._containers)
        return len(self._lists) > items

    def _end_container(self, tag: str) -> None:
        self._end_paragraph()
        for place in reversed(range(len(self._containers))):
            if self._containers[place].tag == tag:
                del self._containers[place:]
                return

    def _end_paragraph(self) -> None:
        self._end_link()
        self._marks.clear()
        spans, self._spans = self._spans, []
        if any(span.text.strip() for span in spans):
            self._write(inline_markdown.paragraph(spans))

    def _write(self, lines: list[str]) -> None:
        if self._lines:
            begun = "".join(container.prefix() for container in self._containers if container.is_begun)
            self._lines.append(begun.rstrip(" "))
        for line in lines:
            prefix = "".join(container.prefix() for container in self._containers)
            self._lines.append(prefix + line if line else prefix.rstrip(" "))


def parsable(html: str) -> str:
    """The HTML without comments and with invalid tags as text: Python's parser fails or is slow on them."""
    closed = html.rfind("-->") + 1
    html = COMMENT.sub("", html[: closed + 2]) + html[closed + 2 :] if closed else html
    html = html.replace("<!", "&lt;!").replace("<?", "&lt;?")
    last = html.rfind(">") + 1
    return html[:last] + html[last:].replace("<", "&lt;")


def link_of(attributes: dict[str, str]) -> str:
    """The URL of a link, '' if it has none. Disqus links to itself and has the real URL in the title."""
    href, title = attributes.get("href", "").strip(), attributes.get("title", "").strip()
    url = title if "disq.us/" in href and is_web_url(title) else href
    return url if is_web_url(url) or MAILTO.fullmatch(url) else ""


def fenced(text: str) -> list[str]:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return [fence, *text.strip("\n").split("\n"), fence]
