"""Anything that can happen to users, in any order, against a model in memory."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.services.accounts.core import Core, assert_indexes_follow, core_of
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, open_square
from townsquare.problems import Taken
from townsquare.services.accounts.models import AccountStatus, Facts, User, UserProfile, UserRole
from townsquare.services.accounts.users import changes

pytestmark = pytest.mark.slow

T = TypeVar("T")

STEPS = 1_000
EXAMPLES, STEPS_EACH = 40, 50  # of which Hypothesis makes some shorter

VALUES: dict[str, list[str]] = {
    "email": ["a@example.org", "b@example.org", "ç@example.org"],
    "username": ["ann", "Ann", "bob"],
    "phone": ["+966501234567", "+966501234568"],
    "device_id": ["device-1", "device:2%", "device-3"],
    "google": ["g-1", "g-2"],
    "github": ["1", "2"],
}
PLACES: dict[str, list[str]] = {"province": ["Riyadh", "Asir: {x}"], "city": ["Riyadh", "北京", "a\u3000b"]}
FIELD_NAMES = {"device_id": "deviceId"}
UNIQUE = ("email", "username", "phone", "device_id")

some = st.integers(0, 1_000)
profiles = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in {**VALUES, **PLACES}.items()}
)
field_changes = st.sampled_from([*UNIQUE, *PLACES]).flatmap(
    lambda field: st.tuples(
        st.just(field), st.sampled_from([*VALUES.get(field, PLACES.get(field, [])), None])
    )
)


def profile(fields: Mapping[str, Any]) -> UserProfile:
    return UserProfile(**fields)


def held(user: User) -> dict[str, str]:
    values = {name: getattr(user, name) for name in UNIQUE} | user.providers
    return {name: value for name, value in values.items() if value is not None}


class Machine(RuleBasedStateMachine):
    core: ClassVar[Core]
    runner: ClassVar[asyncio.Runner]
    clock: ClassVar[PinnedClock]
    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.living: dict[str, User] = {}

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        type(self).steps += 1
        self.clock.move(ms=1)
        return self.runner.run(work)

    def conflicts(self, wanted: dict[str, str], besides: str = "") -> set[str]:
        return {
            FIELD_NAMES.get(name, name)
            for user in self.living.values()
            if user.id != besides
            for name, value in held(user).items()
            if wanted.get(name) == value
        }

    def attempt(self, work: Coroutine[Any, Any, User], conflicts: set[str]) -> User | None:
        """Succeeds exactly if the model knows of no conflict."""
        if not conflicts:
            user = self.wait(work)
            self.living[user.id] = user
            return user
        with pytest.raises(Taken) as refused:
            self.wait(work)
        assert refused.value.extra["field"] in conflicts
        return None

    def pick(self, number: int) -> User:
        return list(self.living.values())[number % len(self.living)]

    @rule(given=profiles)
    def create(self, given: dict[str, str]) -> None:
        if not set(given) & set(VALUES):
            return
        facts = Facts(providers={name: given[name] for name in ("google", "github") if name in given})
        said = profile({name: value for name, value in given.items() if name not in facts.providers})
        user = self.attempt(self.core.users.create(said, facts), self.conflicts(given))
        if user:
            assert {**held(user), "province": user.province, "city": user.city} == {
                "province": None,
                "city": None,
                **given,
            }

    @rule(device=st.sampled_from(VALUES["device_id"]))
    def visit(self, device: str) -> None:
        owner = next((user for user in self.living.values() if user.device_id == device), None)
        if owner and owner.registered:
            return
        visitor = self.wait(self.core.users.visitor(device))
        assert not visitor.registered
        assert owner is None or visitor == owner
        self.living[visitor.id] = visitor

    @rule(device=st.sampled_from(VALUES["device_id"]), email=st.sampled_from(VALUES["email"]))
    def sign_up(self, device: str, email: str) -> None:
        owner = next((user for user in self.living.values() if user.device_id == device), None)
        visitor = owner.id if owner and not owner.registered else ""
        conflicts = self.conflicts({"device_id": device, "email": email}, besides=visitor)
        work = self.core.users.register(UserProfile(device_id=device, email=email))
        user = self.attempt(work, conflicts)
        assert user is None or not visitor or user.id == visitor

    @precondition(lambda self: self.living)
    @rule(number=some, change=field_changes)
    def change(self, number: int, change: tuple[str, str | None]) -> None:
        user, (field, value) = self.pick(number), change
        wanted = {field: value} if value else {}
        after = self.attempt(
            self.core.users.change(user.id, profile({field: value})),
            self.conflicts(wanted, besides=user.id),
        )
        assert after is None or getattr(after, field) == value

    @precondition(lambda self: len(self.living) > 1)
    @rule(one=some, other=some)
    def swap_emails(self, one: int, other: int) -> None:
        first, second = self.pick(one), self.pick(other)
        if first.id == second.id:
            return
        self.attempt(self.core.users.change(first.id, UserProfile(email=None)), set())
        self.attempt(self.core.users.change(second.id, UserProfile(email=first.email)), set())
        self.attempt(self.core.users.change(first.id, UserProfile(email=second.email)), set())

    @precondition(lambda self: self.living)
    @rule(number=some, provider=st.sampled_from(["google", "github"]), linked=st.booleans(), which=some)
    def link(self, number: int, provider: str, linked: bool, which: int) -> None:
        user, value = self.pick(number), VALUES[provider][which % 2]
        if not linked:
            work = self.core.users.edit(user.id, lambda before: changes.without_provider(before, provider))
            self.attempt(work, set())
            return
        self.attempt(
            self.core.users.link(user.id, provider, value), self.conflicts({provider: value}, besides=user.id)
        )

    @precondition(lambda self: self.living)
    @rule(number=some, status=st.sampled_from(AccountStatus), role=st.sampled_from(UserRole))
    def judge(self, number: int, status: AccountStatus, role: UserRole) -> None:
        user = self.pick(number)
        self.attempt(self.core.users.set_status(user.id, status), set())
        self.attempt(self.core.users.set_role(user.id, role), set())

    @precondition(lambda self: self.living)
    @rule(number=some)
    def withdraw_consent(self, number: int) -> None:
        work = self.core.users.change(self.pick(number).id, UserProfile(geolocation_consent=False))
        user = self.attempt(work, set())
        assert user
        assert (user.province, user.city) == (None, None)

    @precondition(lambda self: self.living)
    @rule(number=some)
    def delete(self, number: int) -> None:
        user = self.pick(number)
        assert self.wait(self.core.users.delete(user.id)) == user
        del self.living[user.id]

    def teardown(self) -> None:
        self.runner.run(self.compare())

    async def compare(self) -> None:
        users = await assert_indexes_follow(self.core.store)
        assert {user.id: user for user in users} == self.living
        await assert_clean(self.core.store)
        for id in self.living:
            await self.core.users.delete(id)
        assert await assert_indexes_follow(self.core.store) == []


def test_indexes_and_sets_are_what_the_documents_say(place: Place, clock: PinnedClock) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        square = runner.run(stack.enter_async_context(open_square(place, clock)))

        class Bound(Machine):
            pass

        Bound.core, Bound.runner, Bound.clock = core_of(square), runner, clock
        try:
            run_state_machine_as_test(
                Bound,
                settings=settings(
                    max_examples=EXAMPLES,
                    stateful_step_count=STEPS_EACH,
                    deadline=None,
                    derandomize=True,
                    suppress_health_check=list(HealthCheck),
                ),
            )
            assert Bound.steps >= STEPS
        finally:
            runner.run(stack.aclose())
