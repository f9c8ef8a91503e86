"""Rows come in above the cursor before and during every action: the cursor keeps its row, and the action its target."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Operation, Put, Remove, Transfer
from engine.memory.gathering import places
from engine.store.snapshot import snapshot
from engine.values import get
from sftui.actions import ACTIONS, BY_ID, Where
from sftui.external import Edited
from sftui.screens.base import LiveScreen
from sftui.screens.choice import ChoiceScreen
from sftui.screens.value import ValueScreen
from sftui.widgets.lines import KeyedLines
from sftui.widgets.review_list import ReviewList
from tests.app.driving import Driver, opened
from tests.app.stores import MEMORY, Store, begin

Row = tuple[str | int, ...]
TARGET: Row = ("tactics", "store")
Check = Callable[[Driver, Store], bool]


@dataclass(frozen=True, slots=True)
class Case:
    """`before` leads to where the action is, `after` finishes it. `ends`: the row of the memory where the cursor is then.

    `moves`: it is the action that moves the list that has the focus, and `moves` says by how many rows.
    """

    before: Sequence[str] = ()
    after: Sequence[str] = ()
    ends: Row = TARGET
    moves: Callable[[KeyedLines[Any]], int] | None = None
    check: Check | None = None


def touched(driver: Driver) -> set[tuple[str, Row]]:
    return {place for step in driver.app.drafting.draft.steps for place in places(step.operation)}


def staged(kind: type[Operation]) -> Check:
    """One step of this kind is in the draft, and it is about the row that was meant."""

    def holds(driver: Driver, _: Store) -> bool:
        steps = driver.app.drafting.draft.steps
        return len(steps) == 1 and isinstance(steps[0].operation, kind) and ("cwd", TARGET) in touched(driver)

    return holds


def empty(driver: Driver, _: Store) -> bool:
    return driver.app.drafting.draft.is_empty


def shown(driver: Driver, _: Store) -> bool:
    screen = driver.app.screen_stack[-1]
    return isinstance(screen, ValueScreen) and screen._path == TARGET


def clipboard(text: str) -> Check:
    return lambda driver, _: driver.app.clipboard == text


def steps(*ticked: bool) -> Check:
    return lambda driver, _: tuple(step.ticked for step in driver.app.drafting.draft.steps) == ticked


def unwritten(driver: Driver, store: Store) -> bool:
    """Both have changed one key: nothing is written before that has been answered."""
    stream = snapshot(store.address).scopes["cwd"].stream
    assert stream is not None
    return get(stream.current, TARGET) == "half moved" and len(driver.app.drafting.draft.steps) == 2


def second(driver: Driver, _: Store) -> bool:
    """The step that the cursor stood on has another value, the one above it does not."""
    values = [getattr(step.operation, "value", None) for step in driver.app.drafting.draft.steps]
    return values == ["mine", "moved!"]


def up(lines: KeyedLines[Any]) -> int:
    del lines
    return -1


def down(lines: KeyedLines[Any]) -> int:
    del lines
    return 1


# No part of it hides the row, however slowly it is typed.
TYPED = ("h", "a", "l", "f")
JUMP = ("apostrophe", *"lazy", "enter")

# Where the keys of a place count, from a row of the memory.
REACHED: dict[Where, Case] = {
    "app": Case(),
    "list": Case(),
    "tree": Case(),
    "memory": Case(),
    "watch": Case(("1", "j", "j")),
    "history": Case(("3", "j")),
    "intents": Case(("4",)),
    "context": Case(("5",)),
    "health": Case(("6",)),
    "value": Case(("enter",), check=shown),
    "scopes": Case(("s",)),
    "switcher": Case(("s",)),
    "choice": Case(("d", "X")),
    "edit": Case(("P",)),
    "help": Case(("question_mark",)),
    "debug": Case(("f2",)),
    "palette": Case(("colon",)),
    "search": Case(("ctrl+f",)),
    "traces": Case(("t",)),
    "prompt": Case(("apostrophe",)),
}
REMOVED = staged(Remove)
CASES: dict[str, Case] = {
    "app.draft-back": Case(("d",), check=empty),
    "app.draft-again": Case(("d", "U"), check=REMOVED),
    "app.draft-clear": Case(("d",), ("escape",), check=REMOVED),
    "app.review": Case(("d",), check=REMOVED),
    "app.earlier": Case(after=("equals_sign",)),
    "history.at": Case(("3", "j"), ("equals_sign",)),
    "history.replay": Case(("3", "j"), ("equals_sign",)),
    "list.cursor-up": Case(moves=up, ends=("tactics", "checks")),
    "list.cursor-down": Case(moves=down, ends=("tactics", "next")),
    "list.page-up": Case(moves=lambda lines: -min(lines.cursor, lines._page - 1), ends=("intents",)),
    "list.page-down": Case(
        moves=lambda lines: min(len(lines.keys) - 1 - lines.cursor, lines._page - 1), ends=("lazy",)
    ),
    "list.first": Case(moves=lambda lines: -lines.cursor, ends=("intents",)),
    "list.last": Case(moves=lambda lines: len(lines.keys) - 1 - lines.cursor, ends=("lazy",)),
    "list.open": Case(check=shown),
    "tree.collapse": Case(ends=("tactics",)),
    "tree.next-sibling": Case(ends=("tactics", "next")),
    "tree.previous-sibling": Case(ends=("tactics", "checks")),
    "tree.fold": Case(after=("9",)),
    "memory.filter": Case(after=(*TYPED, "enter", "escape")),
    "memory.clear": Case(("slash", *TYPED, "enter")),
    "memory.mark": Case(ends=("tactics", "next"), check=lambda driver, _: driver.memory.marks == (TARGET,)),
    "memory.unmark": Case(("space", "k"), check=lambda driver, _: driver.memory.marks == ()),
    "memory.edit": Case(after=("end", "!", "enter"), check=staged(Put)),
    "memory.edit-outside": Case(check=staged(Put)),
    "memory.new": Case(
        after=(*"added", "enter", "1", "1", "enter"),
        ends=("tactics", "added"),
        check=lambda driver, _: touched(driver) == {("cwd", ("tactics", "added"))},
    ),
    "memory.delete": Case(check=REMOVED),
    "memory.rename": Case(after=("end", "2", "enter", "1"), ends=("tactics", "store2"), check=staged(Transfer)),
    "memory.move": Case(after=("1", "1"), check=staged(Transfer)),
    "memory.to-lazy": Case(after=("1",), check=staged(Transfer)),
    "memory.unstage": Case(("d",), check=empty),
    "memory.undo": Case(check=staged(Put)),
    "memory.view-next": Case(after=("V",)),
    "memory.view-previous": Case(after=("v",)),
    "memory.jump": Case(after=("l", "a", "z", "y", "enter"), ends=("lazy",)),
    "memory.back": Case(JUMP),
    "memory.forward": Case((*JUMP, "less_than_sign"), ends=("lazy",)),
    "memory.copy-path": Case(check=clipboard("effective.tactics.store")),
    "memory.copy-value": Case(check=clipboard('"half moved"')),
    "watch.undo": Case(("1", "j", "j"), check=lambda driver, _: touched(driver) == {("global", ("strategy", "older"))}),
    "intents.edit": Case(("4",), ("end", "!", "enter"), check=staged(Put)),
    "intents.delete": Case(("4",), check=REMOVED),
    "intents.move": Case(("4",), ("1", "1"), check=staged(Transfer)),
    "intents.unstage": Case(("d", "4"), check=empty),
    "intents.undo": Case(("4",), check=staged(Put)),
    "review.tick": Case(check=steps(True, False)),
    "review.drop": Case(check=lambda driver, _: touched(driver) == {("global", ("strategy", "api"))}),
    "review.edit": Case(after=("end", "!", "ctrl+o"), check=second),
    "review.theirs": Case(check=steps(True)),
    "review.mine": Case(check=steps(True, True)),
    "review.apply": Case(check=unwritten),
    "value.close": Case(("enter",)),
    "choice.take": Case(("d", "X"), check=REMOVED),
    "choice.close": Case(("d", "X"), check=REMOVED),
    "prompt.submit": Case(("apostrophe", *"lazy"), ends=("lazy",)),
}


def case_of(action_id: str) -> Case:
    return CASES.get(action_id) or REACHED.get(BY_ID[action_id].where, Case())


class Arrivals:
    """Another writer, that puts rows in above the cursor."""

    def __init__(self, driver: Driver, store: Store, *, conflicting: bool) -> None:
        self._driver, self._store, self._conflicting = driver, store, conflicting
        self._count = 0

    async def come(self) -> None:
        """Write, and wait until it is shown."""
        self._count += 1
        number = self._count
        strategy: dict[str, Any] = {f"above{number}-{extra}": extra for extra in range(3)}
        if self._conflicting:
            strategy["api"] = f"theirs {number}"
        intents = {f"a{number}": {"goal": "came meanwhile", "see": {"$ref": f"global.strategy.above{number}-0"}}}
        await self._driver.next_picture(lambda: self._store.patch(global_={"strategy": strategy, "intents": intents}))
        await self._driver.pilot.pause()


def focused(driver: Driver) -> KeyedLines[Any] | None:
    found = driver.app.focused
    return found if isinstance(found, KeyedLines) and found.keys else None


@pytest.mark.parametrize("action_id", [action.id for action in ACTIONS])
async def test_rows_come_in_above_during_every_action(
    action_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, action = case_of(action_id), BY_ID[action_id]
    reviewing = action.where == "review"
    monkeypatch.setattr("sftui.external.edit_outside", lambda *_, **__: Edited("written outside"))
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)
    store.patch(cwd={"tactics": {"store": "moved by half"}})
    store.patch(cwd={"tactics": {"store": "half moved"}})
    store.patch(global_={"strategy": {"older": 1}})
    store.patch(global_={"strategy": {"newer": 1}})
    async with opened(store, (80, 40)) as driver:
        arrivals = Arrivals(driver, store, conflicting=reviewing)
        driver.tree.reveal(TARGET)
        await driver.pilot.pause()
        rows_above = driver.tree.cursor
        if reviewing:
            await in_review(driver)
        for key in case.before:
            await driver.press(key)
        await settled(driver)
        lines = focused(driver)
        held = None if lines is None else lines.cursor_key
        await arrivals.come()
        if lines is not None:
            await driver.until(lambda: lines.cursor_key == held)
        meant = held
        if case.moves is not None and lines is not None:
            meant = lines.keys[lines.cursor + case.moves(lines)]
        await driver.press(action.keys[0])
        await settled(driver)
        if action_id == "app.quit":
            await driver.until(lambda: not driver.app.is_running)
            return
        if case.moves is not None and lines is not None:
            assert lines.cursor_key == meant
        await arrivals.come()
        for key in case.after:
            await driver.press(key)
        if case.check is not None:
            check = case.check
            await driver.until(lambda: check(driver, store))
        if not reviewing:
            await back_to_memory(driver)
            assert driver.at() == case.ends
            if case.ends == TARGET:
                assert driver.tree.cursor > rows_above, "there are more rows above it now"


async def in_review(driver: Driver) -> None:
    """A draft of two steps, reviewed with the cursor on the second."""
    pre_image = driver.app.drafting.pre_image
    api: Row = ("strategy", "api")
    driver.app.drafting.stage(
        Put("global", api, "mine", pre_image("global", api)), Put("cwd", TARGET, "moved", pre_image("cwd", TARGET))
    )
    await settled(driver)
    await driver.press("p")
    lines = driver.app.screen.query_one(ReviewList)
    await driver.until(lambda: lines.go_to(("step", "1")))


async def settled(driver: Driver) -> None:
    await driver.until(lambda: driver.app.drafting.is_current)


async def back_to_memory(driver: Driver) -> None:
    """Leave whatever is open, and look at the memory."""
    for _ in range(4):
        screen = driver.app.screen
        if isinstance(screen, LiveScreen):
            break
        await driver.press("ctrl+g" if isinstance(screen, ChoiceScreen) else "escape")
    if isinstance(driver.app.screen, LiveScreen) and driver.app.screen._prompt is driver.app.focused:
        await driver.press("escape")
    await driver.press("2")
    await driver.until(lambda: driver.top() is driver.memory)
    await asyncio.sleep(0)
