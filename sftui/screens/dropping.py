"""The question before a draft is dropped: one's own, or one that was left behind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sftui.actions import key_for
from sftui.background import begin
from sftui.holding import being_applied
from sftui.screens.choice import Answer, ChoiceScreen

if TYPE_CHECKING:
    from sftui.app import SftuiApp


def ask(app: SftuiApp) -> None:
    """Ask which draft goes; the key that asks is no answer."""
    drafting = app.drafting
    if drafting.applying is not None:
        app.say(being_applied(), warning=True)
        return
    own, left = not drafting.draft.is_empty, drafting.left
    if not own and not left:
        app.say("There is no draft to drop")
        return
    answers = [Answer("k", "keep it" if own is not bool(left) else "keep both")]
    if own:
        back = f"{key_for('app.draft-back')} brings it back while the app is open"
        answers.append(Answer("d", "drop the one here" if left else "drop it", back))
    if left:
        title = "drop the one that was left behind" if own else "drop it"
        answers.append(Answer("l", title, f"{drafting.told(left[0])}; for good"))
    words = f"Drop the draft of {drafting.length}?" if own else "Drop the draft that was left behind?"
    if own and left:
        words = "Drop which draft?"

    def answered(key: str | None) -> None:
        if key == "d":
            drafting.clear()
        elif key == "l":
            begin(app, partial(drafting.forget, left[0]), "drafts-left")

    app.push_screen(ChoiceScreen(words, answers), answered)
