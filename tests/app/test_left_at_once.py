"""A window that is left before it is there leaves nothing behind, and nothing fails for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.screen import Screen

from engine.values import Json
from sftui.screens.choice import Answer, ChoiceScreen
from sftui.screens.debug import DebugScreen
from sftui.screens.dialogs import HelpScreen, SwitcherScreen
from sftui.screens.palette import PaletteScreen
from sftui.screens.search import SearchScreen
from sftui.screens.value import ValueScreen
from tests.app.driving import opened
from tests.app.stores import MEMORY, begin

VALUE: Json = {"a": [1, 2]}
MADE: dict[str, Callable[[], Screen[Any]]] = {
    "switcher": SwitcherScreen,
    "help": HelpScreen,
    "palette": lambda: PaletteScreen([]),
    "choice": lambda: ChoiceScreen("which?", (Answer("a", "this one"),)),
    "debug": DebugScreen,
    "search": SearchScreen,
    "value": lambda: ValueScreen("cwd", ("lazy",), VALUE),
}


async def test_windows_are_left_before_they_are_mounted(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    async with opened(store) as driver:
        for name, make in MADE.items():
            for turns in range(6):
                screen = make()
                driver.app.push_screen(screen)
                for _ in range(turns):
                    await asyncio.sleep(0)
                if driver.top() is screen:
                    driver.app.pop_screen()
                await driver.pilot.pause()
                await driver.until(lambda left=screen: driver.top() is not left)  # type: ignore[misc]
                assert driver.app.is_running, name
        assert "Internal error" not in driver.told
