"""No parameter of a widget is ignored in silence: over all actions, all that is known, and what is not."""

import itertools
import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from tests.services.widgets.given import TOKEN
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse, open_square
from townsquare.api import AnyEndpoint
from townsquare.kit.field_aliases import aliases_of
from townsquare.services.widgets.routes import endpoints

pytestmark = pytest.mark.slow

TOKENS = {"rotateToken": "another horse"}  # of the owner after an action
NUMBERS = itertools.count()
PICTURE = "https://example.com/a.png"
SELECTS = [{"label": "Mood", "options": ["good", "bad"]}, {"label": "Place", "options": ["here"]}]
KINDS = [
    {"label": "S", "options": ["s1", "s2"], "kind": "standard"},
    {"label": "I", "options": ["i1"], "kind": "incremental"},
    {"label": "E", "options": [PICTURE], "kind": "emote"},
]
MESSAGES = [
    {
        "id": f"m{n}",
        "timestamp": f"2026-03-14T10:00:{n:02}.000Z",
        "author": f"a{n}",
        "message": f"t{n}",
        "userHash": "",
    }
    for n in reversed(range(25))
]
STATES: dict[str, Any] = {
    "visit": {"total": 7, "daily": {"2026-03-14": 3, "2026-03-01": 4}},
    "like": {"total": 7},
    "ranking": {"entries": [{"name": f"n{score}", "score": score} for score in range(12)]},
    "bbs": {
        "messages": MESSAGES,
        "settings": {
            "title": "",
            "maxMessages": 100,
            "messagesPerPage": 10,
            "icons": ["😀"],
            "selects": SELECTS,
        },
    },
}
# what a request of each action needs, beside the id of the widget
NEEDED: dict[str, dict[str, Any]] = {
    "set": {"token": TOKEN, "total": 5},
    "update": {"token": TOKEN},
    "updateSettings": {"token": TOKEN},
    "clear": {"token": TOKEN},
    "export": {"token": TOKEN},
    "delete": {"token": TOKEN},
    "rotateToken": {"token": TOKEN, "newToken": "another horse"},
    "import visit": {"token": TOKEN, "data": '{"total":1}'},
    "import like": {"token": TOKEN, "data": '{"total":1}'},
    "import ranking": {"token": TOKEN, "data": "{}"},
    "import bbs": {"token": TOKEN, "data": "{}"},
    "submit": {"name": "zoe", "score": 99},
    "remove ranking": {"token": TOKEN, "name": "n3"},
    "post": {"message": "hello"},
    "editMessage": {"token": TOKEN, "messageId": "m3", "message": "hello"},
    "deleteMessage": {"token": TOKEN, "messageId": "m3"},
    "remove bbs": {"token": TOKEN, "messageId": "m3"},
    "sumByPrefix": {"prefix": "nobody"},
    "batchGet": {},
}
NEEDED["editMessageById"], NEEDED["deleteMessageById"] = NEEDED["editMessage"], NEEDED["deleteMessage"]
# a value of each parameter that changes what happens
VALUES: dict[str, Any] = {
    "id": "nobody-00000000",
    "token": "wrong horse",
    "newToken": "third horse",
    "format": "text",
    "theme": "retro",
    "digits": 5,
    "type": "week",
    "days": 2,
    "total": 8,
    "timezone": "Asia/Tokyo",
    "icon": "star",
    "webhook": "https://hooks.example/x",
    "title": "New",
    "description": "What for",
    "maxEntries": 3,
    "sortOrder": "asc",
    "name": "n5",
    "score": 50,
    "displayScore": "fifty",
    "limit": 2,
    "page": 2,
    "maxMessages": 4,
    "messagesPerPage": 4,
    "icons": "😎",
    "blockedWords": "bad",
    "urls": "deny",
    "editByUserHash": "false",
    "message": "another",
    "author": "zoe",
    "messageId": "m7",
    "editToken": "x",
    "ids": "nobody-00000000",
    "prefix": "example",
    "items": '[{"url":"https://example.com/batch"}]',
    "selects": json.dumps(SELECTS[:1]),
    "select1": "bad",
    "select2": "here",
    "select3": "x",
    "standardValue": "s2",
    "incrementalValue": "i1",
    "emoteValue": PICTURE,
    **{f"select{n}Label": f"L{n}" for n in (1, 2, 3)},
    **{f"select{n}Values": f"v{n},w{n}" for n in (1, 2, 3)},
    **{f"select{n}Required": "true" for n in (1, 2, 3)},
    **{f"{kind}SelectLabel": kind for kind in ("standard", "incremental", "emote")},
    **{f"{kind}SelectOptions": PICTURE for kind in ("standard", "incremental", "emote")},
}
# values that differ where a parameter means something else
PARTICULAR: dict[tuple[str, str, str], Any] = {
    **{(service, "import", "data"): json.dumps(state) for service, state in STATES.items()},
    ("bbs", "post", "icon"): "😀",
    ("bbs", "editMessage", "icon"): "😀",
    ("bbs", "post", "selects"): '{"Mood":"bad"}',
    ("bbs", "editMessage", "selects"): '{"Mood":"bad"}',
    ("bbs", "batchGet", "urls"): "https://example.com/nobody",
}
# with another parameter, without which the value would be refused
TOGETHER: dict[str, dict[str, Any]] = {
    **{f"select{n}Label": {f"select{n}Values": "x"} for n in (1, 2, 3)},
    **{f"select{n}Values": {f"select{n}Label": "X"} for n in (1, 2, 3)},
    **{f"select{n}Required": {f"select{n}Label": "X", f"select{n}Values": "x"} for n in (1, 2, 3)},
    **{
        f"{k}SelectLabel": {f"{k}SelectOptions": "https://x.example/"}
        for k in ("standard", "incremental", "emote")
    },
    **{f"{k}SelectOptions": {f"{k}SelectLabel": "X"} for k in ("standard", "incremental", "emote")},
}


