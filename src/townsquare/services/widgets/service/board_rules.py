"""Validation of the settings of a board, and of messages by those settings."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from townsquare.clock import from_iso, iso
from townsquare.problems import Invalid
from townsquare.services.widgets import models
from townsquare.services.widgets.ids import checked_url
from townsquare.services.widgets.problems import MessageRefused
from townsquare.services.widgets.texts import contains_any, has_url, line, lines

AUTHOR_LENGTH, MESSAGE_LENGTH, TITLE_LENGTH = 20, 420, 100
ICON_LENGTH, MOST_ICONS = 16, 50
MOST_SELECTS, MOST_OPTIONS, OPTION_LENGTH = 3, 50, 50
MOST_EMOTES = 9  # three by three
MOST_BLOCKED_WORDS = 200
ENDS_ATTRIBUTES = re.compile(r"[\"'<>`\\]")
MESSAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
USER_HASH = re.compile(r"[0-9a-f]{0,16}")
NAMELESS = {"ja": "名無しさん"}  # "Anonymous" in other languages


def checked_settings(given: models.BoardSettings) -> models.BoardSettings:
    if not 1 <= given.max_messages <= models.MOST_MESSAGES:
        raise Invalid(f"A board keeps 1 to {models.MOST_MESSAGES:,} messages")
    if not 1 <= given.messages_per_page <= models.MOST_PER_PAGE:
        raise Invalid(f"A page has 1 to {models.MOST_PER_PAGE} messages")
    if len(given.icons) > MOST_ICONS or len(given.selects) > MOST_SELECTS:
        raise Invalid(f"A board has at most {MOST_ICONS} icons and {MOST_SELECTS} selects")
    if len(given.blocked_words) > MOST_BLOCKED_WORDS:
        raise Invalid(f"A board blocks at most {MOST_BLOCKED_WORDS} words")
    selects = [checked_select(select) for select in given.selects]
    if len({select.label for select in selects}) != len(selects):
        raise Invalid("Each select has a label of its own")
    kinds = [select.kind for select in selects if select.kind]
    if len(set(kinds)) != len(kinds):
        raise Invalid("A board has one select of each kind")
    return replace(
        given,
        title=line(given.title, TITLE_LENGTH, "The title"),
        icons=list(dict.fromkeys(checked_icon(icon) for icon in given.icons)),
        selects=selects,
        blocked_words=[word for each in given.blocked_words if (word := line(each, OPTION_LENGTH, "A word"))],
    )


def checked_icon(icon: str) -> str:
    """A short text or the URL of a picture."""
    if icon.lower().startswith(("http://", "https://")):
        return checked_picture(icon)
    icon = line(icon, ICON_LENGTH, "An icon")
    if not icon:
        raise Invalid("An icon is not empty")
    return icon


def checked_picture(url: str) -> str:
    """The URL of a picture, without characters that end an HTML attribute: clients may not escape it."""
    if ENDS_ATTRIBUTES.search(url):
        raise Invalid(
            "The address of a picture has no quotes, brackets or backslashes; write them as %22 and so on"
        )
    return checked_url(url)


def checked_select(select: models.Select) -> models.Select:
    label = line(select.label, OPTION_LENGTH, "The label of a select")
    pictures = select.kind == "emote"
    options = [
        checked_picture(option) if pictures else line(option, OPTION_LENGTH, "An option")
        for option in select.options
    ]
    most = MOST_EMOTES if pictures else MOST_OPTIONS
    if not label or not all(options) or not 1 <= len(options) <= most:
        raise Invalid(f"A select has a label and 1 to {most} options")
    return replace(select, label=label, options=list(dict.fromkeys(options)))


def fit(message: models.Message, settings: models.BoardSettings) -> models.Message:
    """The message as this board takes it, or a reason why not."""
    author = line(message.author, AUTHOR_LENGTH, "The author")
    text = lines(message.message, MESSAGE_LENGTH, "A message")
    if not text:
        raise Invalid("A message is needed")
    if message.icon and message.icon not in settings.icons:
        raise Invalid("This board does not have that icon")
    if settings.urls == "deny" and (has_url(text) or has_url(author)):
        raise MessageRefused("This board takes no links")
    if contains_any(text, settings.blocked_words) or contains_any(author, settings.blocked_words):
        raise MessageRefused("The message contains a blocked word")
    return replace(message, author=author, message=text, selects=fit_selects(message.selects, settings))


def fit_selects(chosen: Mapping[str, str], settings: models.BoardSettings) -> dict[str, str]:
    offered = {select.label: select.options for select in settings.selects}
    for label, option in chosen.items():
        if option and option not in offered.get(label, ()):
            raise Invalid("This board does not offer that choice")
    return {label: chosen[label] for label in offered if chosen.get(label)}


def require_choices(chosen: Mapping[str, str], settings: models.BoardSettings) -> None:
    for select in settings.selects:
        if select.required and not chosen.get(select.label):
            raise Invalid(f"Choose one of {select.label}")


def imported(message: models.Message, settings: models.BoardSettings) -> models.Message:
    """A message from an export, unchanged where the current settings allow it."""
    if not MESSAGE_ID.fullmatch(message.id) or not USER_HASH.fullmatch(message.user_hash):
        raise Invalid("The id or the user hash of a message is not one of ours")
    try:
        timestamp = iso(from_iso(message.timestamp))
    except (ValueError, OverflowError, OSError):
        raise Invalid("The timestamp of a message is a time in ISO 8601") from None
    offered = {select.label: select.options for select in settings.selects}
    return replace(
        message,
        timestamp=timestamp,
        author=line(message.author, AUTHOR_LENGTH, "The author"),
        message=lines(message.message, MESSAGE_LENGTH, "A message"),
        icon=message.icon if message.icon in settings.icons else "",
        selects={k: v for k, v in message.selects.items() if v in offered.get(k, ())},
    )
