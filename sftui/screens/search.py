"""A text, looked for everywhere: in memory, in what scopes retain, and in what was recorded of them."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from sftui.actions import actions_of, bindings, key_for
from sftui.screens.base import KeepsUp, is_up
from sftui.screens.dialogs import NARROW
from sftui.views.search import HitKey, found_remark, hit_details, hit_line, nothing_lines
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, Rule, TextPane
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from textual.timer import Timer

    from sftui.app import SftuiApp
    from sftui.search import Search
    from sftui.views.search import Hit

# A search begins when nothing has been typed for so long, in seconds.
TYPING_PAUSE: Final = 0.15


class HitList(KeyedLines[HitKey]):
    """What was found, one line a path."""

    can_focus = False
    search: Search

    def line_spans(self, key: HitKey, width: int) -> tuple[Spans, Spans]:
        """Give where, what stands there, and from where that is known."""
        return hit_line(self.search.hits[key], time(), width)


class SearchScreen(KeepsUp, ModalScreen[None]):
    """Type a text; what is found first shows at once, and enter opens it."""

    BINDINGS: ClassVar = bindings("search")

    def __init__(self) -> None:
        super().__init__()
        self._pause: Timer | None = None
        # The hit where the cursor goes once it has been found again.
        self._aim: HitKey | None = None

    @property
    def sftui(self) -> SftuiApp:
        """The app, by its own type."""
        return cast("SftuiApp", self.app)

    @property
    def search(self) -> Search:
        """What is looked for."""
        search: Search = self.sftui.search
        return search

    def compose(self) -> ComposeResult:
        """A line to type into, what was found, and the hit under the cursor in full."""
        with Vertical(id="dialog", classes="-search"):
            yield Rule(id="title")
            yield Input(placeholder="a text, in keys, values and history", compact=True, select_on_focus=False)
            hits = HitList(id="hits")
            hits.search = self.search
            yield hits
            yield TextPane(id="told", hang=0)
            yield FooterBar(actions_of("search"))

    def on_mount(self) -> None:
        """Show what was looked for last."""
        if not is_up(self):
            return
        self.set_class(self.app.size.width < NARROW, "-narrow")
        line = self.query_one(Input)
        # A cursor that blinks never lets the app rest.
        line.cursor_blink = False
        with self.prevent(Input.Changed):
            line.value = self.search.text
        line.cursor_position = len(line.value)
        line.focus()
        self.search.told = self._show
        self._aim = self.search.cursor
        self._show()
        if self.search.moved:
            self.action_again()

    def on_unmount(self) -> None:
        """Look no further: nobody reads it."""
        self.search.told = lambda: None
        self.search.stop()

    def on_resize(self, event: events.Resize) -> None:
        """Take the whole screen where it is small."""
        self.set_class(event.size.width < NARROW, "-narrow")

    def catch_up(self) -> None:
        """Say that memory has moved on."""
        if self.is_mounted and self.search.moved:
            self._say()

    # Showing.

    def _show(self) -> None:
        if not self.is_attached:
            return
        lines = self.query_one(HitList)
        lines.replace(list(self.search.hits), empty=nothing_lines(self.search.state, self.search.text))
        if self._aim is not None and lines.move_to_key(self._aim):
            self._aim = None
        self._say()
        self._tell(lines.cursor_key)

    def _say(self) -> None:
        search = self.search
        sought = search.sought
        how = "" if sought is None else "any case" if sought.any_case else "capitals count"
        left: Spans = (("search", "strong"), *(((f"  {how}", "muted"),) if how else ()))
        moved = key_for("search.again") if search.moved and search.state != "looking" else ""
        self.query_one("#title", Rule).say(left, found_remark(search.state, len(search.hits), search.progress, moved))

    def _tell(self, key: HitKey | None) -> None:
        hit = None if key is None else self.search.hits.get(key)
        told = [] if hit is None else hit_details(hit, time())
        self.query_one("#told", TextPane).show(told, top=True)

    def on_keyed_lines_moved(self, event: KeyedLines.Moved) -> None:
        """Tell the hit under the cursor in full: its line may be cut."""
        event.stop()
        key = self.query_one(HitList).cursor_key
        if key is not None and self._aim is None:
            self.search.cursor = key
        self._tell(key)

    # Typing.

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what has been typed so far, once nothing more is typed."""
        event.stop()
        self._rest()
        self.search.stop()
        self._pause = self.set_timer(TYPING_PAUSE, self._begin)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Look for it at once; of what has been found, open what the cursor stands on."""
        event.stop()
        if self._pause is not None or event.value != self.search.text:
            self._begin()
        else:
            self.action_open()

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Open what was clicked twice."""
        event.stop()
        self.action_open()

    def on_key(self, event: events.Key) -> None:
        """Move in the list while the line keeps the focus."""
        if self.app.screen is not self:
            return
        if self.query_one(HitList).moved_by(event):
            self._aim = None

    def _rest(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def _begin(self) -> None:
        self._rest()
        self.search.cursor = self._aim = None
        self.search.begin(self.query_one(Input).value)

    # Actions.

    def action_open(self) -> None:
        """Open what the cursor stands on: a path in memory, or a transition."""
        lines = self.query_one(HitList)
        key = lines.cursor_key
        if key is None or self.app.screen is not self:
            return
        hit: Hit = self.search.hits[key]
        self.search.cursor = key
        self.dismiss()
        self.sftui.open_hit(hit)

    def action_again(self) -> None:
        """Look for the same in memory as it is now."""
        self._rest()
        self._aim = self.search.cursor
        self.search.begin(self.search.text)

    def action_close(self) -> None:
        """Stop looking; once nothing is looked for, close."""
        if self._pause is not None or self.search.state == "looking":
            self._rest()
            self.search.stop()
        elif self.app.screen is self:
            self.dismiss()
