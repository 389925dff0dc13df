from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.services.widgets.given import ID, NASTY, TOKEN, URL, outcomes, visitor
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.problems import Invalid, Problem
from townsquare.services.widgets import keys
from townsquare.services.widgets.models import Board, BoardSettings, Select
from townsquare.services.widgets.problems import (
    Cooldown,
    MessageNotFound,
    MessageRefused,
    WidgetNotFound,
    WrongEditToken,
    WrongToken,
)
from townsquare.services.widgets.service.bbs import BbsService
from townsquare.square import Square


@pytest.fixture
def bbs(square: Square) -> BbsService:
    return square.widgets.bbs


def texts(board: Board) -> list[str]:
    return [message.message for message in board.messages]


async def test_the_newest_message_is_on_top(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN, title="Guests")
    await bbs.post(ID, visitor(1), "first", author="ann")
    await bbs.post(ID, visitor(2), "second")
    board = await bbs.get(ID, visitor(2))
    assert texts(board) == ["second", "first"]
    assert (board.title, board.total_messages, board.total_pages) == ("Guests", 2, 1)
    top = board.messages[0]
    assert (top.author, top.user_hash) == ("Anonymous", board.current_user_hash)
    assert board.messages[1].user_hash != board.current_user_hash
    assert board.last_message == top.timestamp


async def test_somebody_without_a_name_is_named_in_their_language(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN)
    board = await bbs.post(ID, visitor(), "こんにちは", language="ja")
    assert board.messages[0].author == "名無しさん"


async def test_pages_begin_with_the_newest_and_end_with_the_oldest(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN, messages_per_page=2)
    for number in range(5):
        await bbs.post(ID, visitor(number), f"m{number}")
    first, second, third, beyond = [await bbs.page(ID, page) for page in (1, 2, 3, 99)]
    assert [texts(page) for page in (first, second, third)] == [["m4", "m3"], ["m2", "m1"], ["m0"]]
    assert (beyond.current_page, texts(beyond)) == (3, ["m0"])
    assert (first.pagination.has_prev, first.pagination.has_next) == (False, True)
    assert (third.pagination.has_prev, third.pagination.has_next) == (True, False)


async def test_only_the_newest_messages_are_kept(bbs: BbsService, square: Square) -> None:
    await bbs.create(URL, TOKEN, max_messages=3)
    for number in range(5):
        await bbs.post(ID, visitor(number), f"m{number}")
    assert texts(await bbs.get(ID)) == ["m4", "m3", "m2"]
    assert await square.store.call("HLEN", keys.bbs_edits(ID)) == 3
    assert texts(await bbs.update(ID, TOKEN, max_messages=1)) == ["m4"]
    assert await square.store.call("HLEN", keys.bbs_edits(ID)) == 1


async def test_a_visitor_waits_ten_seconds(bbs: BbsService, clock: PinnedClock) -> None:
    await bbs.create(URL, TOKEN)
    await bbs.post(ID, visitor(), "one")
    clock.move(seconds=3)
    with pytest.raises(Cooldown) as refused:
        await bbs.post(ID, visitor(), "two")
    assert refused.value.extra["retry_after"] == 7
    clock.move(seconds=7)
    assert texts(await bbs.post(ID, visitor(), "two")) == ["two", "one"]


async def test_fifty_posts_at_once_by_one_visitor_are_one(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN)
    found = await outcomes(bbs.post(ID, visitor(), f"m{number}") for number in range(50))
    assert sum(isinstance(one, Cooldown) for one in found) == 49
    assert (await bbs.get(ID)).total_messages == 1


async def test_a_message_that_was_refused_costs_no_wait(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN, urls="deny")
    with pytest.raises(MessageRefused):
        await bbs.post(ID, visitor(), "see http://spam.example")
    assert (await bbs.post(ID, visitor(), "hello")).total_messages == 1


