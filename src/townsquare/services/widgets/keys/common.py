"""What all widgets share: the home, the public id, and the keys that every kind has."""

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from townsquare.clock import from_iso
from townsquare.keyspace import AnyDeclared, Declared, Keyspace, Matching, Record, bucket_of
from townsquare.services.widgets.models.common import WidgetRecord

widgets = Keyspace("widgets", "Old-web widgets: counter, like, ranking, bulletin board.")

SEED = "001"
DELETE_JOB = "widgets.delete"
HOME_DIGITS = 8  # of the URL's digest; every public id ends in at least these

WIDGET_ID = Matching(r"[a-z0-9-]{1,63}-[0-9a-f]{8,64}")
WidgetId = Annotated[str, WIDGET_ID]
VisitorHash = Annotated[str, Matching(r"[0-9a-f]{16}")]

R = TypeVar("R", bound=WidgetRecord)


@dataclass(frozen=True)
class WidgetKeys(Generic[R]):
    """The keys that every kind of widget has."""

    kind: str
    url: Declared[..., str]
    record: Declared[..., R]
    owner: Declared[..., str]
    index: Declared[[], Any]
    data: tuple[AnyDeclared, ...]  # everything else under its id


def digest_of(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()


def home_of_id(id: str) -> str:
    """A widget and its URL share a bucket, because the id ends in the first digits of the URL's digest."""
    return bucket_of(f"widget:{id.rpartition('-')[2][:HOME_DIGITS]}")


def home_of_url(url: str) -> str:
    return bucket_of(f"widget:{digest_of(url)[:HOME_DIGITS]}")


def time_of_creation(record: Record) -> int:
    return from_iso(record["created"])
