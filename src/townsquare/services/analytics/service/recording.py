"""Validate the events of a request, sort them by time, and build the input of the script."""

import re
import secrets
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

import msgspec

from townsquare.kit.text import BadText, composed, one_line
from townsquare.problems import Invalid
from townsquare.services.analytics.keys import ACTOR, BATCH_LENGTH, SEEN_SECONDS, journey, shelf_of
from townsquare.services.analytics.models import Event, Interaction, Rating, Search, Session, View, Wishlist
from townsquare.services.analytics.periods import hour_of
from townsquare.services.analytics.problems import BadBatch, BadEvent, WhoIsMissing
from townsquare.services.analytics.scripts import PlacedEvent, RecordEvents

LONGEST_NAME = 200
LONGEST_RAW = 4 * LONGEST_NAME  # before spaces and marks are joined
STARS = range(1, 6)
EVENT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
VISITOR = re.compile(r"[A-Za-z0-9_-]{8,64}")

encode_json = msgspec.json.Encoder().encode


def actor_of(user_id: str | None, visitor: str | None) -> str:
    """The actor in key names. A visitor cannot pass for a user, because a user id has no dot."""
    if user_id:
        return known_actor(user_id)
    if visitor and VISITOR.fullmatch(visitor):
        return f"visitor.{visitor}"
    raise WhoIsMissing()


def known_actor(user_id: str) -> str:
    if not ACTOR.matches(user_id):
        raise WhoIsMissing("This cannot be the id of a user or visitor")
    return user_id


def clean(text: str) -> str:
    """NFC, one space between words; '' if it cannot be a name."""
    return cleaned(text) if len(text) <= LONGEST_RAW else ""


@lru_cache(8_192)
def cleaned(text: str) -> str:
    try:
        return one_line(" ".join(composed(text, LONGEST_NAME).split()), LONGEST_NAME)
    except BadText:
        return ""


def product_name(text: str) -> str:
    """The product of a request, normalised as in events."""
    if not (name := clean(text)):
        raise Invalid("This cannot be the name of a product")
    return name


def clean_term(text: str) -> str:
    return clean(text.casefold()) if len(text) <= LONGEST_RAW else ""


def batch_of(actor: str, events: Sequence[Event], now: int) -> RecordEvents:
    """Raises BadEvent, naming every event that is wrong: a batch is recorded whole or not at all."""
    if not 1 <= len(events) <= BATCH_LENGTH:
        raise BadBatch()
    ttls: dict[str, int] = {}
    figures_ttls: dict[str, int] = {}
    placed, errors = [], []
    for number, event in enumerate(events):
        at = now if event.at is None else min(event.at, now)  # the clock of the client may be ahead
        what = name_of(event)
        for field, message in faults(event, what, at, now):
            errors.append({"field": f"events[{number}]{field}", "message": message})
        if errors:
            continue
        placed.append(placed_event(actor, event, what, at))
        hour = hour_of(at)
        if hour.day not in figures_ttls:
            ttls.update({period: until - now for period, until in hour.rankings_until.items()})
            figures_ttls[hour.day] = hour.figures_until - now
    if errors:
        raise BadEvent(errors=errors)
    placed.sort(key=attrgetter("at"))
    source = journey(actor).bucket
    return RecordEvents(
        actor=actor, source=source, events=placed, ttls=ttls, figures_ttls=figures_ttls, now=now
    )


def faults(event: Event, what: str, at: int, now: int) -> Iterator[tuple[str, str]]:
    """The faults of an event. HTTP has checked most of them; callers of the library may not have."""
    if at <= now - SEEN_SECONDS * 1000:
        yield ".at", "is more than 24 hours ago"
    if not what:
        yield "", "has a name that is empty, too long or unreadable"
    if event.id is not None and not EVENT_ID.fullmatch(event.id):
        yield ".id", "has 1 to 64 letters, digits, - or _"
    if isinstance(event, Rating) and event.stars not in STARS:
        yield ".stars", "are 1 to 5"


def name_of(event: Event) -> str:
    match event:
        case View() | Rating() | Wishlist():
            return clean(event.product)
        case Search():
            return clean_term(event.term)
        case Interaction():
            return clean(event.name)
        case Session():
            return event.action


def placed_event(actor: str, event: Event, what: str, at: int) -> PlacedEvent:
    hour = hour_of(at)
    id = secrets.token_urlsafe(9)
    kind = str(event.__struct_config__.tag)
    value = value_of(event)
    return PlacedEvent(
        id=id,
        given=event.id or "",
        kind=kind,
        at=at,
        what=what,
        value=value,
        shelf=shelf_of(what) if isinstance(event, View | Rating | Wishlist) else None,
        day=hour.day,
        hour=hour.hour,
        week=hour.week,
        month=hour.month,
        entry=encode_json((id, kind, what, value)).decode(),
        raw=raw_of(actor, id, event, at) if isinstance(event, Search | Interaction | Session) else "",
    )


def value_of(event: Event) -> int | None:
    match event:
        case Rating():
            return event.stars
        case Wishlist():
            return int(event.action == "add")
        case _:
            return None


def raw_of(actor: str, id: str, event: Event, at: int) -> str:
    fields: dict[str, Any] = msgspec.to_builtins(event)
    return encode_json({**fields, "id": id, "at": at, "user": actor}).decode()
