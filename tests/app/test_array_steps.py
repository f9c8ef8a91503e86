"""Steps that change one array: whatever is left out, dropped or changed elsewhere, no other element is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import PreImage, Put, Remove, Step
from engine.memory.gathering import in_arrays
from sftui.screens.review import ReviewScreen
from sftui.views.mine_or_theirs import keeping_mine
from tests.app.driving import Driver, opened
from tests.app.reviewing import worked_out
from tests.app.stores import Store, begin
from tests.app.test_editing import after, operations, said, settled, stand, stored, typed

ROW = ("tactics", "list")
LETTERS = list("abcdef")
BEFORE = PreImage(exists=True, value=LETTERS)
MEMORY: dict[str, Any] = {"cwd": {"tactics": {"list": LETTERS, "keep": 1}}, "session": {"tactics": {"own": 1}}}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


async def delete(driver: Driver, index: int) -> None:
    """Delete an element where it is shown."""
    await stand(driver, *ROW, index, view="cwd")
    await driver.press("d")
    await settled(driver)


async def edit(driver: Driver, index: int, text: str) -> None:
    await stand(driver, *ROW, index, view="cwd")
    await driver.press("e")
    await typed(driver, text)
    await settled(driver)


async def review(driver: Driver) -> None:
    await driver.press("p")
    await worked_out(driver)


async def apply(driver: Driver) -> None:
    await driver.press("enter")
    await driver.until(lambda: not isinstance(driver.top(), ReviewScreen))


def written(store: Store) -> Any:
    return stored(store, "cwd")["tactics"]["list"]


async def test_the_element_under_the_cursor_is_deleted_and_no_neighbour(store: Store) -> None:
    async with opened(store) as driver:
        await delete(driver, 1)
        await delete(driver, 2)
        assert operations(driver) == [Put("cwd", ROW, list("acef"), BEFORE)]
        assert after(driver, "cwd", *ROW) == list("acef")
        await review(driver)
        await apply(driver)
    assert written(store) == list("acef")


async def test_the_element_that_is_edited_is_the_one_that_is_shown(store: Store) -> None:
    async with opened(store) as driver:
        await delete(driver, 0)
        await edit(driver, 0, "bX")
        assert operations(driver) == [Put("cwd", ROW, ["bX", *"cdef"], BEFORE)]
        await review(driver)
        await apply(driver)
    assert written(store) == ["bX", *"cdef"]


@pytest.mark.parametrize("key", ["space", "x"])
@pytest.mark.parametrize("edited", [False, True])
async def test_a_step_left_out_leaves_every_element_alone(store: Store, key: str, edited: bool) -> None:
    async with opened(store) as driver:
        await delete(driver, 0)
        if edited:
            await edit(driver, 0, "bX")
        else:
            await delete(driver, 2)
        await stand(driver, "tactics", "keep", view="cwd")
        await driver.press("e")
        await typed(driver, "2")
        await settled(driver)
        await review(driver)
        screen = driver.top()
        assert isinstance(screen, ReviewScreen)
        screen.lines.go_to(("step", "0"))
        await driver.press(key)
        await worked_out(driver)
        await apply(driver)
    assert written(store) == LETTERS
    assert stored(store, "cwd")["tactics"]["keep"] == 2


async def test_marked_elements_go_as_one_step(store: Store) -> None:
    async with opened(store) as driver:
        for index in (1, 3, 4):
            await stand(driver, *ROW, index, view="cwd")
            await driver.press("space")
        await driver.press("d")
        await settled(driver)
        assert operations(driver) == [Put("cwd", ROW, list("acf"), BEFORE)]


async def test_a_change_of_another_process_is_a_conflict_before_anything_is_written(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await delete(driver, 1)
        await delete(driver, 2)
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"list": {"[3]": "theirs"}}}))
        await settled(driver)
        assert [(one.path, one.before) for one in driver.app.drafting.drift] == [(ROW, BEFORE)]
        await review(driver)
        await driver.press("enter")
        assert "Not applied" in said(driver)
    assert written(store) == ["a", "b", "c", "theirs", "e", "f"]


async def test_drafts_of_one_array_are_not_joined(store: Store) -> None:
    async with opened(store) as one:
        await delete(one, 1)
    async with opened(store, (120, 40)) as driver:
        await driver.until(lambda: len(driver.app.drafting.left) == 1)
        await delete(driver, 1)
        await driver.press("O")
        await driver.until(lambda: "Not joined" in driver.told)
        assert "both change cwd.tactics.list" in driver.told
        assert len(driver.app.drafting.left) == 1
        await review(driver)
        await apply(driver)
        assert written(store) == list("acdef")
        # The other one is there to be had, and sees that its array is another one.
        await driver.press("O")
        await driver.until(lambda: driver.app.drafting.count == 1)
        await settled(driver)
        assert [one.path for one in driver.app.drafting.drift] == [ROW]


async def test_keeping_mine_follows_the_element(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await delete(driver, 1)
        await review(driver)
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"list": ["NEW", *LETTERS]}}))
        await settled(driver)
        await worked_out(driver)
        assert 'list[2] "b" deleted' in driver.text
        await driver.press("m")
        await worked_out(driver)
        (step,) = operations(driver)
        assert (step.path, step.before.value) == ((*ROW, 2), "b")
        await apply(driver)
    assert written(store) == ["NEW", *"acdef"]


@pytest.mark.parametrize("theirs", [["NEW", *"acdef"], ["NEW", "b", *LETTERS], ["NEW"]])
async def test_keeping_mine_leaves_the_step_out_where_its_element_cannot_be_told(store: Store, theirs: Any) -> None:
    async with opened(store, (120, 40)) as driver:
        await delete(driver, 1)
        await review(driver)
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"list": theirs}}))
        await settled(driver)
        await worked_out(driver)
        assert "is not there any more, or not alone" in driver.text
        await driver.press("m")
        await driver.until(lambda: "the step is left out" in driver.told)
        assert [step.ticked for step in driver.app.drafting.draft.steps] == [False]
    assert written(store) == theirs


async def test_an_undo_over_an_own_edit_says_so(store: Store) -> None:
    store.patch(cwd={"tactics": {"list": ["new", *LETTERS]}})
    async with opened(store, (120, 40)) as driver:
        await delete(driver, 2)
        await driver.press("1", "g", "u")
        await driver.until(lambda: not any(worker.group == "undo" for worker in driver.app.workers))
        await settled(driver)
        (step,) = driver.app.drafting.draft.steps
        assert step.operation == Put("cwd", ROW, LETTERS, PreImage(exists=True, value=["new", *LETTERS]))
        assert "takes the place of the draft's cwd.tactics.list[2]" in step.note
        await review(driver)
        assert "takes the place of" in driver.text


async def test_of_two_steps_in_one_array_the_one_that_is_ticked_counts(store: Store) -> None:
    async with opened(store) as driver:
        await delete(driver, 1)
        driver.app.drafting.tick(0, False)
        await settled(driver)
        await delete(driver, 3)
        assert [(step.path, step.before.value) for step in operations(driver)] == [((*ROW, 1), "b"), ((*ROW, 3), "d")]
        driver.app.drafting.tick(0, True)
        await settled(driver)
        assert [step.ticked for step in driver.app.drafting.draft.steps] == [True, False]
        assert "step 2 is left out" in said(driver)
        assert after(driver, "cwd", *ROW) == list("acdef")


def test_a_step_that_was_kept_without_its_array_is_left_out() -> None:
    old = Step(Remove("cwd", (*ROW, 1), PreImage(exists=True, value="b")))
    now = PreImage(exists=True, value="a")
    assert not keeping_mine(old, "cwd", (*ROW, 1), now).ticked
    states: Any = {"cwd": {"tactics": {"list": LETTERS}}}
    known = Step(in_arrays(old.operation, states))
    kept = keeping_mine(known, "cwd", ROW, PreImage(exists=True, value=["x", *LETTERS]))
    assert kept.operation.path == (*ROW, 2)  # type: ignore[union-attr]
