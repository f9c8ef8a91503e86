"""The question of which vocabulary the first memory of a store is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sftui.screens.choice import Answer, ChoiceScreen

if TYPE_CHECKING:
    from sftui.app import SftuiApp


def ask_for_dialect(app: SftuiApp) -> None:
    """The first memory of the default store: nothing there says yet what an agent understands."""
    answers = (
        Answer("4", "dialect 4", "its planes are strategy and tactics"),
        Answer("2", "dialect 2", "its planes are contract and working"),
    )
    question = "Which dialect does the agent of this store speak?"
    app.push_screen(ChoiceScreen(question, answers), lambda key: None if key is None else app.drafting.speak(int(key)))
