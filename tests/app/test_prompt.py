"""What is typed is seen, and stays what is typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.store.layout import LOCK_NAME
from sftui.screens.palette import ActionList
from sftui.screens.value import ValueScreen
from sftui.widgets.bars import NoticeBar
from sftui.widgets.prompt import Prompt
from tests.app.driving import SIZES, opened
from tests.app.stores import MEMORY, Store, begin, write


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("key", "purpose"), [("apostrophe", "jump"), ("slash", "filter")])
async def test_a_line_that_is_typed_can_be_seen(store: Store, size: tuple[int, int], key: str, purpose: str) -> None:
    async with opened(store, size) as driver:
        await driver.press("2", key, *"tactics.st")
        lines = driver.text.splitlines()
        assert lines[-2].strip() == "tactics.st"
        assert lines[-1].split()[0] == purpose
        assert "esc cancel" in lines[-1]
        await driver.press("tab", *"q2")
        assert driver.top() is driver.memory
        assert driver.app.screen.query_one(Prompt).value == "tactics.stq2"
        await driver.press("escape")
        assert "? help" in driver.text.splitlines()[-1]


async def test_keys_for_a_screen_that_is_just_opening_reach_it(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        await driver.press("2", "1")
        await driver.pilot.press("2", "apostrophe", *"tactics.store", "enter")
        await driver.until(lambda: driver.at() == ("tactics", "store"))


async def test_a_click_elsewhere_ends_the_line(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("slash", *"e2e")
        await driver.pilot.click("#tree", offset=(10, 0))
        await driver.until(lambda: not driver.app.screen.query_one(Prompt).display)
        assert driver.memory.filter_text == "e2e"


async def test_a_filter_that_keeps_nothing_says_so_and_goes_on_saying_so(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("slash", *"nowhere")
        await driver.until(lambda: "no row holds this text" in driver.text)
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        assert "no row holds this text" in driver.text
        assert "nothing is remembered" not in driver.text


# The palette.


async def test_the_palette_lists_what_can_be_done_here(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("colon")
        found = driver.app.screen.query_one(ActionList)
        ready = {name for name in found.keys if not found.offers[name].reason}
        assert {"app.watch", "app.quit", "memory.copy-value", "tree.fold", "list.last"} <= ready
        assert not {"app.memory", "memory.clear", "memory.back"} & ready
        assert not {"watch.follow", "value.find"} & set(found.keys)
        await driver.press("escape")
        driver.app.push_screen(ValueScreen("effective", ("tactics", "store"), "half moved"))
        await driver.pilot.pause()
        await driver.press("colon")
        listed = driver.app.screen.query_one(ActionList).keys
        assert {"app.quit", "value.find", "value.close"} <= set(listed)
        assert not [name for name in listed if name.startswith(("memory.", "tree.", "watch."))]
        await driver.press(*"close", "enter")
        await driver.until(lambda: driver.top() is driver.memory)


async def test_the_palette_does_what_it_lists_whatever_has_the_focus(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        driver.memory.query_one("#side").focus()
        await driver.press("colon", *"to the last line", "enter")
        await driver.until(lambda: driver.tree.cursor == len(driver.tree.keys) - 1)


# A lock.


@pytest.mark.parametrize("size", SIZES)
async def test_a_lock_moves_nothing_and_its_age_counts(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size) as driver:
        await driver.press("2")
        where = driver.tree.region
        write(store.root, LOCK_NAME, f"{os.getppid()}\n".encode())
        await driver.until(lambda: f"locked{',' if size[0] < 72 else ' by'} pid {os.getppid()} for" in driver.text)
        assert driver.tree.region == where
        assert not driver.app.screen.query_one(NoticeBar).display
        await driver.until(lambda: f"pid {os.getppid()} for 2 s" in driver.text)
        os.unlink(os.path.join(store.root, LOCK_NAME))
        await driver.until(lambda: "live" in driver.text.splitlines()[0])
        assert driver.tree.region == where


async def test_a_file_in_the_place_of_the_store_is_not_called_absent(store: Store) -> None:
    async with opened(store) as driver:
        os.rename(store.root, store.root + ".kept")
        write(os.path.dirname(store.root), "store", b"")
        await driver.until(lambda: "✖3" in driver.text)
        assert "absent" not in driver.text.splitlines()[0]
        assert "no store here" not in driver.text


@pytest.mark.parametrize("size", SIZES)
async def test_tabs_and_heat_are_there_once(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size) as driver:
        await driver.press("2")
        assert "[effective] │ global │ cwd │ session" in driver.text
        assert driver.text.count(" tok") - driver.text.count("B · ") <= 1
