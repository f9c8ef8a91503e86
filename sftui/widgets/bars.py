"""The bars around the content: header, footer, titled rules, notices, tabs, a pane of text."""

from __future__ import annotations

from collections.abc import Sequence
from time import time
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from sftui.actions import BY_ID, Action, key_for, keys_of
from sftui.cells import cell_len
from sftui.views.band import Band, band_line
from sftui.views.header_lines import Header, header_lines
from sftui.views.kinds import VIEWS, View
from sftui.views.spans import Role, Span, Spans
from sftui.views.wrapping import shortened, wrapped
from sftui.widgets.paint import Painter

if TYPE_CHECKING:
    from textual.timer import Timer

    from sftui.views.notices import Notice

# The ways through earlier moments are offered while one is shown.
TO_AND_FRO = ("app.now", "app.earlier", "app.later")
# Notices may take this many lines of the screen; the rest is counted.
NOTICE_LINES = 6


class HeaderBar(Painter):
    """What is open, how far it is, whether it is live, whether anything is wrong."""

    DEFAULT_CSS = """
    HeaderBar { height: 1; dock: top; background: $panel; }
    """

    header: reactive[Header | None] = reactive(None)
    _ticking: Timer | None = None

    def on_resize(self) -> None:
        """Two lines where it is narrow."""
        self._fit()

    def watch_header(self) -> None:
        """Show what has changed; while a lock is held its age counts, and only then."""
        self._fit()
        counts = self.header is not None and self.header.lock_since is not None
        if counts and self._ticking is None:
            self._ticking = self.set_interval(1.0, self.refresh)
        elif not counts and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def _fit(self) -> None:
        height = 1 if self.header is None else len(header_lines(self.header, self.size.width))
        height += self.header is not None and self.header.band is not None
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height

    def render_line(self, y: int) -> Strip:
        """Paint a line of the header."""
        width, base = self.size.width, self.rich_style
        if self.header is None:
            return self.strip(((" sftui ", "accent"),), (("○ reading ", "muted"),), width, base)
        lines = header_lines(self.header, width, time())
        if y == len(lines) and self.header.band is not None:
            return _banded(self.header.band, width, base)
        if y >= len(lines):
            return Strip.blank(width, base)
        left, right = lines[y]
        return self.strip(left, (*right, (" ", "text")), width, base)


def _banded(band: Band, width: int, base: Style) -> Strip:
    """Paint the band in reverse: it is to be seen in whatever colours, and without any."""
    words, line = band_line(band, width)
    text = f"{words}{' ' * (width - cell_len(words) - cell_len(line) - 1)}{line} "
    return Strip([Segment(text, base + Style(reverse=True, bold=True))]).adjust_cell_length(width, base)