async def test_the_author_edits_with_the_token_that_only_they_have(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN)
    posted = await bbs.post(ID, visitor(1), "tpyo", author="ann")
    await bbs.post(ID, visitor(2), "later")
    assert isinstance(posted.message_id, str)
    assert isinstance(posted.edit_token, str)
    edited = await bbs.edit_message(ID, posted.message_id, "typo", edit_token=posted.edit_token)
    board = await bbs.get(ID)
    assert texts(board) == ["later", "typo"]
    assert edited == board.messages[1]
    assert (edited.author, edited.timestamp) == ("ann", posted.messages[0].timestamp)
    assert posted.edit_token not in str(board)
    for token in ("", posted.current_user_hash, "guess"):
        with pytest.raises(WrongEditToken):
            await bbs.edit_message(ID, posted.message_id, "mine", edit_token=token)
        with pytest.raises(WrongEditToken):
            await bbs.delete_message(ID, posted.message_id, edit_token=token)
    await bbs.delete_message(ID, posted.message_id, edit_token=posted.edit_token)
    assert texts(await bbs.get(ID)) == ["later"]
    with pytest.raises(MessageNotFound):
        await bbs.delete_message(ID, posted.message_id, edit_token=posted.edit_token)


async def test_the_owner_edits_deletes_and_clears(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN)
    posted = await bbs.post(ID, visitor(1), "rude", author="ann")
    await bbs.post(ID, visitor(2), "nice")
    message_id = posted.messages[0].id
    await bbs.edit_message(ID, message_id, "(moderated)", author="owner", token=TOKEN)
    assert (await bbs.message(ID, message_id)).author == "owner"
    with pytest.raises(WrongToken):
        await bbs.edit_message(ID, message_id, "x", token="wrong token")
    await bbs.delete_message(ID, message_id, token=TOKEN)
    assert texts(await bbs.get(ID)) == ["nice"]
    cleared = await bbs.clear(ID, TOKEN)
    assert (cleared.messages, cleared.total_messages, cleared.last_message) == ([], 0, None)


async def test_icons_and_selects_are_those_of_the_board(bbs: BbsService) -> None:
    made = await bbs.create(
        URL, TOKEN, icons=["😀", "https://e.com/a.png"], selects=[Select("Country", ["日本", "Other"])]
    )
    assert made.settings.icons == ["😀", "https://e.com/a.png"]
    board = await bbs.post(ID, visitor(1), "hi", icon="😀", selects={"Country": "日本"})
    assert (board.messages[0].icon, board.messages[0].selects) == ("😀", {"Country": "日本"})
    plain = await bbs.post(ID, visitor(2), "hi", selects={"Country": ""})
    assert (plain.messages[0].icon, plain.messages[0].selects) == (None, {})
    for icon, selects in (("😈", {}), ("", {"Country": "Mars"}), ("", {"Planet": "Mars"})):
        with pytest.raises(Invalid):
            await bbs.post(ID, visitor(3), "hi", icon=icon, selects=selects)


async def test_words_and_links_can_be_kept_out(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN, blocked_words=["Casino"], urls="deny")
    for message, author in (
        ("CASINO!", ""),
        ("casinos", ""),
        ("fine", "casino fan"),
        ("www.x.com", ""),
        ("HTTPS://x", ""),
    ):
        with pytest.raises(MessageRefused):
            await bbs.post(ID, visitor(), message, author=author)
    assert "casino" not in str(await bbs.get(ID)).lower()
    await bbs.update(ID, TOKEN, blocked_words=[], urls="allow")
    posted = await bbs.post(ID, visitor(), "casino http://x.example")
    assert posted.total_messages == 1
    await bbs.update(ID, TOKEN, urls="deny")
    assert isinstance(posted.message_id, str)
    assert isinstance(posted.edit_token, str)
    with pytest.raises(MessageRefused):
        await bbs.edit_message(ID, posted.message_id, "http://y.example", edit_token=posted.edit_token)


