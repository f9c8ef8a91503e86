"""What hides rows of the memory tree: a text, looked for while it is typed, in slices."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sftui.background import begin
from sftui.slices import in_slices
from sftui.views.kinds import Path, View

if TYPE_CHECKING:
    from textual.timer import Timer

    from engine.values import JsonObject
    from sftui.screens.browsing import BrowsingScreen
    from sftui.views.filtering import Kept
    from sftui.views.overlaid import Overlaid

# A filter is applied when nothing has been typed for so long, in seconds.
TYPING_PAUSE = 0.12


class TreeFilter:
    """The filter of one screen: its text, and the rows that it leaves (None: none is at work, or it is looking)."""

    def __init__(self, screen: BrowsingScreen) -> None:
        self._screen = screen
        self.text = ""
        self.kept: Kept | None = None
        # Where else something was found, the first row of each view: looked for where nothing is found here.
        self.elsewhere: dict[View, Path] = {}
        # What was looked through, and the draft over it.
        self._searched: tuple[JsonObject | None, Overlaid | None] = (None, None)
        self._found = asyncio.Event()
        # What was looked for last, and the branches that were opened to show it.
        self._looked_for: tuple[str, frozenset[Path]] = ("", frozenset())
        self._before: set[Path] = set()
        self._pause: Timer | None = None

    @property
    def opened_before(self) -> set[Path]:
        """What was open before the filter was set."""
        return self._before

    def drop(self) -> None:
        """Filter no more; what was open before is open again."""
        self._screen.workers.cancel_group(self._screen, "filter")
        self._stop()
        self.text, self.kept, self._searched = "", None, (None, None)
        self._looked_for = ("", frozenset())
        self._found.set()
        self._screen.rows.expanded = self._before
        self._screen.say_tree()

    def set(self, text: str, *, at_once: bool) -> bool:
        """Filter by `text`, at once or when nothing more is typed; False: there is nothing to filter by."""
        waiting = self._pause is not None
        self._stop()
        if not text.removeprefix("!"):
            return False
        if text == self.text and not waiting:
            return True
        if not self.text:
            self._before = self._screen.rows.expanded
        self.text = text
        self._found.clear()
        self._screen.say_tree()
        if at_once:
            self._search()
        else:
            self._pause = self._screen.set_timer(TYPING_PAUSE, self._search)
        return True

    def follow(self) -> None:
        """Look again where memory has become another, or what a draft makes of it."""
        if self.text and not self._is_searched():
            self._search()

    async def settled(self) -> None:
        """Wait until it has looked through what is shown."""
        await self._found.wait()

    def _shown(self) -> tuple[JsonObject | None, Overlaid | None]:
        view, app = self._screen.view, self._screen.sftui
        staging = app.drafting.staging
        return app.picture.memory.get(view), None if staging is None else staging.overlaid.get(view)

    def _is_searched(self) -> bool:
        return all(one is other for one, other in zip(self._searched, self._shown(), strict=True))

    def _stop(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def _search(self) -> None:
        self._pause = None
        self._found.clear()
        self._searched = self._shown()
        begin(self._screen, self._look, "filter", exclusive=True)

    async def _look(self) -> None:
        from sftui.views.filtering import search

        self.elsewhere = {}
        searched, text = self._searched, self.text
        root, over = searched
        kept: Kept | None = None
        async for found in in_slices(search(root or {}, text, over)):
            if found is not None:
                kept = found
        if kept is None:
            return
        if not kept.count and not text.startswith("!"):
            elsewhere = await self._look_elsewhere()
            if searched is not self._searched:
                return
            self.elsewhere = elsewhere
        before = self._looked_for
        self.kept, self._looked_for = kept, (text, kept.branches)
        rows = self._screen.rows
        if before[0] == text:
            # What a person has closed or opened since stays so.
            rows.expanded = rows.expanded | (kept.branches - before[1])
        else:
            rows.expanded = set(kept.branches)
        self._found.set()
        self._screen.show(self._screen.sftui.picture)
        self._screen.say_tree()

    async def _look_elsewhere(self) -> dict[View, Path]:
        """Give the first row of each other view that holds the text; the effective one shows nothing of its own."""
        from sftui.views.filtering import first_match

        found: dict[View, Path] = {}
        for view, root in self._screen.sftui.picture.memory.items():
            if view in {self._screen.view, "effective"}:
                continue
            async for path in in_slices(first_match(root, self.text)):
                if path is not None:
                    found[view] = path
        return found
