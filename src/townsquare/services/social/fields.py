"""Fields of a profile: names, visibility and validation."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from townsquare.keyspace import Visibility
from townsquare.kit.text import BadText, limit_marks, one_name, pasted_lines
from townsquare.kit.urls import URL_LENGTH, is_web_url
from townsquare.services.social.keys import FIELDS, user
from townsquare.services.social.problems import BadProfileField, SensitiveField, SystemField
from townsquare.services.social.sensitive import NAME_LENGTH, is_sensitive

LINE_LENGTH, BIO_LENGTH, TEXT_LENGTH = 100, 1_000, 2_000
LINKS = 10
NAMES_AT_ONCE = 1_000  # in one change; many of them can only be removals
CUSTOM_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_.-]{{0,{NAME_LENGTH - 1}}}")

KIND = user.kind
PUBLIC_FIELDS = tuple(
    field.name for field in KIND.fields if field.visibility in (Visibility.PUBLIC, Visibility.SYSTEM)
)
SYSTEM_FIELDS = KIND.visible_fields(Visibility.SYSTEM)
SECRET_FIELDS = KIND.visible_fields(Visibility.SECRET)
BOOKKEEPING = frozenset(
    {"owner_account", "engagement", "refreshing", "refreshed_to", "deleting", "moving_to", "arriving"}
)

TOO_MANY = f"A profile has at most {FIELDS} fields"
HINT = "Sign-in belongs to /accounts and payments to their provider; the operator may enable this field"


def is_private(name: str) -> bool:
    """Whether only the owner sees the field."""
    return name not in PUBLIC_FIELDS and name not in SECRET_FIELDS and not is_sensitive(name)


def stored(changes: Mapping[str, Any], *, sensitive: bool) -> tuple[list[str], list[str]]:
    """Changes as arguments for Redis: names and values in turn, and the names to remove."""
    if len(changes) > NAMES_AT_ONCE:
        raise BadProfileField(f"Change at most {NAMES_AT_ONCE:,} fields at once")
    kept: list[str] = []
    removed: list[str] = []
    for name, value in changes.items():
        text = None if value is None else written(name, value, sensitive=sensitive)
        if text:
            kept += [name, text]
        else:
            writable(name, sensitive=sensitive)
            removed.append(name)
    if len(kept) > 2 * FIELDS:
        raise BadProfileField(TOO_MANY)
    return kept, removed


def written(name: str, value: Any, *, sensitive: bool) -> str:
    writable(name, sensitive=sensitive)
    try:
        return WRITERS.get(name, text)(value)
    except Unfit as wrong:
        raise BadProfileField(f"{name}: {wrong}", field=name) from None


def read(name: str, text: str) -> Any:
    """The value of a stored field."""
    return tuple(msgspec.json.decode(text)) if name == "links" else text


def writable(name: str, *, sensitive: bool) -> None:
    if name in SYSTEM_FIELDS or name in BOOKKEEPING:
        raise SystemField(f"{name} is kept by the service itself", field=name)
    if len(name) > NAME_LENGTH:
        raise BadProfileField(
            f"{name[:NAME_LENGTH]!r}… is too long for a field: use at most {NAME_LENGTH} characters",
            field=name[:NAME_LENGTH],
        )
    if is_sensitive(name) and not sensitive:
        raise SensitiveField(f"{name} is not kept in a profile", field=name, hint=HINT)
    if not CUSTOM_NAME.fullmatch(name):
        raise BadProfileField(f"{name!r} is not the name of a field", field=name)


class Unfit(ValueError):
    """An invalid value. The message says what to use instead."""


def line(value: Any) -> str:
    try:
        return one_name(a_text(value), LINE_LENGTH)
    except BadText as bad:
        if bad.fault == "direction mark":
            raise Unfit("use no characters that change the direction of the text around them") from None
        raise Unfit(f"use one line of at most {LINE_LENGTH} characters") from None


def bio(value: Any) -> str:
    try:
        return pasted_lines(a_text(value), BIO_LENGTH)
    except BadText:
        raise Unfit(f"use at most {BIO_LENGTH:,} characters") from None


def text(value: Any) -> str:
    clean = limit_marks(a_text(value).strip())
    if len(clean) > TEXT_LENGTH:
        raise Unfit(f"use at most {TEXT_LENGTH:,} characters")
    return clean


def a_text(value: Any) -> str:
    if not isinstance(value, str):
        raise Unfit("use text")
    return value


def url(value: Any) -> str:
    clean = a_text(value).strip()
    if clean and not is_web_url(clean):
        raise Unfit(f"use an http or https URL of at most {URL_LENGTH:,} characters")
    return clean


def links(value: Any) -> str:
    listed = isinstance(value, list | tuple) and all(isinstance(link, str) for link in value)
    if not listed or len(value) > LINKS:
        raise Unfit(f"use a list of at most {LINKS} URLs")
    kept = [link for link in map(url, value) if link]
    return msgspec.json.encode(kept).decode() if kept else ""


WRITERS: dict[str, Callable[[Any], str]] = {
    "display_name": line,
    "bio": bio,
    "avatar": url,
    "links": links,
}
