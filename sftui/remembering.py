"""Looking at a store as one has left it: what was open, where the cursor stood, which screen was up, in which colours."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from sftui.background import begin
from sftui.screens.looks import look_again, looks_of
from sftui.screens.stack import NARROW

if TYPE_CHECKING:
    from textual.timer import Timer

    from engine.store.layout import Address
    from sftui.app import SftuiApp
    from sftui.viewstate import Looks
    from sftui.want import Want


# While keys are pressed, how memory is looked at is kept so often, in seconds.
SOON_SECONDS: Final = 10.0


class Remembering:
    """Keeps the looks of each cohort when it is left, and has them again when it is come back to."""

    def __init__(self, app: SftuiApp) -> None:
        self._app = app
        self._known: dict[str, Looks] = {}
        self._address: Address | None = None
        self._complained = False
        self._soon: Timer | None = None

    async def load(self, root: str, want: Want) -> None:
        """Read what is kept of the store, and open the screen that was up, unless something was pressed meanwhile."""
        self._known, looks, problem = await asyncio.to_thread(_load, root, want)
        if problem:
            self._complain(f"How memory was looked at is not known: {problem}")
        app = self._app
        screen = "" if looks is None or looks.narrow != self._is_narrow else looks.screen
        if screen and screen != app.screens.shown and len(app.screen_stack) == 1 and not app.was_touched:
            await app.run_action(screen, app)

    def opened(self, address: Address) -> None:
        """A cohort is about to be shown."""
        if address == self._address:
            return
        from sftui.viewstate import cohort_of, looks_for

        first = self._address is None
        left = self._left()
        if left is not None:
            begin(self._app, partial(self._save, *left), "looks")
        self._address = address
        looks = (
            looks_for(self._known, address.key, address.session)
            if first
            else self._known.get(cohort_of(address.key, address.session))
        )
        if looks is not None:
            look_again(self._app.memory_screen, looks)

    def touched(self) -> None:
        """A key was pressed. A terminal may be lost at any time, so what it has led to is kept before long."""
        if self._soon is None and self._address is not None:
            self._soon = self._app.set_timer(SOON_SECONDS, self._keep_now)

    def _keep_now(self) -> None:
        self._soon = None
        begin(self._app, self.keep, "looks")

    async def keep(self) -> None:
        """Keep how the cohort on screen is looked at now."""
        left = self._left()
        if left is not None:
            await self._save(*left)

    def choose_theme(self, name: str) -> None:
        """Begin with these colours the next time, on any store."""
        begin(self._app, partial(self._save_theme, name), "theme", exclusive=True)

    def _left(self) -> tuple[str, str, Looks] | None:
        """How the cohort on screen is looked at, if that is news."""
        address = self._address
        if address is None:
            return None
        from sftui.viewstate import cohort_of

        name = cohort_of(address.key, address.session)
        looks = looks_of(self._app.memory_screen, shown=self._app.screens.shown, narrow=self._is_narrow)
        if self._known.get(name) == looks:
            return None
        self._known[name] = looks
        return address.root, name, looks

    async def _save(self, root: str, name: str, looks: Looks) -> None:
        from sftui.viewstate import ViewStates

        try:
            await asyncio.to_thread(ViewStates(root).save, name, looks)
        except OSError as error:
            self._complain(f"How memory is looked at cannot be kept: {error.strerror or error}")

    async def _save_theme(self, name: str) -> None:
        from sftui.viewstate import save_theme

        try:
            await asyncio.to_thread(save_theme, name)
        except OSError as error:
            self._complain(f"The theme cannot be kept: {error.strerror or error}")

    @property
    def _is_narrow(self) -> bool:
        return self._app.size.width < NARROW

    def _complain(self, words: str) -> None:
        if not self._complained:
            self._complained = True
            self._app.say(words, warning=True)


def saved_theme(environ: Mapping[str, str], themes: Collection[str]) -> str | None:
    """The colours that were chosen last; read before the first frame, so that it need not change."""
    from engine.store.layout import state_home

    try:
        with open(os.path.join(state_home(environ), "theme"), encoding="utf-8") as file:
            name = file.read(100).strip()
    except (OSError, ValueError):
        return None
    return name if name in themes else None


def _load(root: str, want: Want) -> tuple[dict[str, Looks], Looks | None, str]:
    """In a thread: it loads a part of the engine, too."""
    from engine.store.layout import cwd_key
    from sftui.viewstate import ViewStates, looks_for

    known, problem = ViewStates(root).load()
    key = want.key if want.cwd is None else cwd_key(want.cwd)
    return known, looks_for(known, key, want.session), problem
