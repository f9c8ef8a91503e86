"""Each common task takes the keys that docs/keys.md says, pressed here one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.store.snapshot import snapshot
from engine.values import get
from sftui.screens.dialogs import HelpScreen
from sftui.screens.difference import DifferenceScreen
from sftui.screens.health import HealthScreen
from sftui.screens.history import HistoryScreen
from sftui.screens.intents import IntentsScreen
from sftui.screens.value import ValueScreen
from sftui.styles import LIGHT
from sftui.widgets.scope_tree import ScopeTree
from tests.app.driving import Driver, opened
from tests.app.jobs import JOBS, MOST, Job
from tests.app.stores import MEMORY, Store, begin

OTHER = "2026-10-01T10-00-00-000Z_22222222-2222-4222-8222-222222222222"


def stored(store: Store, *path: str | int) -> object:
    """What the files say now at a path of the session."""
    stream = snapshot(store.address).scopes["session"].stream
    assert stream is not None
    return get(stream.current, path, None)


def in_global(store: Store, *path: str | int) -> object:
    stream = snapshot(store.address).scopes["global"].stream
    assert stream is not None
    return get(stream.current, path, None)


def watch(driver: Driver, _: Store) -> bool:
    return driver.top() is driver.watch and "release" in driver.text and "run the e2e suite" in driver.text


def newest(driver: Driver, _: Store) -> bool:
    return driver.top() is driver.memory and driver.at() == ("tactics", "next")


def held(driver: Driver, _: Store) -> bool:
    return driver.top() is driver.watch and not driver.follows()


def health(driver: Driver, _: Store) -> bool:
    return isinstance(driver.top(), HealthScreen)


def elsewhere(driver: Driver, _: Store) -> bool:
    shown = driver.app.picture.snapshot
    return driver.top() is driver.memory and driver.app.picture.pinned and shown is not None


def filtered(driver: Driver, _: Store) -> bool:
    return ("tactics", "next") in driver.tree.keys and ("strategy",) not in driver.tree.keys


def jumped(driver: Driver, _: Store) -> bool:
    return driver.at() == ("lazy", "survey")


def whole(driver: Driver, _: Store) -> bool:
    return isinstance(driver.top(), ValueScreen)


def intents(driver: Driver, _: Store) -> bool:
    return isinstance(driver.top(), IntentsScreen) and "release" in driver.text


def deleted(_: Driver, store: Store) -> bool:
    return in_global(store, "strategy", "style") is None


def two_deleted(driver: Driver, _: Store) -> bool:
    return driver.app.drafting.count == 2


def lazy(_: Driver, store: Store) -> bool:
    return in_global(store, "strategy", "style") is None and in_global(store, "lazy", "style") is not None


def undone(_: Driver, store: Store) -> bool:
    return in_global(store, "strategy", "newest") is None


def copied(driver: Driver, _: Store) -> bool:
    return driver.app.clipboard == "effective.strategy.style"


def helped(driver: Driver, _: Store) -> bool:
    return isinstance(driver.top(), HelpScreen) and "2 Memory" in driver.text


def happened(driver: Driver, _: Store) -> bool:
    return isinstance(driver.top(), HistoryScreen) and "tactics.next" in driver.text


def read_whole(driver: Driver, _: Store) -> bool:
    return isinstance(driver.top(), DifferenceScreen) and '"run the suite" → "run the e2e suite"' in driver.text


def set_by(driver: Driver, _: Store) -> bool:
    return isinstance(driver.top(), HistoryScreen) and "─ g1  " in driver.text


def found(driver: Driver, _: Store) -> bool:
    return driver.app.theme == LIGHT.name


ENDS: dict[str, Callable[[Driver, Store], bool]] = {
    "see what changed last, and what the agent is after": watch,
    "open the newest change where it stands in the memory": newest,
    "hold the changes while the agent goes on": held,
    "see everything that is wrong": health,
    "look at another session or directory": elsewhere,
    "find a text in the memory": filtered,
    "go to a path": jumped,
    "read a value whole": whole,
    "see what an intent owns and would take along": intents,
    "delete what the cursor stands on, and write that": deleted,
    "delete two rows in one change": two_deleted,
    "move what the cursor stands on out of the context": lazy,
    "undo the newest change, an agent's too": undone,
    "see everything that happened, the newest first": happened,
    "read the newest change whole, as a diff": read_whole,
    "go to the change that set what the cursor stands on": set_by,
    "copy the path under the cursor": copied,
    "learn what the keys do here": helped,
    "do something whose key one does not know": found,
}


def test_no_common_task_takes_more_than_is_said() -> None:
    assert {job.title for job in JOBS} == set(ENDS)
    assert MOST <= 4
    assert [job.title for job in JOBS if job.count > MOST] == []


@pytest.mark.parametrize("job", JOBS, ids=lambda job: "-".join(job.title.split()[:4]))
async def test_a_job_takes_these_keys(job: Job, tmp_path: Path) -> None:
    begin(str(tmp_path / "store"), str(tmp_path / "app"), session=OTHER)
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"))
    for scope, state in MEMORY.items():
        store.patch(**{scope: state})
    store.patch(session={"tactics": {"next": "run the e2e suite"}})
    if "undo" in job.title:
        store.patch(global_={"strategy": {"newest": "by somebody"}})
    async with opened(store) as driver:
        assert driver.top() is driver.memory
        # A value of the cwd scope for what begins there, else one of the global scope: an agent's session asks first.
        driver.tree.reveal(("strategy", "api" if "two rows" in job.title else "style"))
        await driver.pilot.pause()
        for key in job.pressed:
            await driver.press(key)
            if isinstance(driver.app.focused, ScopeTree):
                # A person presses on once there is something to choose from.
                await driver.until(lambda: len(driver.app.screen.query_one(ScopeTree).keys) > 1)
        await driver.until(lambda: ENDS[job.title](driver, store))
