"""Rows with details about one of them: at their side where there is room, else under them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from sftui.actions import actions_of
from sftui.screens.base import WIDE, LiveScreen
from sftui.widgets.bars import FooterBar, HeaderBar, NoticeBar, Rule, TextPane

if TYPE_CHECKING:
    from sftui.actions import Where
    from sftui.views.spans import Spans

# Below this height there is room for the rows only.
SHORT = 16
# And below this one for one of them, if for nothing else.
TINY = 8


class DetailedScreen(LiveScreen):
    """Reads on in the details, and chooses the layout for the size."""

    def with_details(
        self, place: Where, rows: Widget, *, above: Sequence[Widget] = (), beside: Sequence[Widget] = (), hang: int = 2
    ) -> ComposeResult:
        """Header, `above`, rows under their rule, details with `beside` below them, footer.

        The rows stand in `#ID-box` under `#ID-rule`, after their own id; `hang` indents later lines of the details.
        """
        yield HeaderBar()
        yield NoticeBar()
        yield from above
        with Horizontal(id="panes"):
            with Vertical(id=f"{rows.id}-box"):
                yield Rule(id=f"{rows.id}-rule")
                yield rows
            with Vertical(id="side-box"):
                yield Rule(id="side-rule")
                yield TextPane(id="side", can_focus=True, hang=hang)
                yield from beside
        yield Rule(id="under-rule")
        yield TextPane(id="under", can_focus=True, hang=hang)
        yield FooterBar([action for action in actions_of("app", "list", place) if action.id != f"app.{place}"])

    def tell(self, title: Spans, lines: Sequence[Spans], *, top: bool = True) -> None:
        """Show details, from their `top` unless they go on about the same row."""
        self.query_one("#under-rule", Rule).say(title)
        self.query_one("#side", TextPane).show([title, *lines] if lines else [], top=top)
        self.query_one("#under", TextPane).show(list(lines), top=top)

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
