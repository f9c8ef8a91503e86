"""A question with a few answers, each with a key of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from engine.records import dataclass
from sftui.actions import actions_of, bindings
from sftui.screens.base import is_up
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, Rule, TextPane
from sftui.widgets.lines import KeyedLines

NARROW = 80
# A line that is not there: the cursor of a list from which nothing is to be taken by itself.
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Answer:
    """What can be answered: by `key` (a letter or a digit), or with the cursor on it. Texts are cleaned."""

    key: str
    title: str
    remark: str = ""


class AnswerList(KeyedLines[str]):
    """The answers, one a line; the cursor begins at `start`, where that is None on none of them."""

    class Unchosen(Message):
        """The cursor stands on no answer, and one was asked for."""

    def __init__(self, answers: Sequence[Answer], start: int | None) -> None:
        super().__init__(id="answers")
        self._start = start
        self._answers = {answer.key: answer for answer in answers}
        self.styles.height = len(self._answers)

    def on_mount(self) -> None:
        """List them."""
        self.replace(list(self._answers))
        self.move_to(self._start if self._start is not None else 0)
        if self._start is None:
            self.cursor = NOWHERE

    def action_open(self) -> None:
        """Take the answer under the cursor; without one, ask for it."""
        if self.cursor_key is None:
            self.post_message(self.Unchosen())
        super().action_open()

    def line_spans(self, key: str, width: int) -> tuple[Spans, Spans]:
        """The key, what it does, and what else is to know."""
        del width
        answer = self._answers[key]
        left: Spans = ((f" {key} ", "accent"), (f" {answer.title}", "text"))
        return (*left, ((f"  {answer.remark}" if answer.remark else ""), "muted")), ()


class ChoiceScreen(ModalScreen[str | None]):
    """Asks; gives the key of the answer, None for none. The cursor begins where it can do least harm, or nowhere."""

    BINDINGS: ClassVar = bindings("choice")

    def __init__(
        self, question: str, answers: Sequence[Answer], about: Sequence[Spans] = (), *, start: int | None = 0
    ) -> None:
        super().__init__()
        self._question, self._answers, self._about, self._start = question, answers, about, start

    def compose(self) -> ComposeResult:
        """The question, what there is to know about it, the answers."""
        with Vertical(id="dialog", classes="-question"):
            yield Rule(id="title")
            if self._about:
                yield TextPane(id="about", hang=0)
            yield AnswerList(self._answers, self._start)
            yield FooterBar(actions_of("choice"))

    def on_mount(self) -> None:
        """Ask."""
        if not is_up(self):
            return
        self.set_class(self.app.size.width < NARROW, "-narrow")
        self.query_one("#title", Rule).say(((self._question, "strong"),))
        if self._about:
            self.query_one("#about", TextPane).show(list(self._about))
        self.query_one(AnswerList).focus()

    def on_key(self, event: events.Key) -> None:
        """An answer's own key takes it."""
        if self.app.screen is self and event.character in {answer.key for answer in self._answers}:
            event.stop()
            event.prevent_default()
            self.dismiss(event.character)

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Take the answer under the cursor."""
        event.stop()
        if self.app.screen is self:
            self.dismiss(str(event.key))

    def on_answer_list_unchosen(self, event: AnswerList.Unchosen) -> None:
        """None of them goes by itself: it has to be chosen."""
        event.stop()
        keys = " ".join(answer.key for answer in self._answers)
        self.query_one("#title", Rule).say(((self._question, "strong"),), ((f"choose: {keys}", "warn"),))

    def action_take(self) -> None:
        """Take the answer under the cursor."""
        key = self.query_one(AnswerList).cursor_key
        if self.app.screen is self and key is not None:
            self.dismiss(key)

    def action_close(self) -> None:
        """Answer nothing."""
        if self.app.screen is self:
            self.dismiss(None)

    def on_resize(self, event: events.Resize) -> None:
        """Take the whole screen where it is small."""
        self.set_class(event.size.width < NARROW, "-narrow")
