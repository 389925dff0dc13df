import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

from tests.support.clock import PinnedClock
from tests.support.commands import Say, commands_on
from tests.support.squares import Place, open_square
from townsquare.services.accounts.signin.models import Client


@pytest.fixture
def say(plain_place: Place, clock: PinnedClock) -> Iterator[Say]:
    with commands_on(lambda: open_square(plain_place, clock)) as say:
        yield partial(say, "user")


@pytest.fixture
def ann(say: Say) -> str:
    made = say(
        "create", "--email", "Ann@Example.org", "--username", "ann", "--phone", "+966501234567", "--admin"
    )
    assert made.exit_code == 0, made.output
    return str(msgspec.json.decode(made.stdout)["id"])


@pytest.mark.parametrize("who", ["ann", "ann@example.org", "+966 50 123 4567"])
def test_an_account_is_found_by_what_people_know(say: Say, ann: str, who: str) -> None:
    found = msgspec.json.decode(say("find", who).stdout)
    assert (found["id"], found["role"], found["email"]) == (ann, "admin", "Ann@Example.org")


def test_an_account_is_found_by_id(say: Say, ann: str) -> None:
    assert ann in say("find", ann).stdout


def test_nobody_is_found_in_one_line(say: Say) -> None:
    nobody = say("find", "bob")
    assert nobody.exit_code == 1
    assert nobody.stderr == "There is no such user: Nobody has the identifier or display name bob\n"


def test_a_taken_value_is_refused(say: Say, ann: str) -> None:
    refused = say("create", "--email", "ann@example.org")
    assert refused.exit_code == 1
    assert "email" in refused.stderr


def test_commands_are_in_the_audit_log(say: Say, ann: str, plain_place: Place, clock: PinnedClock) -> None:
    say("suspend", "ann")
    say("export", "ann")

    async def logged() -> list[tuple[str, str, str]]:
        async with open_square(plain_place, clock) as square:
            entries = (await square.accounts.audit.page())[0]
            return [(one.by.partition(" ")[0], one.action, one.target) for one in entries]

    assert asyncio.run(logged())[:2] == [("terminal", "user.export", ann), ("terminal", "user.status", ann)]


def test_suspend_and_activate(say: Say, ann: str) -> None:
    assert say("suspend", "ann").stdout == f"{ann} suspended\n"
    assert msgspec.json.decode(say("find", "ann").stdout)["accountStatus"] == "suspended"
    assert say("activate", "ann").stdout == f"{ann} active\n"


def test_export_to_a_file(say: Say, ann: str, tmp_path: Path) -> None:
    file = tmp_path / "ann.json"
    assert say("export", "ann", "-o", str(file)).exit_code == 0
    assert msgspec.json.decode(file.read_bytes())["userId"] == ann
    assert ann in say("export", "ann").stdout


def test_delete_asks_first(say: Say, ann: str) -> None:
    assert say("delete", "ann", typed="n\n").exit_code == 1
    assert say("find", "ann").exit_code == 0
    assert say("delete", "ann", "--yes").exit_code == 0
    assert say("find", "ann").exit_code == 1


def test_no_secret_is_shown(say: Say, ann: str) -> None:
    assert "passwordHash" not in say("find", "ann").stdout


def test_a_display_name_lists_the_accounts_that_have_it(plain_place: Place, clock: PinnedClock) -> None:
    async def comment() -> str:
        async with open_square(plain_place, clock) as square:
            visitor = (await square.accounts.sign_in_anonymously("device-1", Client("192.0.2.1", "x"))).user
            await square.threads.commenters.get(visitor.id)
            await square.threads.commenters.save(visitor.id, {"name": "Bob"})
            return visitor.id

    id = asyncio.run(comment())
    with commands_on(lambda: open_square(plain_place, clock)) as say:
        refused = say("user", "delete", "bob", "--yes")
        assert refused.exit_code == 1
        assert "bob is a display name. Use the id of one of these accounts:" in refused.stderr
        assert id in refused.stderr
        assert id in say("user", "find", "device-1").stdout
        assert say("user", "delete", id, "--yes").stdout == f"{id} deleted\n"
