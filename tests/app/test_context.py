"""Screen 5, driven: both modes, what is large and what grew, a draft, ways to the memory and to the very text."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Put, Remove
from engine.values import canonical_bytes
from sftui.screens.context import ContextScreen
from sftui.screens.given import GivenScreen
from sftui.screens.memory import MemoryScreen
from sftui.views.context_rows import KEYS, MOST_KEYS
from sftui.views.spans import plain
from sftui.widgets.big_value import BigValue
from tests.app.driving import SIZES, Driver, opened
from tests.app.proving import proves
from tests.app.stores import Store, begin, write
from tests.app.terminal import Terminal
from tests.app.test_hostile import check, hostile

MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": {"commits": "short"}}},
    "cwd": {
        "strategy": {"api": "v2 only", "style": {"tests": "beside"}},
        "tactics": {"store": "half moved", "long": "l" * 300},
        "lazy": {"survey": {"LAZYKEY": "LAZYBODY" * 500}},
    },
    "session": {"intents": {"release": "cut 1.4"}, "tactics": {"next": "run"}, "response": "done so far"},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "run the suite"}, "lazy": {"log": "LAZYBODY"}})
    made.patch(session={"lazy": {"log": "LAZYBODY too"}})
    made.patch(session={"tactics": {"seen": "s" * 40}})
    return made


def screen(driver: Driver) -> ContextScreen:
    found = driver.app.screens.context
    assert isinstance(found, ContextScreen)
    return found


@asynccontextmanager
async def looking(store: Store, size: tuple[int, int] = (100, 40)) -> AsyncIterator[Driver]:
    """Open the app on screen 5, and wait until everything has been weighed."""
    async with opened(store, size) as driver:
        await driver.press("5")
        await driver.until(lambda: (found := screen(driver).found) is not None and found.picture is driver.app.picture)
        yield driver


def shown(driver: Driver, width: int = 100) -> list[str]:
    """The rows in words, without what is laid out for the eye."""
    tree = screen(driver).rows
    lines = [tree.line_spans(key, width) for key in tree.keys]
    return [
        " ".join(f"{plain(left)} {plain(right)}".replace("█", "").replace("░", "").split()) for left, right in lines
    ]


def total(driver: Driver) -> int:
    found = screen(driver).found
    assert found is not None and found.weighed is not None
    return found.weighed.total


async def go(driver: Driver, *key: str | int) -> None:
    assert screen(driver).rows.reveal(key), screen(driver).rows.keys
    await driver.pilot.pause()


@proves("app.context")
async def test_the_largest_first_with_planes_scopes_and_transitions(store: Store) -> None:
    async with looking(store) as driver:
        rows = shown(driver)
        assert rows[0].startswith("all of it last change +50 B") and "100 %" in rows[0]  # ,"seen":"sss…"
        assert rows[1].startswith("▾ by key (8)")
        assert rows[2].startswith("tactics.long c") and rows[2].endswith("302 B 76 tok")
        assert [row.split()[0] for row in rows[3:10]] == [
            "tactics.seen",
            "strategy.style",
            "tactics.next",
            "response",
            "tactics.store",
            "intents.release",
            "strategy.api",
        ]
        assert rows[4].startswith("strategy.style gc")
        planes = rows[rows.index(next(row for row in rows if row.startswith("▾ by plane"))) :]
        assert [row.split()[0] for row in planes[1:5]] == ["tactics", "strategy", "intents", "response"]
        assert [row.split()[:2] for row in planes[6:9]] == [["global", "g"], ["cwd", "c"], ["session", "s"]]
        assert any(row.startswith("▾ recent transitions (2 of 3)") for row in rows)
        told = [row.split()[0] for row in rows if row.startswith("effective[")]
        assert told == ["effective[0]", "effective[2]"], "the one between is lazy alone, and no other takes its number"
        assert "Active, the session's own" in driver.text
        assert "tokens are estimated: 4 bytes" in driver.text
        assert "LAZYBODY" not in driver.text


@proves("context.mode")
async def test_passive_has_no_answer_and_the_session_decides_until_somebody_does(store: Store) -> None:
    async with looking(store) as driver:
        active = total(driver)
        await driver.press("t")
        await driver.until(lambda: "Passive, chosen here" in driver.text)
        assert not any(row.startswith("response") for row in shown(driver))
        assert total(driver) == active - len(',"response":"done so far"')
        await driver.press("t")
        await driver.until(lambda: "Active, chosen here" in driver.text)
        assert total(driver) == active


async def test_a_session_that_is_off_is_given_nothing_and_that_is_said(store: Store) -> None:
    write(store.address.scope_dir("session"), "config.json", b'{"mode":"off"}\n')
    async with looking(store) as driver:
        assert "Off, the session's own" in driver.text
        assert "its model is given nothing" in driver.text and screen(driver).rows.keys == []
        await driver.press("w")
        assert driver.top() is screen(driver)
        await driver.press("t")
        await driver.until(lambda: "Active, chosen here" in driver.text)
        await driver.until(lambda: "the session is off" in driver.text)
        write(store.address.scope_dir("session"), "config.json", b'{"mode":"passive"}\n')
        await driver.until(lambda: "the session is off" not in driver.text)
        assert "Active, chosen here" in driver.text


@proves("context.whole", "list.open")
async def test_the_very_text_and_the_way_to_the_memory(store: Store) -> None:
    async with looking(store) as driver:
        for key in ("w", "enter"):
            await driver.press(key)
            await driver.until(lambda: isinstance(driver.top(), GivenScreen))
            await driver.until(lambda: driver.top().query_one(BigValue).pages.complete)
            text = driver.top().query_one(BigValue).pages.text
            document = json.loads(text)
            assert list(document) == ["state", "lazy_navigation", "recent_transitions"]
            assert len(canonical_bytes(document)) == total(driver)
            assert "LAZYKEY" not in text and "LAZYBODY" not in text
            assert "what a model would be given, Active" in driver.text
            await driver.press("escape")
            assert driver.top() is screen(driver)
        await go(driver, *KEYS, "/strategy/api")
        await driver.press("enter")
        await driver.until(lambda: driver.at() == ("strategy", "api"))
        assert isinstance(driver.top(), MemoryScreen) and driver.view() == "effective"
        await driver.press("5")
        assert screen(driver).rows.cursor_key == (*KEYS, "/strategy/api")
        recent = next(key for key in screen(driver).rows.keys if key[0] == "recent" and len(key) > 1)
        assert screen(driver).rows.reveal(recent)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.top(), GivenScreen))
        await driver.until(lambda: '"seen"' in driver.text)
        store.patch(session={"tactics": {"seen": None}})
        await driver.until(lambda: "memory has changed" in driver.text)
        await driver.press("escape")
        assert screen(driver).rows.move_to_key(KEYS)
        await driver.press("enter")
        assert screen(driver).rows.keys[2] != (*KEYS, "/tactics/long"), "a group closes"


@proves("context.copy-path", "context.details-down", "context.details-up")
async def test_the_path_is_copied_and_long_details_scroll(store: Store) -> None:
    async with looking(store, (80, 24)) as driver:
        assert "which scopes an agent was given" not in driver.text
        for _ in range(4):
            await driver.press("right_curly_bracket")
        assert "all that are open are counted" in driver.text
        for _ in range(4):
            await driver.press("left_curly_bracket")
        assert "the last change: +50 B" in driver.text
        await driver.press("y")
        assert "This row has no path" in driver.told
        await go(driver, *KEYS, "/tactics/store")
        await driver.press("y")
        assert "effective.tactics.store" in driver.told


async def test_a_draft_shows_what_it_does_to_each_row_and_to_all_of_it(store: Store) -> None:
    async with looking(store) as driver:
        drafting = driver.app.drafting
        drafting.stage(Put("cwd", ("tactics", "fresh"), "f" * 20, drafting.pre_image("cwd", ("tactics", "fresh"))))
        drafting.stage(Remove("cwd", ("tactics", "long"), drafting.pre_image("cwd", ("tactics", "long"))))
        drafting.stage(Put("session", ("lazy", "log"), "LAZYBODY 3", drafting.pre_image("session", ("lazy", "log"))))
        await driver.until(lambda: drafting.is_current and drafting.preview is not None)
        await driver.until(lambda: "draft" in plain(screen(driver)._source.heads(100)))  # type: ignore[union-attr]
        change = len('"fresh":"",') + 20 - len('"long":"",') - 300
        await driver.until(lambda: shown(driver)[0].endswith(f"−{-change} B"))
        rows = shown(driver)
        assert rows[2].startswith("- tactics.long") and rows[2].endswith("−302 B")
        fresh = next(row for row in rows if "tactics.fresh" in row)
        assert fresh.startswith("+ tactics.fresh") and fresh.endswith("+22 B")
        assert next(row for row in rows if row.startswith("tactics ")).endswith(f"−{-change} B")
        assert "becomes a recent transition" in driver.text
        before = total(driver)
        await driver.press("U", "U", "U")
        await driver.until(lambda: not any("tactics.fresh" in row for row in shown(driver)))
        assert total(driver) == before


async def test_the_cursor_stays_on_its_key_when_sizes_change_the_order(store: Store) -> None:
    async with looking(store, (80, 24)) as driver:
        await go(driver, *KEYS, "/tactics/store")
        at = screen(driver).rows.cursor
        await driver.next_picture(lambda: store.patch(session={"tactics": {"big": "b" * 900, "more": "m" * 500}}))
        await driver.until(lambda: shown(driver)[2].startswith("tactics.big"))
        assert screen(driver).rows.cursor_key == (*KEYS, "/tactics/store") and screen(driver).rows.cursor == at + 2
        await driver.next_picture(lambda: store.patch(session={"tactics": {"store": "s" * 2000}}))
        await driver.until(lambda: shown(driver)[2].startswith("tactics.store s"))
        assert screen(driver).rows.cursor_key == (*KEYS, "/tactics/store") and screen(driver).rows.cursor == 2


@pytest.mark.parametrize("size", SIZES)
async def test_total_the_biggest_five_and_what_grew_are_there_at_every_size(
    store: Store, size: tuple[int, int]
) -> None:
    async with looking(store, size) as driver:
        text = driver.text
        assert "all of it  last change +50 B" in text
        assert all(
            f"{key} " in text for key in ("tactics.long", "tactics.seen", "strategy.style", "tactics.next", "response")
        )
        assert "Active, the session's own" in text and "? help" in text and "302 B" in text


async def test_of_very_many_keys_the_smaller_ones_are_counted(tmp_path: Path) -> None:
    many = {f"k{number:04}": "x" * (number % 7) for number in range(MOST_KEYS + 200)}
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {"tactics": many}})
    async with looking(store) as driver:
        rows = [key for key in screen(driver).rows.keys if key[:1] == KEYS]
        assert len(rows) == MOST_KEYS + 2
        assert any(row.startswith("200 smaller keys") for row in shown(driver))
        assert f"by key ({MOST_KEYS + 200:,})" in driver.text


async def test_of_an_earlier_moment_it_is_what_would_have_been_given_then(store: Store) -> None:
    async with looking(store) as driver:
        now = total(driver)
        await driver.press("left_square_bracket")
        await driver.until(lambda: (found := screen(driver).found) is not None and found.picture.as_of is not None)
        assert not any("tactics.seen" in row or "the next change" in row for row in shown(driver))
        assert [row.split()[0] for row in shown(driver) if row.startswith("effective[")] == ["effective[1]"]
        assert "as of an earlier moment" in " ".join(driver.text.split())
        await driver.press("equals_sign")
        await driver.until(lambda: (found := screen(driver).found) is not None and found.picture.as_of is None)
        assert total(driver) == now


async def test_a_fenced_scope_makes_it_unknown_and_that_is_said(store: Store) -> None:
    async with looking(store) as driver:
        with open(f"{store.address.scope_dir('cwd')}/patches.jsonl", "ab") as file:
            file.write(b"{broken\n")
        await driver.until(lambda: "is not known: cwd memory cannot be" in driver.text)
        assert screen(driver).rows.keys == []
        await driver.press("w", "enter", "y", "t")
        assert driver.top() is screen(driver)


def test_no_control_byte_reaches_the_terminal(tmp_path: Path) -> None:
    store = hostile(tmp_path)
    with Terminal("--store", store.root, "--cwd", store.cwd, "--no-ledger", columns=110, lines=36) as terminal:
        terminal.wait_for("live")
        terminal.send("5")
        terminal.wait_for("by key")
        for keys in (*"jjjj}", "G", "w", "G", "\x1b", "y", "t", *"ggjJJJj", "\r", "\x1b"):
            terminal.send(keys)
            terminal.settle()
        assert terminal.is_running and "canary" in terminal.text
    check(bytes(terminal.raw))
