"""A view of one value of any size: 50 MB open, scroll and are searched like 50 bytes.

Work is done in slices between which the interface runs; only visible rows are
ever rendered.
"""

from __future__ import annotations

import re

from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from sftui.actions import bindings
from sftui.cells import cell_len
from sftui.slices import in_slices
from sftui.views.pages import Pages, fill, find, wrap
from sftui.views.spans import Span
from sftui.widgets.paint import Painter
from sftui.widgets.prompt import Prompt

_UNDERLINE = Style(underline=True)
_KEY = re.compile(r'\s*"(?:[^"\\]|\\.)*":')


class BigValue(Painter, ScrollView, can_focus=True):
    """Shows one value; `show` gives it another."""

    BINDINGS = bindings("value")
    DEFAULT_CSS = """
    BigValue {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    """

    class Told(Message):
        """The state to show in the title: where one is, what was found."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

        def can_replace(self, message: Message) -> bool:
            """Only the last word matters."""
            return isinstance(message, BigValue.Told)

    class CloseAsked(Message):
        """The person is done with this value."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.pages = Pages()
        self.needle = ""
        self._match = -1
        self._is_json = True
        self._value: object = None
        # Until all of it can be scrolled to: what is read is broken into rows afterwards.
        self._laying = False

    # Loading.

    def show(self, value: object, *, keep_place: bool = False) -> None:
        """Show `value`; with `keep_place` at the same height as before."""
        if keep_place and value is self._value:
            return
        self._value = value
        self._is_json = not isinstance(value, str)
        self._match = -1
        self._load(value, keep_place)

    @work(exclusive=True, group="load", exit_on_error=False)
    async def _load(self, value: object, keep_place: bool) -> None:
        pages = Pages()
        self._laying = True
        told = 0
        async for _ in in_slices(fill(pages, value)):
            if not told and not keep_place:
                # Something to read at once; the rest follows.
                self.pages = pages
                await self._wrap(pages)
                self.scroll_to(y=0, animate=False, force=True)
            if told != pages.lines:
                # Not at every step: each word goes through the queues that the keys go through.
                told = pages.lines
                self.tell()
        await self._wrap(pages)
        self.pages = pages
        self._measure()
        self._laying = False
        self.tell()

    async def _wrap(self, pages: Pages) -> None:
        async for _ in in_slices(wrap(pages, self._text_width)):
            pass
        if pages is self.pages:
            self._measure()

    @property
    def _text_width(self) -> int:
        return max(1, self._line_width - 1)

    @property
    def _line_width(self) -> int:
        return self.scrollable_content_region.width or self.size.width

    def _measure(self) -> None:
        size = Size(self._line_width, self.pages.rows)
        if size != self.virtual_size:
            self.virtual_size = size
        self.refresh()

    def on_resize(self) -> None:
        """Wrap anew, staying at the same character."""
        if self.pages.width and self.pages.width != self._text_width:
            self._rewrap()

    @work(exclusive=True, group="wrap", exit_on_error=False)
    async def _rewrap(self) -> None:
        pages = self.pages
        if not pages.complete:
            return
        top = min(self.scroll_offset.y, pages.rows - 1)
        offset = pages.row(top)[1]
        await self._wrap(pages)
        self.scroll_to(y=pages.row_of(offset), animate=False, force=True)

    def tell(self) -> None:
        """Say where one is."""
        pages = self.pages
        top = min(self.scroll_offset.y, max(0, pages.rows - 1))
        line = pages.line_of_row(top) + 1
        words = [f"line {line:,} of {pages.lines:,}"]
        if self._laying:
            words.append("still laying out")
        if self._match >= 0:
            words.append(f"found at line {pages.line_of_row(pages.row_of(self._match)) + 1:,}")
        self.post_message(self.Told(" · ".join(words)))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say where one is, while scrolling."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.tell()

    # Finding.

    def look_for(self, needle: str, *, backwards: bool = False) -> None:
        """Find `needle` from the top of the screen on."""
        if needle != self.needle:
            self.needle, self._match = needle, -1
        self._find(backwards)

    @work(exclusive=True, group="find", exit_on_error=False)
    async def _find(self, backwards: bool) -> None:
        pages = self.pages
        if not self.needle:
            return
        if self._match >= 0:
            start = self._match + (0 if backwards else 1)
        else:
            start = pages.row(min(self.scroll_offset.y, pages.rows - 1))[1]
        self.post_message(self.Told("looking…"))
        found = -1
        async for result in in_slices(find(pages, self.needle, start, backwards=backwards)):
            if result is not None:
                found = result
        if found < 0:
            self._match = -1
            self.post_message(self.Told("not found"))
        else:
            self._match = found
            row = pages.row_of(found)
            height = max(1, self.scrollable_content_region.height)
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.scroll_to(y=max(0, row - height // 3), animate=False, force=True)
            self.tell()
        self.refresh()

    # Actions.

    def _scroll_rows(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False, force=True)

    def action_line_up(self) -> None:
        """One line up."""
        self._scroll_rows(-1)

    def action_line_down(self) -> None:
        """One line down."""
        self._scroll_rows(1)

    def action_screen_up(self) -> None:
        """One screen up."""
        self._scroll_rows(-max(1, self.size.height - 1))

    def action_screen_down(self) -> None:
        """One screen down."""
        self._scroll_rows(max(1, self.size.height - 1))

    def action_top(self) -> None:
        """To the beginning."""
        self.scroll_to(y=0, animate=False, force=True)

    def action_bottom(self) -> None:
        """To the end."""
        self.scroll_to(y=self.pages.rows, animate=False, force=True)

    def action_find(self) -> None:
        """Ask what to find."""
        for prompt in self.screen.query(Prompt):
            prompt.ask("find", "find a text", self.needle)

    def action_find_next(self) -> None:
        """To the next match."""
        self._find(False)

    def action_find_previous(self) -> None:
        """To the previous match."""
        self._find(True)

    def action_close(self) -> None:
        """Ask to be closed."""
        self.post_message(self.CloseAsked())

    # Painting.

    def render_line(self, y: int) -> Strip:
        """Render the row at height `y` of the viewport."""
        width = self._line_width
        number = y + self.scroll_offset.y
        base = self.rich_style
        if number >= self.pages.rows or not self.pages.width:
            return Strip.blank(width, base)
        text, offset, begins = self.pages.row(number)
        spans: list[Span] = []
        key = _KEY.match(text) if self._is_json and begins else None
        if key:
            spans = [(" ", "text"), (text[: key.end()], "key"), (text[key.end() :], "string")]
        else:
            spans = [(" ", "text"), (text, "string" if self._is_json else "text")]
        strip = self.strip(tuple(spans), (), width, base)
        if self.needle:
            strip = self._mark(strip, text, offset, width)
        return strip

    def _mark(self, strip: Strip, text: str, offset: int, width: int) -> Strip:
        """Show the matches of the needle; the one that was jumped to is underlined too."""
        style = self.get_component_rich_style("role--match", partial=True)
        flags = re.IGNORECASE if self.needle == self.needle.lower() else 0
        for match in re.finditer(re.escape(self.needle), text, flags):
            low, high = 1 + cell_len(text[: match.start()]), 1 + cell_len(text[: match.end()])
            here = style + _UNDERLINE if offset + match.start() == self._match else style
            before, middle, after = strip.divide([low, high, width])
            painted = Strip([Segment(part.text, (part.style or here) + here) for part in middle], high - low)
            strip = Strip.join([before, painted, after])
        return strip