@pytest.mark.parametrize("text", [*NASTY, "x" * 420, "two\nlines", "👍" * 420, '{"id":"1"}', '"'])
async def test_any_text_is_kept_as_it_is(bbs: BbsService, text: str) -> None:
    await bbs.create(URL, TOKEN, title=text[:100].replace("\n", " "))
    posted = await bbs.post(ID, visitor(), text, author=text[:20].replace("\n", " "))
    assert texts(await bbs.get(ID)) == [text]
    assert isinstance(posted.message_id, str)
    assert isinstance(posted.edit_token, str)
    await bbs.edit_message(ID, posted.message_id, text[::-1].strip(), edit_token=posted.edit_token)
    assert texts(await bbs.get(ID)) == [text[::-1].strip()]


async def test_bad_values_change_nothing(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN)
    before = await bbs.get(ID)
    for message in ("", "  \n ", "x" * 421, "a\0b", "\ud800", "a\x07b"):
        with pytest.raises(Invalid):
            await bbs.post(ID, visitor(), message)
    with pytest.raises(Invalid):
        await bbs.post(ID, visitor(), "hi", author="x" * 21)
    for changes in (
        {"max_messages": 0},
        {"max_messages": 1001},
        {"messages_per_page": 0},
        {"icons": ["javascript:alert(1)"]},
        {"icons": [""]},
        {"selects": [Select("x", [])]},
        {"selects": [Select("", ["a"])]},
        {"selects": [Select("x", ["a"]), Select("x", ["b"])]},
        {"title": "x" * 101},
    ):
        with pytest.raises(Invalid):
            await bbs.update(ID, TOKEN, **changes)
    for message_id in ("", "nope", "x" * 65, '"', "a:b", "{}"):
        with pytest.raises(MessageNotFound):
            await bbs.edit_message(ID, message_id, "x", edit_token="t")
    for id in ("nobody-00000000", "a:b", URL):
        for deed in (
            bbs.post(id, visitor(), "hi"),
            bbs.edit_message(id, "x", "hi", edit_token="t"),
            bbs.delete_message(id, "x", edit_token="t"),
        ):
            with pytest.raises(WidgetNotFound):
                await deed
    with pytest.raises(Invalid):
        await bbs.page(ID, 0)
    assert await bbs.get(ID) == before


async def test_settings_that_pass_through_lua_keep_their_shape(bbs: BbsService) -> None:
    await bbs.create(URL, TOKEN, icons=["😀"], selects=[Select("One", ["a"])])
    await bbs.post(ID, visitor(1), "hi")
    board = await bbs.update(ID, TOKEN, icons=[], selects=[])
    await bbs.post(ID, visitor(2), "hi")
    assert (board.settings.icons, board.settings.selects) == ([], [])
    assert (await bbs.get(ID)).settings == board.settings


async def test_three_hundred_posts_and_edits_at_once(square: Square) -> None:
    bbs = square.widgets.bbs
    await bbs.create(URL, TOKEN, max_messages=150, messages_per_page=100)
    first = [await bbs.post(ID, visitor(number), f"first {number}") for number in range(50)]

    async def edit(posted: Board) -> None:
        assert isinstance(posted.message_id, str)
        assert isinstance(posted.edit_token, str)
        await bbs.edit_message(ID, posted.message_id, "edited", edit_token=posted.edit_token)

    found = await outcomes(
        deed
        for number in range(100)
        for deed in (
            bbs.post(ID, visitor(1000 + 2 * number), f"new {2 * number}"),
            bbs.post(ID, visitor(1001 + 2 * number), f"new {2 * number + 1}"),
            edit(first[number % 50]),
        )
    )
    assert all(isinstance(one, MessageNotFound | WrongEditToken) for one in found if isinstance(one, Problem))
    pages = [await bbs.page(ID, page) for page in (1, 2)]
    kept = [text for page in pages for text in texts(page)]
    posted = await square.store.call("LRANGE", keys.bbs_messages(ID), 0, -1)
    assert len(kept) == len(posted) == 150
    assert len({message.id for page in pages for message in page.messages}) == 150
    assert all(text.startswith("new") for text in kept)
    assert await square.store.call("HLEN", keys.bbs_edits(ID)) == 150
    await assert_clean(square.store)


