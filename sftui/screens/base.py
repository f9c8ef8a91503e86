"""What the live screens have in common: a header, a picture, a way to type a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from sftui.actions import ACTIONS
from sftui.views.header import header
from sftui.views.picture import Picture
from sftui.widgets.bars import HeaderBar
from sftui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from sftui.app import SftuiApp


class LiveScreen(Screen[None]):
    """A screen that shows whatever picture is the newest."""

    @property
    def sftui(self) -> SftuiApp:
        """The app, by its own type."""
        return cast("SftuiApp", self.app)

    def show(self, picture: Picture) -> None:
        """Show a picture."""
        self.query_one(HeaderBar).header = header(picture, self.sftui.home)

    def on_screen_resume(self) -> None:
        """Catch up with what came while another screen was up."""
        self.show(self.sftui.picture)

    def ask(self, purpose: str, hint: str, text: str = "") -> None:
        """Let a line be typed."""
        self.query_one(Prompt).ask(purpose, hint, text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys that ask for a line to the line, while one is typed."""
        if action in _TYPED and isinstance(self.focused, Prompt):
            return False
        return super().check_action(action, parameters)


_TYPED = frozenset(action.call for action in ACTIONS if action.typed)
