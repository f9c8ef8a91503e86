"""Screen 3: what happened, what each change did, and what differs between any two moments."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from sftui.actions import bindings
from sftui.background import begin
from sftui.screens.chronicle import ChronicleScreen
from sftui.views.history import OLDER, RowKey
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from engine.memory.scope import Scope
    from sftui.views.moments import Moment

_SCOPES: tuple[Scope | None, ...] = (None, "global", "cwd", "session")


class HistoryScreen(ChronicleScreen):
    """The list of what happened, and all that can be done with a moment of it."""

    BINDINGS: ClassVar = bindings("history")

    def action_scope(self) -> None:
        """On to the changes of the next scope."""
        self.scope = _SCOPES[(_SCOPES.index(self.scope) + 1) % len(_SCOPES)]
        self.show_rows()

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Open the whole diff of a change on a page of its own; at the end of the list load what is older."""
        event.stop()
        key, moment = self.rows.cursor_key, self.moment()
        if key == OLDER:
            self.load_older()
        elif key is not None and moment is not None:
            begin(self, partial(self._open, key, moment), "open", exclusive=True)
        else:
            self.sftui.say("There is no more to this line than it says")

    async def _open(self, key: RowKey, moment: Moment) -> None:
        from sftui.screens.difference import DifferenceScreen
        from sftui.views.chronicle import whole

        difference = await asyncio.to_thread(whole, self.known, moment, self.records.body)
        if self.is_current and self.rows.cursor_key == key:
            self.app.push_screen(DifferenceScreen(difference))
