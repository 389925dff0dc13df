"""Texts of mails about comments."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from townsquare.kit.templates import Markup, Templates, fill, joined
from townsquare.services.accounts.signin.delivery import OutgoingMessage
from townsquare.services.threads.content import plain
from townsquare.services.threads.models.comments import RecentComment
from townsquare.services.threads.models.moderation import QueuedComment

ACTIONS = ("approve", "reject", "delete")
SHOWN = 1_000  # characters of a comment in the text of a mail

templates = Templates(Path(__file__).parent / "pages")


def comments_mail(
    to: str, kind: str, subject: str, items: Sequence[RecentComment], unsubscribe: str
) -> OutgoingMessage:
    """A mail with comments and an unsubscribe link."""
    return OutgoingMessage(
        "email",
        to,
        kind,
        subject,
        "\n\n".join([*map(comment_text, items), f"No more of these mails: {unsubscribe}"]) + "\n",
        html=templates.fill(
            "mail.html", title=subject, comments=joined(map(comment_html, items)), unsubscribe=unsubscribe
        ),
        headers={
            "List-Unsubscribe": f"<{unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )


class AlertItem(NamedTuple):
    """A held comment, and the link to decide about it."""

    queued: QueuedComment
    link: str


def alert_mail(to: str, site_name: str, items: Sequence[AlertItem]) -> OutgoingMessage:
    """A mail with held comments, and links to approve, reject or delete them."""
    waits = "1 comment waits" if len(items) == 1 else f"{len(items)} comments wait"
    subject = f"{waits} for approval on {site_name}"
    return OutgoingMessage(
        "email",
        to,
        "moderation",
        subject,
        "\n\n".join(map(alert_text, items)) + "\n",
        html=templates.fill("alert.html", title=subject, comments=joined(map(alert_html, items))),
    )


def alert_text(item: AlertItem) -> str:
    one = RecentComment(comment=item.queued.comment, page_url=item.queued.page_url)
    links = "\n".join(f"{action}: {item.link}&action={action}" for action in ACTIONS)
    return f"{comment_text(one)}\n{links}"


def alert_html(item: AlertItem) -> Markup:
    one = RecentComment(comment=item.queued.comment, page_url=item.queued.page_url)
    links = joined(
        fill('<a href="$link&amp;action=$action">$action</a> ', link=item.link, action=action)
        for action in ACTIONS
    )
    return joined([comment_html(one), fill("<p>$links</p>", links=links)])


def comment_text(one: RecentComment) -> str:
    return f"{name_of(one)}:\n{plain(one.comment.content_html, SHOWN)}\n{permalink(one)}"


def comment_html(one: RecentComment) -> Markup:
    return fill(
        '<p><a href="$link">$name</a></p><blockquote>$content</blockquote>',
        link=permalink(one),
        name=name_of(one),
        content=Markup(one.comment.content_html),
    )


def name_of(one: RecentComment) -> str:
    return one.comment.author.name if one.comment.author else ""


def permalink(one: RecentComment) -> str:
    return f"{one.page_url}#comment-{one.comment.id}"
