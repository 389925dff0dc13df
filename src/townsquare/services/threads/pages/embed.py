"""A thread as plain HTML: for search engines, and for readers without JavaScript."""

from urllib.parse import urlencode

import msgspec

from townsquare.api import Call, Content
from townsquare.clock import from_iso, iso
from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.services.threads.models.comments import Comment, CommentPage
from townsquare.services.threads.pages import templates, words_for

HTML = "text/html; charset=utf-8"
PATH = "/threads/v1/embed"
# any page may frame it: it has no signed-in user, so clickjacking gains nothing
POLICY = (
    "default-src 'none'; style-src 'self'; img-src https: http: data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors *"
)


class Draft(msgspec.Struct, kw_only=True):
    """The form as it was sent, with its error."""

    name: str = ""
    content: str = ""
    wrong: str = ""
    status: int = 200


class EmbedPage:
    """One response; `asked` are the query parameters of a link back to it."""

    def __init__(self, call: Call, asked: dict[str, str]) -> None:
        self._asked = asked
        self._home = call.base_url
        self.lang, self.words = words_for(asked.get("lang") or call.language)

    def address(self, **more: str) -> str:
        return f"{self._home}{PATH}?{urlencode({**self._asked, **more})}"

    def thread(
        self,
        page: CommentPage,
        page_url: str,
        *,
        may_write: bool,
        above: Comment | None = None,
        notice: str = "",
        draft: Draft | None = None,
    ) -> Content:
        """Part of a thread, or the replies to the comment `above`, with the form to write."""
        draft = draft or Draft()
        parts = [self._form(draft, above) if may_write and not page.closed else self._shut(page)]
        if above is not None:
            parts.append(self._lead(self.words["all"]))
            above.replies, above.replies_next = page.comments, None
            parts.append(self._list([above], "thread"))
        else:
            parts.append(self._list(page.comments, "thread"))
        if not page.comments and above is None:
            parts.append(fill("<p>$empty</p>", empty=self.words["empty"]))
        if page.next:
            where = {"cursor": page.next, **({"comment": above.id} if above else {})}
            parts.append(self._lead(self.words["more"], **where))
        heading = fill('$on <a href="$url">$url</a>', on=self.words["on"], url=page_url)
        return self.answer(heading, joined(parts), page_url, notice, draft)

    def answer(
        self, heading: Markup, body: Markup, page_url: str = "", notice: str = "", draft: Draft | None = None
    ) -> Content:
        draft = draft or Draft()
        canonical = fill('<link rel="canonical" href="$url">', url=page_url) if page_url else NOTHING
        markup = templates.fill(
            "embed.html",
            lang=self.lang,
            title=f"{self.words['comments']} · {page_url}" if page_url else self.words["comments"],
            canonical=canonical,
            styles=f"{self._home}/threads/assets/embed.css",
            heading=heading,
            notice=self._notice(draft.wrong or notice, bool(draft.wrong)),
            body=body,
        )
        headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
        return Content(markup.encode(), HTML, draft.status, headers)

    def _notice(self, text: str, bad: bool) -> Markup:
        if not text:
            return NOTHING
        look, role = ("notice bad", "alert") if bad else ("notice", "status")
        return fill('<p class="$look" role="$role">$text</p>', look=look, role=role, text=text)

    def _shut(self, page: CommentPage) -> Markup:
        word = "closed" if page.closed else "sign_in"
        return fill('<p class="quiet">$text</p>', text=self.words[word])

    def _form(self, draft: Draft, above: Comment | None) -> Markup:
        label = self.words["write"]
        if above is not None and above.author is not None:
            label = f"{self.words['answer']} {above.author.name}"
        return templates.fill(
            "embed_form.html",
            action=self.address(**({"comment": above.id} if above else {})),
            label=label,
            name=draft.name,
            content=draft.content,
            **{f"{one}_word": self.words[one] for one in ("name", "text", "leave", "post", "markdown")},
        )

    def _lead(self, text: str, **where: str) -> Markup:
        return fill('<p class="quiet"><a href="$to">$text</a></p>', to=self.address(**where), text=text)

    def _list(self, comments: list[Comment], name: str) -> Markup:
        if not comments:
            return NOTHING
        items = joined(self._comment(comment) for comment in comments)
        return fill('<ol class="$name">$items</ol>', name=name, items=items)

    def _comment(self, comment: Comment) -> Markup:
        author, words = comment.author, self.words
        marks = [("pinned", comment.pinned_at is not None), ("edited", comment.edited)]
        more = NOTHING
        if comment.replies_next is not None:
            where = {"comment": comment.id, "cursor": comment.replies_next}
            more = fill(
                '<p><a href="$to">$more</a></p>', to=self.address(**where), more=words["more_replies"]
            )
        return templates.fill(
            "embed_comment.html",
            id=comment.id,
            author=fill("<b>$name</b>", name=author.name) if author else NOTHING,
            created_at=comment.created_at,
            when=iso(from_iso(comment.created_at))[:16].replace("T", " ") + " UTC",
            marks=joined(fill("<mark>$word</mark>", word=words[word]) for word, holds in marks if holds),
            text=Markup(comment.content_html)
            if author
            else fill("<p><em>$gone</em></p>", gone=words["deleted"]),
            reply=self._lead(words["reply"], comment=comment.id) if author else NOTHING,
            replies=joined([self._list(comment.replies, "replies"), more]),
        )
