"""The scopes beside the open ones, as the app shows them: in trees, in the header, in the list of what is wrong."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from sftui.screens.base import LiveScreen

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.surveying import Surveyor
    from sftui.views.kinds import Path
    from sftui.views.scopes import Survey
    from sftui.widgets.scope_tree import ScopeTree

# Other scopes are looked at when the open ones have been read, shown and measured, in seconds.
SURVEY_AFTER = 0.3


class Neighbours:
    """What is known of the other scopes; loads nothing before it is needed."""

    def __init__(self, app: SftuiApp) -> None:
        self._app = app
        self._surveyor: Surveyor | None = None

    async def keep(self) -> None:
        """Keep an eye on them, until cancelled."""
        await asyncio.sleep(SURVEY_AFTER)
        await asyncio.to_thread(import_module, "sftui.surveying")
        from sftui.surveying import Surveyor

        self._surveyor = Surveyor(lambda: self._app.live, self._rows, self._opened, self._show)
        self._show()
        await self._surveyor.keep()

    def look(self, *, listing: bool = False) -> None:
        """Look now instead of by and by; `listing`: something may have come or gone."""
        if self._surveyor is not None:
            self._surveyor.look(listing=listing)

    @property
    def survey(self) -> Survey:
        """What is known of the store besides the open cohort."""
        from sftui.views.scopes import Survey

        return Survey("") if self._surveyor is None else self._surveyor.survey

    @property
    def fences(self) -> tuple[Path, ...]:
        """The scopes in view that are fenced, besides those that are open."""
        if self._surveyor is None:
            return ()
        from sftui.survey import of_picture
        from sftui.views.scopes import fenced_elsewhere

        survey = self._surveyor.survey
        return fenced_elsewhere(survey, frozenset(of_picture(survey, self._app.live)))

    def show_in(self, tree: ScopeTree) -> None:
        """Let a tree of scopes show what the store holds."""
        snapshot = self._app.live.snapshot
        if snapshot is not None and self._surveyor is not None:
            here = (snapshot.address.key, snapshot.address.session)
            tree.show_survey(self.survey, here, pinned=self._app.live.pinned, home=self._app.home)

    def _trees(self) -> list[ScopeTree]:
        from sftui.widgets.scope_tree import ScopeTree

        return [tree for tree in self._app.screen.query(ScopeTree) if tree.is_on_screen]

    def _rows(self) -> list[Path]:
        return [path for tree in self._trees() for path in tree.on_screen]

    def _opened(self) -> set[str]:
        return {key for tree in self._trees() for key in tree.opened}

    def _show(self) -> None:
        for tree in self._trees():
            self.show_in(tree)
        for screen in reversed(self._app.screen_stack):
            if isinstance(screen, LiveScreen):
                screen.show_header()
                break
