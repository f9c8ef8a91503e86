"""What hides rows of History: a text, looked for in what each change set and removed, beside the interface."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sftui.background import begin
from sftui.screens.tree_filter import TYPING_PAUSE

if TYPE_CHECKING:
    from textual.timer import Timer

    from sftui.screens.chronicle import ChronicleScreen
    from sftui.views.history import RowKey


class HistoryFilter:
    """The filter of one screen: its text, and the rows that it leaves (None: none is at work, or it is looking)."""

    def __init__(self, screen: ChronicleScreen) -> None:
        self._screen = screen
        self.text = ""
        self.kept: frozenset[RowKey] | None = None
        self._pause: Timer | None = None

    def set(self, text: str, *, at_once: bool) -> bool:
        """Filter by `text`, at once or when nothing more is typed; False: there is nothing to filter by."""
        self._stop()
        if not text.removeprefix("!"):
            return False
        if text != self.text:
            self.text, self.kept = text, None
        self._screen.say_rows()
        if at_once:
            self.look()
        else:
            self._pause = self._screen.set_timer(TYPING_PAUSE, self.look)
        return True

    def drop(self) -> None:
        """Filter no more."""
        self._stop()
        self._screen.workers.cancel_group(self._screen, "filter")
        self.text, self.kept = "", None
        self._screen.show_rows()

    def look(self) -> None:
        """Look through what is known by now."""
        self._pause = None
        if self.text:
            begin(self._screen, self._look, "filter", exclusive=True)

    def _stop(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    async def _look(self) -> None:
        from sftui.views.chronicle_filter import holding

        text, known, body = self.text, self._screen.known, self._screen.records.body
        kept = await asyncio.to_thread(holding, known, text, body, lambda: self.text != text)
        if kept is not None and text == self.text and self._screen.is_attached:
            self.kept = kept
            self._screen.show_rows()
