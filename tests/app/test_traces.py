"""The page of traces: opened on a row, filled while it is looked for, masked until it is asked for."""

from __future__ import annotations

import threading
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from sftui.screens.traces import TracesScreen
from sftui.traces.everywhere import look
from sftui.views.spans import plain
from sftui.views.traces import Looked
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import Store, begin

SECRET = "sk-live-0123456789abcdef"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {"tactics": {"token": SECRET, "flag": True}}})
    made.patch(session={"tactics": {"copy": f"as {SECRET}"}})
    return made


async def page(driver: Driver, *path: str) -> TracesScreen:
    """Open the traces of a row of the cwd."""
    await driver.press("2")
    driver.memory.go_to("cwd", path)
    await driver.until(lambda: driver.at() == path)
    await driver.press("t")
    screen = driver.top()
    assert isinstance(screen, TracesScreen)
    return screen


@proves("memory.traces", "traces.show", "traces.close")
@pytest.mark.parametrize("size", [(50, 30), (120, 40)])
async def test_a_row_tells_its_traces_masked_until_asked(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size) as driver:
        screen = await page(driver, "tactics", "token")
        await driver.until(lambda: screen.state == "done")
        assert {trace.where for trace in screen.found.traces} == {
            "cwd.tactics.token",
            "cwd checkpoint",
            "session.tactics.copy",
            "s1 retained patch",
        }
        assert "sk-…def (24 characters)" in driver.text
        assert SECRET not in "".join(plain(line) for line in screen.page())
        await driver.press("v")
        assert f"looked for  {SECRET}" in driver.text
        await driver.press("v", "end")
        assert "4 places" in driver.text
        await driver.press("q")
        assert driver.top() is driver.memory


async def test_it_can_be_stopped_and_says_that_it_was(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def endless(root: str, sought: Any) -> Any:
        yield from look(root, sought)
        while True:
            asked.set()
            sleep(0.01)
            yield Looked("Git", 4_711, 1_000)

    monkeypatch.setattr("sftui.screens.traces.look", endless)
    async with opened(store, (120, 40)) as driver:
        await page(driver, "tactics", "token")
        await driver.until(lambda: asked.is_set() and "4,711 objects" in driver.text)
        await driver.press("escape")
        assert "stopped: not everything was looked at" in driver.text
        assert isinstance(driver.top(), TracesScreen)
        await driver.press("escape")
        assert driver.top() is driver.memory


async def test_what_leaves_no_trace_of_its_own_is_said(store: Store) -> None:
    async with opened(store, (80, 24)) as driver:
        await page(driver, "tactics", "flag")
        await driver.until(lambda: "true stands everywhere" in driver.text)


async def test_a_defect_is_said_and_the_page_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        yield Looked("the store")
        raise RuntimeError("a defect")

    monkeypatch.setattr("sftui.screens.traces.look", broken)
    async with opened(store, (80, 24)) as driver:
        await page(driver, "tactics", "token")
        await driver.until(lambda: "RuntimeError" in driver.text)