async def test_edits_among_posts_lose_and_move_nothing(square: Square) -> None:
    bbs = square.widgets.bbs
    await bbs.create(URL, TOKEN, max_messages=1000, messages_per_page=100)
    first = [await bbs.post(ID, visitor(number), f"first {number}") for number in range(50)]

    async def edit(number: int) -> None:
        posted = first[number]
        assert isinstance(posted.message_id, str)
        assert isinstance(posted.edit_token, str)
        await bbs.edit_message(ID, posted.message_id, f"edited {number}", edit_token=posted.edit_token)

    found = await outcomes(
        deed
        for number in range(150)
        for deed in (bbs.post(ID, visitor(1000 + number), f"new {number}"), edit(number % 50))
    )
    assert not [one for one in found if isinstance(one, Problem)]
    kept = [text for page in (1, 2) for text in texts(await bbs.page(ID, page))]
    assert sorted(kept[:150]) == sorted(f"new {number}" for number in range(150))
    assert kept[150:] == [f"edited {number}" for number in reversed(range(50))]
    await assert_clean(square.store)


async def test_a_hundred_authors_edit_and_remove_their_messages_by_their_hash_at_once(square: Square) -> None:
    bbs = square.widgets.bbs
    await bbs.create(URL, TOKEN, max_messages=1_000, messages_per_page=100)
    ids = [(await bbs.post(ID, visitor(number), f"m{number}")).message_id for number in range(100)]

    async def deed(number: int) -> Problem | None:
        try:
            if number % 2:
                await bbs.delete_message(ID, str(ids[number]), visitor=visitor(number))
            else:
                await bbs.edit_message(ID, str(ids[number]), f"edited {number}", visitor=visitor(number))
        except Problem as problem:
            return problem
        return None

    async def by_another(number: int) -> None:
        with pytest.raises(WrongEditToken):
            await bbs.edit_message(ID, str(ids[number]), "stolen", visitor=visitor(number + 2))

    others = (by_another(number) for number in range(0, 100, 10))
    found = await outcomes([*(deed(number) for number in range(100)), *others])
    assert not [one for one in found if one is not None]
    board = await bbs.get(ID)
    assert texts(board) == [f"edited {number}" for number in reversed(range(0, 100, 2))]
    assert await square.store.call("HLEN", keys.bbs_edits(ID)) == 50
    await assert_clean(square.store)


async def test_of_a_hundred_who_remove_the_same_message_one_does(square: Square) -> None:
    bbs = square.widgets.bbs
    await bbs.create(URL, TOKEN)
    id = str((await bbs.post(ID, visitor(), "hi")).message_id)
    found = await outcomes(bbs.delete_message(ID, id, visitor=visitor()) for _ in range(100))
    assert sum(one is None for one in found) == 1
    assert all(one is None or isinstance(one, MessageNotFound) for one in found)
    await assert_clean(square.store)


async def test_two_owners_who_change_two_selects_at_once_lose_neither(square: Square) -> None:
    bbs = square.widgets.bbs
    selects = [Select("one", ["a"]), Select("two", ["b"])]
    await bbs.create(URL, TOKEN, selects=selects)

    def with_option(place: int, option: str) -> Callable[[BoardSettings], Mapping[str, Any]]:
        def changes(before: BoardSettings) -> Mapping[str, Any]:
            after = list(before.selects)
            after[place] = Select(after[place].label, [*after[place].options, option])
            return {"selects": after}

        return changes

    await outcomes(bbs.update_by(ID, TOKEN, with_option(n % 2, f"o{n}")) for n in range(10))
    kept = (await bbs.get(ID)).settings.selects
    assert [len(select.options) for select in kept] == [6, 6]
