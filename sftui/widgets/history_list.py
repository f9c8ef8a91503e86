"""The list of screen 3: follows the newest change while the cursor is on top, and keeps its row otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from sftui.views.history import History, RowKey, is_heading
from sftui.views.history_rows import row_line
from sftui.views.spans import Spans
from sftui.widgets.lines import KeyedLines


class HistoryList(KeyedLines[RowKey]):
    """Every change that is known, newest first."""

    class Scrolled(Message):
        """Other rows have come on screen."""

        def can_replace(self, message: Message) -> bool:
            """Only where it ends matters."""
            return isinstance(message, HistoryList.Scrolled)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.told = History()
        self.marked: RowKey | None = None
        self._shown: RowKey | None = None
        self._opens = False

    def show(self, told: History, *, empty: Sequence[Spans] = ()) -> None:
        """Show these rows; a cursor on the newest one goes along with what is newer."""
        on_top = not self.keys or (self.cursor_key == self.told.newest and not round(self.scroll_y))
        self.told = told
        self.replace(list(told.keys), empty=empty, to_top=on_top)
        if self._opens and self.keys:
            self._opens = False
            self.action_open()

    def action_open(self) -> None:
        """Open the row; one that is still looked for when it has come."""
        self._opens = not self.keys
        super().action_open()

    @property
    def near(self) -> Sequence[RowKey]:
        """The rows on screen, and as many above and below."""
        top, height = self.scroll_offset.y, self._page
        return self.keys[max(0, top - height) : top + 2 * height]

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that other rows are shown."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled())

    def on_resize(self) -> None:
        """There may be more rows on screen."""
        super().on_resize()
        self.post_message(self.Scrolled())

    def mark(self, key: RowKey | None) -> None:
        """Show which row another one is to be compared with."""
        self.marked = key
        self.forget_strips()

    def point_out(self, key: RowKey | None, *, along: bool = False) -> None:
        """Show as of which row the whole app is; a cursor that stood on the one before goes `along`, on the newest at last."""
        if key == self._shown:
            return
        follows = self.cursor_key == (self._shown or self.told.newest) or along
        self._shown = key
        self.forget_strips()
        target = key or (self.told.newest if along else None)
        if follows and target is not None:
            self.move_to_key(target)

    def selectable(self, key: RowKey) -> bool:
        """Tell whether a line is more than a divider."""
        return not is_heading(key)

    def line_spans(self, key: RowKey, width: int) -> tuple[Spans, Spans]:
        """Lay a row out."""
        return row_line(self.told, key, width, marked=key == self.marked, shown=key == self._shown)
