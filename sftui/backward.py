"""The app that can look back: what is shown may be an earlier moment, while memory goes on below."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sftui.drafted import Drafted
from sftui.screens.base import LiveScreen

if TYPE_CHECKING:
    from textual.driver import Driver

    from sftui.past import Past
    from sftui.views.picture import Picture

# Looking back is loaded so long after the first picture, in seconds.
READY_AFTER: Final = 1.0


class Backward(Drafted, inherit_bindings=False):
    """Has the newest picture, and what is shown: that, or an earlier one."""

    def __init__(
        self, *, ascii_signs: bool, readonly: bool, ledger: bool, driver_class: type[Driver] | None = None
    ) -> None:
        super().__init__(ascii_signs=ascii_signs, readonly=readonly, ledger=ledger, driver_class=driver_class)
        self._live: Picture | None = None
        self._past: Past | None = None

    @property
    def has_picture(self) -> bool:
        """Whether anything has been read yet."""
        return self._live is not None

    @property
    def live(self) -> Picture:
        """Memory as it is now: the newest picture, an empty one before the first. What is changed is changed there."""
        if self._live is None:
            from sftui.views.picture import Picture

            return Picture(pinned=self._itself.want.session is not None)
        return self._live

    @property
    def picture(self) -> Picture:
        """What is shown: the newest picture, or that of the moment to which somebody has gone back."""
        past = None if self._past is None else self._past.picture
        return self.live if past is None else past

    @property
    def past(self) -> Past:
        """Looking back; loaded when it is first asked for."""
        if self._past is None:
            from sftui.past import Past

            self._past = Past(self._itself)
        return self._past

    @property
    def looks_back(self) -> bool:
        """Whether an earlier moment is shown: then nothing is changed."""
        return self._past is not None and self._past.is_on

    def news_below(self, picture: Picture) -> None:
        """There is a newer picture: whoever looks back hears of it, and goes on looking."""
        if self._past is not None:
            self._past.fresh(picture)

    def touched(self, key: str) -> bool:
        """Somebody is there: nothing plays on. Tells whether the key was for that alone."""
        return self._past is not None and self._past.interrupted(key)

    async def keep_past(self) -> None:
        """Be ready to look back, once what there is now is on the screen."""
        await asyncio.sleep(READY_AFTER)
        await asyncio.to_thread(import_module, "sftui.past")

    def show_header(self) -> None:
        """Have the screen that is up say anew what is open, and as of when."""
        for screen in reversed(self.screen_stack if self.is_running else ()):
            if isinstance(screen, LiveScreen):
                screen.show_header()
                break

    # Actions.

    def action_earlier(self) -> None:
        """Show memory as it was one change earlier."""
        if self._can_look_back():
            self.past.step(1)

    def action_later(self) -> None:
        """Show memory as it was one change later."""
        if not self.looks_back:
            self.say("This is memory as it is now")
        elif self._can_look_back():
            self.past.step(-1)

    def action_now(self) -> None:
        """Show memory as it is now."""
        if self.looks_back:
            self.past.now()
        else:
            self.say("This is memory as it is now")

    def _can_look_back(self) -> bool:
        return isinstance(self.screen, LiveScreen) and self.screen.of_moments
