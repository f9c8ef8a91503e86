"""Everything that keys do with a row, the mouse does too."""

from __future__ import annotations

from pathlib import Path

import pytest

from sftui.screens.value import ValueScreen
from sftui.widgets.bars import ViewTabs
from sftui.widgets.memory_tree import MemoryTree
from sftui.widgets.streams import ChangeStream
from sftui.widgets.virtual_tree import marker_column
from tests.app.driving import opened
from tests.app.stores import MEMORY, Store, begin


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "run the e2e suite"}})
    return made


async def test_a_click_selects_and_a_second_one_opens(store: Store) -> None:
    async with opened(store) as driver:
        row = driver.tree.keys.index(("tactics", "next"))
        await driver.pilot.click(MemoryTree, offset=(12, row))
        assert driver.at() == ("tactics", "next")
        await driver.pilot.click(MemoryTree, offset=(12, row), times=2)
        await driver.until(lambda: isinstance(driver.top(), ValueScreen))


async def test_a_click_on_the_marker_folds(store: Store) -> None:
    async with opened(store) as driver:
        row = driver.tree.keys.index(("lazy",))
        await driver.pilot.click(MemoryTree, offset=(marker_column(1), row))
        await driver.pilot.pause()
        assert ("lazy", "survey") in driver.tree.keys
        await driver.pilot.click(MemoryTree, offset=(marker_column(1), row))
        await driver.pilot.pause()
        assert ("lazy", "survey") not in driver.tree.keys


async def test_a_click_chooses_a_view(store: Store) -> None:
    async with opened(store) as driver:
        driver.app.screen.query_one(ViewTabs).render_line(0)
        start = driver.app.screen.query_one(ViewTabs)._places[2][0]
        await driver.pilot.click(ViewTabs, offset=(start, 0))
        await driver.pilot.pause()
        assert driver.view() == "cwd"


async def test_a_change_that_is_opened_leads_to_its_path(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        row = next(index for index, key in enumerate(driver.stream.keys) if key[1] == 1)
        await driver.pilot.click(ChangeStream, offset=(8, row), times=2)
        await driver.until(lambda: driver.top() is driver.memory)
        await driver.until(lambda: driver.at() == ("tactics", "next"))
        assert driver.view() == "session"
