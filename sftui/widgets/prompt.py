"""A line to type into: what to filter by, to find or to go to."""

from __future__ import annotations

from typing import ClassVar

from textual.message import Message
from textual.widgets import Input

from sftui.actions import bindings


class Prompt(Input):
    """One line at the bottom of a screen; goes away when it has been used."""

    BINDINGS: ClassVar = bindings("prompt")

    class Answered(Message):
        """Something was typed. `final`: enter was pressed; else it is still being typed."""

        def __init__(self, purpose: str, text: str, *, final: bool) -> None:
            self.purpose = purpose
            self.text = text
            self.final = final
            super().__init__()

    class Abandoned(Message):
        """It was left without an answer."""

        def __init__(self, purpose: str) -> None:
            self.purpose = purpose
            super().__init__()

    def __init__(self, purpose: str, hint: str, text: str = "") -> None:
        super().__init__(value=text, placeholder=hint, compact=True, select_on_focus=False)
        self.purpose = purpose

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what has been typed so far."""
        event.stop()
        self.post_message(self.Answered(self.purpose, event.value, final=False))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Tell the answer and go."""
        event.stop()
        self.post_message(self.Answered(self.purpose, event.value, final=True))
        self.remove()

    def action_close(self) -> None:
        """Go without an answer."""
        self.post_message(self.Abandoned(self.purpose))
        self.remove()
