"""What there is room for, and which part of memory one is led to."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import values
from engine.memory.draft import Put
from sftui.views.spans import plain
from sftui.views.tree import MemorySource
from sftui.widgets.bars import FooterBar
from sftui.widgets.scope_tree import ScopeTree
from tests.app.driving import SIZES, Driver, opened
from tests.app.stores import MEMORY, Store, begin

SENTENCE = "v2; v1 read-only until June"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(cwd={"strategy": {"api": SENTENCE}})
    return made


def focused(driver: Driver) -> str:
    found = driver.app.focused
    return "" if found is None else found.id or ""


@pytest.mark.parametrize("width", [80, 90, 99, 100, 101, 115, 119, 120, 121, 140, 200])
async def test_a_short_sentence_stands_whole_in_its_row_at_every_width(store: Store, width: int) -> None:
    async with opened(store, (width, 30)) as driver:
        await driver.press("2")
        await driver.until(lambda: f'"{SENTENCE}"' in driver.text)


@pytest.mark.parametrize(("width", "there"), [(100, False), (119, False), (120, True)])
async def test_the_scopes_stand_beside_the_tree_where_there_is_room_for_both(
    store: Store, width: int, there: bool
) -> None:
    async with opened(store, (width, 30)) as driver:
        await driver.press("2")
        assert driver.memory.query_one(ScopeTree).is_on_screen is there
        await driver.press("s")
        assert (driver.top() is driver.memory) is there, "where they do not, they open over it"


async def test_nothing_is_said_twice_after_a_window_has_become_wider(store: Store) -> None:
    async with opened(store, (80, 30)) as driver:
        await driver.press("2")
        await driver.until(lambda: "newest session" in driver.text)
        await driver.pilot.resize_terminal(200, 30)
        await driver.until(lambda: driver.text.count("newest") == 1 and driver.text.count("hot ") == 1)


async def test_choosing_global_memory_shows_it(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("2")
        driver.memory.set_view("cwd")
        driver.app.choose(("global",))
        await driver.until(lambda: driver.view() == "global")
        await driver.until(lambda: "style" in driver.text)
        await driver.press("v")
        assert driver.view() == "cwd", "and every view can still be looked at"


async def test_a_filter_that_finds_nothing_says_where_else_it_would(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("2")
        driver.memory.set_view("cwd")
        await driver.press("slash", *"conventional", "enter")
        await driver.until(lambda: "no row holds this text in cwd" in driver.text)
        assert "global.strategy.style.commits holds it" in driver.text
        await driver.press("escape", "slash", *"nowhere", "enter")
        await driver.until(lambda: "filter nowhere  0 matches" in driver.text)
        assert "no row holds this text in cwd" in driver.text and "holds it" not in driver.text


@pytest.mark.parametrize("size", SIZES)
async def test_tab_leads_from_the_tree_to_its_details_and_back(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size) as driver:
        for screen, lines in (("2", "tree"), ("3", "history"), ("4", "graph")):
            await driver.press(screen)
            await driver.until(lambda: focused(driver) != "")
            assert focused(driver) == lines
            await driver.press("tab")
            assert focused(driver) in {"side", "under"}
            await driver.press("shift+tab")
            assert focused(driver) == lines


async def test_what_belongs_to_no_intent_does_not_push_the_intents_away(store: Store) -> None:
    store.patch(
        cwd={
            "intents": {f"i{number:02}": {"goal": "go"} for number in range(30)},
            "lazy": {"loose": {"a": 1}},
        }
    )
    async with opened(store) as driver:
        driver.memory.go_to("cwd", ("lazy", "loose"))
        await driver.pilot.pause()
        await driver.press("4")
        await driver.until(lambda: "i00" in driver.text)
        await driver.pilot.pause(0.1)
        assert "i00" in driver.text
        await driver.press("less_than_sign")
        await driver.until(lambda: driver.at() == ("lazy", "loose"))


@pytest.mark.parametrize("key", ["question_mark", "colon", "s", "f2"])
async def test_under_a_window_no_keys_are_offered_that_do_something_else_now(store: Store, key: str) -> None:
    async with opened(store) as driver:
        await driver.press("2")

        def offered() -> str:
            return driver.memory.query_one(FooterBar).render_line(0).text

        assert "filter" in offered()
        await driver.press(key)
        assert driver.top() is not driver.memory
        assert offered().strip() == ""
        await driver.press("escape")
        await driver.until(lambda: "filter" in offered())


async def test_a_size_is_told_while_a_draft_is_in_it(store: Store) -> None:
    # Too many members for a size to be worked out where a row is painted.
    store.patch(cwd={"lazy": {"parts": {f"part{number:04}": {"n": [number]} for number in range(3_000)}}})
    async with opened(store) as driver:
        await driver.until(lambda: driver.app.picture.sizes.quick(driver.app.picture.states["cwd"]["lazy"]) is not None)
        drafting = driver.app.drafting
        drafting.stage(_put(driver))
        await driver.until(lambda: drafting.is_current and drafting.staging is not None)
        source = driver.memory.source(driver.app.picture)
        assert isinstance(source, MemorySource)
        there = source.value(("lazy",))
        assert source.describe(("lazy",)).size == len(values.encode(there))
        assert "kB" in plain(source.row(("lazy",), expanded=False, width=80)[1])


def _put(driver: Driver) -> Put:
    path = ("lazy", "parts", "part0000")
    return Put("cwd", path, "y", driver.app.drafting.pre_image("cwd", path))
