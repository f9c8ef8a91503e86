"""Rows with details about one of them: at their side where there is room, else under them."""

from __future__ import annotations

from textual import events

from sftui.screens.base import WIDE, LiveScreen
from sftui.widgets.bars import TextPane

# Below this height there is room for the rows only.
SHORT = 16
# And below this one for one of them, if for nothing else.
TINY = 8


class DetailedScreen(LiveScreen):
    """Reads on in the details, and chooses the layout for the size."""

    def action_details_down(self) -> None:
        """Read on in the details."""
        self._scroll_details(1)

    def action_details_up(self) -> None:
        """Read back in the details."""
        self._scroll_details(-1)

    def _scroll_details(self, screens: int) -> None:
        pane = self.query_one("#side" if self.size.width >= WIDE else "#under", TextPane)
        rows = max(1, pane.size.height - 1)
        pane.scroll_to(y=pane.scroll_offset.y + screens * rows, animate=False, force=True)

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout for the size."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.height < SHORT, "-short")
        self.set_class(event.size.height < TINY, "-tiny")
        if self.is_mounted:
            self.fit(event.size.width)

    def fit(self, width: int) -> None:
        """Say again what depends on the width."""
        del width
