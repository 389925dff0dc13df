"""What requests change of a board's selects, and of what a message has chosen of them."""

from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.services.widgets.given import ID, TOKEN, URL

OWNER = f"url={quote(URL, safe='')}&token={quote(TOKEN)}"
SELECTS = "select1Label=Country&select1Values=Japan,USA&select2Label=Mood&select2Values=good,bad"


class Board:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self.message_id = ""

    async def ask(self, asked: str) -> Any:
        answer = await self.http.get(f"/bbs?action={asked}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def edit(self, said: str) -> Any:
        """The message after an edit of its own author."""
        answer = await self.ask(f"update&id={ID}&messageId={self.message_id}&message=new&{said}")
        (message,) = answer["data"]["messages"]
        return message


@pytest.fixture
async def board(http: httpx.AsyncClient) -> Board:
    """With one message, which has an icon and chose of both selects."""
    board = Board(http)
    await board.ask(f"create&{OWNER}&icons=A,B&{SELECTS}")
    posted = await board.ask(f"post&id={ID}&author=ann&message=hi&icon=A&select1=Japan&select2=good")
    board.message_id = posted["data"]["messageId"]
    return board


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("select1=USA", {"Country": "USA", "Mood": "good"}),
        ("select2=", {"Country": "Japan"}),
        ("select1=&select2=bad&select3=", {"Mood": "bad"}),
        ('selects={"Mood":"bad"}', {"Mood": "bad"}),
        ("icon=B", {"Country": "Japan", "Mood": "good"}),
    ],
)
async def test_an_edit_changes_the_choices_that_it_names(
    board: Board, said: str, chosen: dict[str, str]
) -> None:
    assert (await board.edit(said))["selects"] == chosen


async def test_a_required_choice_is_not_taken_back(board: Board) -> None:
    await board.ask(f"update&{OWNER}&select1Required=true")
    taken_back = f"/bbs?action=update&id={ID}&messageId={board.message_id}&message=new&select1="
    assert (await board.http.get(taken_back)).status_code == 422
    assert (await board.edit("select2=bad"))["selects"] == {"Country": "Japan", "Mood": "bad"}


@pytest.mark.parametrize("change", ["icons=C", "select2Values=other", "select2Label="])
async def test_a_message_is_edited_after_the_board_has_ceased_to_offer_what_it_chose(
    board: Board, change: str
) -> None:
    await board.ask(f"update&{OWNER}&{change}")
    edited = await board.edit("")
    assert (edited["message"], edited["icon"]) == ("new", "A")
    assert edited["selects"] == {"Country": "Japan", "Mood": "good"}


async def test_an_empty_author_stays_and_is_told(board: Board) -> None:
    answer = await board.ask(f"update&id={ID}&messageId={board.message_id}&message=new&author=")
    assert answer["data"]["messages"][0]["author"] == "ann"
    assert [one.partition(":")[0] for one in answer["warnings"]] == ["author"]


@pytest.mark.parametrize("removal", ["select1Label=", "select1Values="])
async def test_an_empty_label_or_no_options_remove_a_select(board: Board, removal: str) -> None:
    settings = (await board.ask(f"update&{OWNER}&{removal}"))["data"]["settings"]
    assert [select["label"] for select in settings["selects"]] == ["Mood"]


async def test_settings_come_in_json_as_texts_too(board: Board) -> None:
    said = {"url": URL, "token": TOKEN, "maxMessages": "50", "icons": "C,D", "select1Values": "Peru,Chile"}
    settings = (await board.http.post("/bbs?action=update", json=said)).json()["data"]["settings"]
    assert (settings["maxMessages"], settings["icons"]) == (50, ["C", "D"])
    assert settings["selects"][0]["options"] == ["Peru", "Chile"]


async def test_a_total_that_is_empty_is_told(http: httpx.AsyncClient) -> None:
    await http.get(f"/visit?action=create&{OWNER}")
    for name in ("value", "total"):
        answer = (await http.get(f"/visit?action=update&{OWNER}&{name}=")).json()
        assert [one.partition(":")[0] for one in answer["warnings"]] == [name]
