"""Editing what a step of the draft sets, from the review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import EngineError, InvalidRequest
from engine.memory.compiling import raw
from engine.memory.draft import Draft, Operation, Put, Raw, Step
from engine.records import replace
from engine.values import Json, dotted, is_object
from sftui.display import clean
from sftui.views.typed import as_text, blame, read

if TYPE_CHECKING:
    from sftui.app import SftuiApp


def edit_step(app: SftuiApp, index: int) -> None:
    """Open what a step sets; the step is found again by itself, wherever it stands by then."""
    step = app.drafting.draft.steps[index]
    operation = step.operation
    if isinstance(operation, Put):
        value: Json = operation.value
        title = clean(dotted(operation.scope, operation.path))
    elif isinstance(operation, Raw):
        value, title = operation.patch, "the patch"
    else:
        app.say("This step sets nothing that could be edited; drop it, or leave it out")
        return
    shown = as_text(value)
    _open(app, step, title, shown.text, plain=shown.plain, outside=shown.place == "outside", suffix=shown.suffix)


def _open(app: SftuiApp, step: Step, title: str, text: str, *, plain: bool, outside: bool, suffix: str) -> None:
    def take(written: str) -> None:
        _put(app, step, read(written, plain=plain))

    def again(written: str) -> None:
        _open(app, step, title, written, plain=plain, outside=True, suffix=suffix)

    if not outside:
        from sftui.screens.editor import EditScreen

        app.push_screen(EditScreen(title, text, plain=plain, take=take, leave=lambda _: None, large=again))
        return
    from sftui.external import edit_outside

    edited = edit_outside(app, text, suffix)
    if edited.text is None:
        app.say(edited.problem, warning=True)
    elif edited.text != text:
        try:
            take(edited.text)
        except EngineError as error:
            app.say(f"Not staged: {blame(error)}", warning=True)


def _put(app: SftuiApp, step: Step, value: Json) -> None:
    """Have the step set something else. Raises InvalidRequest where that is no patch, or the step is gone."""
    steps = list(app.drafting.draft.steps)
    index = next((number for number, one in enumerate(steps) if one is step), None)
    if index is None:
        raise InvalidRequest("step-gone", "this step is not in the draft any more")
    steps[index] = replace(step, operation=_changed(app, step.operation, value))
    app.drafting.set_draft(Draft(tuple(steps)))


def _changed(app: SftuiApp, operation: Operation, value: Json) -> Operation:
    if isinstance(operation, Put):
        return replace(operation, value=value)
    if not is_object(value):
        raise InvalidRequest("not-a-patch", "a patch is an object of scopes")
    return raw(app.picture.states, value)
