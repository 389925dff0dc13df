"""The records that an external source of truth sends, and the result of each."""

import re
import uuid
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from townsquare.problems import Invalid, Problem
from townsquare.services.social.models import Role

RECORDS = 1_000  # in one request

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FOREIGN_IDS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:townsquare:social:posts")

R = TypeVar("R", bound=msgspec.Struct)
Status = Literal["created", "updated", "unchanged", "refused"]
Moment = Annotated[int, Meta(ge=0, lt=10**13, description="ms")]
ForeignId = Annotated[str, Meta(min_length=1, max_length=200)] | int


class SyncResult(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What became of one record; `id` is that of the post here."""

    status: Status
    id: str = ""
    code: str = ""
    detail: str = ""


class SyncUser(msgspec.Struct, kw_only=True):
    """Every other field goes into the profile, by the rules of `PATCH /social/users/{username}`."""

    username: str
    role: Role | None = None  # a new profile gets `user`, one that is there keeps its own
    created_at: Moment | None = None
    given: dict[str, Any] = {}


class SyncPost(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    id: ForeignId
    username: str
    content: str
    created_at: Moment
    media_url: str | None = None


class SyncFollow(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    follower: str
    followed: str
    created_at: Moment | None = None


class SyncLike(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    post_id: ForeignId
    username: str
    created_at: Moment | None = None


def loaded(outcome: str) -> SyncResult:
    """The result from the reply of a script: a status, or the code of a problem."""
    if outcome in get_args(Status):
        return msgspec.convert({"status": outcome}, SyncResult)
    return refused(Problem.by_code[outcome]())


def refused(problem: Problem) -> SyncResult:
    return SyncResult(status="refused", code=problem.code, detail=problem.detail)


def post_id(given: str | int) -> str:
    """The id here of a post that has this id elsewhere. A UUID stays the same but for two bits."""
    text = str(given).strip().lower()
    if not UUID.fullmatch(text):
        text = str(uuid.uuid5(FOREIGN_IDS, str(given)))
    return f"{text[:-3]}{int(text[-3], 16) % 4}{text[-2:]}"


def parser_of(struct: type[R]) -> Callable[[Any], R]:
    def parse(record: Any) -> R:
        try:
            return msgspec.convert(record, struct)
        except msgspec.ValidationError as wrong:
            raise Invalid(str(wrong)) from None

    return parse


def user_record(record: Any) -> SyncUser:
    if not isinstance(record, Mapping):
        raise Invalid("A record is an object")
    own = {name: value for name, value in record.items() if name in ("username", "role", "created_at")}
    parsed = parser_of(SyncUser)(own)
    parsed.given = {name: value for name, value in record.items() if name not in own}
    return parsed
