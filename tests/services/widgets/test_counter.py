import asyncio

import httpx
import pytest
from msgspec.structs import replace

from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean, raw_names
from townsquare.problems import Invalid
from townsquare.services.widgets import keys
from townsquare.services.widgets.ids import Visitor
from townsquare.services.widgets.problems import BadTimezone, BadToken, BadUrl, WidgetNotFound, WrongToken
from townsquare.services.widgets.service import widget as widget_module
from townsquare.services.widgets.service.counter import CounterService
from townsquare.square import Square

URL, TOKEN = "https://example.com", "correct horse"
ID = "example-100680ad"


@pytest.fixture
def counter(square: Square) -> CounterService:
    return square.widgets.counter


def visitor(number: int = 1) -> Visitor:
    return Visitor(f"192.0.2.{number % 250}", f"browser {number}")


async def test_a_url_becomes_a_readable_id(counter: CounterService) -> None:
    assert (await counter.create(URL, TOKEN)).id == ID
    assert (await counter.create("https://user.github.io/a", TOKEN)).id == "user-0897e6ec"


async def test_creating_again_needs_the_same_token(counter: CounterService) -> None:
    first = await counter.create(URL, TOKEN)
    assert await counter.create(URL, TOKEN) == replace(first, existed=True)
    with pytest.raises(WrongToken):
        await counter.create(URL, "something else")


async def test_a_visitor_counts_once_a_day(counter: CounterService, clock: PinnedClock) -> None:
    await counter.create(URL, TOKEN)
    first = await counter.increment(ID, visitor())
    again = await counter.increment(ID, visitor())
    clock.move(days=1)
    next_day = await counter.increment(ID, visitor())
    assert (first.total, first.duplicate) == (1, False)
    assert (again.total, again.duplicate) == (1, True)
    assert (next_day.total, next_day.today, next_day.yesterday) == (2, 1, 1)


async def test_week_and_month_are_the_last_seven_and_thirty_days(
    counter: CounterService, clock: PinnedClock
) -> None:
    await counter.create(URL, TOKEN)
    for _ in range(40):
        await counter.increment(ID, visitor())
        clock.move(days=1)
    shown = await counter.get(ID)
    assert (shown.total, shown.today, shown.yesterday, shown.week, shown.month) == (40, 0, 1, 6, 29)


async def test_the_day_is_the_day_of_the_counters_time_zone(square: Square, clock: PinnedClock) -> None:
    clock.set("2026-03-14T14:59:00Z")  # 23:59 in Tokyo
    counter = square.widgets.counter
    await counter.create(URL, TOKEN, timezone="Asia/Tokyo")
    before = await counter.increment(ID, visitor())
    ttl = await square.store.call("PTTL", keys.counter_visitors(ID))
    clock.move(minutes=2)
    after = await counter.increment(ID, visitor())
    assert before.today == after.today == after.yesterday == 1
    assert 0 < ttl <= 60_000


async def test_keys_are_the_seeds(square: Square, clock: PinnedClock) -> None:
    counter, store = square.widgets.counter, square.store
    await counter.create(URL, TOKEN)
    await counter.increment(ID, visitor())
    names = await raw_names(store)
    layout = store.role_store(keys.counter(ID)).layout
    patterns = {key.text for name in names if (key := store.registry.parse(name, layout))}
    (visit,) = (text for text in patterns if ":visit:" in text)
    assert patterns == {
        "data:state",
        "secret",
        "url:counter:https%3A%2F%2Fexample.com",
        f"counter:{ID}",
        f"counter:{ID}:total",
        f"counter:{ID}:daily:2026-03-14",
        f"counter:{ID}:owner",
        "counters:ids",  # ours: for sums by prefix
        f"counter:{ID}:visitors",
        f"counter:{ID}:days",
        "counters:index",
        visit,
    } | {text for text in patterns if text.startswith("outbox:")}
    record = await store.get(keys.counter(ID))
    assert record is not None
    assert record.owner == await store.get(keys.COUNTER.owner(ID))
    assert str(record.owner).startswith("$argon2id$")
    assert (record.total_count, record.last_visit) == (1, "2026-03-14T15:09:26.535Z")
    assert await store.call("ZSCORE", keys.COUNTER.index(), ID) == clock.now_ms()
    visit_key = keys.counter_visit(ID, visit.rpartition(":")[2])
    assert await store.get(visit_key) == "2026-03-14T15:09:26.535Z"
    to_midnight = (8 * 3600 + 50 * 60 + 33) * 1000 + 465
    assert to_midnight - 5_000 < await store.call("PTTL", visit_key) <= to_midnight


