"""One value, whole, whatever its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.values import Json, dotted, get, has
from sftui.actions import actions_of
from sftui.cells import cell_len, cut_middle
from sftui.display import clean
from sftui.screens.base import LiveScreen, is_up
from sftui.views.kinds import View
from sftui.views.picture import Picture
from sftui.views.preview import kind_words
from sftui.views.spans import Span, Spans
from sftui.views.units import human
from sftui.widgets.bars import FooterBar, HeaderBar, Rule
from sftui.widgets.big_value import BigValue
from sftui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from sftui.views.tree import Staged


class ValueScreen(LiveScreen):
    """Shows the value at a path, and keeps up with it; of one that a draft changes, what the draft makes of it."""

    AUTO_FOCUS = "#value"
    places = ("value",)

    def __init__(self, view: View, path: tuple[str | int, ...], value: Json, staged: Staged | None = None) -> None:
        super().__init__()
        self._staged = staged
        self._view = view
        self._path = path
        self._value = value if staged is None else staged.value
        self._gone = False
        self._told = ""

    def compose(self) -> ComposeResult:
        """Header, title, value, footer."""
        yield HeaderBar()
        yield Rule(id="title")
        yield BigValue(id="value")
        yield FooterBar(actions_of("value"))

    async def on_mount(self) -> None:
        """Open the value."""
        if not is_up(self):
            return
        self.query_one(BigValue).show(self._value)
        self.show(self.sftui.picture)

    def show(self, picture: Picture) -> None:
        """Keep up: a changed value is shown anew at the same height; one that has gone stays, and that is said."""
        super().show(picture)
        if self._is_staged:
            self._put(None if self._staged is None else self._staged.value)
            self._say()
            return
        root = picture.memory.get(self._view)
        self._gone = root is None or not has(root, self._path)
        if root is not None and not self._gone:
            self._put(get(root, self._path, None))
        self._say()

    @property
    def _is_staged(self) -> bool:
        """Whether it is what a draft makes of it: a draft does not lie on an earlier moment."""
        return self._staged is not None and self.sftui.picture.as_of is None

    def _put(self, value: Json) -> None:
        if value is not self._value:
            self._value = value
            self.query_one(BigValue).show(value, keep_place=True)

    def _say(self) -> None:
        size = self.sftui.picture.sizes.quick(self._value)
        about: Span = (f"  {kind_words(self._value)}" + (f" · {human(size)}" if size is not None else ""), "muted")
        gone = "no longer there" if self.sftui.picture.as_of is None else "not there at this moment"
        ending: Spans = ((f"  {gone}; shown as last seen", "warn"),) if self._gone else (about,)
        if self._is_staged and self._staged is not None:
            ending = ((f"  draft: {self._staged.words}", "accent"),)
        right: Spans = ((self._told, "text"),) if self._told else ()
        # Which value it is is told by both ends of its path, whatever else there is to say.
        room = max(20, self.size.width - sum(cell_len(text) for text, _ in right) - 8)
        path = clean(dotted(self._view, self._path))
        rest = room - sum(cell_len(text) for text, _ in ending)
        if rest < min(cell_len(path), 24):
            ending, rest = (ending if self._gone else ()), room
        self.query_one("#title", Rule).say(((cut_middle(path, rest), "strong"), *ending), right)

    def on_big_value_told(self, event: BigValue.Told) -> None:
        """Say where one is in it."""
        event.stop()
        self._told = event.text
        self._say()

    def on_big_value_close_asked(self, event: BigValue.CloseAsked) -> None:
        """Back to where it was opened."""
        event.stop()
        # It may have been asked twice before the first was heard.
        if self.app.screen is self:
            self.app.pop_screen()

    def on_prompt_answered(self, event: Prompt.Answered) -> None:
        """Find it."""
        event.stop()
        if event.final:
            value = self.query_one(BigValue)
            value.focus()
            value.look_for(event.text)

    def on_prompt_abandoned(self, event: Prompt.Abandoned) -> None:
        """Back to the value."""
        event.stop()
        self.query_one(BigValue).focus()
