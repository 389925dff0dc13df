import inspect
from collections.abc import Callable

import pytest

from townsquare.keyspace import DeclarationError, Keyspace
from townsquare.keyspace.declare import PLACEHOLDER


def some() -> Keyspace:
    return Keyspace("some", "Some keys.")


def test_a_declaration_builds_its_key() -> None:
    keys = some()

    @keys.string("user:{id}:post:{number}", home="user:{id}")
    def post(id: str, number: int) -> None:
        """A post."""

    assert post("ann", 7).text == "user:ann:post:7"
    assert post(id="ann", number=7) == post("ann", number=7) == post("ann", 7)
    assert post("ann", 7).params == {"id": "ann", "number": 7}
    assert post.of({"id": "ann", "number": 7, "more": 1}) == post("ann", 7)
    assert post.description == "A post."


def test_a_missing_parameter_is_refused() -> None:
    keys = some()

    @keys.string("user:{id}", home="user:{id}")
    def user(id: str) -> None:
        """A user."""

    with pytest.raises(TypeError, match="takes id"):
        user()  # type: ignore[call-arg]


def declare_other_parameters(keys: Keyspace) -> None:
    @keys.string("user:{id}", home="user:{id}")
    def user(name: str) -> None:
        """A user."""


def declare_foreign_home(keys: Keyspace) -> None:
    @keys.string("user:{id}", home="page:{page}")
    def user(id: str) -> None:
        """A user."""


def declare_foreign_home_function(keys: Keyspace) -> None:
    def home(page: str) -> str:
        return "000"

    @keys.string("user:{id}", home=home)
    def user(id: str) -> None:
        """A user."""


def declare_silently(keys: Keyspace) -> None:
    @keys.string("user:{id}", home="user:{id}")
    def user(id: str) -> None: ...


def declare_twice(keys: Keyspace) -> None:
    @keys.string("user:{id}", home="user:{id}")
    def user(id: str) -> None:
        """A user."""

    keys.add(user)


@pytest.mark.parametrize(
    ("declare", "complaint"),
    [
        (declare_other_parameters, r"the pattern has \['id'\], the function \['name'\]"),
        (declare_foreign_home, r"its home depends on \['page'\]"),
        (declare_foreign_home_function, r"its home depends on \['page'\]"),
        (declare_silently, "it has no docstring"),
        (declare_twice, "declared twice"),
    ],
)
def test_a_wrong_declaration_fails_at_import(declare: Callable[[Keyspace], None], complaint: str) -> None:
    with pytest.raises(DeclarationError, match=complaint):
        declare(some())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("user:{id}", "user:{name}"),
        ("user:{id}:likes", "user:{id}:{what}"),
        ("user:{id}", "user:list"),
        ("{kind}:x", "user:{id}"),
        ("user:u-{id}", "user:{id}"),
    ],
)
def test_two_patterns_that_one_name_could_match_are_refused(one: str, other: str) -> None:
    keys = some()
    declare(keys, "one", one)
    with pytest.raises(DeclarationError, match=r"could also be a some\.one"):
        declare(keys, "other", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("user:{id}", "user:{id}:likes"), ("user:{id}", "page:{id}"), ("user:a-{id}", "user:b-{id}")],
)
def test_patterns_that_no_name_has_in_common_stand_together(one: str, other: str) -> None:
    keys = some()
    declare(keys, "one", one)
    declare(keys, "other", other)
    assert set(keys.keys) == {"one", "other"}


def declare(keys: Keyspace, name: str, pattern: str) -> None:
    """As a decorated function would, with the parameters that the pattern has."""

    def signature() -> None:
        """Some key."""

    parameters = PLACEHOLDER.findall(pattern)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shape = inspect.Signature([inspect.Parameter(one, kind) for one in parameters])
    signature.__name__ = name
    signature.__annotations__ = dict.fromkeys(parameters, str)
    signature.__signature__ = shape  # type: ignore[attr-defined]
    keys.string(pattern, home="somewhere")(signature)
