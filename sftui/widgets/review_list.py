"""The page of the review as a list: every line can be stood on, and what does not fit goes on below."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from sftui.actions import bindings
from sftui.views.review_lines import Row, RowKey
from sftui.views.spans import Spans
from sftui.views.wrapping import wrapped
from sftui.widgets.lines import KeyedLines

# A row's key and which of its lines it is.
LineKey = tuple[RowKey, int]
# Where the box of a step or of a question stands.
_BOX: Final = range(2, 5)


class ReviewList(KeyedLines[LineKey], inherit_bindings=False):
    """Rows by key, wrapped to the width. Enter belongs to the screen: it applies."""

    BINDINGS: ClassVar = [binding for binding in bindings("list") if getattr(binding, "id", "") != "list.open"]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: list[Row] = []
        self._spans: dict[LineKey, Spans] = {}

    def show(self, rows: Iterable[Row]) -> None:
        """Show these; the cursor stays on its row."""
        fresh = list(rows)
        if fresh != self._rows:
            self._rows = fresh
            self._wrap()

    def _wrap(self) -> None:
        width = self.line_width
        if not width:
            return  # not laid out yet: it comes again with its size
        self._spans = {}
        for row in self._rows:
            key = row.key
            # Two names that only look alike are still two rows.
            while (key, 0) in self._spans:
                key = (*key, "again")
            for number, line in enumerate(wrapped(row.spans, width - 1, hang=row.hang)):
                self._spans[key, number] = line
        at_top, is_first = self.scroll_offset.y == 0, not self.keys
        self.replace(list(self._spans), fallback=lambda key: [(key[0], 0)])
        if is_first:
            self.begin()
        elif self.keys and not self.selectable(self.keys[self.cursor]):
            self.move_to(self.cursor)
        # Whoever sees the top sees what comes above, as long as the cursor is still in view there.
        if at_top and self.cursor < self._page:
            self.scroll_to(y=0, animate=False, force=True)

    def begin(self) -> None:
        """Show the page from its top, the cursor on the first step: that is what the keys are about."""
        steps = [number for number, (row, _) in enumerate(self.keys) if row[0] == "step"]
        self.scroll_to(y=0, animate=False, force=True)
        self.move_to(steps[0] if steps and steps[0] < self._page else 0)

    def selectable(self, key: LineKey) -> bool:
        """Tell whether a line is more than the title of a section."""
        return key[0][0] != "section"

    def on_resize(self) -> None:
        """Wrap anew."""
        self._wrap()
        super().on_resize()

    @property
    def row(self) -> RowKey | None:
        """The row under the cursor."""
        key = self.cursor_key
        return None if key is None else key[0]

    def go_to(self, row: RowKey) -> bool:
        """Put the cursor on a row; False if it is not there."""
        return self.move_to_key((row, 0))

    def clicked(self, index: int, column: int, chain: int) -> None:
        """A box is clicked, or a line twice: the same as its key."""
        row, number = self.keys[index]
        if row[0] in {"step", "needs"} and ((number == 0 and column in _BOX) or chain == 2):
            self.post_message(self.Opened(self, row))

    def line_spans(self, key: LineKey, width: int) -> tuple[Spans, Spans]:
        """Give a line."""
        del width
        return self._spans.get(key, ()), ()
