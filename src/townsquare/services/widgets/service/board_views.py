"""Converts stored boards and messages to their views."""

from math import ceil

import msgspec

from townsquare.services.widgets import models
from townsquare.services.widgets.scripts import ShownBoard

read_record = msgspec.json.Decoder(models.BoardRecord).decode
read_message = msgspec.json.Decoder(models.Message).decode


def shown_message(message: models.Message, settings: models.BoardSettings) -> models.ShownMessage:
    shown = msgspec.convert(message, models.ShownMessage, from_attributes=True)
    shown.icon = message.icon or None
    for select in settings.selects:
        if select.kind:
            setattr(shown, f"{select.kind}_value", message.selects.get(select.label))
    return shown


def shown_settings(settings: models.BoardSettings) -> models.ShownSettings:
    shown = msgspec.convert(settings, models.ShownSettings, from_attributes=True)
    for select in settings.selects:
        if select.kind:
            setattr(shown, f"{select.kind}_select", select)
    return shown


def board(shown: ShownBoard, user_hash: str, limit: int | None = None) -> tuple[models.Board, str | None]:
    """The board for a reader, and its webhook."""
    record = read_record(shown.record)
    settings = record.settings
    pages = max(1, ceil(shown.total / (limit or settings.messages_per_page)))
    view = models.Board(
        id=record.id,
        url=record.url,
        title=settings.title,
        max_messages=settings.max_messages,
        messages_per_page=settings.messages_per_page,
        messages=[shown_message(read_message(text), settings) for text in shown.messages],
        total_messages=shown.total,
        current_page=shown.page,
        total_pages=pages,
        pagination=models.Pagination(shown.page, pages, shown.page > 1, shown.page < pages),
        settings=shown_settings(settings),
        current_user_hash=user_hash,
        last_message=record.last_message,
    )
    return view, record.webhook
