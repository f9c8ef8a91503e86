"""The page for reports: versions, terminal, store; nothing that is remembered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar, cast

from textual import work

from sftui.actions import bindings
from sftui.screens.base import is_up
from sftui.screens.dialogs import PageScreen
from sftui.styles import THEMES
from sftui.views.spans import Spans
from sftui.widgets.bars import TextPane

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.views.debug import Debug, Facts


class DebugScreen(PageScreen):
    """Shows what a report of a fault should say, to copy or to print."""

    BINDINGS: ClassVar = [*bindings("list", without="list.open"), *bindings("debug")]
    title_text = "for a report"
    place = "debug"

    _found: Debug | None = None

    def page(self) -> list[Spans]:
        """What has been gathered so far."""
        if self._found is None:
            return [(("gathering…", "muted"),)]
        told: list[Spans] = [(("Nothing that is remembered stands here.", "muted"),)]
        told.append((("sftui debug", "text"), (" prints it.", "muted")))
        return [*told, (), *self._found.lines()]

    def hang(self) -> int:
        """Past the column of names."""
        return 17

    def on_mount(self) -> None:
        """Gather it beside the interface: files are looked at."""
        if not is_up(self):
            return
        self._gather()

    @work(exit_on_error=False)
    async def _gather(self) -> None:
        from sftui.debugging import gather

        app = cast("SftuiApp", self.app)
        picture = app.live
        facts = _of_app(app)
        self._found = await asyncio.to_thread(gather, app.store, picture.snapshot, feed=picture.feed, app=facts)
        if self.is_mounted:
            self.query_one(TextPane).show(self.page())

    def action_copy(self) -> None:
        """Copy the page."""
        if self._found is not None:
            from sftui.clipboard import copy_text

            copy_text(cast("SftuiApp", self.app), self._found.text(), "This page", "sftui debug prints it")


def _of_app(app: SftuiApp) -> Facts:
    """What only the running app knows."""
    drafting = app.drafting
    size = f"{app.size.width}x{app.size.height}"
    steps = [type(step.operation).__name__.lower() for step in drafting.draft.steps]
    kinds = ", ".join(f"{steps.count(kind)} {kind}" for kind in dict.fromkeys(steps))
    return (
        ("size", size),
        ("theme", THEMES.get(app.theme, app.theme)),
        ("colours", "none" if app.no_color else str(app.console.color_system)),
        ("readonly", "yes" if app.readonly else "no"),
        ("draft", kinds or "empty"),
        ("screens", " ".join(type(screen).__name__ for screen in app.screen_stack)),
    )
