"""The app without a terminal, driven by a pilot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual import _wait
from textual.pilot import Pilot
from textual.screen import Screen

from sftui.app import SftuiApp
from sftui.screens.memory import MemoryScreen
from sftui.screens.watch import WatchScreen
from sftui.views.spans import plain
from sftui.widgets.lines import KeyedLines
from sftui.widgets.memory_tree import MemoryTree, Path
from sftui.widgets.streams import ChangeStream
from tests.app.stores import Store

# A pilot takes an app for done with a key once it has rested for so long, and asks twice: most of what the suite took.
# What takes a thread or a timer is waited for by what it brings (`until`), however long that is.
_wait.SLEEP_GRANULARITY = 0.005
_wait.SLEEP_IDLE = _wait.SLEEP_GRANULARITY / 20

SIZES = ((50, 30), (80, 24), (120, 40))


class Driver:
    """A pilot, and what it looks at."""

    def __init__(self, app: SftuiApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, and let what follows from them happen."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, holds: Callable[[], bool], seconds: float = 10.0) -> None:
        """Wait until something holds."""
        for _ in range(int(seconds / 0.02)):
            if holds():
                await self.pilot.pause()
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"it did not come to hold; the screen is\n{self.text}")

    async def next_picture(self, change: Callable[[], None]) -> None:
        """Make a change to the store, and wait until it has been read."""
        before = self.app.live
        await asyncio.to_thread(change)
        await self.until(lambda: self.app.live is not before and self.app.live.log != before.log)

    # Methods, not properties: what they give changes with every key.

    def top(self) -> Screen[object]:
        """The screen that is up."""
        return self.app.screen

    def at(self) -> Path | None:
        """The path under the cursor of the memory tree."""
        return self.tree.cursor_key

    def view(self) -> str:
        """The view of the memory that is shown."""
        return str(self.memory.view)

    def follows(self) -> bool:
        """Whether the stream follows the newest change."""
        return self.stream.following

    @property
    def memory(self) -> MemoryScreen:
        return self.app.memory_screen

    @property
    def watch(self) -> WatchScreen:
        return self.app.watch_screen

    @property
    def tree(self) -> MemoryTree:
        return self.memory.rows

    @property
    def stream(self) -> ChangeStream:
        return self.watch.query_one(ChangeStream)

    @property
    def text(self) -> str:
        """What stands on the screen."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in lines)

    @property
    def told(self) -> str:
        """The messages on the screen, each on one line."""
        return "\n".join(one.message for one in self.app._notifications)

    def row(self, lines: KeyedLines[Any], index: int) -> str:
        """The text of one line of a list."""
        left, right = lines.line_spans(lines.keys[index], 80)
        return plain(left) + plain(right)


@asynccontextmanager
async def opened(
    store: Store,
    size: tuple[int, int] = (80, 24),
    *,
    session: str | None = None,
    ledger: bool = False,
    readonly: bool = False,
) -> AsyncIterator[Driver]:
    """Open the app on a store, and wait until it has read it."""
    app = SftuiApp(store.root, store.cwd, session, readonly=readonly, no_ledger=not ledger)
    async with app.run_test(size=size, notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.until(lambda: app.picture.snapshot is not None)
        await pilot.pause()
        yield driver
