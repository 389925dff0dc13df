"""Mails about comments: their texts, and signed links to unsubscribe."""

import hashlib
import hmac
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from townsquare.kit.templates import Markup, Templates, fill, joined
from townsquare.services.accounts.signin.delivery import OutgoingMessage
from townsquare.services.threads.content import plain
from townsquare.services.threads.models.comments import RecentComment
from townsquare.services.threads.models.moderation import QueuedComment
from townsquare.services.threads.problems import BadMailLink

MailedComment = RecentComment | QueuedComment

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
    links = "\n".join(f"{action}: {item.link}&action={action}" for action in ACTIONS)
    return f"{comment_text(item.queued)}\n{links}"


def alert_html(item: AlertItem) -> Markup:
    links = joined(
        fill('<a href="$link&amp;action=$action">$action</a> ', link=item.link, action=action)
        for action in ACTIONS
    )
    return joined([comment_html(item.queued), fill("<p>$links</p>", links=links)])


def comment_text(one: MailedComment) -> str:
    return f"{name_of(one)}:\n{plain(one.comment.content_html, SHOWN)}\n{permalink(one)}"


def comment_html(one: MailedComment) -> Markup:
    return fill(
        '<p><a href="$link">$name</a></p><blockquote>$content</blockquote>',
        link=permalink(one),
        name=name_of(one),
        content=Markup(one.comment.content_html),
    )


def name_of(one: MailedComment) -> str:
    return one.comment.author.name if one.comment.author else ""


def permalink(one: MailedComment) -> str:
    return f"{one.page_url}#comment-{one.comment.id}"


REPLIES = "replies"  # the purpose of a link to unsubscribe from replies; else the id of a page
LONGEST = 256


class MailSubscription(NamedTuple):
    user_id: str
    what: str  # "replies", or the id of a page


class MailLinks:
    def __init__(self, secret: str, public_url: str, former_secret: str = "") -> None:
        self._secrets = [secret, *([former_secret] if former_secret else [])]  # the first one signs
        self._base = public_url.rstrip("/")

    @property
    def possible(self) -> bool:
        """Whether links are possible: they need the setting `public_url`."""
        return bool(self._base)

    def unsubscribe(self, subscription: MailSubscription) -> str:
        """The unsubscribe link (RFC 8058). It is valid as long as the account exists."""
        payload = ".".join(subscription)
        return self.to(
            "/threads/v1/mail/unsubscribe", token=f"{payload}.{link_signature(self._secrets[0], payload)}"
        )

    def to(self, path: str, **query: str) -> str:
        return f"{self._base}{path}?{urlencode(query)}"

    def subscription(self, token: str) -> MailSubscription:
        """The purpose of a link. Raises `BadMailLink`."""
        payload, _, signed = token.rpartition(".")
        if len(token) > LONGEST or not any(
            hmac.compare_digest(signed.encode(), link_signature(secret, payload).encode())
            for secret in self._secrets
        ):
            raise BadMailLink()
        user_id, _, what = payload.partition(".")
        return MailSubscription(user_id, what)


def link_signature(secret: str, payload: str) -> str:
    return hmac.new(secret.encode(), f"unsubscribe\n{payload}".encode(), hashlib.sha256).hexdigest()[:32]
