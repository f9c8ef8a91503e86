"""A list of keyed lines over the line API: only what is visible is ever rendered.

Cursor and scroll belong to keys. When the lines are replaced the cursor stays on
its key, at the same height of the screen, however many rows arrived above it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from sftui.actions import bindings
from sftui.views.spans import Spans
from sftui.views.wrapping import wrapped
from sftui.widgets.paint import Painter

K = TypeVar("K", bound=Hashable)

# Rendered lines that are kept: a few screens full.
CACHED_LINES = 512


class KeyedLines(Painter, ScrollView, Generic[K], can_focus=True):
    """Lines by key. Subclasses give `line_spans`."""

    BINDINGS = bindings("list")
    DEFAULT_CSS = """
    KeyedLines {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    """

    cursor: reactive[int] = reactive(0, repaint=False)

    class Moved(Message):
        """The cursor stands on another key, or on none."""

        def __init__(self, lines: KeyedLines[Any], key: Hashable | None) -> None:
            self.lines = lines
            self.key = key
            super().__init__()

        @property
        def control(self) -> KeyedLines[Any]:
            """The list it came from."""
            return self.lines

        def can_replace(self, message: Message) -> bool:
            """Only the last position matters."""
            return isinstance(message, KeyedLines.Moved) and message.lines is self.lines

    class Opened(Message):
        """A line was asked to be opened (enter, double click)."""

        def __init__(self, lines: KeyedLines[Any], key: Hashable) -> None:
            self.lines = lines
            self.key = key
            super().__init__()

        @property
        def control(self) -> KeyedLines[Any]:
            """The list it came from."""
            return self.lines

    empty_text: ClassVar[str] = ""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.keys: list[K] = []
        self._strips: dict[tuple[int, int, bool, bool], Strip] = {}
        self._empty: Sequence[Spans] = ()

    # What subclasses say.

    def line_spans(self, key: K, width: int) -> tuple[Spans, Spans]:
        """Give the left and the right part of the line of `key`: subclasses know them, here both are empty."""
        del key, width
        return (), ()

    def selectable(self, key: K) -> bool:
        """Tell whether the cursor may stand on `key`."""
        del key
        return True

    # The keyed update.

    @property
    def cursor_key(self) -> K | None:
        """The key under the cursor."""
        return self.keys[self.cursor] if 0 <= self.cursor < len(self.keys) else None

    def replace(
        self,
        keys: list[K],
        *,
        fallback: Callable[[K], Sequence[K]] | None = None,
        follow: Callable[[K], K] | None = None,
        empty: Sequence[Spans] = (),
        to_top: bool = False,
    ) -> None:
        """Show `keys` instead; keep cursor and scroll by key, or go `to_top`.

        `follow(key)` says under which key a line goes on, where that is another one. `fallback(key)` names, best
        first, where the cursor goes if its key is gone; else it goes to the nearest line above that is still there.
        """
        self._empty = empty
        old, old_cursor, old_top = self.keys, self.cursor, self.scroll_offset.y
        height = self._page
        visible = old_top <= old_cursor < old_top + height
        anchor = old_cursor if visible or not old else min(old_top, len(old) - 1)
        self._strips.clear()
        if keys is old:
            self.refresh()
            return
        self.keys = keys
        new_cursor = 0 if to_top else _survivor(old, old_cursor, keys, fallback, follow)
        if to_top:
            while new_cursor + 1 < len(keys) and not self.selectable(keys[new_cursor]):
                new_cursor += 1
            delta = -old_top
        elif anchor == old_cursor:
            delta = new_cursor - old_cursor
        else:
            delta = _survivor(old, anchor, keys, None, follow) - anchor
        self._resize_virtual()
        if old and delta:
            self.scroll_to(y=max(0, old_top + delta), animate=False, force=True)
        key_changed = not old or self._key_at(old, old_cursor) != self._key_at(keys, new_cursor)
        self.set_reactive(KeyedLines.cursor, new_cursor)
        self.refresh()
        if key_changed:
            self.post_message(self.Moved(self, self.cursor_key))

    def forget_strips(self) -> None:
        """Render every visible line anew: what the lines say has changed."""
        self._strips.clear()
        self.refresh()

    @staticmethod
    def _key_at(keys: Sequence[K], index: int) -> K | None:
        return keys[index] if 0 <= index < len(keys) else None

    # Moving.

    @property
    def line_width(self) -> int:
        """The cells of a line, without the scroll bar."""
        return self.scrollable_content_region.width or self.size.width

    @property
    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height)

    def move_to(self, index: int, *, scroll: bool = True) -> None:
        """Put the cursor on the line at `index`, or on the nearest that may hold it."""
        if not self.keys:
            return
        index = max(0, min(index, len(self.keys) - 1))
        step = 1 if index >= self.cursor else -1
        probe = index
        while 0 <= probe < len(self.keys) and not self.selectable(self.keys[probe]):
            probe += step
        if not 0 <= probe < len(self.keys):
            probe = index
            while 0 <= probe < len(self.keys) and not self.selectable(self.keys[probe]):
                probe -= step
            if not 0 <= probe < len(self.keys):
                return
        self.cursor = probe
        if scroll:
            self.scroll_to_cursor()

    def move_to_key(self, key: K) -> bool:
        """Put the cursor on `key`; False if no line has it."""
        try:
            self.move_to(self.keys.index(key))
        except ValueError:
            return False
        return True

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint the two lines and tell the screen."""
        if old != new:
            self.refresh_lines(old)
            self.refresh_lines(new)
            self.post_message(self.Moved(self, self.cursor_key))

    def scroll_to_cursor(self) -> None:
        """Bring the cursor's line into view, with as little movement as it takes."""
        top, height = self.scroll_offset.y, self._page
        if self.cursor < top:
            # Headings that cannot hold the cursor come along.
            first = self.cursor
            while first > 0 and not self.selectable(self.keys[first - 1]):
                first -= 1
            self.scroll_to(y=first, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    def moved_by(self, event: events.Key) -> bool:
        """Move as a key says that was pressed while a line above this list has the focus; whether it was one of those."""
        moves = {
            "up": self.action_cursor_up,
            "down": self.action_cursor_down,
            "pageup": self.action_page_up,
            "pagedown": self.action_page_down,
        }
        move = moves.get(event.key)
        if move is None:
            return False
        event.stop()
        event.prevent_default()
        move()
        return True

    def action_cursor_up(self) -> None:
        """One line up."""
        self.move_to(self.cursor - 1)

    def action_cursor_down(self) -> None:
        """One line down."""
        self.move_to(self.cursor + 1)

    def action_page_up(self) -> None:
        """One screen up."""
        self.move_to(self.cursor - max(1, self._page - 1))

    def action_page_down(self) -> None:
        """One screen down."""
        self.move_to(self.cursor + max(1, self._page - 1))

    def action_first(self) -> None:
        """To the first line."""
        self.move_to(0)

    def action_last(self) -> None:
        """To the last line."""
        self.move_to(len(self.keys) - 1)

    def action_open(self) -> None:
        """Open what the cursor stands on."""
        key = self.cursor_key
        if key is not None:
            self.post_message(self.Opened(self, key))

    # The mouse.

    def on_click(self, event: events.Click) -> None:
        """Move to the line that was clicked; open it on the second click."""
        index = event.y + self.scroll_offset.y
        if not 0 <= index < len(self.keys) or not self.selectable(self.keys[index]):
            return
        self.move_to(index, scroll=False)
        self.clicked(index, event.x, event.chain)

    def clicked(self, index: int, column: int, chain: int) -> None:
        """Answer a click on the line at `index`; a second one opens."""
        del index, column
        if chain == 2:
            self.action_open()

    # Painting.

    def _resize_virtual(self) -> None:
        size = Size(self.line_width, len(self.keys))
        if size != self.virtual_size:
            self.virtual_size = size

    def on_resize(self) -> None:
        """Lines are as wide as the widget: none of them survives a resize."""
        self._strips.clear()
        self._resize_virtual()
        if self.keys:
            self.scroll_to_cursor()

    def on_focus(self) -> None:
        """The cursor is shown in another way with the focus."""
        self.refresh_lines(self.cursor)

    def on_blur(self) -> None:
        """The cursor is shown in another way without the focus."""
        self.refresh_lines(self.cursor)

    def notify_style_update(self) -> None:
        """Forget rendered lines: their styles have changed."""
        self._strips.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """Render the line at height `y` of the viewport."""
        width = self.line_width
        index = y + self.scroll_offset.y
        if index >= len(self.keys):
            told = [] if self.keys else [line for item in self._empty for line in wrapped(item, width, hang=1)]
            return self.strip(told[y] if y < len(told) else (), (), width, self.rich_style)
        at_cursor = index == self.cursor
        cache_key = (index, width, at_cursor, self.has_focus)
        found = self._strips.get(cache_key)
        if found is None:
            base = self.rich_style
            if at_cursor and self.selectable(self.keys[index]):
                base += self._cursor_style()
            left, right = self.line_spans(self.keys[index], width)
            found = self.strip(left, right, width, base)
            if len(self._strips) >= CACHED_LINES:
                self._strips.clear()
            self._strips[cache_key] = found
        return found

    def _cursor_style(self) -> Style:
        return self.get_component_rich_style("role--cursor" if self.has_focus else "role--cursor-blur", partial=True)

    def cursor_region(self) -> Region:
        """Give the cursor's line in the widget's own coordinates."""
        return Region(0, self.cursor - self.scroll_offset.y, self.size.width, 1)


def _survivor(
    old: Sequence[K],
    index: int,
    new: Sequence[K],
    fallback: Callable[[K], Sequence[K]] | None,
    follow: Callable[[K], K] | None,
) -> int:
    """Give the index in `new` of the key at `index` of `old`, or of what stands in for it."""
    if not new or not 0 <= index < len(old):
        return 0
    key = old[index] if follow is None else follow(old[index])
    try:
        return new.index(key)
    except ValueError:
        pass
    candidates: list[K] = list(fallback(key)) if fallback else []
    present = set(new)
    # The neighbours come before the ancestors only where there are no ancestors.
    candidates.extend(old[probe] for probe in range(index - 1, -1, -1))
    for candidate in candidates:
        if candidate in present:
            return new.index(candidate)
    return 0