async def test_another_url_with_the_same_digits_gets_an_id_of_its_own(
    square: Square, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_digest(url: str) -> str:
        return "100680ad" + ("1" if url.endswith("/other") else "2") * 56

    monkeypatch.setattr(widget_module, "digest_of", one_digest)
    monkeypatch.setattr(keys, "digest_of", one_digest)
    first = await square.widgets.counter.create("https://example.com/one", TOKEN)
    other = await square.widgets.counter.create("https://example.com/other", TOKEN)
    assert (first.id, other.id) == ("example-100680ad", "example-100680ad1")
    assert (await square.widgets.counter.get(other.id)).url == "https://example.com/other"
    for made in (first, other):
        await square.widgets.counter.delete(made.id, TOKEN)


async def test_the_owner_sets_the_total(counter: CounterService) -> None:
    await counter.create(URL, TOKEN)
    await counter.increment(ID, visitor())
    shown = await counter.set(ID, TOKEN, 1_000_000)
    assert (shown.total, shown.today) == (1_000_000, 1)
    assert (await counter.increment(ID, visitor(2))).total == 1_000_001


async def test_deleting_leaves_nothing(
    square: Square, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widget_module, "DELETE_CHUNK", 3)
    counter = square.widgets.counter
    await counter.create(URL, TOKEN)
    for number in range(10):
        await counter.increment(ID, visitor(number))
        clock.move(days=1)
    await counter.delete(ID, TOKEN)
    left = {name for name in await raw_names(square.store) if "example" in name}
    assert not left
    assert await square.store.call("ZCARD", keys.COUNTER.index()) == 0
    assert await square.jobs.list() == []
    with pytest.raises(WidgetNotFound):
        await counter.increment(ID, visitor())
    assert (await counter.create(URL, TOKEN)).total == 0


async def test_a_deletion_that_was_cut_off_is_finished_by_whoever_needs_the_url(
    square: Square, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widget_module, "DELETE_CHUNK", 3)
    counter = square.widgets.counter
    await counter.create(URL, TOKEN)
    for number in range(10):
        await counter.increment(ID, visitor(number))

    async def crash(id: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(square.jobs, "run", crash)
    with pytest.raises(KeyboardInterrupt):
        await counter.delete(ID, TOKEN)
    monkeypatch.undo()
    with pytest.raises(WidgetNotFound):
        await counter.get(ID)
    assert [job.kind for job in await square.jobs.list()] == ["widgets.delete_counter"]
    assert (await counter.create(URL, TOKEN)).total == 0
    assert await square.jobs.list() == []
    await assert_clean(square.store)


async def test_many_counters_are_read_at_once(counter: CounterService) -> None:
    await counter.create(URL, TOKEN)
    await counter.create("https://tokyo.example", TOKEN, timezone="Asia/Tokyo")
    ids = [ID, await counter.find("https://tokyo.example"), "nobody-00000000"]
    here, there, nowhere = await counter.get_many(ids)
    assert here is not None
    assert there is not None
    assert (here.url, there.url, nowhere) == (URL, "https://tokyo.example", None)


async def test_a_hundred_clients_at_once(square: Square) -> None:
    counter = square.widgets.counter
    await asyncio.gather(*(counter.create(URL, TOKEN) for _ in range(10)))
    await asyncio.gather(
        *(counter.increment(ID, visitor(number)) for number in range(100)),
        *(counter.increment(ID, visitor(7)) for _ in range(100)),
        *(counter.get(ID) for _ in range(50)),
    )
    shown = await counter.get(ID)
    assert (shown.total, shown.today) == (100, 100)
    await assert_clean(square.store)


async def test_creating_and_deleting_at_once_ends_in_one_or_the_other(square: Square) -> None:
    counter = square.widgets.counter

    async def churn(number: int) -> None:
        try:
            if number % 3 == 0:
                await counter.delete(ID, TOKEN)
            elif number % 3 == 1:
                await counter.create(URL, TOKEN)
            else:
                await counter.increment(ID, visitor(number))
        except (WidgetNotFound, WrongToken):
            pass

    await counter.create(URL, TOKEN)
    await asyncio.gather(*(churn(number) for number in range(60)))
    await assert_clean(square.store)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "ftp://example.com",
        "http://",
        "https://exa mple.com",
        "https://a\n.com",
        "http://[::1",
        "javascript:alert(1)",
        "https://e.com/" + "x" * 2048,
        "http://e.com:99999999",
    ],
)
async def test_a_url_that_is_none_is_refused(counter: CounterService, url: str) -> None:
    with pytest.raises(BadUrl):
        await counter.create(url, TOKEN)


