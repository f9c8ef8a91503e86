"""Any action, found by name: from the one table of actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from sftui.actions import ACTIONS, BY_ID, Action, actions_of, bindings
from sftui.cells import fit
from sftui.screens.base import LiveScreen
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, Rule
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from sftui.actions import Where
    from sftui.app import SftuiApp

_TITLE_WIDTH = 16
_KEYS_WIDTH = 12


class ActionList(KeyedLines[str]):
    """Actions by id."""

    can_focus = False

    def line_spans(self, key: str, width: int) -> tuple[Spans, Spans]:
        """Give title, keys and help of an action."""
        del width
        action = BY_ID[key]
        return (
            (" ", "text"),
            (fit(action.title, _TITLE_WIDTH), "strong"),
            (fit(action.shown_keys, _KEYS_WIDTH), "accent"),
            (f" {action.help}", "muted"),
        ), ()


class PaletteScreen(ModalScreen[None]):
    """Type a part of a name; enter does it."""

    BINDINGS: ClassVar = bindings("palette")

    def __init__(self, actions: Sequence[Action]) -> None:
        super().__init__()
        self._actions = actions

    def compose(self) -> ComposeResult:
        """A line to type into, and what it leaves."""
        with Vertical(id="dialog"):
            yield Rule(id="title")
            yield Input(placeholder="what to do", compact=True, select_on_focus=False)
            yield ActionList(id="actions")
            yield FooterBar(actions_of("palette"))

    def on_mount(self) -> None:
        """List everything."""
        self.query_one("#title", Rule).say((("actions", "strong"),))
        self.query_one(Input).focus()
        self._list("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what matches."""
        event.stop()
        self._list(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what is chosen."""
        event.stop()
        self._do()

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Do what was clicked twice."""
        event.stop()
        self._do()

    def _list(self, text: str) -> None:
        words = text.lower().split()
        found = [action for action in self._actions if _matches(action, words)]
        # A title that begins with what was typed comes before a help text that mentions it.
        found.sort(key=lambda action: not action.title.startswith(text.lower()) if text else False)
        self.query_one(ActionList).replace(
            [action.id for action in found], to_top=True, empty=[((" no action is called so", "muted"),)]
        )

    def _do(self) -> None:
        chosen = self.query_one(ActionList).cursor_key
        if chosen is not None and self.app.screen is self:
            self.dismiss()
            cast("SftuiApp", self.app).perform(BY_ID[chosen])

    def on_key(self, event: events.Key) -> None:
        """Move in the list while the line keeps the focus."""
        if self.app.screen is not self:
            return
        lines = self.query_one(ActionList)
        moves = {
            "up": lines.action_cursor_up,
            "down": lines.action_cursor_down,
            "pageup": lines.action_page_up,
            "pagedown": lines.action_page_down,
        }
        if event.key in moves:
            event.stop()
            event.prevent_default()
            moves[event.key]()

    def action_close(self) -> None:
        """Do nothing."""
        if self.app.screen is self:
            self.dismiss()


def _matches(action: Action, words: list[str]) -> bool:
    text = f"{action.title} {action.help} {action.id} {action.shown_keys}".lower()
    return all(word in text for word in words)


def usable_actions(screen: Screen[object]) -> list[Action]:
    """Give what can be done on a screen as it is now: the general actions, and those of what it shows."""
    places: set[Where] = {"app"}
    if isinstance(screen, LiveScreen):
        places |= set(screen.places)
    found = [action for action in ACTIONS if action.where in places and action.id != "app.palette"]
    return [action for action in found if not isinstance(screen, LiveScreen) or screen.usable(action.id)]
