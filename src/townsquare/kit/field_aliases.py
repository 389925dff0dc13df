"""Alternative names of an input field, for older clients; `web` reads them.

max_entries: Annotated[int, field_aliases("max")]
"""

from typing import Any

import msgspec

BARE_LIST = "[]"  # the alternative name of the field that takes a JSON array as the body


def field_aliases(*names: str) -> msgspec.Meta:
    return msgspec.Meta(extra={"also": names}, extra_json_schema={"x-aliases": list(names)})


def aliases_of(struct: type[Any]) -> dict[str, str]:
    """The field name for every alternative name of an input."""
    return {
        other: field.encode_name
        for field in msgspec.structs.fields(struct)
        for meta in getattr(field.type, "__metadata__", ())
        for other in (meta.extra or {}).get("also", ())
    }
