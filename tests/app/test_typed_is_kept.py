"""What was typed is kept until it is staged: whatever memory becomes meanwhile, and whatever way it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Operation, Raw
from sftui import external
from sftui.external import Edited
from sftui.screens.choice import ChoiceScreen
from sftui.screens.editor import EditScreen
from sftui.widgets.prompt import Prompt
from tests.app.driving import Driver, opened
from tests.app.reviewing import put, reviewed, screen_of, worked_out
from tests.app.stores import Store, begin
from tests.app.test_editing import after, operations, said, settled, stand, typed

LIST = ["a", "b", "c"]
HELD: dict[str, Any] = {"cwd": {"tactics": {"list": LIST, "card": "x", "rows": [{"n": 1}, {"n": 2}]}}}
ROW = ("tactics", "list", 1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), HELD, specification=None)


def line(driver: Driver) -> Prompt:
    return driver.app.screen.query_one(Prompt)


async def becomes(driver: Driver, store: Store, *items: Any, key: str = "list") -> None:
    await driver.next_picture(lambda: store.patch(cwd={"tactics": {key: list(items)}}))
    await settled(driver)


def listed(driver: Driver) -> Any:
    return after(driver, "cwd", "tactics", "list")


async def test_what_is_typed_on_a_line_follows_its_element(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, *ROW, view="cwd")
        await driver.press("e")
        await becomes(driver, store, "new", *LIST)
        await typed(driver, "mine")
        await settled(driver)
        assert listed(driver) == ["new", "a", "mine", "c"]
        assert driver.app.drafting.drift == ()
        assert "cwd.tactics.list[2] by now" in said(driver)


async def test_what_is_typed_for_an_element_that_is_gone_comes_back(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, *ROW, view="cwd")
        await driver.press("e")
        await becomes(driver, store, "a", "c")
        await typed(driver, "a long text")
        await driver.until(lambda: "is another element by now" in said(driver))
        assert operations(driver) == []
        await stand(driver, *ROW, view="cwd")
        await driver.press("e")
        assert line(driver).value == "a long text"
        await driver.press("enter")
        await settled(driver)
        assert listed(driver) == ["a", "a long text"]


async def test_a_line_that_is_left_comes_back_once(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "card", view="cwd")
        await driver.press("e", "y", "escape")
        await driver.press("e")
        assert line(driver).value == "xy"
        assert "as you left it" in driver.text
        await driver.press("escape", "e")
        assert line(driver).value == "x"


async def test_a_new_element_goes_to_the_end_that_there_is_by_then(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "list", view="cwd")
        await driver.press("l", "n")
        await becomes(driver, store, "new", *LIST, "more")
        await typed(driver, "mine")
        await settled(driver)
        assert listed(driver) == ["new", "a", "b", "c", "more", "mine"]
        assert driver.app.drafting.drift == ()


async def test_a_new_element_of_what_is_no_array_any_more_is_kept(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "list", view="cwd")
        await driver.press("l", "n")
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"list": "none"}}))
        await typed(driver, "mine")
        await driver.until(lambda: "is another array by now" in said(driver))
        assert operations(driver) == []
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"list": ["back"]}}))
        await settled(driver)
        await stand(driver, "tactics", "list", 0, view="cwd")
        await driver.press("n")
        assert line(driver).value == "mine"


async def test_a_window_follows_its_element_and_keeps_the_text_where_that_is_gone(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "rows", 1, view="cwd")
        await driver.press("e")
        await driver.until(lambda: isinstance(driver.top(), EditScreen))
        screen = driver.app.screen
        assert isinstance(screen, EditScreen)
        screen.area.load_text('{"n": 22}')
        await becomes(driver, store, {"n": 0}, {"n": 1}, {"n": 2}, key="rows")
        await driver.press("ctrl+o")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "rows") == [{"n": 0}, {"n": 1}, {"n": 22}]


@pytest.mark.parametrize(
    ("now", "then"), [(["new", *LIST], ["new", "a", "outside", "c"]), (["a", "c"], None), (LIST, ["a", "outside", "c"])]
)
async def test_an_editor_follows_its_element_though_nothing_was_shown_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch, now: list[str], then: list[str] | None
) -> None:
    def edited(*_: object) -> Edited:
        # The app stands still: what others write now it does not hear of.
        store.patch(cwd={"tactics": {"list": now, "other": 1}})
        return Edited("outside")

    monkeypatch.setattr(external, "edit_outside", edited)
    async with opened(store) as driver:
        await stand(driver, *ROW, view="cwd")
        await driver.press("E")
        if then is not None:
            await driver.until(lambda: driver.app.drafting.count == 1)
            await settled(driver)
            assert listed(driver) == then
            return
        await driver.until(lambda: isinstance(driver.top(), EditScreen) and "another element by now" in driver.text)
        assert operations(driver) == []
        screen = driver.app.screen
        assert isinstance(screen, EditScreen)
        assert screen.area.text == "outside"
        await driver.press("escape")
        await stand(driver, *ROW, view="cwd")
        await driver.press("e")
        assert line(driver).value == "outside"


async def test_a_path_that_was_typed_is_kept_where_the_question_behind_it_is_left(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "card")
        await driver.press("n")
        await typed(driver, "tactics.a-long-name")
        assert isinstance(driver.top(), ChoiceScreen)
        await driver.press("escape", "n")
        assert line(driver).value == "tactics.a-long-name"


# A step, from the review.


async def test_what_was_written_for_a_step_and_left_comes_back(store: Store) -> None:
    async with reviewed(store, put("cwd", "tactics", "card", value="y")) as driver:
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("e", *"es", "escape")
        screen_of(driver)
        # Another review of the same draft.
        await driver.press("escape", "p")
        await worked_out(driver)
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("e")
        window = driver.app.screen
        assert isinstance(window, EditScreen)
        assert sorted(window.area.text) == sorted("yes")
        await driver.press("ctrl+o")
        assert sorted(operations(driver)[0].value) == sorted("yes")


async def test_a_long_patch_that_does_not_read_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    value = "v" * 120_000
    patch: dict[str, Any] = {"cwd": {"tactics": {"card": value}}}
    given: list[str] = []
    answers = ["{ broken " + value, '{"cwd": {"tactics": {"card": "short"}}}']

    def edited(_: object, title: str, text: str, suffix: str) -> Edited:
        given.append(text)
        return Edited(answers[len(given) - 1])

    monkeypatch.setattr(external, "edit_outside", edited)

    def make(driver: Driver) -> list[Operation]:
        place = ("tactics", "card")
        return [Raw(patch, (("cwd", place, driver.app.drafting.pre_image("cwd", place)),))]

    async with reviewed(store, make) as driver:
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("e")
        await driver.until(lambda: isinstance(driver.top(), ChoiceScreen))
        await driver.press("2")
        screen_of(driver)
        await driver.press("e")
        await driver.until(lambda: len(given) == 2)
        assert given[1] == answers[0]
        await driver.until(lambda: operations(driver)[0].patch == {"cwd": {"tactics": {"card": "short"}}})
