"""Cleaning many rows at once: all that a filter finds is marked, goes as one draft, and comes back as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Put, Remove, Transfer
from engine.store.snapshot import snapshot
from sftui import slices
from sftui.screens import marks as marking
from sftui.screens.review import ReviewScreen
from sftui.views.tree import MemorySource
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import Store, begin
from tests.app.test_editing import operations, settled, stand, typed

MEMORY: dict[str, Any] = {
    "cwd": {
        "intents": {"keep": {"why": "needed"}},
        "tactics": {"old plan": 1, "new plan": {"old step": 2, "step": "an old text"}, "rows": ["old", "new", "old"]},
        "lazy": {"a": {"deep": {"old": True}}, "b": 5},
    }
}


def made(tmp_path: Path, memory: dict[str, Any]) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), memory, specification=None)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return made(tmp_path, MEMORY)


async def filtered(driver: Driver, text: str) -> None:
    await driver.press("slash")
    await typed(driver, text)
    await driver.until(lambda: driver.memory.filter.kept is not None)


async def all_marked(driver: Driver, count: int) -> None:
    await driver.press("asterisk")
    await driver.until(lambda: driver.memory.marked == count)


def cwd(store: Store) -> Any:
    return snapshot(store.address).scopes["cwd"].stream.current  # type: ignore[union-attr]


@proves("memory.mark-all")
async def test_all_that_a_filter_finds_is_marked_also_below_closed_rows(store: Store) -> None:
    async with opened(store) as driver:
        await filtered(driver, "old")
        driver.tree.move_to_key(("lazy",))
        await driver.press("h")
        assert ("lazy", "a") not in driver.tree.keys
        await all_marked(driver, 6)
        # The matches, not what holds them; what is inside of a match is no match of its own.
        assert set(driver.memory.marks) == {
            ("tactics", "old plan"),
            ("tactics", "new plan", "old step"),
            ("tactics", "new plan", "step"),
            ("tactics", "rows", 0),
            ("tactics", "rows", 2),
            ("lazy", "a", "deep", "old"),
        }
        assert "6 marked" in driver.text
        await driver.press("d")
        assert {type(one) for one in operations(driver)} == {Remove, Put}
        assert driver.memory.marked == 0
        await settled(driver)
        await driver.press("p")
        await driver.until(lambda: isinstance(driver.top(), ReviewScreen) and "would change" not in driver.told)
        await driver.until(lambda: driver.app.drafting.preview is not None)
        await driver.press("enter")
        await driver.until(lambda: driver.app.drafting.draft.is_empty)
    assert cwd(store) == {
        "intents": {"keep": {"why": "needed"}},
        "tactics": {"rows": ["new"]},
        "lazy": {"b": 5},
    }


async def test_without_a_filter_the_rows_beside_this_one_are_marked(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "lazy", "b")
        await all_marked(driver, 2)
        assert driver.memory.marks == (("lazy", "a"), ("lazy", "b"))
        await driver.press("M")
        assert driver.memory.marked == 0
        await stand(driver, "tactics", "rows", 1)
        await all_marked(driver, 3)


async def test_what_the_draft_deletes_is_not_marked_again(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "old plan")
        await driver.press("d")
        await settled(driver)
        await filtered(driver, "plan")
        # It stays in its place, and is found there.
        assert ("tactics", "old plan") in driver.tree.keys
        await all_marked(driver, 1)
        assert driver.memory.marks == (("tactics", "new plan"),)


async def test_the_filter_finds_what_only_the_draft_adds(store: Store) -> None:
    async with opened(store) as driver:
        await filtered(driver, "fresh")
        assert driver.tree.keys == []
        driver.app.drafting.stage(
            Put("cwd", ("lazy", "fresh"), [1], driver.app.drafting.pre_image("cwd", ("lazy", "fresh")))
        )
        await driver.until(lambda: ("lazy", "fresh") in driver.tree.keys)
        assert "1 match" in driver.text
        driver.app.drafting.clear()
        await driver.until(lambda: driver.tree.keys == [])


async def test_a_row_that_a_person_closed_stays_closed_when_memory_moves(store: Store) -> None:
    async with opened(store) as driver:
        await filtered(driver, "old")
        driver.tree.move_to_key(("lazy",))
        await driver.press("h")
        await driver.next_picture(lambda: store.patch(cwd={"strategy": {"x": {"old": 1}}}))
        await driver.until(lambda: ("strategy", "x", "old") in driver.tree.keys)
        assert ("lazy", "a") not in driver.tree.keys


async def test_many_rows_are_one_draft_that_is_taken_back_as_one(tmp_path: Path) -> None:
    count = 1_000
    notes = {f"note{n}": {"text": f"n {n}"} for n in range(count)}
    store = made(tmp_path, {"cwd": {"tactics": {**notes, "kept": 1}}})
    async with opened(store) as driver:
        await filtered(driver, "note")
        await all_marked(driver, count)
        await driver.press("L")
        await driver.until(lambda: driver.app.drafting.count == count)
        assert all(isinstance(one, Transfer) and one.to_path[0] == "lazy" for one in operations(driver))
        await settled(driver)
        await driver.press("U")
        assert driver.app.drafting.count == 0
        await driver.press("ctrl+r")
        assert driver.app.drafting.count == count
        await settled(driver)
        await driver.press("p")
        await driver.until(lambda: isinstance(driver.top(), ReviewScreen))
        await driver.until(lambda: "enter" in driver.text or "apply" in driver.text)
        await driver.press("enter")
        await driver.until(lambda: driver.app.drafting.count == 0)
    # One patch, whole.
    assert cwd(store) == {"tactics": {"kept": 1}, "lazy": notes}
    assert snapshot(store.address).scopes["cwd"].stream.revision == 1  # type: ignore[union-attr]


async def test_a_hundred_thousand_matches_hold_up_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 100_000
    store = made(tmp_path, {"cwd": {"lazy": {"many": {f"k{n}": n for n in range(count)}, "two": {"k": 1, "k2": 2}}}})
    asked = [0]
    turns = [0]

    def counting(original: Callable[..., Any], count: list[int]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            count[0] += 1
            return original(*arguments)

        return call

    monkeypatch.setattr(slices, "_hand_over", counting(slices._hand_over, turns))
    async with opened(store) as driver:
        await filtered(driver, "k")
        turns[0] = 0
        await all_marked(driver, marking.MOST_MARKS)
        # The interface ran in between, and what is too much is said.
        assert turns[0] > 3
        assert "of 100,002 here: no more can be" in driver.told
        monkeypatch.setattr(MemorySource, "has", counting(MemorySource.has, asked))
        await driver.press("j", "k")
        assert asked[0] < 1_000, "only rows on the screen are asked for"
        # More than a person looks through are not changed at once.
        await driver.press("d")
        assert driver.app.drafting.count == 0
        assert "at most 10,000 are changed at once" in driver.told
        assert driver.memory.marked == marking.MOST_MARKS
        # Memory moves on: the marks are looked through beside, those that stand stay.
        monkeypatch.undo()
        await driver.next_picture(lambda: store.patch(cwd={"lazy": {"many": {"k1": None}}}))
        await driver.until(lambda: driver.memory.marked == marking.MOST_MARKS - 1)
