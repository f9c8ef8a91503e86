"""The line of time as a widget: it shows where one is, and goes where it is clicked."""

from __future__ import annotations

from collections.abc import Iterable

from textual import events
from textual.message import Message
from textual.strip import Strip

from sftui.cells import cell_len
from sftui.views.scrubber import back_at, scrubber
from sftui.views.spans import Spans
from sftui.widgets.paint import Painter


class Scrubber(Painter):
    """Shows how far back the moment on screen lies; a click, or a drag, asks for another one."""

    DEFAULT_CSS = """
    Scrubber { height: 1; }
    """

    class Asked(Message):
        """A moment was pointed at: so many back from now."""

        def __init__(self, back: int) -> None:
            self.back = back
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._at: tuple[int, int, tuple[int, ...]] = (0, 0, ())
        self._oldest: Spans = ()

    def show(self, back: int, of: int, *, marks: Iterable[int] = (), oldest: Spans = ()) -> None:
        """Show the moment `back` of `of`; `oldest` says which one the left end is, and that the right one is now."""
        found = (back, of, tuple(marks))
        if (found, oldest) != (self._at, self._oldest):
            self._at, self._oldest = found, oldest
            self.refresh()

    @property
    def _place(self) -> tuple[int, int]:
        """Where the line begins, and how many cells it has."""
        before = 1 + sum(cell_len(text) for text, _ in self._oldest) + (1 if self._oldest else 0)
        return before, self.size.width - before - len(" now ")

    def render_line(self, y: int) -> Strip:
        """Paint the line."""
        width, base = self.size.width, self.rich_style
        back, of, marks = self._at
        _, cells = self._place
        if y or cells < 3:
            return Strip.blank(width, base)
        ahead: Spans = ((" ", "text"), *self._oldest, *(((" ", "text"),) if self._oldest else ()))
        now: Spans = ((" now ", "muted" if back else "accent"),)
        return self.strip((*ahead, *scrubber(back, of, cells, marks=marks), *now), (), width, base)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Ask for the moment that was pointed at."""
        event.stop()
        self.capture_mouse()
        self._ask(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while its button is down."""
        if event.button and self.app.mouse_captured is self:
            event.stop()
            self._ask(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        event.stop()
        self.release_mouse()

    def _ask(self, x: int) -> None:
        first, cells = self._place
        if cells >= 3 and self._at[1]:
            self.post_message(self.Asked(back_at(x - first, self._at[1], cells)))
