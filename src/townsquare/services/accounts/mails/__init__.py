"""Mails: one HTML template with a plain-text alternative, and the texts, which operators can replace.

The texts are in `texts.toml`, the layout in `mail.html`. Files of the same names in the folder of the setting
`mail_texts` come first.
"""

import hashlib
import hmac
import tomllib
from collections.abc import Sequence
from email.utils import parseaddr
from pathlib import Path
from string import Template
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec

from townsquare.kit.templates import NOTHING, Markup, fill, joined
from townsquare.problems import NotFound
from townsquare.services.accounts.signin.delivery import Channel, OutgoingMessage
from townsquare.settings import Settings, SettingsError

FOLDER = Path(__file__).parent
PLACEHOLDERS = dict.fromkeys(("brand", "code", "minutes", "count", "about", "site"), "")
PAGE_PLACEHOLDERS = dict.fromkeys(("brand", "title", "body", "reason", "unsubscribe"), "")
LONGEST_TOKEN = 256
THREADS_UNSUBSCRIBE = "/threads/v1/mail/unsubscribe"

BadMailLink = NotFound.declare("bad_mail_link", "This link is not valid, or was used before")


class MailText(msgspec.Struct, forbid_unknown_fields=True):
    subject: str
    text: str = ""
    button: str = ""
    path: str = ""  # that the button opens, unless the mail has an address of its own
    reason: str = ""


class MailItem(NamedTuple):
    """A part of a mail: a comment or a notification."""

    html: Markup
    text: str


class Mails:
    def __init__(self, settings: Settings) -> None:
        self.brand = parseaddr(settings.mail_from)[0] or "Townsquare"
        self._base = settings.public_url.rstrip("/")
        folder = Path(settings.mail_texts) if settings.mail_texts else FOLDER
        self._texts = texts_in(folder)
        self._layout = layout_in(folder)

    def message(
        self,
        kind: str,
        to: str,
        items: Sequence[MailItem] = (),
        *,
        url: str = "",
        unsubscribe: str = "",
        **values: str,
    ) -> OutgoingMessage:
        """A message of `texts.toml`; `code` is shown large, `items` follow the text."""
        channel: Channel = "email" if "@" in to else "sms"
        given = {"brand": self.brand, **values}
        words = self._texts[kind]
        subject, text, button, reason = (
            Template(part).substitute(given).strip()
            for part in (words.subject, words.text, words.button, words.reason)
        )
        subject = " ".join(subject.split())
        if channel == "sms":
            return OutgoingMessage(channel, to, kind, subject, text)
        address = url or (f"{self._base}{words.path}" if self._base and words.path else "")
        plain = [text, *(item.text for item in items), f"{button}: {address}" if address else "", reason]
        plain.append(f"Unsubscribe: {unsubscribe}" if unsubscribe else "")
        if (code := values.get("code")) and code not in text:
            plain.insert(0, f"Your code is {code}.")
        parts = [fill('<p class="code">$code</p>', code=code)] if code else []
        parts += [fill("<p>$text</p>", text=part) for part in text.split("\n\n") if part]
        parts += [fill('<div class="item">$item</div>', item=item.html) for item in items]
        if address:
            parts.append(fill('<p><a class="button" href="$url">$text</a></p>', url=address, text=button))
        html = fill(
            self._layout,
            brand=self.brand,
            title=subject,
            body=joined(parts),
            reason=reason,
            unsubscribe=fill(' <a href="$url">Unsubscribe</a>', url=unsubscribe) if unsubscribe else NOTHING,
        )
        headers = {
            "List-Unsubscribe": f"<{unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }
        return OutgoingMessage(
            channel,
            to,
            kind,
            subject,
            "\n\n".join(filter(None, plain)) + "\n",
            html=html,
            headers=headers if unsubscribe else {},
        )


def texts_in(folder: Path) -> dict[str, MailText]:
    """The texts by kind, those of the folder first. Raises `SettingsError`."""
    kinds = tomllib.loads((FOLDER / "texts.toml").read_text(encoding="utf-8"))
    path = folder / "texts.toml"
    try:
        own = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for kind, words in own.items():
            if kind not in kinds:
                raise SettingsError(f"mail_texts: {path}: there is no mail {kind}")
            kinds[kind] = kinds[kind] | words
        texts = msgspec.convert(kinds, dict[str, MailText])
        for kind, words in texts.items():
            for part in (words.subject, words.text, words.button, words.reason):
                check_placeholders(part, PLACEHOLDERS if kind in own else None, f"{path}: {kind}")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise SettingsError(f"mail_texts: {path}: {error}") from None
    return texts


def layout_in(folder: Path) -> str:
    path = folder / "mail.html" if (folder / "mail.html").exists() else FOLDER / "mail.html"
    layout = path.read_text(encoding="utf-8")
    check_placeholders(layout, PAGE_PLACEHOLDERS, str(path))
    return layout


def check_placeholders(text: str, known: dict[str, str] | None, where: str) -> None:
    try:
        Template(text).substitute(known) if known else None
    except (KeyError, ValueError) as error:
        raise SettingsError(f"mail_texts: {where}: the placeholder {error} is not known") from None


class MailSubscription(NamedTuple):
    user_id: str
    what: str


class MailLinks:
    """Signed links to unsubscribe (RFC 8058). They are valid as long as the account exists."""

    def __init__(
        self, secret: str, public_url: str, former_secret: str = "", path: str = THREADS_UNSUBSCRIBE
    ) -> None:
        self._secrets = [secret, *([former_secret] if former_secret else [])]  # the first one signs
        self._base = public_url.rstrip("/")
        self._path = path

    @property
    def possible(self) -> bool:
        """Whether links are possible: they need the setting `public_url`."""
        return bool(self._base)

    def unsubscribe(self, subscription: MailSubscription) -> str:
        payload = ".".join(subscription)
        return self.to(self._path, token=f"{payload}.{link_signature(self._secrets[0], payload)}")

    def to(self, path: str, **query: str) -> str:
        return f"{self._base}{path}?{urlencode(query)}" if query else f"{self._base}{path}"

    def subscription(self, token: str) -> MailSubscription:
        """The purpose of a link. Raises `BadMailLink`."""
        payload, _, signed = token.rpartition(".")
        if len(token) > LONGEST_TOKEN or not any(
            hmac.compare_digest(signed.encode(), link_signature(secret, payload).encode())
            for secret in self._secrets
        ):
            raise BadMailLink()
        user_id, _, what = payload.partition(".")
        return MailSubscription(user_id, what)


def link_signature(secret: str, payload: str) -> str:
    return hmac.new(secret.encode(), f"unsubscribe\n{payload}".encode(), hashlib.sha256).hexdigest()[:32]
