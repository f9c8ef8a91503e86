"""Screen 3: what happened, what each change did, and what differs between any two moments."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from sftui.actions import bindings
from sftui.background import begin
from sftui.screens.chronicle import ChronicleScreen
from sftui.screens.comparing import Comparing
from sftui.views.history import OLDER, RowKey
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from engine.memory.scope import Scope
    from sftui.views.moments import Moment
    from sftui.views.picture import Picture
    from sftui.widgets.prompt import Prompt

_SCOPES: tuple[Scope | None, ...] = (None, "global", "cwd", "session")


class HistoryScreen(ChronicleScreen):
    """The list of what happened, and all that can be done with a moment of it."""

    BINDINGS: ClassVar = bindings("history")

    def __init__(self) -> None:
        super().__init__()
        self.comparing = Comparing(self, self.picture_at)

    async def picture_at(self, moment: Moment) -> Picture:
        """Memory as it was just after a moment."""
        from sftui.earlier import picture_of

        return await asyncio.to_thread(picture_of, self.sftui.folds, self.live, moment)

    def action_compare(self) -> None:
        """Mark the moment, or compare it with the one that is marked."""
        key, moment = self.rows.cursor_key, self.moment()
        if key is not None and moment is not None:
            self.comparing.choose(key, moment)

    def action_at(self) -> None:
        """Show the whole app as memory was after this change."""
        moment = self.moment()
        if moment is not None:
            self.sftui.past.go(moment)

    def action_replay(self) -> None:
        """Play the changes from here on, one after another."""
        moment = self.moment()
        if moment is not None:
            self.sftui.past.replay(moment)

    def action_scope(self) -> None:
        """On to the changes of the next scope."""
        self.scope = _SCOPES[(_SCOPES.index(self.scope) + 1) % len(_SCOPES)]
        self.show_rows()

    def action_undo(self) -> None:
        """Put the inverse of the change under the cursor into the draft."""
        moment = self.moment()
        if moment is not None:
            from sftui.views.changes import Entry

            part = moment.parts[-1]
            entry = Entry(
                part.address, part.scope, part.revision, moment.boundary, part.seen, part.ours, lines=(), more=0
            )
            self.sftui.undoing.entry(entry)

    def action_copy_path(self) -> None:
        """Copy what the command line calls this moment."""
        moment = self.moment()
        if moment is not None:
            from sftui.clipboard import copy_text

            name = " ".join(f"{part.scope}@{part.revision}" for part in moment.parts)
            part = moment.parts[0]
            twin = (
                f"sftui diff {part.scope}@{part.revision - 1} {part.scope}@{part.revision} prints what it changed there"
            )
            copy_text(self.sftui, name, f"{name}", twin)

    def action_back(self) -> None:
        """Back to the row of the memory where one came from."""
        if self.came is not None:
            self.sftui.open_path(*self.came)

    # The filter.

    def action_filter(self) -> None:
        """Ask what to filter by."""
        self.ask("filter", "hide changes without this text; !text hides those with it", self.filter.text)

    def action_clear(self) -> None:
        """Drop the filter, or the mark of a comparison."""
        if self.filter.text:
            self.filter.drop()
        elif self.comparing.marked is not None:
            self.comparing.drop()

    def on_prompt_answered(self, event: Prompt.Answered) -> None:
        """Filter by what has been typed so far."""
        event.stop()
        if not self.filter.set(event.text, at_once=event.final) and self.filter.text:
            self.filter.drop()
        if event.final:
            self.rows.focus()

    def on_prompt_abandoned(self, event: Prompt.Abandoned) -> None:
        """Filter no more."""
        event.stop()
        if self.filter.text:
            self.filter.drop()
        self.rows.focus()

    # One change whole.

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
        if self.is_free and self.rows.cursor_key == key:
            self.app.push_screen(DifferenceScreen(difference))
