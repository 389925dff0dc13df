"""Imported comments as they are stored: ids that follow from where they come from, texts rendered.

An id is a digest of the page and of the comment's id elsewhere, so a second import finds what the first one
wrote. A comment of our own export keeps its id on the page that it was exported from. Authors belong to
nobody: a file cannot write in the name of an account.
"""

from collections.abc import Sequence
from typing import NamedTuple

from townsquare.clock import iso
from townsquare.keyspace import carried_bucket, derived_id
from townsquare.kit.email_addresses import mailbox_of
from townsquare.kit.text import DIRECTION_MARK, is_invisible
from townsquare.kit.urls import is_web_url
from townsquare.services.threads import content, keys
from townsquare.services.threads.importing.models import ImportedAuthor, ImportedComment, ImportedPage
from townsquare.services.threads.scripts.importing import CommentToImport, ImportComments
from townsquare.services.threads.scripts.users import SaveUser
from townsquare.services.threads.service.commenters import NOBODY
from townsquare.services.threads.service.comments import PageAddress, checked_title

NAME_LENGTH = 100
PROVIDER = "import"
ELLIPSIS = "…"


class UnclaimedAuthor(NamedTuple):
    id: str
    script: SaveUser  # that makes them


class Converted(NamedTuple):
    """A batch that is ready to be written."""

    script: ImportComments
    authors: dict[str, UnclaimedAuthor]
    shortened: int


class Conversion:
    """Of one file into one site."""

    def __init__(self, site_id: str, format: str, latest: int) -> None:
        self._site_id = site_id
        self._format = format
        self._latest = latest  # ms; what claims to be later was written now

    def batch(
        self, page: ImportedPage, address: PageAddress, comments: Sequence[ImportedComment]
    ) -> Converted:
        bucket = carried_bucket(address.id)
        ids = OwnIds(page.id == address.id, address.id, self._format, bucket)
        authors: dict[str, UnclaimedAuthor] = {}
        written = []
        shortened = 0
        for comment in comments:
            text, is_cut = kept_text(comment.content)
            html = rendered(text)
            at = min(comment.created_at or 0, self._latest)
            author = self._author(comment.author, iso(at)) if html else None
            if author:
                authors.setdefault(author.id, author)
            shortened += is_cut
            written.append(
                CommentToImport(
                    id=ids.of(comment.id),
                    parent_id=ids.of(comment.parent_id) if comment.parent_id else None,
                    author_id=author.id if author else None,
                    content=text if html else "",
                    content_html=html,
                    status=comment.status if html else "deleted",
                    created_at=iso(at),
                    created_ms=at,
                    updated_at=iso(min(comment.edited_at or at, self._latest)),
                    edited=comment.edited_at is not None and bool(html),
                    foreign_id=f"{self._format} {comment.id}",
                    upvotes=comment.upvotes,
                    downvotes=comment.downvotes,
                )
            )
        first = min(one.created_ms for one in written)
        script = ImportComments(
            page_id=address.id,
            site_id=self._site_id,
            page_url=address.url,
            page_key=address.key,
            title=checked_title(page.title),
            created_at=iso(first),
            opened_at=first,
            comments=written,
        )
        return Converted(script, authors, shortened)

    def _author(self, author: ImportedAuthor, created_at: str) -> UnclaimedAuthor:
        email = mailbox_of(author.email) if author.email else None
        known_by = author.id or email or author.name
        fields = {
            "name": shown_name(author.name),
            "email": email,
            "avatar_url": author.avatar if is_web_url(author.avatar) else None,
            "provider": PROVIDER,
            "provider_id": f"{self._format} {known_by}"[:NAME_LENGTH],
            "email_verified": "false",
            "phone_verified": "false",
        }
        id = derived_id("imported", self._site_id, self._format, known_by)
        return UnclaimedAuthor(id, SaveUser(user_id=id, fields=fields, create=True, created_at=created_at))


class OwnIds(NamedTuple):
    """What the comments of one page are called here."""

    are_ours: bool  # the file is an export of this very page
    page_id: str
    format: str
    bucket: str

    def of(self, id: str) -> str:
        if self.are_ours and keys.COMMENT_ID.matches(id) and carried_bucket(id) == self.bucket:
            return id
        return derived_id("imported", self.page_id, self.format, id, bucket=self.bucket)


def kept_text(text: str) -> tuple[str, bool]:
    """A text that is not too long, and whether it was."""
    if len(text) <= content.CONTENT_LENGTH:
        return text, False
    return text[: content.CONTENT_LENGTH - len(ELLIPSIS)].rstrip() + ELLIPSIS, True


def rendered(text: str) -> str:
    """The HTML of a text; '' if nothing of it can be seen."""
    try:
        return content.render(text).html if text else ""
    except content.BadContent:
        return ""


def shown_name(name: str) -> str:
    shown = DIRECTION_MARK.sub("", name)[:NAME_LENGTH].strip()
    return NOBODY if is_invisible(shown) else shown
