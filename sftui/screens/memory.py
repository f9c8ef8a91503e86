"""Screen 2: everything that is remembered, as a tree, and all that changes it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from sftui.actions import bindings, key_for
from sftui.background import begin
from sftui.screens.browsing import BrowsingScreen
from sftui.screens.marks import Marks
from sftui.views.kinds import Path, View
from sftui.widgets.memory_tree import MemoryTree

if TYPE_CHECKING:
    from sftui.screens.editing import Editing
    from sftui.views.picture import Picture
    from sftui.views.tree import MemorySource
    from sftui.widgets.prompt import Prompt


class MemoryScreen(BrowsingScreen):
    """The memory tree with a draft in it. Marks belong to a view, and to what was marked."""

    BINDINGS: ClassVar = bindings("memory")

    def __init__(self) -> None:
        super().__init__()
        self._marks = Marks(self)
        self._editing: Editing | None = None
        self._expected: tuple[View, Path] | None = None

    @property
    def editing(self) -> Editing:
        """What changes rows; loaded when something is changed first."""
        if self._editing is None:
            from sftui.screens.editing import Editing

            self._editing = Editing(self)
        return self._editing

    @property
    def marks(self) -> tuple[Path, ...]:
        """The marked rows of the view."""
        return tuple(self._marks)

    @property
    def marked(self) -> int:
        """How many rows of the view are marked."""
        return len(self._marks)

    # Showing.

    def show(self, picture: Picture) -> None:
        """Show a picture; a row that has been waited for is gone to."""
        super().show(picture)
        if self._editing is not None:
            self._editing.catch_up()
        if self._expected is not None and self._expected[0] == self.view:
            path = self._expected[1]
            if self.source(picture).has(path):
                self._expected = None
                if not self.filter.text:
                    self.rows.reveal(path)

    def source(self, picture: Picture) -> MemorySource:
        """Give what the tree shows; a mark goes with what was marked, an element of an array with what it held."""
        found = super().source(picture)
        self._marks.show_in(found)
        return found

    def expect(self, view: View, path: Path) -> None:
        """A row is about to come: go there."""
        self._expected = view, path
        self.set_view(view)

    def set_view(self, view: View) -> None:
        """Show another view: marks are of the one that is left."""
        if view != self.view:
            self._marks.clear()
        super().set_view(view)

    def usable(self, action_id: str) -> bool:
        """What needs a row, or marks, or a draft, is of no use without."""
        if action_id in _OF_A_ROW and self.rows.cursor_key is None:
            return False
        if action_id == "memory.unmark":
            return bool(self.marked)
        if action_id == "memory.unstage":
            return bool(self.sftui.drafting.count)
        return super().usable(action_id)

    # What was typed.

    def on_prompt_answered(self, event: Prompt.Answered) -> None:
        """Go on with what an edit has asked for."""
        if self._editing is None or event.purpose in {"filter", "jump"}:
            return  # the screen that this one is made from hears of it next
        event.stop()
        event.prevent_default()
        if event.final:
            # At once: the next line may be asked for below, and the focus must not leave that one again.
            self.set_focus(self.rows)
        self._editing.answered(event)

    def on_prompt_abandoned(self, event: Prompt.Abandoned) -> None:
        """The edit is left."""
        del event
        if self._editing is not None:
            self._editing.abandoned()

    # Marks.

    def action_mark(self) -> None:
        """Mark the row, or no longer, and go on to the next."""
        path = self.rows.cursor_key
        if path is not None:
            self._mark(path)
            self.rows.action_cursor_down()

    def on_memory_tree_gutter_clicked(self, event: MemoryTree.GutterClicked) -> None:
        """Mark the row that was clicked there."""
        event.stop()
        self._mark(event.path)

    def _mark(self, path: Path) -> None:
        self._marks.toggle(path)
        self.show_marks()

    def action_mark_all(self) -> None:
        """Mark what the filter leaves, or the row and those beside it."""
        begin(self, self._marks.add_all, "marks", exclusive=True)

    def action_unmark(self) -> None:
        """Take all marks off."""
        self._marks.clear()
        self.show_marks()

    def show_marks(self) -> None:
        """Show which rows are marked, and how many."""
        self.show(self.sftui.picture)
        self.rows.forget_strips()
        self.say_tree()

    def _chosen(self) -> tuple[Path, ...]:
        """Give the marked rows, or the one under the cursor."""
        if self.marked:
            return self._marks.chosen()
        path = self.rows.cursor_key
        return () if path is None else (path,)

    # Changing memory.

    def action_edit(self) -> None:
        """Edit the value of the row."""
        for path in self._at_cursor():
            self.editing.edit(self.view, path)

    def action_edit_outside(self) -> None:
        """Edit the value of the row in the person's own editor."""
        for path in self._at_cursor():
            self.editing.edit(self.view, path, outside=True)

    def action_new(self) -> None:
        """Put a new key beside the row or into it."""
        path = self.rows.cursor_key
        self.editing.new(self.view, path, expanded=path in self.rows.expanded)

    def action_delete(self) -> None:
        """Delete the row, or all marked ones."""
        self.editing.delete(self.view, self._chosen(), self.action_unmark)

    def action_rename(self) -> None:
        """Give the key another name."""
        for path in self._at_cursor():
            self.editing.rename(self.view, path)

    def action_move(self) -> None:
        """Move or copy the row, or all marked ones."""
        self.editing.move(self.view, self._chosen(), self.action_unmark)

    def action_to_lazy(self) -> None:
        """Move the row, or all marked ones, to lazy memory."""
        self.editing.to_lazy(self.view, self._chosen(), self.action_unmark)

    def action_patch(self) -> None:
        """Write a patch as JSON."""
        self.editing.patch(self.view, self.rows.cursor_key)

    def action_unstage(self) -> None:
        """Take the draft's change of the row back."""
        for path in self._at_cursor():
            self.editing.unstage(self.view, path)

    def action_undo(self) -> None:
        """Undo the last known change of the row."""
        for path in self._at_cursor():
            self.editing.undo(self.view, path)

    def action_blame(self) -> None:
        """Go to the change that set the row last."""
        for path in self._at_cursor():
            begin(self, partial(self._blame, self.view, path), "blame", exclusive=True)

    async def _blame(self, view: View, path: Path) -> None:
        known = await self.blaming.ask(self.sftui.picture, view, path)
        if known is None:
            self.sftui.say("No change of this row is known", warning=True)
        elif self.is_free:
            await self.sftui.screens.to_change(known.boundary, (view, path))
        else:
            self.sftui.say(f"The change that set it last is found: {key_for('memory.blame')} goes there")

    def _at_cursor(self) -> tuple[Path, ...]:
        path = self.rows.cursor_key
        return () if path is None else (path,)


_OF_A_ROW = frozenset(
    f"memory.{name}"
    for name in (
        "mark",
        "mark-all",
        "edit",
        "edit-outside",
        "delete",
        "rename",
        "move",
        "to-lazy",
        "unstage",
        "undo",
        "blame",
        "copy-path",
        "copy-value",
    )
)
