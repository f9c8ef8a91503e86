"""The app with somebody who notes how long it did not answer, and waiting for what it shows."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

import sftui
from sftui.app import SftuiApp


class Watched(SftuiApp):
    """The app, with a task that only wants to be woken each millisecond and notes by how much it was late."""

    CSS_PATH = os.path.join(os.path.dirname(sftui.__file__), str(SftuiApp.CSS_PATH))
    longest = 0.0

    async def beat(self, is_done: Callable[[], bool] = lambda: False) -> None:
        """Go on until it is done, or cancelled."""
        before = time.perf_counter()
        while not is_done():
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            self.longest = max(self.longest, now - before)
            before = now


async def until(holds: Callable[[], bool], *, seconds: float = 120, pause: float = 0.02) -> None:
    """Wait until something holds, looking at it each `pause` seconds. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("it did not come to hold")
        await asyncio.sleep(pause)
