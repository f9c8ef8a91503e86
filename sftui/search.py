"""The search of the app: what was looked for last, and what has been found of it so far. Works in a thread."""

from __future__ import annotations

import threading
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

from engine.values.needle import Needle, needle
from sftui.background import begin
from sftui.searching import Known, ground_of, look
from sftui.threaded import in_thread
from sftui.views.search import Hit, HitKey, Progress

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from sftui.app import SftuiApp
    from sftui.views.picture import Picture

# Progress is told so often, in seconds; hits at once.
TELL_SECONDS: Final = 0.1

State = Literal["idle", "looking", "done", "stopped", "failed"]


class Search:
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
        self.picture = self._app.live
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
        before, now = self.picture, self._app.live
        return before is not None and before.snapshot is not now.snapshot

    async def _look(self) -> None:
        sought, cancel = self.sought, self._cancel
        if sought is None or cancel.is_set():
            return
        ground = ground_of(self._app.live, ledger=self._ledger)
        batches: AsyncIterator[list[Hit | Known | Progress]] = in_thread(partial(look, ground, sought), cancel)
        told = 0.0
        try:
            async for batch in batches:
                if self._take(batch) or monotonic() - told >= TELL_SECONDS:
                    told = monotonic()
                    self.told()
        except Exception:  # noqa: BLE001 - it is said, and the window stays open
            self.state = "failed"
        else:
            if self.state == "looking" and self._cancel is cancel:
                self.state = "done"
        if self._cancel is cancel:
            self.told()

    def _take(self, steps: Iterable[Hit | Known | Progress]) -> bool:
        """Take over what was found; tell whether a hit was among it."""
        found = False
        for step in steps:
            match step:
                case Progress():
                    self.progress = step
                case Known(hit=hit) | (Hit() as hit):
                    self.hits[hit.key] = hit
                    found = True
        return found
