"""Changing memory from its tree: each key puts exactly what was meant into the draft, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TextArea

from engine.memory.draft import Put, Remove, Transfer
from engine.memory.scope import Scope
from engine.store.snapshot import snapshot
from engine.values import get
from sftui.screens.choice import ChoiceScreen
from sftui.screens.editor import EditScreen
from sftui.views.kinds import Path as Row
from sftui.views.spans import plain
from sftui.widgets.memory_tree import MemoryTree
from sftui.widgets.prompt import Prompt
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import MEMORY, Store, begin


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


async def stand(driver: Driver, *row: str | int, view: str = "effective") -> None:
    """Put the cursor on a row of a view."""
    while driver.view() != view:
        await driver.press("v")
    assert driver.tree.reveal(row)
    await driver.pilot.pause()


async def settled(driver: Driver) -> None:
    """Wait until what the draft would do has been worked out and is shown."""
    await driver.until(lambda: driver.app.drafting.is_current)
    await driver.pilot.pause()


async def typed(driver: Driver, text: str) -> None:
    """Type a line in the place of what stands there, and use it."""
    prompt = driver.app.screen.query_one(Prompt)
    assert prompt.has_focus
    prompt.value = text
    await driver.press("enter")


def operations(driver: Driver) -> list[Any]:
    return [step.operation for step in driver.app.drafting.draft.steps]


def sign(driver: Driver, *row: str | int) -> str:
    left, _ = driver.tree.line_spans(row, 80)
    return left[0][0]


def line(driver: Driver, row: Row) -> str:
    """What a row says, at 80 cells."""
    left, right = driver.tree.line_spans(row, 80)
    return plain(left) + plain(right)


def marked(driver: Driver) -> list[Row]:
    return list(driver.memory.marks)


def after(driver: Driver, scope: Scope, *path: str | int) -> Any:
    """What the draft leaves at a path."""
    staging = driver.app.drafting.staging
    assert staging is not None
    return get(staging.picture.states[scope], path, None)


def stored(store: Store, scope: Scope) -> Any:
    stream = snapshot(store.address).scopes[scope].stream
    assert stream is not None
    return stream.current


def said(driver: Driver) -> str:
    return "\n".join(str(message.message) for message in driver.app._notifications)


# A value on its line.


@proves("memory.edit")
async def test_a_plain_value_is_edited_on_a_line(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store")
        await driver.press("e")
        assert driver.app.screen.query_one(Prompt).value == "half moved"
        assert "edit cwd.tactics.store" in driver.text
        await driver.press("end", *", almost", "enter")
        await settled(driver)
        (put,) = operations(driver)
        assert (put.scope, put.path, put.value) == ("cwd", ("tactics", "store"), "half moved, almost")
        assert put.before.value == "half moved"
        assert sign(driver, "tactics", "store") == "~"
        assert '"half moved, a' in driver.text
        assert driver.at() == ("tactics", "store")
        assert stored(store, "cwd") == MEMORY["cwd"]


async def test_what_does_not_read_is_asked_again_at_its_place(store: Store) -> None:
    store.patch(cwd={"tactics": {"count": 3}})
    async with opened(store) as driver:
        await stand(driver, "tactics", "count")
        await driver.press("e")
        await typed(driver, "12 and")
        await driver.until(lambda: "column 4" in said(driver))
        prompt = driver.app.screen.query_one(Prompt)
        assert (prompt.display, prompt.value, prompt.cursor_position) == (True, "12 and", 3)
        await typed(driver, "12")
        await settled(driver)
        assert operations(driver) == [
            Put("cwd", ("tactics", "count"), 12, driver.app.drafting.pre_image("cwd", ("tactics", "count")))
        ]


@pytest.mark.parametrize("text", ["NaN", "1e999", "-Infinity", "null"])
async def test_what_cannot_be_stored_never_gets_into_the_draft(store: Store, text: str) -> None:
    store.patch(cwd={"tactics": {"count": 3}})
    async with opened(store) as driver:
        await stand(driver, "tactics", "count")
        await driver.press("e")
        await typed(driver, text)
        assert driver.app.screen.query_one(Prompt).display
        await driver.press("escape")
        assert operations(driver) == []


async def test_the_same_value_is_no_edit(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store")
        await driver.press("e", "enter")
        await driver.until(lambda: "Nothing was changed" in said(driver))
        assert operations(driver) == []


async def test_a_line_that_is_left_by_a_click_is_not_lost(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store")
        await driver.press("e", *" half typed")
        await driver.pilot.click(MemoryTree, offset=(12, 0))
        await driver.until(lambda: not driver.app.screen.query_one(Prompt).display)
        assert operations(driver) == []
        await stand(driver, "tactics", "store")
        await driver.press("e")
        assert driver.app.screen.query_one(Prompt).value == "half moved half typed"
        await driver.press("escape", "e")
        assert driver.app.screen.query_one(Prompt).value == "half moved"


# A value in a window.


async def test_a_structure_is_edited_in_a_window(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", view="cwd")
        await driver.press("e")
        await driver.until(lambda: isinstance(driver.top(), EditScreen))
        area = driver.app.screen.query_one(TextArea)
        assert area.text == '[\n  "lint",\n  "types",\n  "tests"\n]'
        area.load_text('[\n  "lint",\n  "types" "tests"\n]')
        await driver.press("ctrl+o")
        assert isinstance(driver.top(), EditScreen)
        assert "line 3, column 11" in driver.text
        assert area.cursor_location == (2, 10)
        area.load_text('["lint", "tests"]')
        await driver.press("ctrl+o")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["lint", "tests"]
        assert sign(driver, "tactics", "checks") == "~"


@proves("edit.submit", "edit.close")
async def test_what_was_written_and_left_comes_back(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", view="cwd")
        await driver.press("e")
        await driver.press("home", "tab", "escape")
        assert operations(driver) == []
        await driver.press("e")
        area = driver.app.screen.query_one(TextArea)
        assert area.text.startswith("  [\n")
        area.load_text('["left"]')
        await driver.press("ctrl+o")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["left"]
        await driver.press("e")
        assert driver.app.screen.query_one(TextArea).text == '[\n  "left"\n]'


async def test_a_text_of_several_lines_is_edited_as_text(store: Store) -> None:
    store.patch(cwd={"lazy": {"notes": "one\ntwo"}})
    async with opened(store) as driver:
        await stand(driver, "lazy", "notes")
        await driver.press("e")
        await driver.until(lambda: isinstance(driver.top(), EditScreen))
        await driver.press("down", "end", *"!", "ctrl+o")
        await settled(driver)
        assert after(driver, "cwd", "lazy", "notes") == "one\ntwo!"


# Whose value it is.


@proves("choice.take", "choice.close")
async def test_a_value_of_the_session_can_be_put_into_cwd_first_of_all(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "next")
        await driver.press("e")
        assert isinstance(driver.top(), ChoiceScreen)
        assert (
            "next publication fails once" in driver.text.replace("\n", " ") or "publication fails once" in driver.text
        )
        await driver.press("escape")
        assert operations(driver) == []
        await driver.press("e")
        first = next(line for line in driver.text.splitlines() if " 1  put it in cwd instead" in line)
        # It would change nothing of what shows, so it does not go by itself.
        assert "no effect" in first
        await driver.press("enter")
        assert isinstance(driver.top(), ChoiceScreen)
        assert "choose: 1 2 3" in driver.text
        await driver.press("j", "enter")
        await typed(driver, "run everything")
        await settled(driver)
        (put,) = operations(driver)
        assert (put.scope, put.path, put.value) == ("cwd", ("tactics", "next"), "run everything")
        assert not put.before.exists


async def test_it_is_written_to_the_session_only_when_that_is_chosen(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "next")
        await driver.press("e", "2")
        await typed(driver, "run everything")
        await settled(driver)
        (put,) = operations(driver)
        assert (put.scope, put.path) == ("session", ("tactics", "next"))
        assert sign(driver, "tactics", "next") == "~"


async def test_keys_pressed_at_once_reach_the_question(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "next")
        await driver.pilot.press("e", "2", *"x", "enter")
        await settled(driver)
        (put,) = operations(driver)
        assert (put.scope, put.value) == ("session", "run the suitex")
        assert driver.top() is driver.memory


async def test_in_its_own_view_the_session_is_asked_about_once(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "next", view="session")
        await driver.press("e", "2")
        await typed(driver, "first")
        await settled(driver)
        await driver.press("e")
        assert driver.top() is driver.memory
        await typed(driver, "second")
        await settled(driver)
        assert [put.value for put in operations(driver)] == ["second"]


async def test_the_effective_view_edits_the_part_of_the_narrowest_scope(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "strategy")
        await driver.press("e")
        await driver.until(lambda: isinstance(driver.top(), EditScreen))
        screen = driver.app.screen
        assert isinstance(screen, EditScreen)
        assert "cwd.strategy" in driver.text
        assert screen.area.text == '{\n  "api": "v2 only"\n}'


async def test_the_answer_of_the_runtime_is_not_edited(store: Store) -> None:
    made = snapshot(store.address).scopes["session"].stream
    assert made is not None
    path = Path(store.address.scope_dir("session")) / "checkpoint.json"
    path.write_bytes(path.read_bytes().replace(b'{"intents"', b'{"response":"done","intents"'))
    async with opened(store) as driver:
        await stand(driver, "response", view="session")
        await driver.press("d")
        assert "belongs to the runtime" in said(driver)
        assert operations(driver) == []


# New keys.


@proves("memory.new")
async def test_a_new_key_is_put_beside_the_row(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("n", *"fresh", "enter")
        assert "value of cwd.tactics.fresh" in driver.text
        await driver.press(*"12", "enter")
        await settled(driver)
        await driver.until(lambda: driver.at() == ("tactics", "fresh"))
        (put,) = operations(driver)
        assert (put.scope, put.path, put.value) == ("cwd", ("tactics", "fresh"), 12)
        assert sign(driver, "tactics", "fresh") == "+"
        assert "draft adds it" in driver.text


async def test_a_text_that_looks_like_json_is_asked_for_in_quotes(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("n", *"fresh", "enter")
        await typed(driver, "[draft] foo")
        assert 'a text that begins so is typed in quotes: "[draft] foo"' in said(driver)
        await typed(driver, '"[draft] foo"')
        await settled(driver)
        # What was said of it is not so any more.
        assert said(driver) == ""
        assert after(driver, "cwd", "tactics", "fresh") == "[draft] foo"


async def test_in_the_effective_view_a_new_key_asks_for_its_scope_cwd_first(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics")
        await driver.press("n", *"fresh", "enter", "enter", *"some words", "enter")
        await settled(driver)
        (put,) = operations(driver)
        assert (put.scope, put.path, put.value) == ("cwd", ("tactics", "fresh"), "some words")


async def test_a_whole_path_says_the_scope_itself(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics")
        await driver.press("n")
        await typed(driver, 'global.strategy["odd key"].deep')
        await driver.press(*'["a"]', "enter")
        await settled(driver)
        (put,) = operations(driver)
        assert (put.scope, put.path, put.value) == ("global", ("strategy", "odd key", "deep"), ["a"])
        await driver.until(lambda: driver.at() == ("strategy", "odd key", "deep"))


async def test_a_new_element_goes_to_the_end_of_its_array(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 1, view="cwd")
        await driver.press("n", *"docs", "enter")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["lint", "types", "tests", "docs"]
        await driver.until(lambda: driver.at() == ("tactics", "checks", 3))
        assert sign(driver, "tactics", "checks", 3) == "+"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tactics", "a key below a plane is needed"),
        ("tactic.x", "no plane is named tactic"),
        ("response.x", "no plane is named response"),
        ("tactics..x", "this is not a path"),
    ],
)
async def test_a_path_that_leads_nowhere_is_asked_again(store: Store, text: str, told: str) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", view="cwd")
        await driver.press("n")
        await typed(driver, text)
        assert told in said(driver)
        assert driver.app.screen.query_one(Prompt).value == text


async def test_what_is_there_already_is_not_put_again(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", view="cwd")
        await driver.press("n")
        await typed(driver, "tactics.store")
        assert "cwd.tactics.store is there already" in said(driver)
        assert operations(driver) == []


async def test_where_nothing_is_remembered_yet_a_first_key_can_be_put(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    empty = Store(str(tmp_path / "store"), str(tmp_path / "app"), None)
    async with opened(empty) as driver:
        await driver.press("n", *"tactics.first", "enter", "enter", *"one", "enter")
        await settled(driver)
        await driver.until(lambda: driver.at() == ("tactics", "first"))
        assert sign(driver, "tactics", "first") == "+"
        await driver.press("e")
        await typed(driver, "two")
        await settled(driver)
        (put,) = operations(driver)
        assert (put.scope, put.path, put.value) == ("cwd", ("tactics", "first"), "two")


# Deleting.


@proves("memory.delete")
async def test_a_deleted_row_stays_in_its_place_with_what_goes_along(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "intents", "migrate")
        rows = list(driver.tree.keys)
        await driver.press("d")
        await settled(driver)
        (remove,) = operations(driver)
        assert isinstance(remove, Remove)
        assert (remove.scope, remove.path) == ("cwd", ("intents", "migrate"))
        assert remove.before.value == MEMORY["cwd"]["intents"]["migrate"]
        assert driver.tree.keys == rows
        assert sign(driver, "intents", "migrate") == "-"
        assert sign(driver, "tactics", "store") == "×"
        assert "goes with migrate" in line(driver, ("tactics", "store"))
        assert driver.at() == ("intents", "migrate")
        assert stored(store, "cwd") == MEMORY["cwd"]


async def test_what_a_cascade_takes_is_not_deleted_again(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "intents", "migrate")
        await driver.press("d")
        await settled(driver)
        await stand(driver, "tactics", "store")
        await driver.press("d")
        assert "It goes with intents.migrate" in said(driver)
        await driver.press("x")
        assert "that is the row to unstage" in said(driver)
        assert len(operations(driver)) == 1


async def test_a_deletion_in_the_session_is_asked_about_and_says_what_shows_then(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "tactics", "checks")
        await driver.press("d")
        assert isinstance(driver.top(), ChoiceScreen)
        assert "then cwd's [3] shows" in driver.text
        await driver.press("2")
        await settled(driver)
        (remove,) = operations(driver)
        assert (remove.scope, remove.path) == ("session", ("tactics", "checks"))
        assert sign(driver, "tactics", "checks") == "~"


async def test_the_harmless_answer_deletes_nothing_of_the_session(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "next")
        await driver.press("d", "1")
        assert operations(driver) == []
        await stand(driver, "tactics", "checks")
        await driver.press("d", "1")
        await settled(driver)
        (remove,) = operations(driver)
        assert (remove.scope, remove.path) == ("cwd", ("tactics", "checks"))


async def test_an_element_is_deleted_where_it_stands(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 0, view="cwd")
        await driver.press("d")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["types", "tests"]
        assert driver.at() == ("tactics", "checks", ~0)
        await driver.press("j", "d")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["tests"]
        below = [line(driver, key) for key in driver.tree.keys if key[:2] == ("tactics", "checks")]
        assert [line[0] for line in below] == ["~", "-", "-", " "]
        assert ['"lint"' in below[1], '"types"' in below[2], '"tests"' in below[3]] == [True] * 3


async def test_a_key_that_comes_too_early_never_means_the_neighbour(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 0, view="cwd")
        driver.memory.action_delete()
        driver.memory.action_delete()
        await driver.pilot.pause()
        assert "just being worked out" in said(driver)
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["types", "tests"]


# Renaming and moving.


@proves("memory.rename")
async def test_a_key_gets_another_name_and_references_follow(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("r")
        assert driver.app.screen.query_one(Prompt).value == "store"
        await typed(driver, "shop")
        assert isinstance(driver.top(), ChoiceScreen)
        assert "1 reference" in driver.text
        await driver.press("1")
        await settled(driver)
        (move,) = operations(driver)
        assert isinstance(move, Transfer)
        assert (move.path, move.to_path, move.rewrite) == (("tactics", "store"), ("tactics", "shop"), True)
        assert after(driver, "cwd", "intents", "migrate", "plan") == {"$ref": "cwd.tactics.shop"}
        await driver.until(lambda: driver.at() == ("tactics", "shop"))
        assert (sign(driver, "tactics", "store"), sign(driver, "tactics", "shop")) == ("-", "+")


async def test_references_can_be_left_as_they_are(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("r")
        await typed(driver, "shop")
        await driver.press("2")
        await settled(driver)
        assert after(driver, "cwd", "intents", "migrate", "plan") == {"$ref": "cwd.tactics.store"}


async def test_a_name_that_is_taken_is_asked_again(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("r")
        await typed(driver, "checks")
        assert "cwd.tactics.checks is there already" in said(driver)
        assert driver.app.screen.query_one(Prompt).value == "checks"


@proves("memory.move")
async def test_an_intent_takes_along_what_it_owns(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "intents", "migrate")
        await driver.press("m")
        assert "1  move to global" in driver.text
        await driver.press("1")
        assert "take along what it owns" in driver.text
        await driver.press("1")
        await settled(driver)
        (move,) = operations(driver)
        assert (move.scope, move.to_scope, move.to_path, move.keep, move.along) == (
            "cwd",
            "global",
            ("intents", "migrate"),
            False,
            True,
        )
        assert after(driver, "global", "tactics", "store") == "half moved"
        assert after(driver, "cwd", "tactics", "store") is None
        assert after(driver, "global", "intents", "migrate", "plan") == {"$ref": "global.tactics.store"}


async def test_from_a_session_the_cursor_begins_on_a_copy(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "tactics", "next")
        await driver.press("m")
        # The digits are those of any other row; the cursor stands where the session stays as it is.
        assert "1  move to global" in driver.text
        assert "5  copy to cwd" in driver.text
        await driver.press("enter")
        await settled(driver)
        (move,) = operations(driver)
        assert (move.scope, move.to_scope, move.keep) == ("session", "cwd", True)
        assert after(driver, "session", "tactics", "next") == "run the suite"


async def test_what_an_intent_shares_is_not_said_to_be_its_own(store: Store) -> None:
    store.patch(
        cwd={"tactics": {"both": "of two"}, "intents": {"migrate": {"also": {"$ref": "cwd.tactics.both"}}}},
    )
    store.patch(cwd={"intents": {"other": {"goal": "g", "see": {"$ref": "cwd.tactics.both"}}}})
    async with opened(store) as driver:
        await stand(driver, "intents", "migrate", view="cwd")
        await driver.press("m", "1")
        assert "│ owns tactics.store  " in driver.text
        assert "│ shares tactics.both, which stays as well: it is named by " in driver.text
        assert "│ intents.other, too  " in driver.text
        await driver.press("1")
        await settled(driver)
        assert after(driver, "global", "tactics", "store") == "half moved"
        assert after(driver, "cwd", "tactics", "store") is None
        assert after(driver, "global", "tactics", "both") == after(driver, "cwd", "tactics", "both") == "of two"


async def test_a_whole_path_behind_what_stands_there_is_that_path(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store")
        await driver.press("n")
        assert driver.app.screen.query_one(Prompt).value == "tactics."
        await driver.press(*"cwd.lazy.brk", "enter", *"x", "enter")
        await settled(driver)
        (made,) = operations(driver)
        assert (made.scope, made.path) == ("cwd", ("lazy", "brk"))


async def test_a_key_that_is_named_like_a_scope_can_be_put(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("n", *"cwd.other", "enter", *"x", "enter")
        await settled(driver)
        (made,) = operations(driver)
        assert (made.scope, made.path) == ("cwd", ("tactics", "cwd", "other"))


async def test_in_the_smallest_terminal_the_row_that_a_key_means_is_seen(store: Store) -> None:
    async with opened(store, (20, 5)) as driver:
        await driver.press("2")
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("d")
        await settled(driver)
        assert "draft 1" in driver.text
        assert "store" in driver.text
        await stand(driver, "strategy", "api", view="cwd")
        await driver.pilot.pause()
        assert "api" in driver.text


async def test_an_element_is_moved_to_a_path_of_its_own(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 1, view="cwd")
        await driver.press("m")
        assert driver.app.screen.query_one(Prompt).value == "cwd.tactics.checks[1]"
        await typed(driver, "cwd.lazy.check")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["lint", "tests"]
        assert after(driver, "cwd", "lazy", "check") == "types"


async def test_what_stands_in_the_way_of_a_move_stays(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "strategy", "api")
        await driver.press("m", "1")
        assert "Global.strategy.api is there already" in said(driver)
        assert operations(driver) == []


async def test_a_row_is_moved_to_any_path(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "strategy", "style", view="global")
        await driver.press("m")
        await driver.until(lambda: "move to another path" in driver.text)
        key = next(line.split("│")[-2].split()[0] for line in driver.text.splitlines() if "another path" in line)
        await driver.press(key)
        await typed(driver, "cwd.lazy.style.of")
        await settled(driver)
        assert after(driver, "cwd", "lazy", "style", "of") == {"commits": "conventional"}
        assert after(driver, "global", "strategy", "style") is None


@proves("memory.to-lazy")
async def test_a_row_goes_to_lazy_memory_of_its_scope(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "strategy", "style")
        await driver.press("L")
        await settled(driver)
        (move,) = operations(driver)
        assert (move.scope, move.to_scope, move.to_path) == ("global", "global", ("lazy", "style"))
        assert after(driver, "global", "lazy", "style") == {"commits": "conventional"}
        await stand(driver, "lazy", "survey")
        await driver.press("L")
        assert "Only keys below a plane in context" in said(driver)


# Marks.


@proves("memory.mark", "memory.unmark")
async def test_many_rows_are_deleted_at_once(store: Store) -> None:
    store.patch(cwd={"tactics": {"a": 1, "b": 2, "c": 3}})
    async with opened(store) as driver:
        await stand(driver, "tactics", "a", view="cwd")
        await driver.press("space", "space")
        assert marked(driver) == [("tactics", "a"), ("tactics", "b")]
        assert line(driver, ("tactics", "a"))[1] == "*"
        assert "2 marked" in driver.text
        await driver.press("M")
        assert marked(driver) == []
        await driver.press("k", "space", "space", "d")
        await settled(driver)
        assert [remove.path for remove in operations(driver)] == [("tactics", "b"), ("tactics", "c")]
        assert marked(driver) == []
        await driver.press("U")
        await settled(driver)
        assert operations(driver) == []


async def test_marked_elements_of_one_array_go_together(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 0, view="cwd")
        await driver.press("space", "j", "space", "d")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["types"]


async def test_marked_rows_of_all_scopes_are_asked_about_only_for_the_session(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await stand(driver, "tactics", "store")
        await driver.press("space", "space", "d")
        assert "delete 2 rows, 1 of them the session's" in driver.text
        await driver.press("1")
        await settled(driver)
        assert [(one.scope, one.path) for one in operations(driver)] == [("cwd", ("tactics", "store"))]


async def test_a_click_beside_a_row_marks_it(store: Store) -> None:
    async with opened(store) as driver:
        row = driver.tree.keys.index(("tactics", "store"))
        await driver.pilot.click(MemoryTree, offset=(0, row))
        await driver.pilot.pause()
        assert marked(driver) == [("tactics", "store")]
        await driver.pilot.click(MemoryTree, offset=(1, row))
        await driver.pilot.pause()
        assert marked(driver) == []


# Taking back.


@proves("memory.unstage")
async def test_a_row_is_unstaged_where_it_stands(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "intents", "migrate")
        await driver.press("d")
        await settled(driver)
        await stand(driver, "strategy", "api")
        await driver.press("e")
        await typed(driver, "v3")
        await settled(driver)
        await stand(driver, "intents", "migrate")
        await driver.press("x")
        await settled(driver)
        assert [one.path for one in operations(driver)] == [("strategy", "api")]
        assert sign(driver, "intents", "migrate") == " "
        await driver.press("x")
        assert "does not change this row" in said(driver)


async def test_edits_of_one_array_are_unstaged_together(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 0, view="cwd")
        await driver.press("d", "d")
        await settled(driver)
        await driver.press("x")
        await settled(driver)
        assert operations(driver) == []
        assert driver.at() == ("tactics", "checks", 0)


@proves("memory.undo")
async def test_the_last_change_of_a_row_is_undone_as_a_draft(store: Store) -> None:
    store.patch(cwd={"tactics": {"store": "moved", "other": 1}})
    async with opened(store) as driver:
        await stand(driver, "tactics", "store")
        await driver.press("u")
        await driver.until(lambda: driver.app.drafting.count > 0)
        await settled(driver)
        assert after(driver, "cwd", "tactics", "store") == "half moved"
        assert after(driver, "cwd", "tactics", "other") == 1


# What there is to see.


async def test_the_header_totals_the_draft(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "strategy", "style")
        await driver.press("L")
        await settled(driver)
        lines = driver.text.splitlines()
        assert "draft 1" in lines[0]
        # {"strategy":{"style":{"commits":"conventional"},... is 34 bytes of context less.
        assert "hot" in lines[1] and "(−9)" in lines[1]
        assert "review 1" in lines[-1]


async def test_a_closed_row_tells_that_something_in_it_is_staged(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("d")
        await settled(driver)
        assert sign(driver, "tactics") == " "
        await driver.press("h", "h")
        assert driver.at() == ("tactics",)
        assert sign(driver, "tactics") == "~"


async def test_a_staged_value_is_shown_as_it_will_be(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "strategy", "api")
        await driver.press("e")
        await typed(driver, "v3")
        await settled(driver)
        assert 'draft changes it, now "v2 only"' in driver.text
        await driver.press("enter")
        await driver.until(lambda: "draft: changes it" in driver.text)
        assert driver.text.splitlines()[2].strip() == "v3"


async def test_the_second_line_that_is_asked_for_keeps_the_focus(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await driver.press("apostrophe", *"cwd.tactics", "enter")
        await driver.press("n", *"fresh", "enter")
        await driver.pilot.pause(0.3)
        assert "value of cwd.tactics.fresh" in driver.text
        await driver.press(*"12", "enter")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "fresh") == 12
        # One jump is one place to go back from.
        await driver.press("less_than_sign")
        await driver.until(lambda: driver.view() == "effective")
