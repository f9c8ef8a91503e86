"""Editing while somebody else writes, and in another scope: only what a person changed is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TextArea

from sftui.screens.editor import EditScreen
from sftui.screens.review import ReviewScreen
from sftui.widgets.prompt import Prompt
from tests.app.driving import Driver, opened
from tests.app.stores import Store, begin
from tests.app.test_editing import after, operations, settled, stand, stored, typed

HELD: dict[str, Any] = {
    "global": {"strategy": {"shell": {"shell": "zsh", "pager": "off", "editor": "vi"}}},
    "cwd": {
        "intents": {"migrate": {"goal": "g", "plan": {"$ref": "cwd.lazy.plan"}, "why": "w"}},
        "lazy": {"plan": "p", "todo": [{"done": False, "what": "same"}, {"done": False, "what": "same"}, "last"]},
    },
    "session": {"intents": {"migrate": {"log": "l", "next": {"a": 1, "b": 2}}}, "tactics": {"list": [1, 2]}},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), HELD, specification=None)


async def window(driver: Driver) -> TextArea:
    await driver.until(lambda: isinstance(driver.top(), EditScreen))
    return driver.app.screen.query_one(TextArea)


async def apply(driver: Driver) -> None:
    """Write the draft, as it is shown."""
    await driver.press("p")
    await driver.until(lambda: isinstance(driver.top(), ReviewScreen) and "apply" in driver.text)
    screen = driver.top()
    assert isinstance(screen, ReviewScreen)
    await driver.until(lambda: screen.page.is_current and screen.page.review is not None)
    await driver.press("enter")
    await driver.until(lambda: driver.app.drafting.count == 0)


# A structure of the session, put into cwd.


async def test_unchanged_text_stages_nothing_in_another_scope_either(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "intents", "migrate")
        await driver.press("e", "1")
        await window(driver)
        assert "edit cwd.intents.migrate · changes only · shown as session has it" in driver.text
        await driver.press("ctrl+o")
        await driver.until(lambda: "Nothing was changed" in driver.told)
        assert operations(driver) == []


async def test_only_what_was_changed_arrives_in_the_other_scope(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "intents", "migrate")
        await driver.press("e", "1")
        area = await window(driver)
        area.load_text('{"next": {"a": 1, "b": 3}, "owner": "me"}')
        await driver.press("ctrl+o")
        await settled(driver)
        # The log was taken out, but cwd has none.
        assert [(one.scope, one.path, one.value) for one in operations(driver)] == [
            ("cwd", ("intents", "migrate", "next", "b"), 3),
            ("cwd", ("intents", "migrate", "owner"), "me"),
        ]
        assert [step.note for step in driver.app.drafting.draft.steps] == ["edit of cwd.intents.migrate"] * 2
        await apply(driver)
        assert stored(store, "cwd")["intents"]["migrate"] == {
            **HELD["cwd"]["intents"]["migrate"],
            "next": {"b": 3},
            "owner": "me",
        }
        assert stored(store, "session") == HELD["session"]


async def test_an_element_of_the_sessions_array_has_no_counterpart_in_cwd(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "tactics", "list", 0)
        await driver.press("e")
        assert "in cwd" not in driver.text
        await driver.press("2")
        await typed(driver, "5")
        await settled(driver)
        assert after(driver, "session", "tactics", "list") == [5, 2]


# Somebody else writes meanwhile.


async def test_the_keys_that_another_writer_changed_meanwhile_stay(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "strategy", "shell", view="global")
        await driver.press("e")
        area = await window(driver)
        assert "changed underneath" not in driver.text
        await driver.next_picture(lambda: store.patch(global_={"strategy": {"shell": {"pager": "less"}}}))
        await driver.until(lambda: "changed underneath since" in driver.text)
        assert "edit global.strategy.shell" in driver.text
        area.load_text(area.text.replace('"editor"', '"x": 1,\n  "editor"'))
        await driver.press("ctrl+o")
        await settled(driver)
        assert [(one.path, one.value) for one in operations(driver)] == [(("strategy", "shell", "x"), 1)]
        assert driver.app.drafting.drift == ()
        await apply(driver)
        assert stored(store, "global")["strategy"]["shell"] == {
            "shell": "zsh",
            "pager": "less",
            "editor": "vi",
            "x": 1,
        }


async def test_the_same_key_changed_on_both_sides_is_asked_about(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "strategy", "shell", view="global")
        await driver.press("e")
        area = await window(driver)
        await driver.next_picture(lambda: store.patch(global_={"strategy": {"shell": {"pager": "less"}}}))
        area.load_text('{"shell": "zsh", "pager": "more", "editor": "ed"}')
        await driver.press("ctrl+o")
        await settled(driver)
        (found,) = driver.app.drafting.drift
        assert (found.path, found.before.value, found.now.value) == (("strategy", "shell", "pager"), "off", "less")


async def test_the_line_says_it_too(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "strategy", "shell", "pager", view="global")
        await driver.press("e")
        await driver.next_picture(lambda: store.patch(global_={"strategy": {"shell": {"editor": "ed"}}}))
        assert "changed underneath" not in driver.text
        await driver.next_picture(lambda: store.patch(global_={"strategy": {"shell": {"pager": "less"}}}))
        await driver.until(lambda: "global.strategy.shell.pager · changed underneath since" in driver.text)
        assert driver.app.screen.query_one(Prompt).has_focus


async def test_what_was_left_is_used_in_view_of_the_value_that_it_was_begun_on(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "strategy", "shell", view="global")
        await driver.press("e")
        area = await window(driver)
        area.load_text('{"shell": "fish", "pager": "off", "editor": "vi"}')
        await driver.press("escape")
        await driver.next_picture(lambda: store.patch(global_={"strategy": {"shell": {"pager": "less"}}}))
        await driver.press("e")
        await window(driver)
        assert "as you left it" in driver.text
        await driver.press("ctrl+o")
        await settled(driver)
        # The pager stands in the text as it was: that is not an edit of it.
        assert [(one.path, one.value) for one in operations(driver)] == [(("strategy", "shell", "shell"), "fish")]


# Elements, while their array shifts. The neighbour holds the very same.

SHIFTS: dict[str, Any] = {
    "the one before it goes": lambda todo: todo[1:],
    "one comes before it": lambda todo: [{"done": False, "what": "same"}, *todo],
    "one is put over it by its index": None,
}


def shift(store: Store, how: str) -> None:
    if SHIFTS[how] is None:
        store.patch(cwd={"lazy": {"todo": {"[1]": {"done": True}}}})
    else:
        store.patch(cwd={"lazy": {"todo": SHIFTS[how](HELD["cwd"]["lazy"]["todo"])}})


async def is_asked_before_anything_is_written(driver: Driver, store: Store) -> None:
    """The review shows the array before, theirs and mine, and `enter` writes nothing."""
    await driver.until(lambda: bool(driver.app.drafting.drift))
    now = stored(store, "cwd")
    await driver.press("p")
    screen = driver.top()
    assert isinstance(screen, ReviewScreen)
    await driver.until(lambda: bool(screen.page.conflicts) and screen.page.is_current)
    assert {one.where for one in screen.page.conflicts} == {"cwd.lazy.todo"}
    assert "cwd.lazy.todo  changed under step 1" in driver.text
    assert "theirs" in driver.text
    await driver.press("enter")
    await driver.pilot.pause(0.2)
    assert stored(store, "cwd") == now
    assert driver.app.drafting.count > 0


@pytest.mark.parametrize("how", SHIFTS)
@pytest.mark.parametrize("act", ["edit", "member", "delete"])
async def test_a_staged_edit_of_an_element_never_hits_its_neighbour_unseen(store: Store, how: str, act: str) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "lazy", "todo", 0, view="cwd")
        if act == "delete":
            await driver.press("d")
        elif act == "edit":
            await driver.press("e")
            (await window(driver)).load_text('"mine"')
            await driver.press("ctrl+o")
        else:
            driver.tree.reveal(("lazy", "todo", 0, "done"))
            await driver.pilot.pause()
            await driver.press("e")
            await typed(driver, "true")
        await settled(driver)
        assert len(operations(driver)) == 1
        await driver.next_picture(lambda: shift(store, how))
        await is_asked_before_anything_is_written(driver, store)


@pytest.mark.parametrize("how", ["the one before it goes", "one comes before it"])
@pytest.mark.parametrize("index", [0, 1])
async def test_nor_does_one_that_is_begun_before_the_array_shifts_and_its_text_stays(
    store: Store, how: str, index: int
) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "lazy", "todo", index, view="cwd")
        await driver.press("e")
        area = await window(driver)
        await driver.next_picture(lambda: shift(store, how))
        area.load_text('{"done": true}')
        await driver.press("ctrl+o")
        # Two held the same: which of them is left cannot be told.
        await driver.until(lambda: "is another element by now: nothing was staged" in driver.text)
        assert area.text == '{"done": true}'
        assert operations(driver) == []


async def test_the_undo_of_an_array_is_not_ticked_once_it_has_shifted_and_asks_where_it_shifts_later(
    store: Store,
) -> None:
    store.patch(cwd={"lazy": {"todo": {"[1]": {"done": True}}}})
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "lazy", "todo", view="cwd")
        await driver.press("u")
        await driver.until(lambda: driver.app.drafting.count == 1)
        await settled(driver)
        assert after(driver, "cwd", "lazy", "todo") == HELD["cwd"]["lazy"]["todo"]
        await driver.next_picture(lambda: store.patch(cwd={"lazy": {"todo": [{"done": True, "what": "same"}, "last"]}}))
        await is_asked_before_anything_is_written(driver, store)


async def test_two_deletions_in_one_array_are_one_change_of_it(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "tactics", "list", 0, view="session")
        await driver.press("d", "2")
        await settled(driver)
        await driver.press("j", "d")
        await settled(driver)
        # One step of the whole array: neither of the two can be left out and leave the other another element.
        (both,) = operations(driver)
        assert (both.path, both.before.value) == (("tactics", "list"), [1, 2])
        assert not after(driver, "session", "tactics", "list")
