"""What requests may say, as far as widgets have it in common."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from townsquare.problems import Invalid
from townsquare.services.widgets.service.widget import MOST_AT_ONCE

T = TypeVar("T")

WIDGETS_PER_CALL = 20

Format = Literal["json", "text", "image"]
Digits = Annotated[int, Meta(ge=1, le=10, description="zero-pad to so many digits")]
Theme = Annotated[str, Meta(description="light, dark, retro, kawaii, mom, final, github")]
Token = Annotated[str, Meta(description="the owner's token, 8 to 64 characters")]
Timezone = Annotated[str, Meta(description="in which the days end, such as Asia/Tokyo")]
Webhook = Annotated[str, Meta(description="URL to tell what happens; empty for none")]


class Which(msgspec.Struct, kw_only=True):
    id: Annotated[str, Meta(description="of the widget; or give its url")] = ""
    url: str = ""


class Look(Which, kw_only=True):
    """How to answer."""

    format: Format = "json"
    theme: Theme = "light"


class Numeric(Look, kw_only=True):
    digits: Digits | None = None


class Owned(Which, kw_only=True):
    token: Token


class Lookup(msgspec.Struct, kw_only=True):
    url: str
    token: Token


class Batch(msgspec.Struct, kw_only=True):
    ids: Annotated[list[str], Meta(max_length=1000)] = []
    urls: Annotated[str, Meta(description="URLs, separated by spaces or line breaks")] = ""


def batch_cost(given: Batch) -> int:
    """A batch counts by what it asks for: a page of many widgets is one call or a few."""
    return 1 + (len(given.ids) + len(given.urls.split(maxsplit=MOST_AT_ONCE))) // WIDGETS_PER_CALL


class Rotate(Owned, rename="camel", kw_only=True):
    new_token: Token


class SetTotal(Owned, kw_only=True):
    total: int


class Import(Owned, kw_only=True):
    data: Annotated[Any, Meta(description="what export answered: an object, or the same as JSON text")]


def document(given: Any, model: type[T], name: str) -> T:
    """A structured value: in a JSON body as it is, in a query as JSON text."""
    try:
        if isinstance(given, str):
            return msgspec.json.decode(given, type=model, strict=False)
        return msgspec.convert(given, model)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as wrong:
        raise Invalid(f"{name}: {wrong}", errors=[{"field": name, "message": str(wrong)}]) from None
