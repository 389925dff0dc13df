"""The queue of an open connection."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from townsquare.web.mailbox import Mailbox


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def has_ended(waiting: Coroutine[Any, Any, Any]) -> bool:
    task = asyncio.create_task(waiting)
    await settle()
    if task.done():
        return True
    task.cancel()
    return False


async def test_items_come_in_order_and_a_reader_waits_for_the_next() -> None:
    mailbox: Mailbox[int] = Mailbox()
    reading = asyncio.create_task(mailbox.get())
    await settle()
    for item in range(3):
        mailbox.put_nowait(item)
    assert [await reading, await mailbox.get(), await mailbox.get()] == [0, 1, 2]
    assert mailbox.empty()
    assert not await has_ended(mailbox.get())


async def test_a_writer_waits_for_space() -> None:
    mailbox: Mailbox[int] = Mailbox(2)
    for item in range(2):
        await mailbox.put(item)
    writing = asyncio.create_task(mailbox.put(2))
    await settle()
    assert not writing.done()
    assert await mailbox.get() == 0
    await writing
    assert [await mailbox.get(), await mailbox.get()] == [1, 2]


@pytest.mark.parametrize("limit", [0, 1])
async def test_nothing_is_lost_when_a_reader_gives_up(limit: int) -> None:
    mailbox: Mailbox[int] = Mailbox(limit)
    assert not await has_ended(mailbox.get())
    await mailbox.put(1)
    assert await mailbox.get() == 1
