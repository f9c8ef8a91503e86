"""Where the cursor stays while one looks back: at its row, though that was not there at every moment."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from sftui.widgets.lines import KeyedLines

K = TypeVar("K", bound=Hashable)


class Staying(Generic[K]):
    """Remembers the row that the cursor was taken from, and how far the list was scrolled, until that row is back.

    Ask `before` and `after` around whatever shows other rows. A cursor that was moved meanwhile stays where it is.
    """

    def __init__(self) -> None:
        self._was: tuple[K | None, int] = (None, 0)
        self._left: tuple[K, int] | None = None
        self._landed: K | None = None

    def before(self, rows: KeyedLines[K]) -> None:
        """Other rows are about to be shown."""
        self._was = rows.cursor_key, rows.scroll_offset.y
        if self._left is not None and rows.cursor_key != self._landed:
            self._left = None

    def after(self, rows: KeyedLines[K], *, keeps: bool) -> None:
        """They are shown. `keeps`: of an earlier moment, so that a row that is not there is not gone for good."""
        if self._left is not None:
            key, top = self._left
            if rows.move_to_key(key):
                rows.scroll_to(y=top, animate=False, force=True)
                rows.scroll_to_cursor()
                self._left = None
            self._landed = rows.cursor_key
        elif keeps and self._was[0] is not None and rows.cursor_key != self._was[0]:
            self._left = self._was[0], self._was[1]
            self._landed = rows.cursor_key
        if not keeps:
            self._left = None
