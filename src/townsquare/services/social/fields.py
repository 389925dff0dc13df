"""Fields of a profile: which ones there are, who may see them, and what may be written into them."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from townsquare.keyspace import Visibility
from townsquare.services.social.keys import USERNAME, user
from townsquare.services.social.problems import BadProfileField, BadUsername, SensitiveField, SystemField

RESERVED_USERNAMES = frozenset({"me", ".", ".."})  # paths of their own
LINE_LENGTH, BIO_LENGTH, TEXT_LENGTH, URL_LENGTH = 100, 1_000, 2_000, 2_048
LINKS = 10
CUSTOM_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")

KIND = user.kind
PUBLIC_FIELDS = tuple(
    field.name for field in KIND.fields if field.visibility in (Visibility.PUBLIC, Visibility.SYSTEM)
)
SYSTEM_FIELDS = KIND.visible_fields(Visibility.SYSTEM)
SECRET_FIELDS = KIND.visible_fields(Visibility.SECRET)
BOOKKEEPING = frozenset({"engagement", "refreshing", "refreshed_to", "deleting", "moving_to", "arriving"})

SENSITIVE = re.compile(
    r"passw|passphrase|socialsecurity|creditcard|debitcard|cardnumber|cardno|cvv|cvc|bankaccount|iban"
    r"|accountnumber|routingnumber"
)
SENSITIVE_WORDS = frozenset({"ssn", "card", "bank", "pwd"})
WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
HINT = "Sign-in belongs to /accounts and payments to their provider; the operator may enable this field"


def is_sensitive(name: str) -> bool:
    """Whether a field would hold a password, a national id, a card or a bank account, however written."""
    letters = re.sub(r"[^a-z0-9]", "", name.lower())
    words = {word.lower() for word in WORD.findall(name)}
    return bool(SENSITIVE.search(letters)) or bool(words & SENSITIVE_WORDS)


def is_private(name: str) -> bool:
    """Whether the owner, and nobody else, may see it."""
    return name not in PUBLIC_FIELDS and name not in SECRET_FIELDS and not is_sensitive(name)


def checked_username(username: str) -> str:
    if not USERNAME.matches(username) or username in RESERVED_USERNAMES:
        raise BadUsername()
    return username


def stored(changes: Mapping[str, Any], *, sensitive: bool) -> tuple[list[str], list[str]]:
    """Changes as Redis takes them: names and values in turn, and the names to remove."""
    kept: list[str] = []
    removed: list[str] = []
    for name, value in changes.items():
        text = None if value is None else written(name, value, sensitive=sensitive)
        if text:
            kept += [name, text]
        else:
            writable(name, sensitive=sensitive)
            removed.append(name)
    return kept, removed


def written(name: str, value: Any, *, sensitive: bool) -> str:
    writable(name, sensitive=sensitive)
    try:
        return WRITERS.get(name, text)(value)
    except (ValueError, TypeError) as wrong:
        raise BadProfileField(f"{name}: {wrong}", field=name) from None


def writable(name: str, *, sensitive: bool) -> None:
    if name in SYSTEM_FIELDS or name in BOOKKEEPING:
        raise SystemField(f"{name} is kept by the service itself", field=name)
    if is_sensitive(name) and not sensitive:
        raise SensitiveField(f"{name} is not kept in a profile", field=name, hint=HINT)
    if not CUSTOM_NAME.fullmatch(name):
        raise BadProfileField(f"{name[:64]!r} is not the name of a field", field=name[:64])


def line(value: str) -> str:
    clean = unicodedata.normalize("NFC", value).strip()
    if len(clean) > LINE_LENGTH or any(unicodedata.category(character) == "Cc" for character in clean):
        raise ValueError(f"use one line of at most {LINE_LENGTH} characters")
    return clean


def bio(value: str) -> str:
    return limited(value, BIO_LENGTH)


def text(value: str) -> str:
    return limited(value, TEXT_LENGTH)


def limited(value: str, length: int) -> str:
    if not isinstance(value, str):
        raise TypeError("use text")
    clean = value.strip()
    if len(clean) > length:
        raise ValueError(f"use at most {length:,} characters")
    return clean


def url(value: str) -> str:
    clean = value.strip()
    if not clean:
        return clean
    parts = urlsplit(clean)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or len(clean) > URL_LENGTH
        or re.search(r"[\s\x00-\x1f\x7f]", clean)
    ):
        raise ValueError(f"use an http or https URL of at most {URL_LENGTH:,} characters")
    return clean


def links(value: Sequence[str]) -> str:
    if isinstance(value, str) or len(value) > LINKS:
        raise ValueError(f"use a list of at most {LINKS} URLs")
    kept = [link for link in map(url, value) if link]
    return msgspec.json.encode(kept).decode() if kept else ""


WRITERS: dict[str, Callable[[Any], str]] = {
    "display_name": line,
    "bio": bio,
    "avatar": url,
    "links": links,
}
