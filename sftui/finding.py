"""The search of the app: what was looked for last, and what has been found of it so far. Works in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

from engine.values.needle import Needle, needle
from sftui.background import begin
from sftui.process import taking_turns
from sftui.searching import Ground, Known, ground_of, look
from sftui.views.search import Hit, HitKey, Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from sftui.app import SftuiApp
    from sftui.views.picture import Picture

# How often what a thread has found is taken over, in seconds; only while it looks.
POLL_SECONDS: Final = 0.03
# Progress is told so often, in seconds; hits at once.
TELL_SECONDS: Final = 0.1

State = Literal["idle", "looking", "done", "stopped", "failed"]


class Finding:
    """A search and its hits, in the order in which they were found. Kept while the app runs, for the next look at it."""

    def __init__(self, app: SftuiApp, *, ledger: bool) -> None:
        self._app = app
        self._ledger = ledger
        self._cancel = threading.Event()
        self.text = ""
        self.sought: Needle | None = None
        self.hits: dict[HitKey, Hit] = {}
        self.cursor: HitKey | None = None
        self.progress = Progress()
        self.state: State = "idle"
        self.picture: Picture | None = None
        # Told whenever there is something new.
        self.told: Callable[[], None] = lambda: None

    def begin(self, text: str) -> None:
        """Look for `text`; what was looked for before is given up."""
        self.stop()
        self.text, self.hits, self.progress = text, {}, Progress()
        if not text:
            self.sought, self.state = None, "idle"
            self.told()
            return
        self.sought, self.state = needle(text), "looking"
        self.picture = self._app.picture
        self._cancel = threading.Event()
        begin(self._app, self._look, "search", exclusive=True)
        self.told()

    def stop(self) -> None:
        """Look no further. The thread ends with its next step, in a few milliseconds."""
        self._cancel.set()
        if self.state == "looking":
            self.state = "stopped"
            self.told()

    @property
    def moved(self) -> bool:
        """Whether memory has become another since it was searched."""
        before, now = self.picture, self._app.picture
        return before is not None and before.snapshot is not now.snapshot

    async def _look(self) -> None:
        sought, cancel = self.sought, self._cancel
        if sought is None or cancel.is_set():
            return
        ground = ground_of(self._app.picture, ledger=self._ledger)
        steps: deque[Hit | Known | Progress] = deque()
        work = asyncio.create_task(asyncio.to_thread(_work, ground, sought, steps, cancel))
        last = 0.0
        try:
            while not work.done() and not cancel.is_set():
                await asyncio.wait({work}, timeout=POLL_SECONDS)
                if not cancel.is_set() and (self._take(steps) or monotonic() - last >= TELL_SECONDS):
                    last = monotonic()
                    self.told()
        finally:
            ended = work.done() and not cancel.is_set()
            cancel.set()
        if ended and self._cancel is cancel:
            self._take(steps)
            self.state = "done" if work.exception() is None else "failed"
            self.told()

    def _take(self, steps: deque[Hit | Known | Progress]) -> bool:
        """Take over what was found; tell whether a hit was among it."""
        found = False
        while steps:
            match steps.popleft():
                case Progress() as progress:
                    self.progress = progress
                case Known(hit=hit) | (Hit() as hit):
                    self.hits[hit.key] = hit
                    found = True
        return found


def _work(ground: Ground, sought: Needle, steps: deque[Hit | Known | Progress], cancel: threading.Event) -> None:
    rest = taking_turns()
    for step in look(ground, sought):
        if cancel.is_set():
            return
        if step is not None:
            steps.append(step)
        rest()
