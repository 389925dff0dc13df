"""Secrets are hidden in the `repr` of structs, which can end up in logs, and in values shown to operators."""

import re
from typing import Any

REDACTED = "***"
SECRET = re.compile(r"(?:^|_)(?:password|secret|token|code|verifier|owner|key)(?:_hash)?$")
STORED_SECRET = re.compile(  # in names of keys and stored fields that operators see
    r"secret|password|token|signing|refresh|previous|edits|codes?(_|$)|hash(_|$)|owner$|feed_key|first_admin"
    r"|^ssn$|credit_card|bank_account|^outbox$"  # an outbox contains inputs of scripts
)


class HidesSecrets:
    """A struct whose `repr` redacts fields named like a secret (`password_hash`, `refresh_token`)."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        fields: tuple[str, ...] = self.__struct_fields__  # type: ignore[attr-defined]
        return [(name, _shown(name, getattr(self, name))) for name in fields]


def _shown(name: str, value: Any) -> Any:
    return REDACTED if isinstance(value, str) and value and SECRET.search(name) else value
