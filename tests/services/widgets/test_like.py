import pytest

from tests.services.widgets.given import ID, OTHER_ID, OTHER_URL, TOKEN, URL, outcomes, visitor
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.problems import Invalid
from townsquare.services.widgets import keys
from townsquare.services.widgets.problems import WidgetNotFound, WrongToken
from townsquare.services.widgets.service.like import LikeService
from townsquare.square import Square


@pytest.fixture
def like(square: Square) -> LikeService:
    return square.widgets.like


async def test_pressing_twice_takes_it_back(like: LikeService) -> None:
    await like.create(URL, TOKEN)
    first = await like.toggle(ID, visitor())
    again = await like.toggle(ID, visitor())
    assert (first.total, first.liked, first.user_liked) == (1, True, True)
    assert (again.total, again.liked, again.user_liked) == (0, False, False)


async def test_each_visitor_sees_their_own_like(like: LikeService) -> None:
    await like.create(URL, TOKEN)
    await like.toggle(ID, visitor(1))
    assert (await like.get(ID, visitor(1))).liked
    other = await like.get(ID, visitor(2))
    assert (other.total, other.liked) == (1, False)
    assert not (await like.get(ID)).liked


async def test_a_new_day_is_a_new_like(like: LikeService, clock: PinnedClock) -> None:
    await like.create(URL, TOKEN)
    await like.toggle(ID, visitor())
    clock.move(days=1)
    assert not (await like.get(ID, visitor())).liked
    assert (await like.toggle(ID, visitor())).total == 2


async def test_the_total_is_never_below_zero(like: LikeService) -> None:
    await like.create(URL, TOKEN)
    await like.toggle(ID, visitor())
    await like.set(ID, TOKEN, 0)
    back = await like.toggle(ID, visitor())
    assert (back.total, back.liked) == (0, False)
    assert (await like.toggle(ID, visitor())).total == 1


async def test_the_day_is_the_day_of_the_buttons_time_zone(
    like: LikeService, square: Square, clock: PinnedClock
) -> None:
    clock.set("2026-03-14T14:59:00Z")  # 23:59 in Tokyo
    await like.create(URL, TOKEN, timezone="Asia/Tokyo")
    assert (await like.toggle(ID, visitor())).liked
    assert 0 < await square.store.call("PTTL", keys.like_visitors(ID)) <= 60_000
    clock.move(minutes=2)
    assert not (await like.get(ID, visitor())).liked


async def test_last_like_is_when_somebody_liked_last(like: LikeService, clock: PinnedClock) -> None:
    made = await like.create(URL, TOKEN)
    assert made.last_like is None
    liked = await like.toggle(ID, visitor())
    clock.move(minutes=1)
    taken_back = await like.toggle(ID, visitor())
    assert liked.last_like == taken_back.last_like == "2026-03-14T15:09:26.535Z"


async def test_the_owner_chooses_icon_and_total(like: LikeService) -> None:
    assert (await like.create(URL, TOKEN, icon="star")).icon == "star"
    assert (await like.update(ID, TOKEN, icon="🍣")).icon == "🍣"
    assert (await like.set(ID, TOKEN, 500)).total == 500
    with pytest.raises(WrongToken):
        await like.update(ID, "wrong token", icon="heart")
    for icon in ("", "x" * 17, "a\nb", " x "):
        with pytest.raises(Invalid):
            await like.update(ID, TOKEN, icon=icon)


async def test_two_hundred_visitors_at_once(like: LikeService, square: Square) -> None:
    await like.create(URL, TOKEN)
    await outcomes(like.toggle(ID, visitor(number)) for number in range(200))
    assert (await like.get(ID)).total == 200
    await outcomes(like.toggle(ID, visitor(number)) for number in range(0, 200, 2))
    assert (await like.get(ID)).total == 100
    await assert_clean(square.store)


async def test_one_visitor_at_once_ends_where_an_even_number_of_presses_ends(like: LikeService) -> None:
    await like.create(URL, TOKEN)
    await outcomes(like.toggle(ID, visitor()) for _ in range(100))
    assert (await like.get(ID, visitor())).total == 0


async def test_many_buttons_are_read_at_once(like: LikeService) -> None:
    await like.create(URL, TOKEN)
    await like.create(OTHER_URL, TOKEN, timezone="Asia/Tokyo")
    await like.toggle(OTHER_ID, visitor())
    found = await like.get_batch([ID, "nobody-00000000", "not an id"], [OTHER_URL], visitor())
    assert {name: (view.id, view.total, view.liked) for name, view in found.items()} == {
        ID: (ID, 0, False),
        OTHER_URL: (OTHER_ID, 1, True),
    }
    with pytest.raises(Invalid):
        await like.get_batch([ID] * 1001)


async def test_an_unknown_button_cannot_be_pressed(like: LikeService) -> None:
    for id in (ID, "x:y-00000000", ""):
        with pytest.raises(WidgetNotFound):
            await like.toggle(id, visitor())
