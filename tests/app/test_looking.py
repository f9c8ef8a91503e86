"""Since when nobody has looked: every screen counts the same."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sftui.times import minute
from sftui.views.watch import LOOKED
from tests.app.driving import Driver, opened
from tests.app.stores import MEMORY, Store, begin


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "run the e2e suite"}})
    return made


def above_divider(driver: Driver) -> int:
    keys = driver.stream.keys
    return len({key[0] for key in keys[: keys.index(LOOKED)]})


async def test_memory_and_watch_count_the_same(store: Store) -> None:
    async with opened(store, (80, 24)) as driver:
        for number in range(3):
            await driver.next_picture(lambda number=number: store.patch(session={"tactics": {"n": number}}))  # type: ignore[misc]
        assert "3 new since" in driver.text
        await driver.press("1")
        await driver.until(lambda: "3 new since" in driver.text)
        assert above_divider(driver) == 3
        await driver.press("2")
        assert "new since" not in driver.text, "they have been looked at on the other screen"
        await driver.next_picture(lambda: store.patch(session={"tactics": {"n": 9}}))
        assert "1 new since" in driver.text
        await driver.press("1")
        await driver.until(lambda: "1 new since" in driver.text)
        assert above_divider(driver) == 1


async def test_the_divider_and_the_count_name_the_same_time(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"n": 1}}))
        await driver.until(lambda: "1 new since" in driver.text)
        since = driver.text.split("1 new since ")[1][:5]
        assert f"you looked here {since}" in driver.text


async def test_what_waited_while_the_view_was_held_is_counted_from_when_it_came(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = [0.0]
    for module in ("sftui.screens.watch", "sftui.app", "sftui.widgets.streams"):
        monkeypatch.setattr(f"{module}.time", lambda: time.time() + later[0])
    async with opened(store, (50, 30)) as driver:
        await driver.press("f")
        await driver.next_picture(lambda: store.patch(session={"tactics": {"n": 1}}))
        came = driver.app.picture.log[0].seen
        assert came is not None
        await driver.until(lambda: "1 waiting" in driver.text and "held since" in driver.text)
        later[0] = 300.0
        await driver.press("j", "2")
        await driver.until(lambda: f"1 new since {minute(driver.app.looking.at)}" in driver.text)
        assert driver.app.looking.at <= came, "the change came before somebody was here again, and was not shown then"
        await driver.press("1")
        await driver.next_picture(lambda: store.patch(session={"tactics": {"n": 2}}))
        await driver.press("f")
        await driver.until(lambda: f"2 new since {minute(driver.app.looking.at)}" in driver.text)
        assert driver.app.looking.at <= came


async def test_the_time_of_an_entry_stays_in_sight_with_the_cursor(store: Store) -> None:
    for number in range(7):
        store.patch(session={"tactics": {f"k{number}-{line}": line for line in range(8)}})
    async with opened(store, (50, 30)) as driver:
        stream = driver.stream
        await driver.press("G")
        for _ in range(len(stream.keys)):
            await driver.press("k")
            key = stream.cursor_key
            assert key is not None
            assert stream.keys.index((key[0], 0)) >= stream.scroll_offset.y
