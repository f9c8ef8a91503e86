"""A window to edit a text in: a value, or a patch as JSON. What does not read is said at its place, and stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.document._document import Document
from textual.screen import ModalScreen
from textual.widgets import TextArea

from engine.errors import EngineError
from sftui.actions import actions_of, bindings
from sftui.display import clean
from sftui.screens.base import KeepsUp, is_up
from sftui.views.spans import Span, Spans
from sftui.views.typed import CHANGED, WINDOW_CHARACTERS, blame
from sftui.widgets.bars import FooterBar, Rule

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.views.completion import Completion

NARROW = 80
# A patch is checked when nothing has been typed for so long, in seconds.
TYPING_PAUSE = 0.2


class EditScreen(KeepsUp, ModalScreen[None]):
    """Edits a text; `take` is given it at the end, and raises EngineError where it cannot be used.

    `leave` is given what was written when the window is closed without using it, `large` what an editor made too long
    for the window.
    """

    BINDINGS: ClassVar = bindings("edit")
    completes: ClassVar[bool] = False

    def __init__(
        self,
        title: str,
        text: str,
        *,
        plain: bool,
        take: Callable[[str], None],
        leave: Callable[[str], None],
        large: Callable[[str], None],
        told: Span | None = None,
        error: EngineError | None = None,
        moved: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__()
        self._moved = moved
        self._title, self._text, self._plain = title, text, plain
        self._take, self._leave, self._large = take, leave, large
        self._error = error
        self._told: Span = told or (("text" if plain else "JSON"), "muted")

    @property
    def sftui(self) -> SftuiApp:
        """The app, by its own type."""
        return cast("SftuiApp", self.app)

    @property
    def area(self) -> TextArea:
        """Where it is written."""
        return self.query_one(TextArea)

    @property
    def document(self) -> Document:
        """What is written, where places are counted."""
        return cast("Document", self.area.document)

    def compose(self) -> ComposeResult:
        """The title, the text, what there is to say about it, the keys."""
        hints = [action for action in actions_of("edit") if self.completes or action.id != "edit.complete"]
        with Vertical(id="dialog", classes="-editor"):
            yield Rule(id="title")
            yield TextArea(self._text, soft_wrap=self._plain, compact=True, id="text")
            yield Rule(id="status")
            yield FooterBar(hints)

    def on_mount(self) -> None:
        """Begin."""
        if not is_up(self):
            return
        self.set_class(self.app.size.width < NARROW, "-narrow")
        self.area.cursor_blink = False
        self.query_one("#title", Rule).say(((self._title, "strong"),))
        self.say(self._told)
        self.catch_up()
        self.area.focus()
        if self._error is not None:
            self.call_after_refresh(self.blame, self._error)

    def catch_up(self) -> None:
        """Say in the title once the value has become another one underneath: only what is changed here is staged."""
        if self._moved is not None and self.is_mounted and self._moved():
            self._moved = None
            self.query_one("#title", Rule).say(((self._title, "strong"),), ((CHANGED, "warn"),))

    def say(self, told: Span, more: Spans = ()) -> None:
        """Say something about the text."""
        self.query_one("#status", Rule).say((told, *more))

    def blame(self, error: EngineError) -> None:
        """Say what is wrong, and go there."""
        self.say((clean(blame(error)), "bad"))
        if error.line is not None:
            self.area.move_cursor((error.line - 1, max(0, (error.column or 1) - 1)), center=True)

    def action_submit(self) -> None:
        """Use what was written."""
        if self.app.screen is not self:
            return
        try:
            self._take(self.area.text)
        except EngineError as error:
            self.blame(error)
        else:
            self.dismiss()

    def action_outside(self) -> None:
        """Go on in the person's own editor."""
        from sftui.external import edit_outside

        edited = edit_outside(self.sftui, self._title, self.area.text, ".txt" if self._plain else ".json")
        if edited.text is None:
            self.say((clean(edited.problem), "bad"))
            return
        edited.done()  # from here on it is as good as typed
        if edited.text == self.area.text:
            self.say(("nothing was changed in the editor", "muted"))
        elif len(edited.text) > WINDOW_CHARACTERS:
            self.dismiss()
            self._large(edited.text)
        else:
            self.area.load_text(edited.text)
            self.say(("as the editor left it", "muted"))

    def action_complete(self) -> None:
        """Nothing is known here to complete: an indentation."""
        self.area.insert("  ")

    def action_close(self) -> None:
        """Leave it; what was written can be had back."""
        if self.app.screen is self:
            # What an editor left and could not be used has been written, too.
            if self.area.text != self._text or self._error is not None:
                self._leave(self.area.text)
            self.dismiss()

    def on_resize(self, event: events.Resize) -> None:
        """Take the whole screen where it is small."""
        self.set_class(event.size.width < NARROW, "-narrow")


class PatchScreen(EditScreen):
    """Edits a patch as JSON: known keys are completed, and what it would say is checked as it is typed."""

    completes = True

    def __init__(
        self,
        title: str,
        text: str,
        *,
        take: Callable[[str], None],
        leave: Callable[[str], None],
        large: Callable[[str], None],
        check: Callable[[str], str],
        complete: Callable[[str, int], Completion],
        at: int | None = None,
    ) -> None:
        super().__init__(title, text, plain=False, take=take, leave=leave, large=large)
        self._check, self._complete = check, complete
        self._at = at
        self._pause = 0

    def on_mount(self) -> None:
        """Begin where something is to be written."""
        if not is_up(self):
            return
        if self._at is not None:
            self.area.move_cursor(self.document.get_location_from_index(self._at))
        self.area.soft_wrap = False

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Check it once nothing more is typed."""
        event.stop()
        self._pause += 1
        self.set_timer(TYPING_PAUSE, lambda now=self._pause: self._say_check(now))

    def _say_check(self, pause: int) -> None:
        if pause != self._pause or not self.is_attached:
            return
        try:
            self.say((clean(self._check(self.area.text)), "muted"))
        except EngineError as error:
            self.say((clean(blame(error)), "warn"))

    def action_complete(self) -> None:
        """Complete what is being written, or say what it could be."""
        area = self.area
        text = area.text
        at = self.document.get_index_from_location(area.cursor_location)
        found = self._complete(text, at)
        if found.text:
            start = self.document.get_location_from_index(found.start)
            end = self.document.get_location_from_index(found.end)
            area.replace(found.text, start, end)
            area.move_cursor(self.document.get_location_from_index(found.start + len(found.text)))
        if found.offers:
            self._pause += 1
            self.say((found.title, "muted"), ((" " + clean("  ".join(found.offers)), "text"),))
        elif not found.text:
            self._pause += 1
            self.say(("nothing known goes here", "muted"))
