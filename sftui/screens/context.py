"""Screen 5: what a model would be given now, the largest first, and how the draft and the next change alter that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from engine.records import replace
from sftui.actions import bindings, key_for
from sftui.background import begin
from sftui.screens.detailed import DetailedScreen
from sftui.widgets.bars import FooterBar, NoticeBar, Rule
from sftui.widgets.lines import KeyedLines
from sftui.widgets.virtual_tree import VirtualTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.memory.context import Mode
    from sftui.views.context import Context
    from sftui.views.context_rows import ContextSource
    from sftui.views.kinds import Path
    from sftui.views.picture import Picture
    from sftui.views.spans import Spans
    from sftui.views.staging import Staging

# What a rule takes beside its title and its remark.
_RULE = 8


class ContextScreen(DetailedScreen):
    """The parts of a context as rows, by key: sizes change, and rows with them, but the cursor stays on its own."""

    BINDINGS: ClassVar = bindings("context")
    AUTO_FOCUS = "#context"
    places = ("list", "tree", "context")

    def __init__(self) -> None:
        super().__init__()
        # The mode that a person chose; None: the session's own.
        self.asked: Mode | None = None
        self._found: Context | None = None
        self._source: ContextSource | None = None
        self._of: tuple[Mode | None, Staging | None] | None = None
        self._looking = False
        self._opened = False

    def compose(self) -> ComposeResult:
        """Header, rows, details, footer."""
        yield from self.with_details("context", VirtualTree(id="context"))

    async def on_mount(self) -> None:
        """Show the frame before anything has been weighed."""
        self.query_one("#side-rule", Rule).say((("details", "strong"),))
        self.rows.replace([], empty=[((" what a model would be given: gathering…", "muted"),)])

    @property
    def rows(self) -> VirtualTree:
        """The list."""
        return self.query_one("#context", VirtualTree)

    @property
    def found(self) -> Context | None:
        """What is shown; None until it has been worked out."""
        return self._found

    # Showing.

    def show(self, picture: Picture) -> None:
        """Weigh a picture, beside the interface, and show it."""
        super().show(picture)
        self.query_one(NoticeBar).show(self.notices())
        if not self._looking:
            self._looking = True
            begin(self, self._look, "context")

    async def _look(self) -> None:
        """Weigh the newest picture until there is none newer."""
        try:
            while self.is_attached and self.sftui.has_picture:
                picture, found, of = self.sftui.picture, self._found, (self.asked, self._staging())
                if found is not None and found.picture is picture and self._of == of:
                    break
                # The column of the draft stays while what it does is worked out anew.
                draft = bool(self.sftui.drafting.count)
                if found is not None and self._of == of and _is_told_alike(found.picture, picture):
                    self._found = replace(found, picture=picture)
                else:
                    self._found = await asyncio.to_thread(_weighed, picture, of[0], of[1], found)
                self._of = of
                self._source = await asyncio.to_thread(_laid_out, self._found, self._sign, draft)
                self._show_rows()
        finally:
            self._looking = False

    def _staging(self) -> Staging | None:
        """The draft over the memory that is shown; None where it lies over an older one."""
        staging = self.sftui.drafting.staging
        picture = self.sftui.picture
        return staging if staging is not None and picture.as_of is None and staging.is_of(picture) else None

    def _show_rows(self) -> None:
        from sftui.views.context_rows import GROUPS

        if self._found is None or self._source is None or not self.is_mounted:
            return
        tree = self.rows
        if not self._opened:
            self._opened = True
            tree.expanded |= set(GROUPS)
        tree.show(self._source, empty=self._nothing(self._found))
        self._say_rows()
        self._show_details()

    def _nothing(self, found: Context) -> list[Spans]:
        """Say why no row is there."""
        if found.trouble is not None:
            return [((f" What a model would be given is not known: {found.trouble}.", "warn"),)]
        keys = key_for("context.mode")
        return [
            ((" The session is off: its model is given nothing of memory.", "text"),),
            ((f" {keys} shows what it would be given in Active, and in Passive.", "muted"),),
        ]

    def _sign(self, path: Path) -> str:
        """What the draft does to a place."""
        staging = self._staging()
        over = None if staging is None else staging.overlaid.get("effective")
        return "" if over is None else over.sign(path) or ("~" if path in over.above else "")

    def _say_rows(self) -> None:
        from sftui.views.context_rows import title
        from sftui.views.spans import plain

        if self._found is None or self._source is None:
            return
        width = self.rows.line_width or self.size.width
        heads = self._source.heads(width) if self._found.weighed is not None else ()
        room = width - len(plain(heads)) - _RULE
        self.query_one("#context-rule", Rule).say(title(self._found, room), heads, ending=" ")
        other = "Passive" if self._found.choice.mode == "active" else "Active"
        footer = self.query_one(FooterBar)
        footer.rename("context.mode", f"to {other}")
        footer.offer("context.whole", self._found.weighed is not None)

    def _show_details(self) -> None:
        from sftui.views.context_rows import row_details

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

    def fit(self, width: int) -> None:
        """Say what the columns are, as far as there is room for them."""
        del width
        self._say_rows()

    def usable(self, action_id: str) -> bool:
        """What needs a context, or a place in memory, is of no use without."""
        if action_id == "context.whole":
            return self._found is not None and self._found.weighed is not None
        if action_id == "context.copy-path":
            return self._source is not None and self._place() != ""
        return action_id != "app.context"

    # Doing.

    def action_mode(self) -> None:
        """On to the other mode."""
        shown = None if self._found is None else self._found.choice.mode
        self.asked = "passive" if shown == "active" else "active"
        self.catch_up()

    def action_whole(self) -> None:
        """Show exactly what a model would be given."""
        begin(self, self._open_whole, "whole", exclusive=True)

    async def _open_whole(self) -> None:
        from engine.memory.context import context
        from engine.memory.reading import View
        from engine.memory.scope import SCOPES
        from sftui.screens.given import GivenScreen

        found = self._found
        snapshot = None if found is None else found.picture.snapshot
        if found is None or found.weighed is None or snapshot is None or snapshot.cohort is None:
            self.sftui.say("There is nothing that a model would be given")
            return
        mode = found.weighed.mode
        document = await asyncio.to_thread(context, View(snapshot.cohort, SCOPES), mode)
        if self.sftui.screen is self:
            title = f"what a model would be given, {mode.capitalize()}"
            self.sftui.push_screen(GivenScreen(title, document, found.weighed.total, found.picture))

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Go to the place in the memory; show the whole, or a transition, as it is given; open or close a group."""
        from sftui.screens.given import GivenScreen
        from sftui.views.context_rows import TOTAL

        event.stop()
        key, source = self.rows.cursor_key, self._source
        if key is None or source is None:
            return
        place, recent = source.place(key), source.recent(key)
        if key == TOTAL:
            self.action_whole()
        elif place is not None:
            self.sftui.open_path(*place)
        elif recent is not None:
            title = f"effective[{recent.told.offset}] as a model is told of it"
            self.sftui.push_screen(GivenScreen(title, recent.told.to_json(), recent.size, source.found.picture))
        elif source.expandable(key):
            self.rows.toggle(key)

    def action_copy_path(self) -> None:
        """Copy the path of the row, and print it."""
        from sftui.clipboard import LONGEST_SHOWN, copy_text

        text = self._place()
        if text:
            copy_text(self.sftui, text, "The path", text[:LONGEST_SHOWN])
        else:
            self.sftui.say("This row has no path")

    def _place(self) -> str:
        """The path of the row under the cursor, as a read names it."""
        from engine.values import dotted

        key, source = self.rows.cursor_key, self._source
        if key is None or source is None:
            return ""
        place, recent = source.place(key), source.recent(key)
        if place is not None:
            return dotted(*place)
        return "" if recent is None else f"effective[{recent.told.offset}]"


def _is_told_alike(one: Picture, other: Picture) -> bool:
    """Whether two pictures give a model the same, and say the same of it."""
    mine, its = one.snapshot, other.snapshot
    return mine is its and one.as_of is other.as_of and one.memory is other.memory


def _laid_out(found: Context, sign: Callable[[Path], str], draft: bool) -> ContextSource:
    """Put the rows in order in a thread: there may be many."""
    from sftui.views.context_rows import ContextSource

    return ContextSource(found, sign, draft=draft)


def _weighed(picture: Picture, asked: Mode | None, staging: Staging | None, known: Context | None) -> Context:
    """Weigh a picture in a thread that leaves the interface half of the time."""
    from sftui.process import taking_turns
    from sftui.views.context import gather
    from sftui.views.weighing import done

    return done(gather(picture, asked, staging=staging, known=known), taking_turns())