def actions() -> Iterator[AnyEndpoint]:
    widgets: Any = type("AnyWidgets", (), dict.fromkeys(("counter", "like", "ranking", "bbs")))
    for endpoint in endpoints(widgets):
        if endpoint.action and endpoint.method == "GET":
            yield endpoint


ACTIONS = {(one.path.rpartition("/")[2], str(one.action)): one for one in actions()}


def known_to(endpoint: AnyEndpoint) -> dict[str, str]:
    """The parameters of an action, under every name, and the name that we give them."""
    own = {name: name for name in endpoint.input.__struct_encode_fields__}
    return own | aliases_of(endpoint.input)


EVERY_NAME = {name for one in ACTIONS.values() for name in known_to(one)} | {"nonsense", "Title", "callback"}


class Trial:
    """One request of an action to a widget of its own, with all that it changed."""

    def __init__(self, http: httpx.AsyncClient, service: str, action: str) -> None:
        self.http = http
        self.service = service
        self.action = action
        self.url = f"https://example.com/{next(NUMBERS):06}"
        self.id = ""

    def base(self) -> dict[str, Any]:
        if self.action == "create":
            return {"url": f"{self.url}/new", "token": TOKEN}
        if self.action == "batchCreate":
            return {"token": TOKEN, "items": json.dumps([{"url": f"{self.url}/new"}])}
        if self.action == "lookup":
            return {"url": self.url, "token": TOKEN}
        needed = NEEDED.get(self.action) or NEEDED.get(f"{self.action} {self.service}") or {}
        takes_id = "id" in ACTIONS[self.service, self.action].input.__struct_fields__
        return {"id": self.id, **needed} if takes_id else {**needed}

    async def prepare(self, selects: list[Any]) -> None:
        made = await self.ask(action="create", url=self.url, token=TOKEN)
        self.id = made.json()["data"]["id"]
        state = STATES[self.service]
        if self.service == "bbs":
            state = {**state, "settings": {**state["settings"], "selects": selects}}
        taken = await self.ask(action="import", id=self.id, token=TOKEN, data=json.dumps(state))
        assert taken.status_code == 200, taken.text

    async def ask(self, **params: Any) -> httpx.Response:
        return await self.http.get(f"/widgets/{self.service}", params=params)

    async def outcome(self, changes: dict[str, Any], replaced: str = "") -> tuple[httpx.Response, str]:
        params = {name: value for name, value in self.base().items() if name != replaced}
        answer = await self.ask(action=self.action, **{**params, **changes})
        said = (
            answer.text
            if answer.headers["content-type"] != "application/json"
            else json.dumps({name: value for name, value in answer.json().items() if name != "warnings"})
        )
        after = [
            (await self.ask(action=action, url=url, token=token)).text
            for url in (self.url, f"{self.url}/new")
            for action, token in (("get", TOKEN), ("export", TOKENS.get(self.action, TOKEN)))
        ]
        return answer, self.comparable("\n".join([str(answer.status_code), said, *after]))

    def comparable(self, text: str) -> str:
        """Without what is another at every request."""
        text = re.sub(r'"(messageId|editToken|webhookSecret)": ?"[^"]+"', r'"\1":"…"', text)
        text = re.sub(r'"id": ?"[0-9a-f]{16}"', '"id":"…"', text)
        return re.sub(r"example-[0-9a-f]{8,}", "ID", text).replace(self.url, "URL")


