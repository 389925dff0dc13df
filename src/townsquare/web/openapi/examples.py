"""Examples of requests and responses: from the declarations, and for texts by field name."""

from collections.abc import Mapping
from typing import Any

from townsquare.web.openapi.schemas import Schema, Schemas

DEEPEST = 5  # a reply within a reply within …
LISTS_DEEPEST = 2  # what is in a list below would be cut short
EMPTY: Mapping[Any, Any] = {"array": [], "object": {}}
FORMATS = {"date": "2026-07-14", "date-time": "2026-07-14T09:30:00Z"}
MILLISECONDS = 1_784_021_400_000
ANN = "usr_5f0c1d2e3b4a59687786958493a2b0c7"
SESSION = "ses_9a8b7c6d5e4f30211203f4e5d6c7b0c7"
POST = "2f6d1c9e-0b7a-4c3d-8e5f-6a7b8c9d01c7"
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c3JfNWYwYyJ9.c2lnbmVk"
WIDGET = "example-100680ad"
NAMES: Mapping[str, Any] = {
    "access_token": JWT,
    "action": "get",
    "author": "ann",
    "avatar": "https://example.org/ann.png",
    "bio": "I like trains.",
    "blockedWords": ["casino"],
    "city": "Lyon",
    "code": "123456",
    "content": "Hello #travel",
    "country": "FR",
    "created_at": MILLISECONDS,
    "createdAt": FORMATS["date-time"],
    "data": {},
    "day": FORMATS["date"],
    "description": "Best times",
    "detail": "There is no such record",
    "deviceId": "device-7f00c1d2e3f4",
    "displayScore": "1 min 23 s",
    "display_name": "Ann",
    "edited_at": MILLISECONDS,
    "editToken": "b7f3a1c0d9e8",
    "email": "ann@example.org",
    "events": [{"kind": "view", "product": "Whey Gold"}],
    "firstName": "Ann",
    "first_name": "Ann",
    "flag_id": "0c9e8d7f6a5b4c3d",
    "gender": "female",
    "hashtags": ["travel"],
    "icon": "heart",
    "id": ANN,
    "id_token": JWT,
    "ids": [WIDGET],
    "instance": "/social/posts",
    "job": "delete_user:ann",
    "language": "en",
    "lastLogin": FORMATS["date-time"],
    "last_name": "Lee",
    "links": ["https://example.org"],
    "login": "ann",
    "media_url": "https://example.org/lake.jpg",
    "message": "Nice page!",
    "messageId": "0c9e8d7f6a5b",
    "name": "Ann",
    "newPassword": "plural-otter-88",
    "newToken": "a-new-secret-of-mine",
    "new_username": "ann.lee",
    "nonce": "n-0S6_WzA2Mj",
    "occupation": "Teacher",
    "password": "kludge-mirth-9",
    "phone": "+33612345678",
    "post_id": POST,
    "product": "Whey Gold",
    "province": "Rhône",
    "q": "an",
    "reason": "Advertising",
    "records": [{}],
    "redirect_uri": "https://example.org/signed-in",
    "refresh_token": "rft_9a8b7c6d5e4f3021",
    "request_id": "fcae0b5149400001",
    "score": 4200,
    "session_id": SESSION,
    "since": FORMATS["date"],
    "state": "s-9f2c1b7e",
    "surname": "Lee",
    "tag": "travel",
    "term": "protein bar",
    "timezone": "Europe/Paris",
    "title": "Guest book",
    "token": "a-secret-of-mine",
    "token_type": "Bearer",
    "total": 100,
    "until": FORMATS["date"],
    "updatedAt": FORMATS["date-time"],
    "url": "https://example.com",
    "user_id": ANN,
    "username": "ann",
    "value": "ann",
    "visitor": "device-7f00c1",
    "webhook": "https://example.com/hook",
    "webhookSecret": "9f2c1b7e5a",
}


class Examples:
    """Example values for the schemas of a document."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def request(self, schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
        """The required fields, and those of the declared example."""
        fields = schema["properties"]
        wanted = {*schema.get("required", ()), *given} & fields.keys()
        return {
            name: given[name] if name in given else self.value(field, name)
            for name, field in fields.items()
            if name in wanted
        }

    def answer(self, schema: Schema) -> Any:
        return self.value(schema, "")

    def value(self, schema: Schema, name: str, depth: int = 0) -> Any:
        found = self._schemas.resolve(schema)
        if "const" in found:
            return found["const"]
        if found.get("examples"):
            return found["examples"][0]
        if found.get("enum"):
            return found["enum"][0]
        for union in ("anyOf", "oneOf"):
            if union in found:
                options = [each for each in found[union] if each.get("type") != "null"]
                return self.value(options[0], name, depth)
        kind = found.get("type")
        if depth > DEEPEST and kind in EMPTY:
            return EMPTY[kind]
        if kind == "object" and found.get("properties"):
            fields = found["properties"].items()
            return {key: self.value(field, key, depth + 1) for key, field in fields}
        if name in NAMES and _is(NAMES[name], kind) and not self._has_records(found):
            return NAMES[name]
        if kind == "object":
            return self._mapping(found, depth)
        if kind == "array":
            if depth > LISTS_DEEPEST:
                return []
            return [self.value(found["items"], name.removesuffix("s"), depth + 1)] if found["items"] else []
        return _plain(found)

    def _has_records(self, schema: Schema) -> bool:
        """Whether it is a list of objects."""
        items = schema.get("items")
        return isinstance(items, dict) and "properties" in self._schemas.resolve(items)

    def _mapping(self, schema: Schema, depth: int) -> dict[str, Any]:
        values = schema.get("additionalProperties")
        return {"name": self.value(values, "", depth + 1)} if isinstance(values, dict) and values else {}


def _plain(schema: Schema) -> Any:
    default = schema.get("default")
    if default not in (None, ""):
        return default
    match schema.get("type"):
        case "integer" | "number":
            return max(schema.get("minimum", 1), 1)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return FORMATS.get(schema.get("format", ""), "text")


def _is(value: Any, kind: str | None) -> bool:
    kinds: dict[str | None, Any] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "array": list,
        "object": dict,
        None: object,
    }
    return isinstance(value, kinds.get(kind, ()))
