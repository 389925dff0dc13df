"""Inputs that all widgets have in common."""

from typing import Annotated, Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Meta

from townsquare.api import OWNER, READ
from townsquare.kit.field_aliases import field_aliases
from townsquare.problems import Invalid
from townsquare.services.widgets.drawing import DIGIT_THEMES, THEMES
from townsquare.services.widgets.service.widget import MOST_AT_ONCE

T = TypeVar("T")

WIDGETS_PER_CALL = 20

Format = Literal["json", "text", "image", "svg"]
Digits = Annotated[int, Meta(ge=1, le=10, description="zero-pad to so many digits")]
Theme = Annotated[str, Meta(description=f"{', '.join(THEMES)}; of counters also {', '.join(DIGIT_THEMES)}")]
Token = Annotated[str, Meta(description="the owner's token, 8 to 64 characters")]
Timezone = Annotated[str, Meta(description="in which the days end, such as Asia/Tokyo")]
Webhook = Annotated[
    str | None, Meta(description="URL of a webhook; empty for none"), field_aliases("webhookUrl")
]
OTHER_TOTAL = field_aliases("value")
Total = Annotated[int | None, OTHER_TOTAL]
OwnersView = Annotated[str, Meta(description="the owner's: the answer has `settings.webhookUrl`")]


class NamesWidget(Protocol):
    id: str
    url: str


class ShowsToken(Protocol):
    token: str


class WidgetReference(msgspec.Struct, kw_only=True):
    id: Annotated[str, Meta(description="of the widget; or give its url")] = ""
    url: str = ""


class DisplayOptions(WidgetReference, kw_only=True):
    """The format of the response."""

    format: Format | None = None
    theme: Theme | None = None


class Numeric(DisplayOptions, kw_only=True):
    digits: Digits | None = None


class Owned(WidgetReference, kw_only=True):
    token: Token


class Creation(msgspec.Struct, rename="camel", kw_only=True):
    """Input of `create`; each kind adds its settings, None if not given."""

    url: str
    token: Token
    webhook: Webhook = None


class Lookup(msgspec.Struct, kw_only=True):
    url: str
    token: Token


class Batch(msgspec.Struct, kw_only=True):
    ids: Annotated[list[str], Meta(max_length=1000)] = []
    urls: Annotated[str, Meta(description="URLs, separated by spaces or line breaks")] = ""


def batch_cost(given: Batch) -> int:
    """A batch counts by its size: a page of many widgets is one call or a few."""
    return 1 + (len(given.ids) + len(given.urls.split(maxsplit=MOST_AT_ONCE))) // WIDGETS_PER_CALL


class Rotate(Owned, rename="camel", kw_only=True):
    new_token: Token


class SetTotal(Owned, kw_only=True):
    total: Annotated[int, OTHER_TOTAL]


class Import(Owned, kw_only=True):
    data: Annotated[Any, Meta(description="what export answered: an object, or the same as JSON text")]


class NewWidget(msgspec.Struct, forbid_unknown_fields=True):
    url: str
    id: str = ""


class CreateMany(msgspec.Struct, kw_only=True):
    token: Token
    items: Annotated[
        Any,
        Meta(
            description="[{id, url}] as JSON, or the same as text; at most 100",
            examples=[[{"id": "example-100680ad", "url": "https://example.com"}]],
        ),
    ]


class Prefix(msgspec.Struct, kw_only=True):
    prefix: Annotated[str, Meta(description="how the ids begin")]


def settings_of(given: Any, *apart: str) -> dict[str, Any]:
    """The settings that were given, by the names of the service's parameters."""
    skipped = {"id", "url", "token", "webhook", *apart}
    names = (name for name in given.__struct_fields__ if name not in skipped)
    return {name: value for name in names if (value := getattr(given, name)) is not None}


def creation_of(given: Creation) -> dict[str, Any]:
    """The webhook and the given settings, by the names of the parameters of `create`."""
    return {"webhook": given.webhook or "", **settings_of(given)}


def document(given: Any, model: type[T], name: str) -> T:
    """A structured value: in a JSON body as it is, in a query as JSON text."""
    try:
        if isinstance(given, str):
            return msgspec.json.decode(given, type=model, strict=False)
        return msgspec.convert(given, model)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as wrong:
        raise Invalid(f"{name}: {wrong}", errors=[{"field": name, "message": str(wrong)}]) from None


def owners_cost(given: ShowsToken) -> int:
    """A request with an owner token counts as an owner's operation: verifying a token is expensive."""
    return READ.count // OWNER.count if given.token else 1
