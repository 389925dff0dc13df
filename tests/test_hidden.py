"""No secret is in what Python, or a terminal, shows of an object."""

import re
from importlib import import_module
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from rich.console import Console

import townsquare
from townsquare.square import Square
from townsquare.store.wire.nodes import nodes_at

SHOWN = [  # besides the public structs: what the library stores, and how it reaches a store
    "townsquare.services.accounts.signin.models",
    "townsquare.services.social.keys.users",
    "townsquare.services.widgets.models",
    "townsquare.settings",
    "townsquare.store.wire.address",
]
SECRET = re.compile("password|secret|token(?!_type)")
HUNTER = "hunter2, but longer"


def secrets_of(kind: type[msgspec.Struct]) -> list[str]:
    """The fields that are texts and named like a secret."""
    texts = [name for name, hint in get_type_hints(kind).items() if str in (hint, *get_args(hint))]
    return [name for name in texts if SECRET.search(name) and not name.endswith("_at")]


PUBLIC = [getattr(townsquare, name) for name in dir(townsquare)]
KINDS: set[type[Any]] = {
    kind
    for kind in [*PUBLIC, *(kind for module in SHOWN for kind in vars(import_module(module)).values())]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and secrets_of(kind)
}


def test_there_are_structs_with_secrets() -> None:
    names = {kind.__name__ for kind in KINDS}
    assert {"User", "Facts", "SignedIn", "IdToken", "Board", "UserRecord", "Settings", "Address"} <= names


@pytest.mark.parametrize("kind", sorted(KINDS, key=str))
def test_no_repr_shows_a_secret(kind: type[Any], capsys: pytest.CaptureFixture[str]) -> None:
    required = {field.name: None for field in msgspec.structs.fields(kind) if field.required}
    holder = kind(**(required | dict.fromkeys(secrets_of(kind), HUNTER)))
    Console().print(holder)
    assert "hunter2" not in repr(holder) + str(holder) + capsys.readouterr().out


async def test_a_store_does_not_show_its_password() -> None:
    nodes = nodes_at(f"redis://:{HUNTER.replace(' ', '')}@127.0.0.1:1")
    assert "hunter2" not in repr(nodes) + repr(vars(nodes))
    await nodes.close()


async def test_a_square_does_not_show_what_it_keeps(square: Square) -> None:
    kept = [square.store, *square.services.values()]
    shown = [square, square.settings, *kept, *(vars(part) for part in kept)]
    assert all(square.secret not in repr(part) for part in shown)
