import pytest
from hypothesis import given
from hypothesis import strategies as st

from townsquare.keyspace import BadPart
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import Geolocation, UserProfile
from townsquare.services.accounts.problems import BadProfile
from townsquare.services.accounts.users import normalise


@pytest.mark.parametrize(
    "typed", ["+966501234567", "+966 50 123 4567", "+966-(50)-1234567", " +966501234567"]
)
def test_one_number_has_one_spelling(typed: str) -> None:
    assert normalise.phone(typed) == "+966501234567"


@pytest.mark.parametrize(
    "typed", ["", "0501234567", "+", "+1", "+999123", "+966501234567 ext. 5", "x" * 300, "\ud800", "+1" * 200]
)
def test_what_is_no_number_is_refused(typed: str) -> None:
    with pytest.raises(BadProfile):
        normalise.phone(typed)


@pytest.mark.parametrize("name", ["a", "Alice", "a.b-c_d", "x" * 30, "007"])
def test_usernames(name: str) -> None:
    assert normalise.username(name) == name


@pytest.mark.parametrize(
    "name", ["", "x" * 31, "a b", "a:b", "é", "me", ".", "..", "a/b", "a\n", "{a}", "\ud800"]
)
def test_what_is_no_username_is_refused(name: str) -> None:
    with pytest.raises(BadProfile):
        normalise.username(name)


@pytest.mark.parametrize(
    "profile",
    [
        UserProfile(first_name="x" * 101),
        UserProfile(first_name="a\nb"),
        UserProfile(surname="\ud800"),
        UserProfile(surname="\u202eecila"),
        UserProfile(age=-1),
        UserProfile(age=151),
        UserProfile(avatar="javascript:alert(1)"),
        UserProfile(avatar="https://exa mple.org"),
        UserProfile(avatar="https://[bad"),
        UserProfile(links=("ftp://example.org",)),
        UserProfile(links=("https://example.org",) * 11),
        UserProfile(device_id=" "),
        UserProfile(device_id="x" * 129),
        UserProfile(device_id="a b"),
        UserProfile(geolocation=Geolocation(latitude=91, longitude=0)),
        UserProfile(geolocation=Geolocation(latitude=float("nan"), longitude=0)),
    ],
)
def test_bad_profiles_name_the_field(profile: UserProfile) -> None:
    with pytest.raises(BadProfile) as refused:
        normalise.profile(profile)
    assert refused.value.extra["field"]


def test_names_of_all_scripts_are_kept() -> None:
    said = normalise.profile(
        UserProfile(
            first_name=" می\u200cخواهم ", surname="Nguye\u0302\u0303n", occupation="👩\u200d🚀", city=" "
        )
    )
    assert said == {
        "first_name": "می\u200cخواهم",
        "surname": "Nguyễn",
        "occupation": "👩\u200d🚀",
        "city": None,
    }


@pytest.mark.parametrize(
    "custom",
    [
        {f"n{n}": n for n in range(51)},
        {"": 1},
        {"x" * 65: 1},
        {"a\nb": 1},
        {"big": "x" * 16_384},
        {"deep": [[[[[[[[[1]]]]]]]]]},
        {"thing": object()},
        {"half": "\ud800"},
    ],
)
def test_free_fields_have_limits(custom: dict[str, object]) -> None:
    with pytest.raises(BadProfile):
        normalise.custom(custom, "custom")


@given(st.text(max_size=300))
def test_any_text_is_refused_or_has_one_spelling(text: str) -> None:
    for spell, key in (
        (normalise.email, keys.email),
        (normalise.phone, keys.phone),
        (normalise.username, keys.username),
        (normalise.device_id, keys.device),
    ):
        try:
            spelled = spell(text)
        except BadProfile:
            continue
        assert spell(spelled) == spelled
        assert ":" not in key(spelled).text.partition(":")[2]


@given(st.emails())
def test_addresses_that_people_have_are_accepted_in_one_spelling(address: str) -> None:
    assert normalise.mailbox(address.upper()) == normalise.mailbox(address) == address.lower()
    assert normalise.email(address) == address


@given(st.text(min_size=1, max_size=100))
def test_no_line_reaches_another_key(text: str) -> None:
    try:
        line = normalise.line(text, "city")
    except BadProfile:
        return
    if line:
        key = keys.city_users(line)
        assert keys.city_users.parse(key.text) == key


def test_a_key_cannot_be_built_from_what_was_not_checked() -> None:
    with pytest.raises(BadPart):
        keys.user("usr_1:2").text  # noqa: B018