class FooterBar(Painter):
    """The actions that make sense here, as many as fit, the most useful first."""

    DEFAULT_CSS = """
    FooterBar { height: 1; background: $panel; }
    """

    def __init__(self, actions: Sequence[Action], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._hints = sorted((action for action in actions if action.footer is not None), key=_rank)
        self._places: list[tuple[int, int, Action]] = []
        self._kept_back = {"app.health", "app.review", *TO_AND_FRO}
        self._lent: tuple[str, Sequence[Action]] | None = None
        self._resting = False

    def offer(self, action_id: str, on: bool) -> None:
        """Show the hint of an action only while there is something for it to do."""
        if on == (action_id in self._kept_back):
            (self._kept_back.discard if on else self._kept_back.add)(action_id)
            self.refresh()

    def lend(self, actions: Sequence[Action] | None, title: str = "") -> None:
        """Show the keys of something that has taken all keys, under its name; None: one's own again."""
        self._lent = None if actions is None else (title, [action for action in actions if action.footer is not None])
        self.refresh()

    def rest(self, on: bool) -> None:
        """Offer nothing while something else has the keys."""
        if on != self._resting:
            self._resting = on
            self.refresh()

    def rename(self, action_id: str, title: str) -> None:
        """Say an action differently while it would do something else (follow, hold)."""
        from engine.records import replace

        self._hints = [replace(hint, title=title) if hint.id == action_id else hint for hint in self._hints]
        self.refresh()

    def rank(self, action_id: str, place: int | None) -> None:
        """Give an action another place among the hints; None: that of the table."""
        from engine.records import replace

        place = BY_ID[action_id].footer if place is None else place
        if any(hint.id == action_id and hint.footer != place for hint in self._hints):
            moved = (replace(hint, footer=place) if hint.id == action_id else hint for hint in self._hints)
            self._hints = sorted(moved, key=_rank)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint the hints."""
        width, base = self.size.width, self.rich_style
        self._places = []
        if y or self._resting:
            return Strip.blank(width, base)
        title, hints = self._lent or ("", [hint for hint in self._hints if hint.id not in self._kept_back])
        spans: list[Span] = [(f" {title}  " if title else " ", "strong")]
        used = cell_len(spans[0][0])
        kept = _fitting(hints, width - used)
        for hint in kept:
            name, title = key_for(hint.id), hint.title
            wide = cell_len(name) + 1 + cell_len(title)
            self._places.append((used, used + wide, hint))
            spans += [(name, "accent"), (f" {title}", "muted"), ("  ", "text")]
            used += wide + 2
        return self.strip(tuple(spans), (), width, base)

    async def on_click(self, event: events.Click) -> None:
        """A hint that is clicked is a key that is pressed."""
        for start, end, hint in self._places:
            if start <= event.x < end:
                self.app.simulate_key(keys_of(hint.id)[0])


def _rank(action: Action) -> int:
    return 999 if action.footer is None else action.footer


def _fitting(hints: Sequence[Action], width: int) -> list[Action]:
    """Keep what fits. Help always does: it leads to everything else."""
    must = [hint for hint in hints if hint.id == "app.help" or hint.id.endswith(".close")]
    room = width - sum(_wide(hint) for hint in must)
    kept: list[Action] = []
    for hint in hints:
        if hint in must:
            kept.append(hint)
        elif _wide(hint) <= room:
            kept.append(hint)
            room -= _wide(hint)
        else:
            room = 0
    return kept


def _wide(hint: Action) -> int:
    return cell_len(key_for(hint.id)) + cell_len(hint.title) + 3


class Rule(Painter):
    """A line with a title at its left and a remark at its right."""

    DEFAULT_CSS = """
    Rule { height: 1; }
    """

    left: reactive[Spans] = reactive(())
    right: reactive[Spans] = reactive(())
    _ending = ""

    def say(self, left: Spans, right: Spans = (), *, ending: str = " ──") -> None:
        """Show a title and a remark, both cleaned; `ending` closes the line behind the remark."""
        self.left, self.right, self._ending = left, right, ending

    def render_line(self, y: int) -> Strip:
        """Paint the line."""
        del y
        width = self.size.width
        right_width = sum(cell_len(text) for text, _ in self.right)
        # What the remark says is news; a title that is too long gives way.
        left = shortened(self.left, width - right_width - 6)
        left_width = sum(cell_len(text) for text, _ in left)
        spans: list[Span] = [("─", "rule")]
        if left:
            spans += [(" ", "text"), *left, (" ", "text")]
        used = 1 + (left_width + 2 if left else 0)
        dashes = width - used - (right_width + 1 + cell_len(self._ending) if self.right else 0)
        spans.append(("─" * max(0, dashes), "rule"))
        tail: Spans = ((" ", "text"), *self.right, (self._ending, "rule")) if self.right else ()
        return self.strip((*spans, *tail), (), width, self.rich_style)


class NoticeBar(Painter):
    """Whatever is wrong or unusual, in words; takes no room while there is nothing to say."""

    DEFAULT_CSS = """
    NoticeBar { height: auto; display: none; background: $surface; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._notices: tuple[Notice, ...] = ()

    def show(self, notices: tuple[Notice, ...]) -> None:
        """Show these."""
        if notices == self._notices:
            return
        self._notices = notices
        self.display = bool(notices)
        self.refresh(layout=True)

    def _lines(self, width: int) -> list[Spans]:
        lines: list[Spans] = []
        shown = 0
        for notice in self._notices:
            told = [line for part in notice.lines() for line in wrapped(part, width - 2, hang=2)]
            if lines and len(lines) + len(told) > NOTICE_LINES:
                break
            lines.extend(told)
            shown += 1
        hidden = len(self._notices) - shown
        if hidden:
            lines.append(
                (
                    ("  ", "text"),
                    (f"{hidden} more: ", "muted"),
                    (key_for("app.health"), "accent"),
                    (" lists them all", "muted"),
                )
            )
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as what there is to say."""
        del container, viewport
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """Paint a line of a notice."""
        lines = self._lines(self.size.width)
        spans: Spans = lines[y] if y < len(lines) else ()
        return self.strip(((" ", "text"), *spans), (), self.size.width, self.rich_style)


class ViewTabs(Painter):
    """Effective, or one scope: which view of memory is shown."""

    DEFAULT_CSS = """
    ViewTabs { height: 1; }
    """

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, view: View) -> None:
            self.view = view
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.view: View = "effective"
        self._remark: Spans = ()
        self._marks: dict[View, Span] = {}
        self._places: list[tuple[int, int, View]] = []

    def show(self, view: View, marks: dict[View, Span], remark: Spans) -> None:
        """Show which view is chosen; `marks` follow the names (a fence, an absence)."""
        self.view, self._marks, self._remark = view, marks, remark
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint the tabs."""
        del y
        spans: list[Span] = [(" ", "text")]
        used = 1
        self._places = []
        for view in VIEWS:
            if used > 1:
                spans.append((" │ ", "rule"))
                used += 3
            # The chosen one is told by more than its colour.
            name = f"[{view}]" if view == self.view else view
            role: Role = "accent" if view == self.view else "muted"
            mark = self._marks.get(view)
            wide = cell_len(name) + (cell_len(mark[0]) + 1 if mark else 0)
            self._places.append((used, used + wide, view))
            spans.append((name, role))
            if mark:
                spans += [(" ", "text"), mark]
            used += wide
        # The tabs can be clicked; the remark is only said where there is room left.
        room = self.size.width - used - 2
        remark = self._remark if sum(cell_len(text) for text, _ in self._remark) <= room else ()
        return self.strip(tuple(spans), (*remark, (" ", "text")), self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab that was clicked."""
        for start, end, view in self._places:
            if start <= event.x < end:
                self.post_message(self.Chosen(view))


class TextPane(Painter, ScrollView):
    """Lines of spans, wrapped to the width, scrolling when there are many."""

    DEFAULT_CSS = """
    TextPane { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """

    def __init__(self, *, id: str | None = None, can_focus: bool = False, hang: int = 2) -> None:  # noqa: A002
        super().__init__(id=id)
        self.can_focus = can_focus
        self.hang = hang
        self._items: Sequence[Spans] = ()
        self._lines: list[Spans] = []

    def show(self, items: Sequence[Spans], *, top: bool = False) -> None:
        """Show these paragraphs."""
        self._items = items
        self._wrap()
        if top:
            self.scroll_to(y=0, animate=False, force=True)

    def _wrap(self) -> None:
        if not self.scrollable_content_region.width:
            return  # not laid out yet: it comes again with its size
        width = max(4, self.scrollable_content_region.width - 2)
        self._lines = [line for item in self._items for line in wrapped(item, width, hang=self.hang)]
        size = Size(self.scrollable_content_region.width, len(self._lines))
        if size != self.virtual_size:
            self.virtual_size = size
        self.refresh()

    def on_resize(self) -> None:
        """Wrap anew."""
        self._wrap()

    def render_line(self, y: int) -> Strip:
        """Paint a line."""
        index = y + self.scroll_offset.y
        spans: Spans = self._lines[index] if index < len(self._lines) else ()
        width = self.scrollable_content_region.width
        return self.strip(((" ", "text"), *spans), (), width, self.rich_style)
