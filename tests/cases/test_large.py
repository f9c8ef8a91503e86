"""Memory far larger than anybody means to keep: 200,000 keys in one object, and a text of 50 MB."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sftui.widgets.big_value import BigValue
from tests.app.driving import Driver, opened
from tests.app.stores import Store, begin

KEYS = 200_000
BLINK_SECONDS = 0.3
TEXT = "a line of what somebody kept\n" * 1_724_000 + "the needle\n"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    memory = {"cwd": {"lazy": {"many": {f"k{number:06d}": number for number in range(KEYS)}, "text": TEXT}}}
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), memory)


class Pulse:
    """Wants to be woken all the time, and notes for how long at most the interface worked without a pause.

    Processor time of its thread, so that a busy machine is not taken for a frozen window.
    """

    def __init__(self) -> None:
        self.longest = 0.0

    async def beat(self) -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.longest = max(self.longest, now - before)
            await asyncio.sleep(0.001)
            before = time.thread_time()


@asynccontextmanager
async def watched(store: Store) -> AsyncIterator[tuple[Driver, Pulse]]:
    """The app on a store, from before it has read it."""
    async with opened(store, (120, 40)) as driver:
        pulse = Pulse()
        beating = asyncio.create_task(pulse.beat())
        yield driver, pulse
        beating.cancel()


async def test_two_hundred_thousand_keys_open_scroll_and_are_searched(store: Store) -> None:
    async with watched(store) as (driver, pulse):
        await driver.app.action_memory()
        await driver.press("v", "v")
        driver.memory.go_to("cwd", ("lazy", "many"))
        await driver.until(lambda: driver.at() == ("lazy", "many"))
        await driver.press("l")
        await driver.until(lambda: len(driver.tree.keys) > KEYS)
        await driver.press("G")
        await driver.press("k", "k")
        assert driver.at() is not None
        await driver.press("g", "j", "j", "pagedown", "pagedown")
        await driver.press("slash")
        await driver.press(*"k199998")
        await driver.press("enter")
        await driver.until(lambda: ("lazy", "many", "k199998") in driver.tree.keys, 30)
        assert "k199997" not in driver.text
        await driver.press("escape")
        await driver.until(lambda: len(driver.tree.keys) > KEYS)
        assert pulse.longest < BLINK_SECONDS


async def test_fifty_megabytes_of_text_open_scroll_and_are_searched(store: Store) -> None:
    assert len(TEXT) > 49_990_000
    async with watched(store) as (driver, pulse):
        driver.app.open_value("cwd", ("lazy", "text"))
        await driver.until(lambda: isinstance(driver.app.focused, BigValue))
        value = driver.app.screen.query_one(BigValue)
        # There is something to read long before all of it is laid out.
        await driver.until(lambda: "a line of what somebody kept" in driver.text)
        await driver.press("pagedown", "j")
        await driver.until(lambda: value.pages.complete, 60)
        await driver.press("G")
        await driver.until(lambda: "the needle" in driver.text)
        await driver.press("g", "slash")
        await driver.press(*"the needle")
        await driver.press("enter")
        await driver.until(lambda: "found at line 1,724,001" in driver.text, 30)
        assert "the needle" in driver.text
        assert pulse.longest < BLINK_SECONDS
