"""What it costs to show the app as memory was one change earlier: the picture alone, and from the key to the screen."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.keys import FRAME_QUIET_S
from benchmarks.measure import Figure, alternate, percentile, ratio
from benchmarks.stores import KB, MB, Place, age, store
from benchmarks.terminal import Terminal
from benchmarks.window import LIVE, app
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from sftui.views.asof import picture_at
from sftui.views.moments import moments
from sftui.views.picture import Picture, look, measured

LIMIT_MS = 100.0
ROUNDS = 5


class Stepping:
    """Steps back through all that is retained, and forward again: each call is one picture."""

    def __init__(self, place: Place) -> None:
        self.live = measured(look(Picture(), snapshot(place.address), "live", 0.0, pinned=True, sightings={}))
        self.known = moments(self.live)
        self.sizes = self.live.sizes.copy()
        self.order = [*range(1, len(self.known)), *range(len(self.known) - 2, 0, -1)]
        self.shown = self.live

    def __call__(self) -> None:
        self.order.append(step := self.order.pop(0))
        self.shown = picture_at(self.live, self.known, self.known[step], sizes=self.sizes, near=self.shown)
        assert self.shown.as_of is not None
        assert not self.shown.as_of.unknown


def steps() -> Iterator[Figure]:
    """The picture of a moment at 10 MB against the same at 10 kB; then from the key to what is on the screen."""
    with store(10 * KB, limit=20) as small, store(10 * MB, limit=20) as large:
        for place in (small, large):
            _change(place)
        ours, theirs = alternate(Stepping(large), Stepping(small), rounds=41)
        yield ratio("the picture of an earlier moment, 10 MB", 3, ours, theirs, "the same at 10 kB")
        with Terminal(*app(large)) as terminal:
            taken = _presses(terminal)
    yield Figure("as-of step, 10 MB, key to frame, median", percentile(taken, 0.5), LIMIT_MS, "ms", "to and fro")
    detail = f"{len(taken)} steps"
    yield Figure("as-of step, 10 MB, key to frame, p99", percentile(taken, 0.99), LIMIT_MS, "ms", detail)


def _change(place: Place) -> None:
    """Let the large plane change, in two scopes that are composed there."""
    for number in range(4):
        patch = {"lazy": {"modules": {f"module-{number:06d}": {"lines": number}}}}
        publish(place.address, {"cwd": patch, "session": patch}, force_session=True)
    age(place.root)


def _presses(terminal: Terminal) -> list[float]:
    """Milliseconds from each key to the end of the frame that shows its moment."""
    terminal.until(LIVE)
    terminal.settle(2.0)
    terminal.press(b"2")
    terminal.settle(0.6)
    taken = []
    for keys in (b"[[[[[[]]]]]",) * ROUNDS:
        for key in keys:
            began = time.perf_counter()
            terminal.press(bytes((key,)))
            if terminal.pump(2.0):
                last = time.perf_counter()
                while terminal.pump(FRAME_QUIET_S):
                    last = time.perf_counter()
                taken.append((last - began) * 1e3)
            terminal.settle(0.3)  # sizes are told a little later
        terminal.press(b"=")
        terminal.settle(0.3)
    return taken
