"""How a square is put together from the list of services."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from tests.support.clock import PinnedClock
from tests.support.commands import commands_on
from tests.support.squares import Place, browse, open_square
from townsquare import square
from townsquare.cli import all_commands
from townsquare.extensions import ExtensionError
from townsquare.keyspace import Keyspace
from townsquare.kit.commands import Commands
from townsquare.service import CommandGroup, Service
from townsquare.services import OURS, Services
from townsquare.services.accounts.service import Accounts
from townsquare.services.social.service import Social
from townsquare.settings import SettingsError
from townsquare.square import Square


class Bakery:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


BAKERY: Service[Bakery] = Service(
    name="bakery", keyspace=Keyspace("bakery", "Bread."), build=lambda square: Bakery(), close=Bakery.close
)


def listed(monkeypatch: pytest.MonkeyPatch, *services: Service[Any]) -> None:
    everything = {**OURS, **{service.name: service for service in services}}
    monkeypatch.setattr(square, "all_services", lambda: everything)
    monkeypatch.setattr(all_commands, "all_services", lambda: everything)


def test_the_list_names_each_service_by_its_own_name() -> None:
    assert Services.social is OURS["social"]
    assert list(OURS) == ["accounts", "analytics", "images", "social", "threads", "widgets", "search"]


async def test_a_service_is_an_attribute_an_item_and_found_by_its_class(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_square(plain_place, clock) as square:
        assert square.services["social"] is square.service(Social)
        assert dir(square.social) == dir(square.services["social"])
        with pytest.raises(LookupError, match="no service of the class Bakery is built yet"):
            square.service(Bakery)


async def test_a_service_may_use_those_listed_before_it(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    debtor: Service[Accounts] = Service(
        name="debtor", keyspace=Keyspace("debtor", "Debts."), build=lambda square: square.service(Accounts)
    )
    listed(monkeypatch, debtor)
    async with open_square(plain_place, clock) as square:
        assert square.services["debtor"] is square.services["accounts"]


def test_a_service_that_is_not_built_yet_says_so() -> None:
    with pytest.raises(AttributeError, match="social is not built yet"):
        Square.__new__(Square).social  # noqa: B018 - looking at it is the test


async def test_services_are_closed_even_if_one_fails(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> None:
        raise RuntimeError("cannot close")

    listed(monkeypatch, BAKERY, replace(BAKERY, name="broken", close=fail))
    with pytest.raises(RuntimeError, match="cannot close"):
        async with open_square(plain_place, clock) as square:
            bakery = square.services["bakery"]
    assert bakery.closed == 1


async def test_a_name_that_a_square_has_for_itself_is_refused(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(monkeypatch, replace(BAKERY, name="store"))
    with pytest.raises(ExtensionError, match=r"service store of tests\.test_service cannot be used"):
        async with open_square(plain_place, clock):
            pass


async def test_a_disabled_service_is_not_served_and_one_that_is_none_is_refused(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_square(plain_place, clock, disabled_services=["social"]) as square:
        async with browse(square) as http:
            assert (await http.get("/social")).status_code == 404
            assert (await http.get("/widgets")).status_code == 200
        assert square.social is not None
    with pytest.raises(SettingsError, match="there is no sociall; did you mean social"):
        async with open_square(plain_place, clock, disabled_services=["sociall"]):
            pass


@pytest.fixture
def fresh_commands() -> Iterator[None]:
    all_commands.application.cache_clear()
    yield
    all_commands.application.cache_clear()


made: Commands  # by the test


def group(name: str, command: str) -> CommandGroup:
    global made
    made = Commands(name=name)

    @made.command(command)
    def run() -> None:
        """Bake."""

    return CommandGroup(name, "", f"{__name__}:made")


@pytest.mark.usefixtures("fresh_commands")
def test_a_service_adds_to_the_group_that_is_there(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(monkeypatch, replace(BAKERY, commands=[group("show", "bread")]))
    with commands_on(lambda: open_square(plain_place, clock)) as say:
        shown = say("show", "--help").output
    assert "bread" in shown
    assert "widgets" in shown


@pytest.mark.usefixtures("fresh_commands")
@pytest.mark.parametrize(
    ("name", "command", "taken"), [("show", "widgets", "widgets"), ("check", "bread", "check")]
)
def test_a_command_that_is_there_already_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, command: str, taken: str
) -> None:
    listed(monkeypatch, replace(BAKERY, commands=[group(name, command)]))
    with pytest.raises(ExtensionError, match=f"bakery of .* the command {taken} exists already"):
        CliRunner().invoke(all_commands.application(), ["show", "--help"], catch_exceptions=False)
