"""From what the store has to what a reader sees."""

from math import ceil

import msgspec

from townsquare.services.widgets.models import bbs as models
from townsquare.services.widgets.scripts import ShownBoard

read_record = msgspec.json.Decoder(models.BoardRecord).decode
read_message = msgspec.json.Decoder(models.Message).decode


def shown_message(message: models.Message) -> models.ShownMessage:
    return models.ShownMessage(
        id=message.id,
        author=message.author,
        message=message.message,
        timestamp=message.timestamp,
        icon=message.icon or None,
        selects=message.selects,
        user_hash=message.user_hash,
    )


def board(shown: ShownBoard, user_hash: str) -> tuple[models.Board, str | None]:
    """The board for a reader, and its webhook."""
    record = read_record(shown.record)
    settings = record.settings
    pages = max(1, ceil(shown.total / settings.messages_per_page))
    view = models.Board(
        id=record.id,
        url=record.url,
        title=settings.title,
        messages=[shown_message(read_message(text)) for text in shown.messages],
        total_messages=shown.total,
        current_page=shown.page,
        total_pages=pages,
        pagination=models.Pagination(shown.page, pages, shown.page > 1, shown.page < pages),
        settings=msgspec.convert(settings, models.ShownSettings, from_attributes=True),
        current_user_hash=user_hash,
        last_message=record.last_message,
    )
    return view, record.webhook
