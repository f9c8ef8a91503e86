"""Everything that is remembered, as a tree to look through: screen 2 without what changes memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sftui.screens import looks
from sftui.screens.base import SCOPES_FROM
from sftui.screens.panes import PanesScreen
from sftui.screens.staying import Staying
from sftui.screens.tree_filter import TreeFilter
from sftui.views.kinds import VIEWS, Path, View
from sftui.widgets.bars import NoticeBar, Rule, ViewTabs
from sftui.widgets.lines import KeyedLines
from sftui.widgets.memory_tree import MemoryTree
from sftui.widgets.scope_tree import ScopeTree

if TYPE_CHECKING:
    from engine.store.layout import Address
    from sftui.views.picture import Picture
    from sftui.views.tree import MemorySource, Staged
    from sftui.viewstate import Looks
    from sftui.widgets.prompt import Prompt

# Places remembered for going back.
KEPT_PLACES = 100

Place = tuple[View, Path]


class BrowsingScreen(PanesScreen):
    """The effective memory, or one scope's, with everything that is known about the row under the cursor."""

    AUTO_FOCUS = "#tree"
    places = ("list", "tree", "memory")

    def __init__(self) -> None:
        super().__init__()
        self.filter = TreeFilter(self)
        self.expanded: dict[View, set[Path]] = {}
        self.cursors: dict[View, Path] = {}
        self._staying: Staying[Path] = Staying()
        self._back: list[Place] = []
        self._forward: list[Place] = []
        self._wanted: Place | None = None
        self._address: Address | None = None
        # How it was looked at the last time, until that is done again.
        self.pending: Looks | None = None

    async def on_mount(self) -> None:
        """Show the frame before anything has been read."""
        self.say_tree()

    # Showing.

    def show(self, picture: Picture) -> None:
        """Show a picture: rows keep their place by path."""
        from sftui.views.memory import empty_lines, open_at_first

        super().show(picture)
        self._stay_in_what_is_open(picture)
        self.query_one(NoticeBar).show(self.notices())
        self.show_tabs(picture)
        pending = self.pending if picture.snapshot is not None else None
        if pending is not None:
            self.pending = None
            looks.begin(self)
        first = self.view not in self.expanded and bool(picture.memory.get(self.view))
        if first:
            self.expanded[self.view] = open_at_first(picture, self.view)
            self.rows.expanded = self.expanded[self.view]
        self.filter.follow()
        empty = empty_lines(picture, self.view, filtered=bool(self.filter.text), elsewhere=self.filter.elsewhere)
        self._staying.before(self.rows)
        self.rows.show(self.source(picture), empty=empty)
        self._staying.after(self.rows, keeps=picture.as_of is not None)
        if pending is not None:
            looks.place(self, pending)
        self.show_changes(picture)
        self.show_details()
        if self.size.width >= SCOPES_FROM:
            self.sftui.neighbours.show_in(self.query_one(ScopeTree))
        if self._wanted is not None and picture.snapshot is not None:
            place, self._wanted = self._wanted, None
            self.go_to(*place)

    def _stay_in_what_is_open(self, picture: Picture) -> None:
        """Leave the view of a scope that was not chosen along with another: global memory alone has no cwd."""
        snapshot = picture.snapshot
        if snapshot is None or snapshot.address == self._address:
            return
        self._address = snapshot.address
        if self.view != "effective" and self.view not in snapshot.scopes and self._wanted is None:
            narrowest: View = next((view for view in reversed(VIEWS) if view in snapshot.scopes), "effective")
            self.set_view(narrowest)

    def source(self, picture: Picture) -> MemorySource:
        """Give what the tree shows of a picture, with what the draft makes of it."""
        from sftui.views.memory import fresh_paths
        from sftui.views.tree import MemorySource

        staging = self.sftui.drafting.staging
        return MemorySource(picture, self.view, self.filter.kept, fresh=fresh_paths(picture), staging=staging)

    @property
    def marked(self) -> int:
        """How many rows of the view a person has marked: none where nothing can be done with them."""
        return 0

    def say_tree(self) -> None:
        """Show the title of the tree."""
        from sftui.views.memory import FROM_AND_SIZE, tree_title

        count = None if self.filter.kept is None else self.filter.kept.count
        left = tree_title(self.view, self.filter.text, count, self.marked)
        self.query_one("#tree-rule", Rule).say(left, FROM_AND_SIZE, ending=" ")

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Open a value, or another scope."""
        event.stop()
        if isinstance(event.lines, ScopeTree):
            event.lines.choose()
        elif isinstance(event.lines, MemoryTree) and isinstance(event.key, tuple):
            self.sftui.open_value(self.view, event.key, self.staged(event.key))

    def staged(self, path: Path) -> Staged | None:
        """Give what the draft makes of a value; None where that is what is there."""
        from sftui.views.tree import MemorySource

        source = self.rows.source
        return source.staged(path) if isinstance(source, MemorySource) else None

    def on_scope_tree_chosen(self, event: ScopeTree.Chosen) -> None:
        """Look at what was chosen."""
        event.stop()
        self.sftui.choose(event.path)
        self.rows.focus()

    def usable(self, action_id: str) -> bool:
        """Everything but going where one is, and what there is nothing to do for."""
        idle = {"app.memory": True, "memory.clear": not self.filter.text}
        leads_back = bool(self._back) or self.sftui.screens.leads_back(self)
        idle |= {"memory.back": not leads_back, "memory.forward": not self._forward}
        return not idle.get(action_id, False)

    # Views.

    def set_view(self, view: View) -> None:
        """Show the effective memory, or one scope's; every view keeps its own place."""
        if view == self.view:
            return
        tree = self.rows
        if tree.cursor_key is not None:
            self.cursors[self.view] = tree.cursor_key
        if self.filter.text:
            self.filter.drop()
        self.expanded[self.view] = tree.expanded
        self.view = view
        tree.expanded = self.expanded.get(view, set())
        self.show(self.sftui.picture)
        cursor = self.cursors.get(view)
        if cursor is not None:
            tree.move_to_key(cursor)
        self.say_tree()

    def on_view_tabs_chosen(self, event: ViewTabs.Chosen) -> None:
        """Show the view whose tab was clicked."""
        self.set_view(event.view)

    def action_view_next(self) -> None:
        """Show the next view."""
        self.set_view(VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)])

    def action_view_previous(self) -> None:
        """Show the previous view."""
        self.set_view(VIEWS[(VIEWS.index(self.view) - 1) % len(VIEWS)])

    # The filter.

    @property
    def filter_text(self) -> str:
        """What rows are filtered by; "" for nothing."""
        return self.filter.text

    def action_filter(self) -> None:
        """Ask what to filter by."""
        self.ask("filter", "hide rows without this text; !text hides those with it", self.filter.text)

    def action_clear(self) -> None:
        """Drop the filter."""
        if self.filter.text:
            self.filter.drop()
            self.show(self.sftui.picture)

    def on_prompt_answered(self, event: Prompt.Answered) -> None:
        """Filter while typing; go to a path when it has been typed."""
        if event.purpose == "filter":
            event.stop()
            if not self.filter.set(event.text, at_once=event.final):
                self.action_clear()
        elif event.purpose == "jump":
            event.stop()
            if event.final:
                self._jump(event.text)
        if event.final:
            self.rows.focus()

    def on_prompt_abandoned(self, event: Prompt.Abandoned) -> None:
        """Show everything again."""
        event.stop()
        if event.purpose == "filter":
            self.action_clear()
        self.rows.focus()

    # Going somewhere.

    def action_jump(self) -> None:
        """Ask for a path."""
        self.ask("jump", "a path, such as tactics.checks[3] or cwd.lazy.notes")

    def _jump(self, text: str) -> None:
        from sftui.views.paths import parse_path

        parsed = parse_path(text.strip())
        if parsed is None:
            self.sftui.say(f"This is not a path: {text}", warning=True)
            return
        view, path = parsed
        self.go_to(view or self.view, path)

    def go_to(self, view: View, path: Path, *, remember: bool = True) -> None:
        """Show `path`; what is not there (any more) is said, and the nearest above it shown."""
        from engine.values import dotted

        picture = self.sftui.picture
        if picture.snapshot is None or not self.is_mounted:
            self._wanted = (view, path)
            return
        if view not in picture.memory and "effective" in picture.memory and not self._is_staged(view):
            view = "effective"
        if remember and self.rows.cursor_key is not None:
            self._back.append((self.view, self.rows.cursor_key))
            del self._back[:-KEPT_PLACES]
            self._forward.clear()
        self.set_view(view)
        if self.filter.text:
            self.action_clear()
        source = self.source(picture)
        there = path
        while there and not source.has(there):
            there = there[:-1]
        if there != path:
            when = "now" if picture.as_of is None else "at this moment"
            self.sftui.say(f"{dotted(view, path)} is not there {when}", warning=True)
        if there:
            self.rows.reveal(there)

    def _is_staged(self, view: View) -> bool:
        staging = self.sftui.drafting.staging
        return staging is not None and view in staging.picture.memory

    def action_back(self) -> None:
        """Back to where the cursor was: on the list of intents, where one came from there."""
        if self.sftui.screens.leads_back(self):
            self.sftui.call_later(self.sftui.screens.to_intents)
            return
        self._travel(self._back, self._forward)

    def action_forward(self) -> None:
        """Forward again."""
        self._travel(self._forward, self._back)

    def _travel(self, there: list[Place], here: list[Place]) -> None:
        if not there:
            return
        if self.rows.cursor_key is not None:
            here.append((self.view, self.rows.cursor_key))
        self.go_to(*there.pop(), remember=False)

    # Copying.

    def action_copy_path(self) -> None:
        """Copy the path, and print it."""
        from sftui.clipboard import copy_path

        if self.rows.cursor_key is not None:
            copy_path(self.sftui, self.view, self.rows.cursor_key)

    def action_copy_value(self) -> None:
        """Copy the value as JSON."""
        from sftui.clipboard import copy_value

        path = self.rows.cursor_key
        if path is not None:
            copy_value(self.sftui, self.view, path, self.staged(path))

    # Traces.

    def action_traces(self) -> None:
        """Tell where the value under the cursor still stands."""
        from sftui.screens.traces import TracesScreen

        if self.rows.cursor_key is not None:
            self.app.push_screen(TracesScreen(self.view, self.rows.cursor_key))
