"""Editing what a step of the draft sets, from the review."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engine.errors import InvalidRequest
from engine.memory.draft import Draft, Operation, Put, Raw, Step
from engine.memory.gathering import raw
from engine.records import replace
from engine.values import Json, dotted, is_object
from sftui.display import clean
from sftui.screens.asking import MOVED, Asking
from sftui.views.typed import as_text, read

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.screens.base import LiveScreen


class StepEditing(Asking):
    """Opens what a step sets; the step is found again by itself, wherever it stands by then."""

    # A step that was changed since is another one: what was written is then used for that.
    keeps_takes: ClassVar[bool] = False

    def edit(self, index: int) -> None:
        """Edit what a step sets."""
        step = self.app.drafting.draft.steps[index]
        operation = step.operation
        if isinstance(operation, Put):
            value: Json = operation.value
            title = clean(dotted(operation.scope, operation.path))
        elif isinstance(operation, Raw):
            value, title = operation.patch, "the patch"
        else:
            self.app.say("This step sets nothing that could be edited; drop it, or leave it out")
            return
        shown = as_text(value)
        # Patches have no names: one is told from another by what it says.
        self.about = (self.app.live.snapshot and self.app.live.snapshot.address, shown.text)
        place = shown if shown.place == "outside" else replace(shown, place="window")
        self.write(f"step {title}", place, lambda text: _put(self.app, step, read(text, plain=shown.plain)))


def edit_step(screen: LiveScreen, index: int) -> None:
    """Open what a step sets."""
    StepEditing(screen).edit(index)


def _put(app: SftuiApp, step: Step, value: Json) -> None:
    """Have the step set something else. Raises InvalidRequest where that is no patch, or the step is gone."""
    steps = list(app.drafting.draft.steps)
    index = next((number for number, one in enumerate(steps) if one is step), None)
    if index is None:
        raise InvalidRequest(MOVED, "this step is not in the draft any more")
    steps[index] = replace(step, operation=_changed(app, step.operation, value))
    app.drafting.set_draft(Draft(tuple(steps)))


def _changed(app: SftuiApp, operation: Operation, value: Json) -> Operation:
    if isinstance(operation, Put):
        return replace(operation, value=value)
    if not is_object(value):
        raise InvalidRequest("not-a-patch", "a patch is an object of scopes")
    return raw(app.live.states, value)
