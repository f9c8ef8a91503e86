"""A line to type into: what to filter by, to find or to go to."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widgets import Input

from sftui.actions import actions_of, bindings
from sftui.cells import cut_middle
from sftui.widgets.bars import FooterBar

# Cells of the footer that belong to the keys of a line.
ROOM_FOR_KEYS = 24


class Prompt(Input):
    """One line at the bottom of a screen; out of sight until something is asked, and again when it is answered."""

    DEFAULT_CSS = """
    Prompt { display: none; }
    """

    BINDINGS: ClassVar = bindings("prompt")

    class Answered(Message):
        """Something was typed. `final`: enter was pressed; else it is still being typed, or was `left` for elsewhere."""

        def __init__(self, purpose: str, text: str, *, final: bool, left: bool = False) -> None:
            self.purpose = purpose
            self.text = text
            self.final = final
            self.left = left
            super().__init__()

    class Abandoned(Message):
        """It was left without an answer."""

        def __init__(self, purpose: str) -> None:
            self.purpose = purpose
            super().__init__()

    def __init__(self) -> None:
        super().__init__(compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.purpose = ""
        self._title = ""

    def ask(self, purpose: str, hint: str, text: str, *, title: str | None = None, at: int | None = None) -> None:
        """Let a line be typed, from `at` on. Takes the focus at once: the next key may have been pressed already.

        `title` says what it is for, if that takes more than the word of `purpose`.
        """
        self.purpose = purpose
        # The keys that end it stand beside the title.
        self._title = cut_middle(title or purpose, max(12, self.screen.size.width - ROOM_FOR_KEYS))
        self.placeholder = hint
        with self.prevent(Input.Changed):
            self.value = text
        self.cursor_position = len(text) if at is None else min(at, len(text))
        self.display = True
        self._own_footer(True)
        self.screen.set_focus(self)

    def _own_footer(self, on: bool) -> None:
        for footer in self.screen.query(FooterBar):
            footer.lend(actions_of("prompt") if on else None, self._title)

    def _leave(self) -> None:
        self.display = False
        self._own_footer(False)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what has been typed so far."""
        event.stop()
        self.post_message(self.Answered(self.purpose, event.value, final=False))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Tell the answer and go."""
        event.stop()
        self._leave()
        self.post_message(self.Answered(self.purpose, event.value, final=True))

    def action_close(self) -> None:
        """Go without an answer."""
        self._leave()
        self.post_message(self.Abandoned(self.purpose))

    def action_stay(self) -> None:
        """Keep the line: letters must not become commands."""

    def on_hide(self, event: events.Hide) -> None:
        """News of an earlier answer: where something is asked again already, the focus stays."""
        if self.display:
            event.prevent_default()

    def on_blur(self) -> None:
        """A click elsewhere is an answer too; the terminal's losing the focus is none."""
        if self.screen.focused is self:
            return  # something else has been asked for by now
        again = self.screen.focused is self  # asked for something else meanwhile
        if self.display and self.app.app_focus and self.screen.is_current and not again:
            self._leave()
            self.post_message(self.Answered(self.purpose, self.value, final=self.purpose == "filter", left=True))
