"""Mails about comments, as parts of the mails of accounts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from townsquare.kit.templates import Markup, fill, joined
from townsquare.services.accounts.mails import MailItem, MailLinks, Mails, MailSubscription
from townsquare.services.accounts.signin.delivery import OutgoingMessage
from townsquare.services.threads.content import plain
from townsquare.services.threads.models.comments import RecentComment
from townsquare.services.threads.models.moderation import QueuedComment

__all__ = ["REPLIES", "MailLinks", "MailSubscription", "alert_mail", "comments_mail"]

MailedComment = RecentComment | QueuedComment

ACTIONS = ("approve", "reject", "delete")
REPLIES = "replies"  # the purpose of a link to unsubscribe from replies; else the id of a page
SHOWN = 1_000  # characters of a comment in the text of a mail


def comments_mail(
    mails: Mails,
    to: str,
    about: str,
    items: Sequence[RecentComment],
    titles: Mapping[str, str],
    unsubscribe: str,
) -> OutgoingMessage:
    """A mail with comments and an unsubscribe link; `titles` of pages by URL."""
    count = "1 new comment" if len(items) == 1 else f"{len(items)} new comments"
    parts = [MailItem(comment_html(one, titles), comment_text(one, titles)) for one in items]
    first = permalink(items[0])
    return mails.message("comments", to, parts, url=first, unsubscribe=unsubscribe, count=count, about=about)


class AlertItem(NamedTuple):
    """A held comment, and the link to decide about it."""

    queued: QueuedComment
    link: str


def alert_mail(mails: Mails, to: str, site_name: str, items: Sequence[AlertItem]) -> OutgoingMessage:
    """A mail with held comments, and links to approve, reject or delete them."""
    count = "1 comment waits" if len(items) == 1 else f"{len(items)} comments wait"
    parts = [MailItem(alert_html(one), alert_text(one)) for one in items]
    return mails.message("moderation", to, parts, count=count, site=site_name)


def alert_text(item: AlertItem) -> str:
    links = "\n".join(f"{action}: {item.link}&action={action}" for action in ACTIONS)
    return f"{comment_text(item.queued, {})}\n{links}"


def alert_html(item: AlertItem) -> Markup:
    links = joined(
        fill(
            '<a href="$link&amp;action=$action">$name</a> &nbsp; ',
            link=item.link,
            action=action,
            name=action.title(),
        )
        for action in ACTIONS
    )
    return joined([comment_html(item.queued, {}), fill("<p>$links</p>", links=links)])


def comment_text(one: MailedComment, titles: Mapping[str, str]) -> str:
    title = titles.get(one.page_url, "")
    said = f"{name_of(one)} on {title}" if title else name_of(one)
    return f"{said}:\n{plain(one.comment.content_html, SHOWN)}\n{permalink(one)}"


def comment_html(one: MailedComment, titles: Mapping[str, str]) -> Markup:
    return fill(
        '<p><b>$name</b> <span class="small">on <a href="$link">$title</a></span></p>$content',
        link=permalink(one),
        name=name_of(one),
        title=titles.get(one.page_url) or one.page_url,
        content=Markup(one.comment.content_html),
    )


def name_of(one: MailedComment) -> str:
    return one.comment.author.name if one.comment.author else ""


def permalink(one: MailedComment) -> str:
    return f"{one.page_url}#comment-{one.comment.id}"
