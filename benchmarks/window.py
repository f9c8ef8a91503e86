"""What the app costs: to start, to show a change, to sit there."""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from collections.abc import Iterator
from typing import Any, Self

import psutil
from watchfiles import awatch

from benchmarks.measure import INFORMATION, Figure, percentile, ratio, show
from benchmarks.publishing import Warm
from benchmarks.stores import KB, MB, Place, store
from benchmarks.terminal import Terminal
from engine.store import files

MINIMAL = ("-m", "benchmarks.minimal_app")
LIVE = b"live"
FOOTER = b"help"
CHANGES = 100
IDLE_S = 60.0


def app(place: Place) -> tuple[str, ...]:
    return ("-m", "sftui", place.root, "--cwd", place.cwd, "--session", place.session, "--no-ledger")


def first_paint() -> Iterator[Figure]:
    """From the start of the process to its first frame; and, for information, until the store is on the screen."""
    with store(1 * MB) as place:
        frame: list[float] = []
        theirs: list[float] = []
        content: list[float] = []
        for _ in range(9):
            with Terminal(*MINIMAL) as terminal:
                theirs.append(terminal.until(b"READY") - terminal.started)
            with Terminal(*app(place)) as terminal:
                frame.append(terminal.until(FOOTER) - terminal.started)
                content.append(terminal.until(LIVE) - terminal.started)
        what = "a minimal app with a tree, a pane and a footer"
        ours, least = statistics.median(frame), statistics.median(theirs)
        yield ratio("start to first paint, 1 MB", 1.4, ours, least, what)
        yield ratio("start to the store on the screen, 1 MB", INFORMATION, statistics.median(content), least, what)


class Renames:
    """The moment of the last rename inside a store, of whatever `Warm` publishes: that is when a change is on disk."""

    def __init__(self) -> None:
        self.last = 0.0
        self._rename = files.rename

    def __enter__(self) -> Self:
        setattr(files, "rename", self)  # noqa: B010 - the seam is made for this
        return self

    def __exit__(self, *_: object) -> None:
        setattr(files, "rename", self._rename)  # noqa: B010

    def __call__(self, *names: Any, **more: Any) -> None:
        self._rename(*names, **more)
        self.last = time.perf_counter()


def change_to_pixels() -> Iterator[Figure]:
    """From the last rename of a publication to the bytes on the terminal that show it."""
    with store(1 * MB) as place, Renames() as renames:
        callback = statistics.median(_callbacks(place, renames))
        taken = []
        with Terminal(*app(place)) as terminal:
            terminal.until(LIVE)
            terminal.settle()
            warm = Warm(place)
            for _ in range(CHANGES):
                mark = len(terminal.seen)
                warm()
                taken.append(terminal.until(f"step {warm.step}".encode(), since=mark) - renames.last)
                terminal.settle(0.1)
        what = "watchfiles' own callback (step 10, debounce 50)"
        yield ratio("change to pixels, 1 MB, median", 2, statistics.median(taken), callback, what)
        yield Figure("change to pixels, 1 MB, p99", percentile(taken, 0.99) * 1e3, 100, "ms", f"{CHANGES} changes")


def _callbacks(place: Place, renames: Renames) -> list[float]:
    """How long after the last rename watchfiles tells of it, with nobody else doing anything."""
    taken: list[float] = []

    async def listen() -> None:
        heard = asyncio.Event()
        stop = asyncio.Event()
        at = 0.0

        async def watcher() -> None:
            nonlocal at
            async for changes in awatch(place.root, watch_filter=None, step=10, debounce=50, stop_event=stop):
                if any(path.endswith("/meta.json") for _, path in changes):  # the last one to be renamed
                    at = time.perf_counter()
                    heard.set()

        task = asyncio.create_task(watcher())
        await asyncio.sleep(0.5)
        warm = Warm(place)
        for _ in range(CHANGES // 2):
            heard.clear()
            await asyncio.to_thread(warm)
            await asyncio.wait_for(heard.wait(), 5)
            taken.append(at - renames.last)
            await asyncio.sleep(0.15)
        stop.set()
        await task

    asyncio.run(listen())
    return taken


def idle() -> Iterator[Figure]:
    """Processor time of a minute in which nothing happens, with 10,000 sessions in the root."""
    with store(10 * KB, other_sessions=10_000) as place, Terminal(*app(place)) as ours, Terminal(*MINIMAL) as theirs:
        ours.until(LIVE)
        theirs.until(b"READY")
        time.sleep(2)
        ours.settle()
        theirs.settle()
        before = [_processor(terminal) for terminal in (ours, theirs)]
        end = time.monotonic() + IDLE_S
        wrote = len(ours.seen)
        drain = threading.Thread(target=lambda: _drain(theirs, end))
        drain.start()
        _drain(ours, end)
        drain.join()
        spent = [_processor(terminal) - start for terminal, start in zip((ours, theirs), before, strict=True)]
        detail = f"{show(spent[0])} against {show(spent[1])} of processor time; {len(ours.seen) - wrote} bytes drawn"
        yield Figure("idle for a minute, 10,000 sessions", spent[0] / max(spent[1], 1e-3), 2, "x", detail)


def _processor(terminal: Terminal) -> float:
    times = psutil.Process(terminal.child.pid).cpu_times()
    return float(times.user + times.system)


def _drain(terminal: Terminal, end: float) -> None:
    while (left := end - time.monotonic()) > 0:
        terminal.pump(left)
