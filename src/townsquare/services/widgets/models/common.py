"""Fields that all widgets have in the store and in responses."""

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.secret_repr import HidesSecrets


class WidgetRecord(HidesSecrets, msgspec.Struct, rename="camel", kw_only=True):
    """`{kind}:{id}`: the fields that every kind has."""

    service: str
    id: str
    url: str
    created: str
    owner: str | None
    webhook: str | None = None  # URL that receives events
    deleting: str | None = None  # the job that removes it


class OwnerSettings(msgspec.Struct, rename="camel", kw_only=True):
    """Settings that only the owner sees."""

    webhook_url: str | UnsetType | None = UNSET


class WidgetView(HidesSecrets, msgspec.Struct, rename="camel", kw_only=True):
    """A widget as its page shows it."""

    id: str
    url: str
    webhook_secret: str | UnsetType = UNSET  # returned once, to the owner who sets a webhook
    existed: bool | UnsetType = UNSET  # of a create: true if the widget was there already
