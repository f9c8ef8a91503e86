"""Whether the interface answers: to keys in very large views, and to anything at all while a large store is opened."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Iterator

from benchmarks.measure import Figure, child, percentile
from benchmarks.stores import MB, Place, store
from benchmarks.terminal import Terminal
from benchmarks.watched import Watched, until
from benchmarks.window import LIVE, app
from sftui import process

ROWS = 100_000
PRESSES = 150
FRAME_QUIET_S = 0.004
"""A frame is over when no more of it has come for so long."""


def key_to_frame() -> Iterator[Figure]:
    """From a key written to the terminal to the end of the frame that answers it."""
    content = {"rows": {f"k{number:06d}": number for number in range(ROWS)}}
    with store(0, content=content) as place, Terminal(*app(place)) as terminal:
        _at(terminal, b"lazy.rows")
        terminal.press(b"l")
        terminal.settle()
        yield from _figures(terminal, f"key to frame, {ROWS:,} visible rows")
    big = {"big": ["what was found, line by line " * 3] * (10 * MB // 90)}
    with store(0, content=big) as place, Terminal(*app(place)) as terminal:
        _at(terminal, b"lazy.big")
        terminal.press(b"\r")
        terminal.settle(0.6)
        yield from _figures(terminal, "key to frame, in a 10 MB value")


def _at(terminal: Terminal, path: bytes) -> None:
    """Wait for the app, go to Memory, jump to a path."""
    terminal.until(LIVE)
    terminal.settle()
    terminal.press(b"2")
    terminal.settle()
    terminal.press(b"'")
    terminal.settle()
    terminal.press(path + b"\r")
    terminal.settle(0.6)


def _figures(terminal: Terminal, name: str) -> Iterator[Figure]:
    taken = []
    for number in range(PRESSES):
        key = (b"j", b"j", b"\x1b[6~", b"j", b"k", b"\x1b[6~", b"\x1b[5~")[number % 7]
        began = time.perf_counter()
        terminal.press(key)
        last = began
        if terminal.pump(1.0):
            last = time.perf_counter()
            while terminal.pump(FRAME_QUIET_S):
                last = time.perf_counter()
            taken.append(last - began)
        terminal.settle(0.06)  # what is still drawn for this key must not answer the next one
    if len(taken) < PRESSES * 0.9:
        raise RuntimeError(f"only {len(taken)} of {PRESSES} keys were answered; {bytes(terminal.seen[-800:])!r}")
    detail = f"{len(taken)} keys, a line or a page"
    yield Figure(f"{name}, median", percentile(taken, 0.5) * 1e3, 33, "ms", detail)
    yield Figure(f"{name}, p99", percentile(taken, 0.99) * 1e3, 50, "ms", detail)


class Opening(Watched):
    """Watched until the store has been on the screen for some 300 wakings."""

    settled = 0

    def on_mount(self) -> None:
        """Beside the app's own handler, which starts to read at the same moment."""
        self.call_after_refresh(self.run_worker, self._watch, exit_on_error=False)

    async def _watch(self) -> None:
        await self.beat(self._is_settled)

    def _is_settled(self) -> bool:
        self.settled += self.picture.snapshot is not None
        return self.done

    @property
    def done(self) -> bool:
        return self.settled >= 300


def longest_stall() -> Iterator[Figure]:
    """The longest time for which the event loop was not free, from the first frame until the store is on the screen."""
    with store(0) as place:
        _stall_apart(place)  # compiles what is not compiled yet
    for size, limit in ((10, 50), (100, 350)):
        with store(size * MB) as place:
            taken = [_stall_apart(place) for _ in range(3)]
            detail = "the median of " + ", ".join(f"{one:.0f}" for one in taken)
            yield Figure(f"longest stall while {size} MB are opened", statistics.median(taken), limit, "ms", detail)


def _stall_apart(place: Place) -> float:
    """The longest stall in ms, in a process of its own: one that has opened nothing before."""
    return float(child("-m", "benchmarks.keys", place.root, place.cwd, place.session).stdout)


async def _stall(root: str, cwd: str, session: str) -> float:
    watched = Opening(root, cwd, session, no_ledger=True)
    async with watched.run_test(size=(120, 40)):
        await until(lambda: watched.done, pause=0.05)
    return watched.longest


if __name__ == "__main__":
    process.begin()
    print(asyncio.run(_stall(*sys.argv[1:])) * 1e3)
