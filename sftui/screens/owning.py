"""The list of screen 4: looked through beside the interface, shown by key, with ways to and from the memory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.records import replace
from sftui.background import begin
from sftui.screens.detailed import DetailedScreen
from sftui.views.kinds import Path, View
from sftui.widgets.bars import FooterBar, NoticeBar, Rule
from sftui.widgets.lines import KeyedLines
from sftui.widgets.virtual_tree import VirtualTree

if TYPE_CHECKING:
    from engine.memory.scope import Scope
    from sftui.views.intent_rows import IntentSource, Layout
    from sftui.views.intents import Intents
    from sftui.views.picture import Picture
    from sftui.views.spans import Spans
    from sftui.views.staging import Staging

Place = tuple[View, Path]


def is_same(one: Picture, other: Picture) -> bool:
    """Whether two pictures show the same memory: what did not change keeps its objects."""
    return (
        one.memory.keys() == other.memory.keys()
        and one.states.keys() == other.states.keys()
        and all(one.states[scope] is state for scope, state in other.states.items())
        and (one.snapshot is None) == (other.snapshot is None)
    )


def adds_intents(staging: Staging) -> bool:
    """Whether there are intents that only the draft makes."""
    return any(
        sign == "+" and path[0] == "intents" and len(path) <= 2
        for over in staging.overlaid.values()
        for path, sign in over.signs.items()
    )


class OwningScreen(DetailedScreen):
    """The intents of all scopes in view, as a graph or as a table; both keep the cursor on the same intent."""

    AUTO_FOCUS = "#graph"
    places = ("list", "tree", "intents")

    def __init__(self) -> None:
        super().__init__()
        self.shown_as: Layout = "graph"
        self._found: Intents | None = None
        self._source: IntentSource | None = None
        # The intents of now, without what only the draft adds, and what they were looked through for.
        self._present: Intents | None = None
        self._looked_at: tuple[Picture | None, Staging | None] = (None, None)
        self._looking = False
        self._known: set[Path] = set()
        self._aim: Place | None = None
        self._came: Place | None = None
        # The row of the memory that this screen was left for: from there the way leads back to the row here.
        self.left_for: tuple[View, Path | None] | None = None

    def compose(self) -> ComposeResult:
        """Header, rows, details, footer."""
        yield from self.with_details("intents", VirtualTree(id="graph"))

    async def on_mount(self) -> None:
        """Show the frame before anything has been looked through."""
        self.query_one("#side-rule", Rule).say((("details", "strong"),))
        self.rows.replace([], empty=[((" looking through the intents…", "muted"),)])
        self._say_rows()

    # Showing.

    @property
    def rows(self) -> VirtualTree:
        """The list of intents."""
        return self.query_one("#graph", VirtualTree)

    @property
    def found(self) -> Intents | None:
        """What is shown; None until it has been looked through."""
        return self._found

    def show(self, picture: Picture) -> None:
        """Look through a picture, beside the interface, and show it."""

        super().show(picture)
        self.query_one(NoticeBar).show(self.notices())
        if self._source is not None:
            # The draft may have changed: its signs are asked for as lines are painted.
            self.rows.forget_strips()
        if not self._looking:
            self._looking = True
            begin(self, self._look, "look")

    async def _look(self) -> None:
        """Look through the newest picture until there is none newer: a busy writer must not keep it from being shown."""
        from sftui.views.intents import intents, with_added

        try:
            while self.is_attached and self._is_behind():
                picture, staging = self.sftui.picture, self.sftui.drafting.staging
                known = self._present
                if known is not None and is_same(known.picture, picture):
                    self._present = replace(known, picture=picture)
                else:
                    self._present = await asyncio.to_thread(intents, picture)
                self._found = self._present
                if staging is not None and picture.as_of is None and adds_intents(staging):
                    self._found = with_added(self._present, await asyncio.to_thread(intents, staging.picture))
                self._looked_at = picture, staging
                self._show_rows()
        finally:
            self._looking = False

    def _is_behind(self) -> bool:
        picture, staging = self._looked_at
        return picture is not self.sftui.picture or staging is not self.sftui.drafting.staging

    def _show_rows(self) -> None:
        from sftui.views.intent_rows import IntentSource
        from sftui.views.watch import no_intents

        if self._found is None or not self.is_mounted:
            return
        tree = self.rows
        self._source = IntentSource(self._found, self.shown_as, self._sign)
        # Everything about an intent is open at first; what belongs to none may be much.
        keys = {item.key for item in self._found.items}
        tree.expanded |= keys - self._known
        self._known |= keys
        tree.show(self._source, empty=[no_intents(self._found.picture)])
        self._say_rows()
        if self._aim is not None:
            aim, self._aim = self._aim, None
            self._go_to(*aim)
        self._show_details()

    def _sign(self, scope: Scope, path: Path) -> str:
        """What the draft does to a place."""
        staging = self.sftui.drafting.staging
        over = None if staging is None else staging.overlaid.get(scope)
        return "" if over is None else over.sign(path)

    def _say_rows(self) -> None:
        from sftui.views.intent_rows import heads, title

        width = self.rows.line_width or self.size.width
        self.query_one("#graph-rule", Rule).say(
            title(self._found, self.shown_as), heads(self.shown_as, width), ending=" "
        )

    def _show_details(self) -> None:
        from sftui.views.intent_details import row_details

        key = self.rows.cursor_key
        told: Spans = (("details", "strong"),)
        lines: list[Spans] = []
        if self._source is not None and key is not None:
            told, lines = row_details(self._source, key)
        self.tell(told, lines)

    def on_keyed_lines_moved(self, event: KeyedLines.Moved) -> None:
        """Tell about the row that the cursor stands on now."""
        event.stop()
        self._show_details()

    # Going somewhere.

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Go to the place in the memory; a group is opened here."""
        event.stop()
        key = self.rows.cursor_key
        if self._source is None or key is None:
            return
        place = self.place()
        if place is not None:
            self.sftui.open_path(*place)
        elif self._source.group(key) is not None:
            self.rows.toggle(key)
        else:
            self.sftui.say("This is no place in present memory")

    def come_from(self, view: View, path: Path | None) -> None:
        """Arrive from a row of the memory: stand on the intent that it belongs to, or where one left for that row."""
        if path is None:
            return
        self._came = (view, path)
        if self._came != self.left_for:
            self._aim = self._came
            self._show_rows()
        self.left_for = None

    def _go_to(self, view: View, path: Path) -> None:
        from engine.memory.scope import SCOPES
        from sftui.views.intents import row_of, unowned_key

        key = None if self._found is None else row_of(self._found, view, path)
        if key is None:
            return
        if self.shown_as == "table":
            key = key[:1]
        tree, before = self.rows, self.rows.cursor
        tree.reveal(key)
        if key[:1] in map(unowned_key, SCOPES) and tree.cursor >= max(1, tree.size.height):
            # What belongs to no intent is not worth that no intent can be seen.
            tree.enfold(key[:1])
            tree.move_to(before)

    def action_back(self) -> None:
        """Back to the row of the memory where one came from."""
        if self._came is not None:
            self.sftui.open_path(*self._came)

    def action_copy_path(self) -> None:
        """Copy the path of the row, and print it."""
        from sftui.clipboard import copy_path

        place = self.place()
        if place is not None:
            copy_path(self.sftui, *place)

    def action_layout(self) -> None:
        """Switch between the graph and the table."""
        self.shown_as = "table" if self.shown_as == "graph" else "graph"
        self.query_one(FooterBar).rename("intents.layout", "graph" if self.shown_as == "table" else "table")
        self._show_rows()

    def place(self) -> Place | None:
        """Where in memory the row under the cursor is."""
        key = self.rows.cursor_key
        return None if self._source is None or key is None else self._source.place(key)

    def usable(self, action_id: str) -> bool:
        """Everything but going where one is, and what there is nothing to do for."""
        if action_id == "intents.back":
            return self._came is not None
        return action_id != "app.intents"

    def fit(self, width: int) -> None:
        """Say what the columns are, as far as there is room for them."""
        del width
        self._say_rows()
