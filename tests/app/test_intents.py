"""Screen 4, driven: graph and table, what a deletion takes along, ways to and fro, and a writer beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Put, Remove
from sftui.screens.intents import IntentsScreen
from sftui.screens.memory import MemoryScreen
from sftui.views.spans import plain
from tests.app.driving import SIZES, Driver, opened
from tests.app.proving import proves
from tests.app.stores import Store, begin

MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": "terse"}},
    "cwd": {
        "intents": {
            "migrate": {"goal": "move it", "plan": [{"$ref": "cwd.tactics.store"}, {"$ref": "cwd.lazy.survey"}]},
            "report": {"goal": "write it up", "from": {"$ref": "cwd.lazy.survey"}},
        },
        "tactics": {"store": "half moved", "note": "see $cwd.tactics.store"},
        "lazy": {"survey": {"text": "x" * 4000}, "old": 1},
    },
    "session": {
        "intents": {
            "release": {
                "goal": "cut 1.4, then notes",
                "next": {"$ref": "session.tactics.next"},
                "see": "$cwd.lazy.survey and $cwd.strategy.gone",
                "home": {"$ref": "https://example.org"},
            }
        },
        "tactics": {"next": "run the suite", "other": 2},
    },
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


def screen(driver: Driver) -> IntentsScreen:
    return driver.app.intents_screen


@asynccontextmanager
async def looking(store: Store, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    """Open the app on screen 4, and wait until it has looked through the intents."""
    async with opened(store, size) as driver:
        await driver.press("4")
        await driver.until(lambda: bool(screen(driver).rows.keys))
        yield driver


def shown(driver: Driver) -> list[str]:
    """The rows in words, without what is laid out for the eye."""
    tree = screen(driver).rows
    return [" ".join(plain(tree.line_spans(key, 100)[0]).split()) for key in tree.keys]


def under(driver: Driver) -> str:
    """The row under the cursor."""
    tree = screen(driver).rows
    return shown(driver)[tree.cursor]


async def go(driver: Driver, key: tuple[str, ...]) -> None:
    assert screen(driver).rows.reveal(key), shown(driver)
    await driver.pilot.pause()


@proves("app.intents")
async def test_each_intent_with_what_it_owns_shares_uses_and_names_in_vain(store: Store) -> None:
    async with looking(store) as driver:
        assert shown(driver) == [
            "▾ release cut 1.4, then notes owns 1, uses 2, dangling 1",
            'owned session.tactics.next "run the suite"',
            "used https://example.org not in present memory",
            "used cwd.lazy.survey not in context",
            "dangling cwd.strategy.gone nothing is there",
            "▾ migrate move it owns 1, shares 1",
            'owned cwd.tactics.store "half moved"',
            "shared cwd.lazy.survey with report",
            "▾ report write it up shares 1",
            "shared cwd.lazy.survey with migrate",
            "▸ unowned in session (1)",
            "▸ unowned in cwd (2)",
            "▸ unowned in global (1)",
        ]
        await go(driver, ("unowned cwd", "cwd.lazy.old"))
        assert shown(driver)[-4:-1] == ["▾ unowned in cwd (2)", "unowned cwd.tactics.note", "unowned cwd.lazy.old"]


async def test_what_would_go_is_told_before_it_is_deleted_and_goes_then(store: Store) -> None:
    async with looking(store) as driver:
        await go(driver, ("cwd:migrate",))
        told = driver.text
        assert "deleting it takes along 1 place, 12 B" in told  # "half moved" with its quotes
        assert "× cwd.tactics.store" in told
        assert "left naming nothing: cwd.tactics.note" in told
        assert "stays cwd.lazy.survey: kept by report" in told
        await go(driver, ("cwd:report",))
        assert "deleting it takes nothing along" in driver.text
        await driver.next_picture(lambda: store.patch(cwd={"intents": {"migrate": None}}))
        assert "store" not in driver.app.picture.states["cwd"]["tactics"]  # type: ignore[operator]
        await driver.until(lambda: "▾ report write it up owns 1" in shown(driver))
        assert "deleting it takes along 1 place, 4.0 kB" in driver.text, "now nobody else keeps the survey"


@proves("intents.layout")
async def test_the_table_counts_and_keeps_the_intent_under_the_cursor(store: Store) -> None:
    async with looking(store, (120, 40)) as driver:
        await go(driver, ("cwd:migrate", "cwd.lazy.survey"))
        await driver.press("t")
        assert shown(driver) == [
            "release",
            "migrate",
            "report",
            "unowned in session (1)",
            "unowned in cwd (2)",
            "unowned in global (1)",
        ]
        assert under(driver) == "migrate"
        row = plain(screen(driver).rows.line_spans(("session:release",), 100)[1])
        assert row.split() == ["s", "1", "2", "1", "15", "B"]  # owned, used, dangling; "run the suite"
        assert "owned   shared     used dangling" in driver.text
        await driver.press("t")
        assert under(driver).startswith("▾ migrate")


@proves("list.open")
async def test_there_and_back_again(store: Store) -> None:
    async with looking(store) as driver:
        row = ("cwd:migrate", "cwd.lazy.survey")
        await go(driver, row)
        await driver.press("enter")
        await driver.until(lambda: driver.at() == ("lazy", "survey"))
        assert isinstance(driver.top(), MemoryScreen) and driver.view() == "cwd"
        await driver.press("4")
        assert driver.top() is screen(driver)
        assert screen(driver).rows.cursor_key == row, "the row that one came from, not another that owns it, too"
        await driver.press("enter")
        await driver.until(lambda: driver.top() is driver.memory)
        await driver.press("less_than_sign")
        await driver.until(lambda: driver.top() is screen(driver))
        assert screen(driver).rows.cursor_key == row
        gone = ("session:release", "cwd.strategy.gone")
        await go(driver, gone)
        await driver.press("enter")
        await driver.until(lambda: driver.top() is driver.memory)
        assert "is not there now" in driver.text
        await driver.press("4")
        assert screen(driver).rows.cursor_key == gone
        await driver.press("enter")
        await driver.until(lambda: driver.top() is driver.memory)
        await driver.press("k", "less_than_sign")
        assert driver.top() is driver.memory, "who has gone on from there goes back step by step"


@proves("intents.back")
async def test_from_a_row_of_memory_to_the_intent_that_owns_it_and_back(store: Store) -> None:
    async with opened(store, (80, 40)) as driver:
        driver.memory.go_to("effective", ("tactics", "store"))
        await driver.pilot.pause()
        await driver.press("4")
        await driver.until(lambda: bool(screen(driver).rows.keys))
        assert screen(driver).rows.cursor_key == ("cwd:migrate", "cwd.tactics.store")
        await driver.press("less_than_sign")
        await driver.until(lambda: driver.top() is driver.memory)
        assert driver.at() == ("tactics", "store") and driver.view() == "effective"
        driver.memory.go_to("cwd", ("lazy", "old"))
        await driver.pilot.pause()
        await driver.press("4")
        await driver.until(lambda: screen(driver).rows.cursor_key == ("unowned cwd", "cwd.lazy.old"))
        await driver.press("backspace")
        await driver.until(lambda: driver.at() == ("lazy", "old"))


@pytest.mark.parametrize("size", SIZES)
async def test_it_is_usable_at_every_size(store: Store, size: tuple[int, int]) -> None:
    async with looking(store, size) as driver:
        text = driver.text
        assert all(word in text for word in ("release", "session.tactics.next", "dangling", "unowned in global"))
        assert "deleting it takes along 1 place, 15 B" in text
        assert "? help" in text
        await driver.press("t")
        assert "goes" in driver.text


@proves("intents.details-down", "intents.details-up", "intents.copy-path")
async def test_long_details_scroll_and_the_path_can_be_copied(store: Store) -> None:
    many = {f"k{number:02}": {"$ref": f"cwd.lazy.k{number:02}"} for number in range(20)}
    store.patch(cwd={"intents": {"many": many}, "lazy": {f"k{number:02}": number for number in range(20)}})
    async with looking(store) as driver:
        await go(driver, ("cwd:many",))
        assert "deleting it takes along 20 places" in driver.text and "× cwd.lazy.k19" not in driver.text
        for _ in range(4):
            await driver.press("right_curly_bracket")
        assert "× cwd.lazy.k19" in driver.text
        for _ in range(4):
            await driver.press("left_curly_bracket")
        assert "deleting it takes along 20 places" in driver.text
        await driver.press("y")
        assert any("cwd.intents.many" in message.message for message in driver.app._notifications)


@proves("intents.delete", "intents.unstage")
async def test_a_deletion_goes_into_the_draft_and_can_be_taken_back(store: Store) -> None:
    async with looking(store) as driver:
        await go(driver, ("cwd:migrate",))
        await driver.press("d")
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove)
        assert (step.operation.scope, step.operation.path) == ("cwd", ("intents", "migrate"))
        await driver.until(lambda: "- ▾ migrate move it owns 1, shares 1" in shown(driver))
        assert '× owned cwd.tactics.store "half moved"' in shown(driver)
        assert "shared cwd.lazy.survey with report" in shown(driver), "what stays has no sign"
        await driver.press("d")
        assert len(driver.app.drafting.draft.steps) == 1, "it is deleted already"
        await driver.press("x")
        assert driver.app.drafting.draft.is_empty
        await driver.until(lambda: "▾ migrate move it owns 1, shares 1" in shown(driver))
        await go(driver, ("unowned cwd", "cwd.lazy.old"))
        await driver.press("d")
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove) and step.operation.path == ("lazy", "old")
        await go(driver, ("unowned cwd",))
        await driver.press("d")
        assert len(driver.app.drafting.draft.steps) == 1, "a heading is nothing that could be deleted"


@proves("intents.edit")
async def test_an_intent_is_edited_where_it_is_listed(store: Store) -> None:
    store.patch(cwd={"intents": {"plain": "wait"}})
    async with looking(store) as driver:
        await go(driver, ("cwd:plain",))
        await driver.press("e")
        await driver.press(*" more", "enter")
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Put)
        assert (step.operation.path, step.operation.value) == (("intents", "plain"), "wait more")
        assert driver.app.focused is screen(driver).rows
        await driver.press("e", "escape")
        assert driver.app.focused is screen(driver).rows
        assert len(driver.app.drafting.draft.steps) == 1


@proves("intents.move")
async def test_an_intent_is_moved_with_what_it_owns(store: Store) -> None:
    async with looking(store) as driver:
        await go(driver, ("cwd:migrate",))
        await driver.press("m")
        await driver.until(lambda: "move to global" in driver.text)
        await driver.press("1")
        await driver.until(lambda: "take along what it owns" in driver.text)
        await driver.press("1")
        await driver.until(lambda: not driver.app.drafting.draft.is_empty)
        after = (await driver.app.drafting.dry_run()).staged.after
        assert after["global"]["tactics"] == {"store": "half moved"}
        assert "migrate" in after["global"]["intents"]  # type: ignore[operator]


@proves("intents.undo")
async def test_the_last_known_change_of_an_intent_is_undone_in_the_draft(store: Store) -> None:
    async with looking(store) as driver:
        await driver.next_picture(lambda: store.patch(cwd={"intents": {"report": {"goal": "drop it"}}}))
        await driver.until(lambda: "▾ report drop it shares 1" in shown(driver))
        await go(driver, ("cwd:report",))
        await driver.press("u")
        await driver.until(lambda: not driver.app.drafting.draft.is_empty)
        published = await driver.app.drafting.dry_run()
        assert published.staged.after["cwd"] == MEMORY["cwd"]


async def test_the_cursor_keeps_its_row_while_an_agent_writes(store: Store) -> None:
    async with looking(store) as driver:
        await go(driver, ("cwd:report",))
        many = {f"a{number:02}": {"goal": "more", "own": {"$ref": "session.tactics.other"}} for number in range(30)}
        await driver.next_picture(lambda: store.patch(session={"intents": many}))
        await driver.until(lambda: len(screen(driver).rows.keys) > 40)
        assert screen(driver).rows.cursor_key == ("cwd:report",)
        assert ("session:a07", "session.tactics.other") in screen(driver).rows.keys, "what is new is open"
        await driver.press("d")
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove) and step.operation.path == ("intents", "report")


async def test_an_intent_that_goes_leaves_the_cursor_near_and_deletes_nothing_else(store: Store) -> None:
    async with looking(store) as driver:
        await go(driver, ("cwd:migrate", "cwd.tactics.store"))
        await driver.next_picture(lambda: store.patch(cwd={"intents": {"migrate": None}}))
        await driver.until(lambda: ("cwd:migrate",) not in screen(driver).rows.keys)
        assert screen(driver).rows.cursor_key == ("session:release", "cwd.strategy.gone")
        await driver.press("d")
        assert driver.app.drafting.draft.is_empty, "nothing is there to be deleted"


async def test_hostile_names_are_shown_and_not_obeyed(store: Store) -> None:
    name, text = "[@click=app.quit]\x1b[2J", "\u202e$cwd.lazy.old[/foo]"
    store.patch(cwd={"intents": {name: {"goal": text, "x": {"$ref": "\x1b]0;x\x07"}}}})
    async with looking(store) as driver:
        assert any("[@click=app.quit]␛[2J" in row for row in shown(driver))
        assert any("␛]0;x␇" in row for row in shown(driver))
        await go(driver, (f"cwd:{name}",))
        assert "\x1b" not in driver.text and "\u202e" not in driver.text
        await driver.press("d")
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove) and step.operation.path == ("intents", name)


async def test_a_huge_intent_is_not_looked_through_and_that_is_said(store: Store) -> None:
    text = "$cwd.lazy.old " * 600_000  # 8.4 MB in which every word is a mention
    store.patch(cwd={"intents": {"huge": {"text": text, "own": {"$ref": "cwd.lazy.old"}}}})
    async with looking(store, (120, 40)) as driver:
        await go(driver, ("cwd:huge",))
        assert "owns 1, …" in under(driver)
        assert "too large to be looked through" in driver.text
        assert "× cwd.lazy.old" in driver.text, "what it owns is known all the same"


async def test_a_fenced_scope_is_named_and_never_shown_as_empty(store: Store) -> None:
    Path(store.address.scope_dir("cwd"), "patches.jsonl").write_bytes(b"{broken\n")
    async with opened(store, (120, 40)) as driver:
        await driver.press("4")
        await driver.until(lambda: "unreadable: cwd" in driver.text)
        assert not any("migrate" in row for row in shown(driver))
        assert "unowned in cwd" not in driver.text


async def test_the_palette_says_what_can_be_done_here_and_why_not(store: Store) -> None:
    from sftui.screens.palette import offers

    def idle(driver: Driver) -> dict[str, str]:
        return {offer.action.id: offer.reason for offer in offers(driver.top()) if offer.reason}

    async with looking(store, (50, 30)) as driver:
        assert idle(driver)["intents.back"] == "one did not come from a row of the memory"
        assert "intents.delete" not in idle(driver)
        await driver.press("G")
        assert under(driver) == "▸ unowned in global (1)"
        assert {"intents.edit", "intents.delete", "intents.move", "intents.undo"} <= set(idle(driver))
        await driver.press("1")
        assert idle(driver)["watch.undo"] == "no change is known"


async def test_the_mouse_selects_folds_and_opens(store: Store) -> None:
    async with looking(store) as driver:
        tree = screen(driver).rows
        at = tree.keys.index(("cwd:migrate",))
        await driver.pilot.click(tree, offset=(30, at))
        assert tree.cursor_key == ("cwd:migrate",)
        await driver.pilot.click(tree, offset=(2, at))
        assert ("cwd:migrate", "cwd.lazy.survey") not in tree.keys
        await driver.pilot.click(tree, offset=(2, at))
        at = tree.keys.index(("cwd:migrate", "cwd.lazy.survey"))
        await driver.pilot.click(tree, offset=(30, at), times=2)
        await driver.until(lambda: driver.top() is driver.memory)
        await driver.until(lambda: driver.at() == ("lazy", "survey"))


async def test_an_intent_of_a_session_is_not_deleted_without_a_question(store: Store) -> None:
    async with looking(store) as driver:
        await go(driver, ("session:release",))
        await driver.press("d")
        await driver.until(lambda: "A session belongs to its agent" in driver.text)
        await driver.press("1")
        assert driver.top() is screen(driver) and driver.app.drafting.draft.is_empty
        await driver.press("d", "2")
        await driver.until(lambda: not driver.app.drafting.draft.is_empty)
        await driver.until(lambda: any(row.startswith("- ▾ release") for row in shown(driver)))


async def test_a_store_without_intents_says_so(tmp_path: Path) -> None:
    empty = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {}})
    async with opened(empty) as driver:
        await driver.press("4")
        await driver.until(lambda: "no intents" in driver.text)
        await driver.press("enter", "d", "x", "u", "t")
        assert driver.app.drafting.draft.is_empty


async def test_what_only_the_draft_adds_is_listed_and_told_as_that(store: Store) -> None:
    async with looking(store) as driver:
        before = list(screen(driver).rows.keys)
        drafting = driver.app.drafting
        path = ("intents", "fresh")
        value: Any = {"goal": "a new aim", "own": {"$ref": "cwd.lazy.old"}}
        drafting.stage(Put("cwd", path, value, drafting.pre_image("cwd", path)))
        await driver.until(lambda: ("cwd:fresh",) in screen(driver).rows.keys)
        # Behind those of its scope that are there; the place that it would own stands below it.
        keys = screen(driver).rows.keys
        assert keys.index(("cwd:fresh",)) > keys.index(("cwd:report",))
        assert ("cwd:fresh", "cwd.lazy.old") in keys
        shown = driver.row(screen(driver).rows, keys.index(("cwd:fresh",)))
        assert shown.startswith("+")
        assert "a new aim" in shown
        screen(driver).rows.move_to_key(("cwd:fresh",))
        await driver.pilot.pause()
        assert "the draft adds it: nothing of it is written yet" in driver.text
        # It is edited and taken back like any other.
        await driver.press("x")
        await driver.until(lambda: screen(driver).rows.keys == before)
        assert drafting.draft.is_empty
