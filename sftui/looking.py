"""Since when nobody has looked at the changes: one answer for every screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sftui.views.changes import Entry
    from sftui.views.kinds import EntryKey

# Without a key or a move of the mouse for so long, what was shown last is what was looked at.
AWAY_SECONDS = 20.0


class Looking:
    """Which change was the newest when the stream of changes was last looked at. Times in Unix seconds."""

    def __init__(self) -> None:
        self.at = 0.0
        self.key: EntryKey | None = None
        self._there = 0.0
        self._touched: tuple[float, EntryKey | None] = (0.0, None)

    def begin(self, log: Sequence[Entry], now: float) -> None:
        """Open another cohort: what is there already is not news."""
        self.touch(log, now)
        self.leave()

    def arrived(self, now: float) -> None:
        """Something new is there. If nobody has touched anything for a while, what was there then was looked at."""
        if now - self._there > AWAY_SECONDS:
            self.leave()

    def touch(self, shown: Sequence[Entry], now: float, *, waiting: float | None = None) -> None:
        """Somebody is there, and sees the stream that begins with the newest of `shown`.

        `waiting` is when the first of those came that are held back: since then nothing new has been seen.
        """
        self._there = now
        self._touched = (now if waiting is None else min(now, waiting), shown[0].key if shown else None)

    def leave(self) -> None:
        """Nobody looks any more: what was seen last is what was looked at."""
        self.at, self.key = self._touched

    def count(self, log: Sequence[Entry]) -> int:
        """Give the number of entries that are newer than what was looked at."""
        for number, entry in enumerate(log):
            if entry.key == self.key:
                return number
        return len(log)
