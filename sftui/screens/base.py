"""What the live screens have in common: a header, a picture, a way to type a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from sftui.actions import ACTIONS
from sftui.widgets.bars import HeaderBar

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.views.picture import Picture
    from sftui.widgets.prompt import Prompt

_TYPED = frozenset(action.call for action in ACTIONS if action.typed)


class LiveScreen(Screen[None]):
    """A screen that shows whatever picture is the newest.

    The first frame needs nothing of the engine: what shows memory is imported where it is used.
    """

    _prompt: Prompt | None = None

    @property
    def sftui(self) -> SftuiApp:
        """The app, by its own type."""
        return cast("SftuiApp", self.app)

    def show(self, picture: Picture) -> None:
        """Show a picture."""
        from sftui.views.header import header

        self.query_one(HeaderBar).header = header(picture, self.sftui.home)

    def on_mount(self) -> None:
        """Have a line to type into, once the first frame is there."""
        self.call_after_refresh(self._add_prompt)

    async def _add_prompt(self) -> None:
        from sftui.widgets.prompt import Prompt

        prompt = Prompt()
        await self.mount(prompt)
        self._prompt = prompt
        self.catch_up()

    def on_screen_resume(self) -> None:
        """Catch up with what came while another screen was up."""
        self.catch_up()

    def catch_up(self) -> None:
        """Show the newest picture, once there is one and there are widgets to show it."""
        if self.is_mounted and self.sftui.has_picture:
            self.show(self.sftui.picture)

    def ask(self, purpose: str, hint: str, text: str = "") -> None:
        """Let a line be typed."""
        if self._prompt is not None:
            self._prompt.ask(purpose, hint, text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take no key before there are widgets; leave those that ask for a line to the line, while one is typed."""
        if not self.is_mounted:
            return False
        if action in _TYPED and self._prompt is not None and self.focused is self._prompt:
            return False
        return super().check_action(action, parameters)
