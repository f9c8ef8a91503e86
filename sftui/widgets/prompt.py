"""A line to type into: what to filter by, to find or to go to."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from sftui.actions import actions_of, bindings, keys_of
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
        self._take: Callable[[str], None] | None = None
        self._left: Widget | None = None

    def ask(
        self,
        purpose: str,
        hint: str,
        text: str,
        *,
        title: str | None = None,
        at: int | None = None,
        take: Callable[[str], None] | None = None,
    ) -> None:
        """Let a line be typed, from `at` on. Takes the focus at once: the next key may have been pressed already.

        `title` says what it is for, if that takes more than the word of `purpose`. With `take` that alone is given what
        was typed: the screen hears nothing of it, and has its focus back.
        """
        self.purpose = purpose
        self._take = take
        if self.screen.focused is not self:
            self._left = self.screen.focused
        # The keys that end it stand beside the title.
        self._title = cut_middle(title or purpose, max(12, self.screen.size.width - ROOM_FOR_KEYS))
        self.placeholder = hint
        with self.prevent(Input.Changed):
            self.value = text
        self.cursor_position = len(text) if at is None else min(at, len(text))
        self.display = True
        self._own_footer(True)
        self.screen.set_focus(self)

    def retitle(self, title: str) -> None:
        """Say something else of what is being typed."""
        if self.display:
            self._title = cut_middle(title, max(12, self.screen.size.width - ROOM_FOR_KEYS))
            self._own_footer(True)

    def _own_footer(self, on: bool) -> None:
        for footer in self.screen.query(FooterBar):
            footer.lend(actions_of("prompt") if on else None, self._title)

    def _leave(self) -> None:
        self.display = False
        self._own_footer(False)

    async def _on_key(self, event: events.Key) -> None:
        """Do at once what a key is for: on its way up, what is typed after it would overtake it."""
        if not self.display:
            # Typed for what comes after the answer, before that was there.
            event.stop()
            event.prevent_default()
            self.call_after_refresh(self.app.post_message, events.Key(event.key, event.character))
            return
        action = self._action_of(event.key)
        if action is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        await self.app.run_action(action, self)

    def _action_of(self, key: str) -> str | None:
        for action in actions_of("prompt"):
            if key in keys_of(action.id):
                return action.call
        found = self._bindings.key_to_bindings.get(key, ())
        return next((binding.action for binding in found if not str(binding.id).startswith("prompt.")), None)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what has been typed so far."""
        event.stop()
        if self._take is None:
            self.post_message(self.Answered(self.purpose, event.value, final=False))

    async def action_submit(self) -> None:
        """Give the answer and go: at once, or the next letter would still be added to the line."""
        self._leave()
        if self._take is None:
            self.post_message(self.Answered(self.purpose, self.value, final=True))
        else:
            self.screen.set_focus(self._left)
            self._take(self.value)

    def action_close(self) -> None:
        """Go without an answer."""
        self._leave()
        if self._take is None:
            self.post_message(self.Abandoned(self.purpose))
        else:
            self.screen.set_focus(self._left)

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
            if self._take is None:
                self.post_message(self.Answered(self.purpose, self.value, final=self.purpose == "filter", left=True))
