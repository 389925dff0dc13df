"""Normalise and validate profile fields."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from townsquare.kit.email_addresses import BadEmailAddress, EmailAddress
from townsquare.kit.text import NOT_IN_A_LINE, BadText, one_name
from townsquare.kit.urls import URL_LENGTH, is_web_url
from townsquare.kit.usernames import is_username
from townsquare.services.accounts.keys import PHONE
from townsquare.services.accounts.models import ID_PROVIDERS, Geolocation, UserProfile
from townsquare.services.accounts.problems import BadProfile

LINE_LENGTH = 100
DEVICE_LENGTH, PROVIDER_ID_LENGTH = 128, 255
LINKS = 10
OLDEST = 150
CUSTOM_NAMES, CUSTOM_NAME_LENGTH = 50, 64
CUSTOM_BYTES = 16_384
CUSTOM_DEPTH = 8

VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")


def bad_field(field: str, why: str) -> BadProfile:
    return BadProfile(f"{field}: {why}", field=field)


def email(value: str, field: str = "email") -> str:
    """The address as entered."""
    return email_address(value, field).typed


def mailbox(value: str, field: str = "email") -> str:
    """The canonical spelling of the mailbox, which is the index of accounts."""
    return email_address(value, field).mailbox


def email_address(value: str, field: str = "email") -> EmailAddress:
    try:
        return EmailAddress.parse(value)
    except BadEmailAddress as bad:
        raise bad_field(field, str(bad)) from None


def phone(value: str, field: str = "phone") -> str:
    import phonenumbers

    try:
        number = phonenumbers.parse(value, None)
    except phonenumbers.NumberParseException:
        raise bad_field(field, "write the number with + and its country code") from None
    if number.extension or not phonenumbers.is_possible_number(number):
        raise bad_field(field, "this is not a phone number")
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    if not PHONE.matches(written):
        raise bad_field(field, "this is not a phone number")
    return written


def username(value: str, field: str = "username") -> str:
    if not is_username(value):
        raise bad_field(field, "use 1 to 30 letters, digits, _ . or -")
    return value


def device_id(value: str, field: str = "deviceId") -> str:
    return visible_ascii(value, DEVICE_LENGTH, field)


def provider(name: str, id: str) -> tuple[str, str]:
    if name not in ID_PROVIDERS:
        raise bad_field("providers", f"use one of {', '.join(ID_PROVIDERS)}")
    return name, visible_ascii(id, PROVIDER_ID_LENGTH, name)


def visible_ascii(value: str, length: int, field: str) -> str:
    trimmed = value.strip()
    if len(trimmed) > length or not VISIBLE_ASCII.fullmatch(trimmed):
        raise bad_field(field, f"use 1 to {length} visible ASCII characters")
    return trimmed


def line(value: str, field: str) -> str | None:
    """One line of text; None if nothing in it is visible."""
    try:
        return one_name(value, LINE_LENGTH) or None
    except BadText:
        raise bad_field(field, f"use one line of at most {LINE_LENGTH} characters") from None


def url(value: str, field: str) -> str | None:
    text = value.strip()
    if text and not is_web_url(text):
        raise bad_field(field, f"use an http or https URL of at most {URL_LENGTH} characters")
    return text or None


def links(values: tuple[str, ...], field: str) -> tuple[str, ...]:
    if len(values) > LINKS:
        raise bad_field(field, f"at most {LINKS}")
    return tuple(link for link in (url(value, field) for value in values) if link)


def age(value: int, field: str) -> int:
    if isinstance(value, bool) or not 0 <= value <= OLDEST:
        raise bad_field(field, f"use a number from 0 to {OLDEST}")
    return value


def custom(values: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Free fields after a JSON round trip."""
    if len(values) > CUSTOM_NAMES:
        raise bad_field(field, f"at most {CUSTOM_NAMES} names")
    for name in values:
        if not 1 <= len(name) <= CUSTOM_NAME_LENGTH or NOT_IN_A_LINE.search(name):
            raise bad_field(field, f"a name is one line of at most {CUSTOM_NAME_LENGTH} characters")
    try:
        text = msgspec.json.encode(values)
        if len(text) > CUSTOM_BYTES:
            raise bad_field(field, f"at most {CUSTOM_BYTES:,} bytes")
        if deeper_than(CUSTOM_DEPTH, values):
            raise bad_field(field, f"at most {CUSTOM_DEPTH} levels")
        kept: dict[str, Any] = msgspec.json.decode(text)
    except RecursionError:
        raise bad_field(field, f"at most {CUSTOM_DEPTH} levels") from None
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
        raise bad_field(field, "this cannot be written as JSON") from None
    return kept


def deeper_than(levels: int, value: Any) -> bool:
    inner = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else None
    )
    if inner is None:
        return False
    return levels == 0 or any(deeper_than(levels - 1, one) for one in inner)


def geolocation(value: Geolocation, field: str) -> Geolocation:
    whole = (value.latitude, value.longitude, value.accuracy or 0.0)
    if not all(math.isfinite(number) for number in whole):
        raise bad_field(field, "use finite numbers")
    try:
        return msgspec.convert(msgspec.to_builtins(value), Geolocation, strict=False)
    except msgspec.ValidationError as error:
        raise bad_field(field, str(error)) from None


FIELDS: dict[str, Callable[[Any, str], Any]] = {
    "username": username,
    "email": email,
    "phone": phone,
    "display_name": line,
    "first_name": line,
    "surname": line,
    "age": age,
    "occupation": line,
    "fitness_level": line,
    "fitness_goal": line,
    "gender": line,
    "province": line,
    "city": line,
    "avatar": url,
    "links": links,
    "custom": lambda value, field: value,  # checked after merging: the limits apply to the whole
    "notifications": lambda value, field: value,  # merged later
    "device_id": device_id,
    "geolocation_consent": lambda value, field: value,
    "geolocation": geolocation,
}
WRITTEN = {field.name: field.encode_name for field in msgspec.structs.fields(UserProfile)}


def profile(profile: UserProfile) -> dict[str, Any]:
    """The given fields in their stored form."""
    said = msgspec.structs.asdict(profile)
    return {
        name: None if value is None else FIELDS[name](value, WRITTEN[name])
        for name, value in said.items()
        if value is not msgspec.UNSET
    }
