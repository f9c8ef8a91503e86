"""Nothing that goes on in the background holds up the interface for long: counted, not timed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.widget import Widget

import sftui.process
from engine.store.snapshot import snapshot
from sftui.process import TURN_SECONDS, taking_turns
from sftui.views.picture import Picture, look, measured
from sftui.widgets.big_value import BigValue
from tests.app.driving import opened
from tests.app.stores import begin


def told(script: str) -> list[Any]:
    """What a script prints as JSON, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def test_the_collector_looks_through_neither_modules_nor_memory_again() -> None:
    script = """
import gc, json, sys
from sftui import process
process.begin()
held = [[number] for number in range(300_000)]
looked = [generation["collections"] for generation in gc.get_stats()]
process.loaded(much=False)
frozen = gc.get_freeze_count()
process.loaded(much=False)
again = gc.get_freeze_count()
young = gc.get_threshold()[0]
gc.collect()
more = [[number] for number in range(1_000)]
process.loaded(much=True)
print(json.dumps([looked, frozen, again, gc.get_freeze_count(), young, sys.getswitchinterval()]))
"""
    looked, frozen, again, much, young, interval = told(script)
    before = told("import gc, json; print(json.dumps([one['collections'] for one in gc.get_stats()]))")
    # Loading 300,000 lists made it look no more often than loading nothing, give or take what the import made.
    assert looked[2] <= before[2] + 5
    assert frozen > 300_000
    assert again == frozen
    assert much >= frozen + 1_000
    assert young <= 5_000
    assert interval == pytest.approx(0.001)


def test_a_thread_in_no_hurry_rests_as_long_as_it_worked(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    rested: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        rested.append(seconds)

    monkeypatch.setattr(sftui.process, "perf_counter", lambda: now)
    monkeypatch.setattr(sftui.process, "sleep", sleep)
    rest = taking_turns()
    worked = 0.0
    for _ in range(1_000):
        now += TURN_SECONDS / 4
        worked += TURN_SECONDS / 4
        rest()
    assert 0.8 * worked <= sum(rested) <= worked
    assert max(rested) <= TURN_SECONDS


def test_sizes_are_taken_in_many_small_steps(tmp_path: Path) -> None:
    memory = {"cwd": {"lazy": {f"k{number}": ["x" * 60] * 10 for number in range(6_000)}}}
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), memory)
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    picture = look(Picture(), snapshot(store.address), "live", 0.0, pinned=True, sightings={})
    # 6,000 members, at most some 64 of them between two steps.
    measured(picture, step)
    assert steps >= 6_000 / 70


async def test_the_style_below_the_lines_is_worked_out_once_for_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = {"cwd": {"lazy": {"big": [f"line {number}" for number in range(5_000)]}}}
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), memory)
    async with opened(store, size=(120, 40)) as driver:
        driver.app.open_value("effective", ("lazy", "big"))
        await driver.until(lambda: isinstance(driver.app.focused, BigValue))
        value = driver.app.screen.query_one(BigValue)
        await driver.until(lambda: value.pages.complete)
        await driver.pilot.pause()
        asked: list[Widget] = []
        told = Widget.rich_style.fget  # type: ignore[attr-defined]

        def counted(widget: Widget) -> Style:
            asked.append(widget)
            return told(widget)  # type: ignore[no-any-return]

        monkeypatch.setattr(Widget, "rich_style", property(counted))
        for key in ("pagedown", "pagedown", "j", "pageup"):
            await driver.press(key)
        await driver.pilot.pause()
        assert sum(widget is value for widget in asked) <= 1
