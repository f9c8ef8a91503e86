"""What stands around the memory tree: tabs, scopes, details, changes; laid out for the size."""

from __future__ import annotations

import asyncio
from functools import partial
from time import time
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from sftui.actions import actions_of, key_for
from sftui.background import begin
from sftui.screens.base import SCOPES_FROM, WIDE
from sftui.screens.detailed import DetailedScreen
from sftui.times import date, minute
from sftui.views.kinds import Path, View
from sftui.views.spans import Spans
from sftui.views.wrapping import flowed
from sftui.widgets.bars import FooterBar, HeaderBar, NoticeBar, Rule, TextPane, ViewTabs
from sftui.widgets.lines import KeyedLines
from sftui.widgets.memory_tree import MemoryTree
from sftui.widgets.scope_tree import ScopeTree

if TYPE_CHECKING:
    from sftui.blaming import Blaming
    from sftui.views.details import Details
    from sftui.views.picture import Picture

# Changes that come with the tree where there is room.
CHANGE_LINES = 4
# The ledger is asked about a row once the cursor has rested on it for so long, in seconds.
RESTING = 0.03
# From so many columns on there is more than the tree needs.
BROAD = 150


class PanesScreen(DetailedScreen):
    """The panes of the memory screen, and what they say about the row under the cursor."""

    view: View = "effective"
    _blaming: Blaming | None = None

    def compose(self) -> ComposeResult:
        """Header, tabs, scopes, tree, details, changes, footer."""
        yield HeaderBar()
        yield NoticeBar()
        yield ViewTabs()
        with Horizontal(id="panes"):
            with Vertical(id="scopes-box"):
                yield Rule(id="scopes-rule")
                yield ScopeTree(id="scopes")
            with Vertical(id="tree-box"):
                yield Rule(id="tree-rule")
                yield MemoryTree(id="tree")
            with Vertical(id="side-box"):
                yield Rule(id="side-rule")
                yield TextPane(id="side", can_focus=True)
        yield Rule(id="under-rule")
        yield TextPane(id="under", can_focus=True, hang=0)
        yield Rule(id="changes-rule")
        yield TextPane(id="changes")
        yield FooterBar([action for action in actions_of("app", "list", "memory") if action.id != "app.memory"])

    async def on_mount(self) -> None:
        """Show the frame before anything has been read."""
        self.query_one("#scopes-rule", Rule).say((("scopes", "strong"),))
        self.query_one("#side-rule", Rule).say((("details", "strong"),))
        self.query_one("#changes-rule", Rule).say((("changes", "strong"),))

    @property
    def rows(self) -> MemoryTree:
        """The tree of memory."""
        return self.query_one("#tree", MemoryTree)

    # Showing.

    def show_tabs(self, picture: Picture) -> None:
        from sftui.views.memory import tab_marks, tabs_remark

        delta = self.sftui.drafting.hot_delta
        remark = tabs_remark(picture, wide=self.size.width >= WIDE, delta=delta)
        self.query_one(ViewTabs).show(self.view, tab_marks(picture), remark)

    def show_changes(self, picture: Picture) -> None:
        from sftui.views.watch import no_changes, one_line

        pane = self.query_one("#changes", TextPane)
        width = self.size.width - 2
        lines = [one_line(entry, width) for entry in picture.log[: CHANGE_LINES if self.size.width >= WIDE else 1]]
        pane.show(lines or no_changes(picture)[:1])
        opens = f"{key_for('app.watch')} opens them"
        remark: Spans = ((opens, "muted"),)
        looking = self.sftui.looking
        since = 0 if picture.as_of is not None else looking.count(picture.log)
        if picture.as_of is not None:
            remark = (("up to this moment", "warn"), (f" · {opens}", "muted"))
        if since:
            remark = ((f"{since} new since {minute(looking.at)}", "text"), (f" · {opens}", "muted"))
        self.query_one("#changes-rule", Rule).say((("changes", "strong"),), remark)

    def show_details(self, *, top: bool = True) -> None:
        from sftui.views.tree import MemorySource

        path = self.rows.cursor_key
        found: Details | None = None
        source = self.rows.source
        if path is not None and isinstance(source, MemorySource):
            found = self.told_of(path, source.details(path))
        title: Spans = ((found.title, "strong"),) if found else (("details", "strong"),)
        place: Spans = ((f"{self.rows.cursor + 1:,}/{len(self.rows.keys):,}", "muted"),) if found else ()
        self.query_one("#side-rule", Rule).say((("details", "strong"),), place)
        self.query_one("#under-rule", Rule).say(title, place)
        lines = found.lines() if found else []
        self.query_one("#side", TextPane).show([title, *lines] if found else [], top=top)
        self.query_one("#under", TextPane).show([flowed(lines)] if found else [], top=top)

    # Who set it.

    @property
    def blaming(self) -> Blaming:
        """What tells which change set a row last; loaded when it is first asked."""
        if self._blaming is None:
            from sftui.blaming import Blaming

            self._blaming = Blaming(lambda: self.sftui.folds, ledger=self.sftui.with_ledger)
        return self._blaming

    def told_of(self, path: Path, found: Details) -> Details:
        """Give the details with what is known of who set a row; what only the ledger may know comes a moment later."""
        from sftui.views.blaming import label, session_of

        picture = self.sftui.picture
        known, whole = self.blaming.known(picture, self.view, path)
        if not whole:
            begin(self, partial(self._ask_ledger, self.view, path), "blame", exclusive=True)
        return (
            found.with_setter(*label(known, date(time()), session_of(picture), aside=picture.aside))
            if known is not None or not whole
            else found
        )

    async def _ask_ledger(self, view: View, path: Path) -> None:
        await asyncio.sleep(RESTING)
        await self.blaming.ask(self.sftui.picture, view, path)
        if self.is_attached and (self.view, self.rows.cursor_key) == (view, path):
            self.show_details(top=False)

    def on_keyed_lines_moved(self, event: KeyedLines.Moved) -> None:
        """Tell about the row that the cursor stands on now."""
        if isinstance(event.lines, MemoryTree):
            event.stop()
            self.show_details()

    def fit(self, width: int) -> None:
        """Show the changes and scopes that there is room for, and what the header does not say at this width."""
        self.set_class(width >= SCOPES_FROM, "-scopes")
        self.set_class(width >= BROAD, "-broad")
        if not self.sftui.has_picture:
            return
        self.show_tabs(self.sftui.picture)
        self.show_changes(self.sftui.picture)
        if width >= SCOPES_FROM:
            self.sftui.neighbours.show_in(self.query_one(ScopeTree))
