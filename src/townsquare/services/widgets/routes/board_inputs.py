"""Inputs of boards: settings, messages and choices, with the names that each generation of clients uses."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from townsquare.kit.field_aliases import field_aliases
from townsquare.problems import Invalid
from townsquare.services.widgets import models
from townsquare.services.widgets.routes import inputs

Text = Annotated[str, Meta(description="1 to 420 characters")]
Author = Annotated[str, Meta(description="at most 20 characters; empty for nobody in particular")]
Selects = Annotated[Any, Meta(description="[{label, options, required, kind}] as JSON, or the same as text")]
Chosen = Annotated[Any, Meta(description="{label: option} as JSON, or the same as text")]
Icons = Annotated[list[str], Meta(description="emoji, short texts or URLs of pictures")]

PLACES = (1, 2, 3)
KINDS: tuple[models.SelectKind, ...] = ("standard", "incremental", "emote")
NOT_GIVEN = (None, "", "null")


class GivenSettings(msgspec.Struct, rename="camel", kw_only=True):
    """Settings of a board; those of one select also alone, by its place or by its kind."""

    title: str | None = None
    max_messages: Annotated[int | None, field_aliases("max")] = None
    messages_per_page: Annotated[int | None, field_aliases("perPage")] = None
    icons: Icons | None = None
    blocked_words: list[str] | None = None
    urls: models.UrlRule | None = None
    edit_by_user_hash: Annotated[
        bool | None, Meta(description="whether a visitor may change today's messages without a token")
    ] = None
    selects: Selects = None
    select1_label: str | None = None
    select1_values: list[str] | None = None
    select1_required: bool | None = None
    select2_label: str | None = None
    select2_values: list[str] | None = None
    select2_required: bool | None = None
    select3_label: str | None = None
    select3_values: list[str] | None = None
    select3_required: bool | None = None
    standard_select_label: str | None = None
    standard_select_options: list[str] | None = None
    incremental_select_label: str | None = None
    incremental_select_options: list[str] | None = None
    emote_select_label: str | None = None
    emote_select_options: list[str] | None = None


class Choices(inputs.WidgetReference, rename="camel", kw_only=True):
    """Chosen options of selects: by label, by position or by kind."""

    selects: Chosen = None
    select1: str | None = None
    select2: str | None = None
    select3: str | None = None
    standard_value: str | None = None
    incremental_value: str | None = None
    emote_value: str | None = None


class CreateBoard(GivenSettings, rename="camel", kw_only=True):
    url: str
    token: inputs.Token
    webhook: inputs.Webhook = None


class BoardPost(Choices, rename="camel", kw_only=True):
    message: Text
    author: Author = ""
    icon: str = ""


class DisplayBoard(inputs.DisplayOptions, kw_only=True):
    page: Annotated[int, Meta(ge=1)] = 1
    limit: (
        Annotated[
            int,
            Meta(ge=1, le=models.MOST_MESSAGES, description="messages on a page; else as the settings say"),
        ]
        | None
    ) = None


class GetBoard(DisplayBoard, kw_only=True):
    page: Annotated[int, Meta(ge=1)] | None = None  # type: ignore[assignment]
    token: inputs.OwnersView = ""


class WhichMessage(inputs.WidgetReference, rename="camel", kw_only=True):
    """The author shows the edit token of the message, the owner the token of the board."""

    message_id: str
    edit_token: str = ""
    token: str = ""


class Edit(Choices, rename="camel", kw_only=True):
    """`WhichMessage` with the new content."""

    message_id: str
    edit_token: str = ""
    token: str = ""
    message: Text
    author: Author | None = None
    icon: str | None = None


class UpdateBoard(GivenSettings, rename="camel", kw_only=True):
    """With a `messageId` one message, for its author or the owner; else the settings, for the owner."""

    id: str = ""
    url: str = ""
    token: str = ""
    webhook: inputs.Webhook = None
    message_id: str = ""
    edit_token: str = ""
    message: Text | None = None
    author: Author | None = None
    icon: str | None = None
    select1: str | None = None
    select2: str | None = None
    select3: str | None = None
    standard_value: str | None = None
    incremental_value: str | None = None
    emote_value: str | None = None
    selects: Annotated[
        Any, Meta(description="of a message {label: option}, of the settings [{label, options}]")
    ] = None


SELECT_FIELDS = frozenset(name for name in GivenSettings.__struct_fields__ if "select" in name)
CHOICE_FIELDS = frozenset({"select1", "select2", "select3", *(f"{kind}_value" for kind in KINDS)})
MESSAGE_FIELDS = frozenset({"edit_token", "message", "author", "icon"}) | CHOICE_FIELDS
SETTING_FIELDS = frozenset({*GivenSettings.__struct_fields__, "webhook"}) - {"selects"}


def given_values(given: Any, names: frozenset[str]) -> dict[str, Any]:
    """The given fields among these."""
    return {
        name: value
        for name in given.__struct_fields__
        if name in names and (value := getattr(given, name)) not in (None, "")
    }


def names_settings(given: GivenSettings) -> bool:
    """Whether any setting was given; an empty text is one."""
    return names_any(given, frozenset(GivenSettings.__struct_fields__))


def names_any(given: GivenSettings, names: frozenset[str]) -> bool:
    return ("selects" in names and given.selects not in NOT_GIVEN) or any(
        getattr(given, name) is not None for name in names - {"selects"}
    )


def settings_changes(given: GivenSettings, before: models.BoardSettings | None = None) -> dict[str, Any]:
    """The settings that were given, by the names of `BoardSettings`; selects as they become."""
    names = (name for name in models.BoardSettings.__struct_fields__ if name != "selects")
    changes = {name: value for name in names if (value := getattr(given, name)) is not None}
    if names_any(given, SELECT_FIELDS):
        changes["selects"] = changed_selects(given, before.selects if before else [])
    return changes


def changed_selects(given: GivenSettings, before: list[models.Select]) -> list[models.Select]:
    selects: list[models.Select | None] = list(before)
    if given.selects not in NOT_GIVEN:
        selects = list(inputs.document(given.selects, list[models.Select], "selects"))
    for place in PLACES:
        parts = [getattr(given, f"select{place}_{part}") for part in ("label", "values", "required")]
        if any(part is not None for part in parts):
            selects += [None] * (place - len(selects))
            selects[place - 1] = changed_select(f"select{place}Label", selects[place - 1], *parts)
    for kind in KINDS:
        label, options = getattr(given, f"{kind}_select_label"), getattr(given, f"{kind}_select_options")
        if label is None and options is None:
            continue
        at = next((at for at, one in enumerate(selects) if one and one.kind == kind), len(selects))
        known = selects[at] if at < len(selects) else None
        selects[at : at + 1] = [changed_select(f"{kind}SelectLabel", known, label, options, None, kind)]
    return [select for select in selects if select is not None]


def changed_select(
    name: str,
    before: models.Select | None,
    label: str | None,
    options: list[str] | None,
    required: bool | None,
    kind: models.SelectKind = "",
) -> models.Select | None:
    """One select with the given changes; an empty label or no options remove it."""
    if label == "" or options == []:
        return None
    if before is None:
        if label is None or options is None:
            raise Invalid(f"{name}: a new select has a label and options")
        return models.Select(label, options, bool(required), kind)
    return models.Select(
        before.label if label is None else label,
        before.options if options is None else options,
        before.required if required is None else required,
        kind or before.kind,
    )


def all_choices(given: Choices | UpdateBoard) -> dict[str, str] | None:
    """All chosen options by label; None if not given."""
    if given.selects in NOT_GIVEN:
        return None
    return dict(inputs.document(given.selects, dict[str, str], "selects"))


def single_choices(given: Choices | UpdateBoard, settings: models.BoardSettings) -> dict[str, str]:
    """The given choices of single selects, by position or by kind; an empty text removes the choice."""
    chosen: dict[str, str] = {}
    for name in CHOICE_FIELDS:
        option = getattr(given, name)
        select = None if option is None else named_select(name, settings.selects)
        if select is not None:
            chosen[select.label] = option
        elif option:
            raise Invalid(f"This board has no select for {name}")
    return chosen


def names_selects(given: Choices | UpdateBoard) -> bool:
    """Whether single selects were named."""
    return any(getattr(given, name) is not None for name in CHOICE_FIELDS)


def named_select(name: str, selects: list[models.Select]) -> models.Select | None:
    if name.startswith("select"):
        place = int(name.removeprefix("select"))
        return selects[place - 1] if place <= len(selects) else None
    return next((one for one in selects if f"{one.kind}_value" == name), None)
