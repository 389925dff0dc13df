"""Other names of an input field, for clients that know it by them: said beside the field, read by `web`.

max_entries: Annotated[int, also_called("max")]
"""

from typing import Any

import msgspec

BARE_LIST = "[]"  # the name of a JSON body that is an array: a field also called so takes it


def also_called(*names: str) -> msgspec.Meta:
    return msgspec.Meta(extra={"also": names}, extra_json_schema={"x-also-called": list(names)})


def other_names(struct: type[Any]) -> dict[str, str]:
    """Every other name of a field of this input, with our own."""
    return {
        other: field.encode_name
        for field in msgspec.structs.fields(struct)
        for meta in getattr(field.type, "__metadata__", ())
        for other in (meta.extra or {}).get("also", ())
    }
