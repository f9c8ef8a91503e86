"""Screen 4: what each intent owns, uses and would take along, and what belongs to none."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sftui.actions import bindings
from sftui.screens.owning import OwningScreen, Place

if TYPE_CHECKING:
    from sftui.screens.editing import Editing
    from sftui.views.picture import Picture
    from sftui.widgets.prompt import Prompt


class IntentsScreen(OwningScreen):
    """The list of intents, and all that changes them."""

    BINDINGS: ClassVar = bindings("intents")

    def __init__(self) -> None:
        super().__init__()
        self._editing: Editing | None = None

    def usable(self, action_id: str) -> bool:
        """What needs a place in memory, or a draft, is of no use without."""
        if action_id == "intents.unstage" and not self.sftui.drafting.count:
            return False
        return super().usable(action_id) and (action_id not in _OF_A_PLACE or self.place() is not None)

    @property
    def editing(self) -> Editing:
        """What changes rows; loaded when something is changed first."""
        if self._editing is None:
            from sftui.screens.editing import Editing

            self._editing = Editing(self)
        return self._editing

    def show(self, picture: Picture) -> None:
        """Show a picture."""
        super().show(picture)
        if self._editing is not None:
            self._editing.catch_up()

    def _places(self) -> tuple[Place, ...]:
        place = self.place()
        if place is None:
            self.sftui.say("There is nothing here that could be changed")
            return ()
        return (place,)

    def action_edit(self) -> None:
        """Edit what the cursor stands on."""
        for view, path in self._places():
            self.editing.edit(view, path)

    def action_delete(self) -> None:
        """Delete what the cursor stands on, in the draft; what goes along has been told in the details."""
        for view, path in self._places():
            self.editing.delete(view, [path])

    def action_move(self) -> None:
        """Move or copy what the cursor stands on; an intent takes along what it owns, unless that is not wanted."""
        for view, path in self._places():
            self.editing.move(view, [path])

    def action_unstage(self) -> None:
        """Take the draft's change of this row back."""
        for view, path in self._places():
            self.editing.unstage(view, path)

    def action_undo(self) -> None:
        """Put the inverse of the last known change of this row into the draft."""
        for view, path in self._places():
            self.editing.undo(view, path)

    def on_prompt_answered(self, event: Prompt.Answered) -> None:
        """Go on with what an edit has asked for."""
        event.stop()
        if event.final:
            # At once: the next line may be asked for below, and the focus must not leave that one again.
            self.set_focus(self.rows)
        self.editing.answered(event)

    def on_prompt_abandoned(self, event: Prompt.Abandoned) -> None:
        """The edit is left."""
        event.stop()
        self.editing.abandoned()
        self.rows.focus()


_OF_A_PLACE = frozenset(f"intents.{name}" for name in ("edit", "delete", "move", "unstage", "undo", "copy-path"))
