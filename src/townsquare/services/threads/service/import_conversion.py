"""Convert imported comments to stored ones: derived ids and rendered texts.

An id is a digest of the page and the comment's id in the file, so a second import finds the comments of the
first. A comment of our own export has its original id on its original page. Authors belong to no account: a
file cannot write in the name of a user.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from townsquare.clock import iso
from townsquare.comment_files.models import ImportedAuthor, ImportedComment, ImportedPage
from townsquare.keyspace import carried_bucket, derived_id
from townsquare.kit.email_addresses import mailbox_of
from townsquare.kit.text import DIRECTION_MARK, is_invisible
from townsquare.kit.urls import is_web_url
from townsquare.services.threads import content, keys
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.script_types import CommentToImport
from townsquare.services.threads.scripts import ImportComments, SaveUser
from townsquare.services.threads.service.comment_texts import checked_title
from townsquare.services.threads.service.commenters import NOBODY

NAME_LENGTH = 100
PROVIDER = "import"
ELLIPSIS = "…"


class OwnIds(NamedTuple):
    """The ids of the comments of one page."""

    are_ours: bool  # the file is an export of this page
    page_id: str
    format: str
    bucket: str
    merged: Mapping[str, str] = MappingProxyType({})  # new ids of comments whose page was merged

    def of(self, id: str) -> str:
        return self.merged.get(id) or self._own(id)

    def _own(self, id: str) -> str:
        if self.are_ours and keys.COMMENT_ID.matches(id) and carried_bucket(id) == self.bucket:
            return id
        return derived_id("imported", self.page_id, self.format, id, bucket=self.bucket)


class PageBatch(NamedTuple):
    """Some comments of one page, by their new ids."""

    page: ImportedPage
    address: PageAddress
    ids: OwnIds
    comments: dict[str, ImportedComment]


class Converted(NamedTuple):
    """A converted batch."""

    script: ImportComments
    authors: dict[str, SaveUser]  # by their ids
    shortened: int


class Conversion:
    """The conversion of one file for one site."""

    def __init__(self, site_id: str, format: str, latest: int) -> None:
        self._site_id = site_id
        self._format = format
        self._latest = latest  # ms; later times are replaced by it

    def page_batch(
        self, page: ImportedPage, address: PageAddress, comments: Sequence[ImportedComment]
    ) -> PageBatch:
        return self.page_batch_of(self._own_ids(page, address), page, address, comments)

    def page_batch_of(
        self, ids: OwnIds, page: ImportedPage, address: PageAddress, comments: Iterable[ImportedComment]
    ) -> PageBatch:
        return PageBatch(page, address, ids, {ids.of(one.id): one for one in comments})

    def _own_ids(self, page: ImportedPage, address: PageAddress) -> OwnIds:
        return OwnIds(page.id == address.id, address.id, self._format, carried_bucket(address.id))

    def redirected(self, batch: PageBatch, address: PageAddress, merged: Mapping[str, str]) -> PageBatch:
        """The same comments on the page that theirs was merged into; `merged` maps ids to new ids."""
        known = {id: to for id in named(batch) if (to := merged.get(batch.ids.of(id)))}
        ids = self._own_ids(batch.page, address)._replace(merged=known)
        return self.page_batch_of(ids, batch.page, address, batch.comments.values())

    def batch(self, batch: PageBatch) -> Converted:
        authors: dict[str, SaveUser] = {}
        written = [self._comment(id, one, batch.ids, authors) for id, one in batch.comments.items()]
        first = min(one.created_ms for one in written)
        script = ImportComments(
            page_id=batch.address.id,
            site_id=self._site_id,
            page_url=batch.address.url,
            page_key=batch.address.key,
            title=checked_title(batch.page.title),
            created_at=iso(first),
            opened_at=first,
            comments=written,
        )
        shortened = sum(len(one.content) > content.CONTENT_LENGTH for one in batch.comments.values())
        return Converted(script, authors, shortened)

    def _comment(
        self, id: str, comment: ImportedComment, ids: OwnIds, authors: dict[str, SaveUser]
    ) -> CommentToImport:
        text = kept_text(comment.content)
        html = rendered(text)
        at = min(comment.created_at or 0, self._latest)
        created_at = iso(at)
        written = CommentToImport(
            id=id,
            parent_id=ids.of(comment.parent_id) if comment.parent_id else None,
            content=text,
            content_html=html,
            status=comment.status,
            created_at=created_at,
            created_ms=at,
            updated_at=created_at,
            foreign_id=f"{self._format} {comment.id}",
            upvotes=comment.upvotes,
            downvotes=comment.downvotes,
        )
        if not html:
            written.content, written.status = "", "deleted"
            return written
        if comment.edited_at is not None:
            written.updated_at, written.edited = iso(min(comment.edited_at, self._latest)), True
        author = self._author(comment.author, created_at)
        authors.setdefault(author.user_id, author)
        written.author_id = author.user_id
        return written

    def _author(self, author: ImportedAuthor, created_at: str) -> SaveUser:
        """The script that creates the author, identified by id, email address or name."""
        email = (mailbox_of(author.email) if author.email else None) or ""
        known_by = ("id", author.id) if author.id else ("email", email) if email else ("name", author.name)
        fields = {
            "name": shown_name(author.name),
            "email": email or None,
            "avatar_url": author.avatar if is_web_url(author.avatar) else None,
            "provider": PROVIDER,
            "provider_id": f"{self._format} {known_by[1]}"[:NAME_LENGTH],
            "email_verified": "false",
            "phone_verified": "false",
        }
        id = derived_id("imported", self._site_id, self._format, *known_by)
        return SaveUser(user_id=id, fields=fields, create=True, created_at=created_at)


def named(batch: PageBatch) -> set[str]:
    """The ids in the file of the comments of a batch and of their parents."""
    comments = batch.comments.values()
    return {one.id for one in comments} | {one.parent_id for one in comments if one.parent_id}


def kept_text(text: str) -> str:
    """The text, truncated to its maximum length."""
    if len(text) <= content.CONTENT_LENGTH:
        return text
    return text[: content.CONTENT_LENGTH - len(ELLIPSIS)].rstrip() + ELLIPSIS


def rendered(text: str) -> str:
    """The HTML of a text; '' if nothing in it is visible."""
    try:
        return content.render(text).html if text else ""
    except content.BadContent:
        return ""


def shown_name(name: str) -> str:
    shown = DIRECTION_MARK.sub("", name)[:NAME_LENGTH].strip()
    return NOBODY if is_invisible(shown) else shown