@pytest.mark.parametrize(
    "url",
    [
        "https://例え.jp/日本",
        "http://127.0.0.1:8080",
        "http://[::1]/",
        "https://-.com",
        "HTTPS://EXAMPLE.COM/%7B%7D:{}",
    ],
)
async def test_an_unusual_url_works(counter: CounterService, url: str) -> None:
    made = await counter.create(url, TOKEN)
    assert (await counter.increment(made.id, visitor())).total == 1
    assert await counter.find(url) == made.id


@pytest.mark.parametrize("token", ["", "seven77", "x" * 65])
async def test_a_token_of_the_wrong_length_is_refused(counter: CounterService, token: str) -> None:
    with pytest.raises(BadToken):
        await counter.create(URL, token)


async def test_bad_values_change_nothing(square: Square) -> None:
    counter = square.widgets.counter
    await counter.create(URL, TOKEN)
    before = await counter.get(ID)
    for total in (-1, 10**13, 10**30):
        with pytest.raises(Invalid):
            await counter.set(ID, TOKEN, total)
    with pytest.raises(WrongToken):
        await counter.set(ID, "wrong token", 5)
    with pytest.raises(WrongToken):
        await counter.delete(ID, "wrong token")
    with pytest.raises(BadTimezone):
        await counter.create("https://other.example", TOKEN, timezone="../../etc/passwd")
    for id in ("", "nobody-00000000", "a:b-00000000", "{x}-00000000", "é-00000000", "x" * 5000):
        with pytest.raises(WidgetNotFound):
            await counter.increment(id, visitor())
    assert await counter.get(ID) == before


async def test_over_http_everything_works_by_url(http: httpx.AsyncClient) -> None:
    async def ask(**params: str | int) -> httpx.Response:
        return await http.get("/api/visit", params=params)

    made = (await ask(action="create", url=URL, token=TOKEN)).json()
    assert made["success"] is True
    assert made["data"]["id"] == ID
    counted = (await ask(action="increment", id=ID)).json()["data"]
    assert (counted["total"], counted["duplicate"], counted["lastVisit"]) == (
        1,
        False,
        "2026-03-14T15:09:26.535Z",
    )
    assert (await ask(action="display", id=ID, format="text", digits=6)).text == "000001"
    drawn = await ask(action="get", url=URL, format="image", theme="retro")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert "visits: 1" in drawn.text
    assert (await ask(action="set", id=ID, token=TOKEN, total=41)).json()["data"]["total"] == 41
    posted = await http.post("/widgets/visit", json={"action": "get", "id": ID})
    assert posted.json()["data"]["total"] == 41
    assert (await ask(action="delete", id=ID, token=TOKEN)).json()["data"] == {"id": ID, "deleted": True}


async def test_over_http_errors_have_the_old_shape(http: httpx.AsyncClient) -> None:
    missing = await http.get("/api/visit", params={"action": "get", "id": "nobody-00000000"})
    assert missing.status_code == 404
    assert missing.json() == {
        "success": False,
        "error": "There is no such widget",
        "code": "widget_not_found",
    }
    image = await http.get("/api/visit", params={"action": "get", "id": "nobody-00000000", "format": "image"})
    assert image.status_code == 200
    assert ">-<" in image.text
    unknown = await http.get("/api/visit", params={"action": "explode"})
    assert unknown.status_code == 400
