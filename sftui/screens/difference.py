"""What differs between two moments, or between two scopes: a page of its own that scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from sftui.actions import actions_of, bindings
from sftui.screens.base import LiveScreen, is_up
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, HeaderBar, Rule
from sftui.widgets.lines import KeyedLines
from sftui.widgets.review_list import ReviewList

if TYPE_CHECKING:
    from sftui.views.differences import Difference


class DifferenceList(ReviewList):
    """The lines of a difference; the places of memory among them can be opened."""

    BINDINGS: ClassVar = bindings("list")


class DifferenceScreen(LiveScreen):
    """Shows one difference whole. It stays as it was when it was opened: both its sides are past."""

    BINDINGS: ClassVar = bindings("difference")
    AUTO_FOCUS = "#difference"
    places = ("list", "difference")

    def __init__(self, difference: Difference) -> None:
        super().__init__()
        self._difference = difference

    def compose(self) -> ComposeResult:
        """Header, what is compared, the difference, footer."""
        yield HeaderBar()
        yield Rule(id="title")
        yield DifferenceList(id="difference")
        yield FooterBar(actions_of("list", "difference"))

    async def on_mount(self) -> None:
        """Show it."""
        if not is_up(self):
            return
        told = self._difference
        remark: Spans = ((told.counted, "muted"),)
        self.query_one("#title", Rule).say(((told.title, "strong"),), remark)
        self.query_one(DifferenceList).show(told.rows())

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Go to the place in the memory as it is now."""
        event.stop()
        row = self.query_one(DifferenceList).row
        place = None if row is None else self._difference.place(row)
        if place is None:
            self.sftui.say("This line is no place in memory")
            return
        self.action_close()
        self.sftui.open_path(*place)

    def action_close(self) -> None:
        """Back to where it was opened."""
        if self.app.screen is self:
            self.app.pop_screen()
