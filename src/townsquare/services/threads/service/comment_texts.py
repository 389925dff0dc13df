"""Validation of comments, page titles and report details."""

from townsquare.kit.text import BadText, many_lines, one_name
from townsquare.services.threads import content
from townsquare.services.threads.problems import BadComment, BadReportDetails

TITLE_LENGTH = 300
DETAILS_LENGTH = 1_000


def checked_text(text: str) -> tuple[str, content.Rendered]:
    """The stored text of a comment, and its HTML."""
    try:
        kept = content.written(text)
        return kept, content.render_written(kept)
    except content.BadContent as bad:
        raise BadComment(f"content: {bad}") from None


def checked_title(title: str | None) -> str | None:
    """The title of a page, or None if it is not valid: it comes from the host page, not from the author."""
    if not title:
        return None
    try:
        return one_name(title, TITLE_LENGTH) or None
    except BadText:
        return None


def checked_details(details: str | None) -> str:
    try:
        return many_lines(details or "", DETAILS_LENGTH)
    except BadText as bad:
        raise BadReportDetails(f"details: {bad}") from None
