"""The tree of memory."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from sftui.views.spans import Spans
from sftui.widgets.virtual_tree import Path, TreeSource, VirtualTree

__all__ = ["MemoryTree", "Path"]

# Where a click marks a row: the sign of the draft, and the mark.
GUTTER = 2


class MemoryTree(VirtualTree):
    """One view of memory. Elements of arrays are followed by what they hold."""

    class GutterClicked(Message):
        """Somebody clicked left of a row."""

        def __init__(self, path: Path) -> None:
            self.path = path
            super().__init__()

    def show(self, source: TreeSource, *, empty: Sequence[Spans] = ()) -> None:
        """Show another source; cursor and expansion stay with the elements that they are on."""
        from engine.values import is_array
        from sftui.views.elements import Followed
        from sftui.views.tree import MemorySource

        old, follow = self.source, None
        if isinstance(old, MemorySource) and isinstance(source, MemorySource) and old.view == source.view:
            changed = (path for path, token in self._tokens.items() if source.token(path) is not token)
            if any(is_array(old.value(path)) for path in changed):
                follow = Followed(old, source)
        self.show_following(source, follow, empty)

    def clicked(self, index: int, column: int, chain: int) -> None:
        """A click left of a row marks it."""
        if column < GUTTER:
            self.post_message(self.GutterClicked(self.keys[index]))
        else:
            super().clicked(index, column, chain)