@pytest.fixture
async def http(plain_place: Place, clock: PinnedClock) -> AsyncIterator[httpx.AsyncClient]:
    async with open_square(plain_place, clock) as square, browse(square) as client:
        yield client


@pytest.mark.parametrize(("service", "action"), ACTIONS)
async def test_each_known_parameter_has_an_effect_or_is_warned_of(
    http: httpx.AsyncClient, service: str, action: str
) -> None:
    ineffective = []
    befores: dict[tuple[Any, ...], str] = {}
    for name, ours in known_to(ACTIONS[service, action]).items():
        value = PARTICULAR.get(
            (service, action.removesuffix("ById"), ours), VALUES.get(ours, "https://example.com/x")
        )
        selects = KINDS if ours.endswith("Value") else SELECTS
        together = TOGETHER.get(ours, {})
        compared = (*together, len(selects))
        if compared not in befores:
            without = Trial(http, service, action)
            await without.prepare(selects)
            _, befores[compared] = await without.outcome(together)
        given = Trial(http, service, action)
        await given.prepare(selects)
        answer, after = await given.outcome({**together, name: value}, replaced=ours)
        told = answer.headers.get("x-warnings", "")
        if "json" in answer.headers["content-type"]:
            told += str(answer.json().get("warnings", []))
        if answer.status_code == 200 and befores[compared] == after and not re.search(rf"\b{ours}: ", told):
            ineffective.append(name)
    assert ineffective == []


@pytest.mark.parametrize(("service", "action"), ACTIONS)
async def test_each_unknown_parameter_is_named(http: httpx.AsyncClient, service: str, action: str) -> None:
    unknown = sorted(EVERY_NAME - known_to(ACTIONS[service, action]).keys())
    for some in (
        itertools.batched(unknown, 15)
        if hasattr(itertools, "batched")
        else [unknown[i : i + 15] for i in range(0, len(unknown), 15)]
    ):
        trial = Trial(http, service, action)
        await trial.prepare(SELECTS)
        body = {"action": action, **trial.base()}
        query = dict.fromkeys(some[::2], "x")
        answer = await http.post(f"/{service}", params=query, json={**body, **dict.fromkeys(some[1::2], "x")})
        assert answer.status_code == 200, answer.text
        if "json" not in answer.headers["content-type"]:
            assert all(f"'{name}: not used" in answer.headers["x-warnings"] for name in some)
            continue
        told = {warning.partition(": not used")[0] for warning in answer.json()["warnings"]}
        assert set(some) <= told


@pytest.mark.parametrize("service", STATES)
async def test_a_widget_that_exists_is_not_changed_by_create_and_says_so(
    http: httpx.AsyncClient, service: str
) -> None:
    trial = Trial(http, service, "create")
    await trial.prepare(SELECTS)
    settings = known_to(ACTIONS[service, "create"]).keys() - {"url", "token"}
    for name in settings:
        ours = known_to(ACTIONS[service, "create"])[name]
        given = {name: VALUES[ours], **TOGETHER.get(ours, {})}
        answer = (await trial.ask(action="create", url=trial.url, token=TOKEN, **given)).json()
        assert answer["data"]["existed"] is True
        assert f"{ours}: the widget exists already, and stays as it is" in answer["warnings"]
