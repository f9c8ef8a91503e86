"""A tree as a flat list of visible rows.

Rows are paths; what a row says is asked of the source only while it is on
screen. Expansion is a set of paths, so it survives every refresh, and a branch
whose value is the same object as before keeps its rows without being walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from textual import events
from textual.message import Message

from sftui.actions import bindings
from sftui.views.spans import Spans
from sftui.widgets.lines import KeyedLines

Path = tuple[str | int, ...]


class TreeSource(Protocol):
    """What a tree shows. Answers must not change while the source is in use."""

    def children(self, path: Path) -> Sequence[Path]:
        """Give the children of `path` in order; () for a leaf or an unknown path."""

    def expandable(self, path: Path) -> bool:
        """Tell whether `path` has children, without listing them."""

    def token(self, path: Path) -> object:
        """Give an object that is the same (`is`) as long as everything below `path` is."""

    def row(self, path: Path, *, expanded: bool, width: int) -> tuple[Spans, Spans]:
        """Give the left and the right part of the row of `path`."""


class EmptySource:
    """A tree with nothing in it."""

    def children(self, path: Path) -> Sequence[Path]:
        """Give nothing."""
        del path
        return ()

    def expandable(self, path: Path) -> bool:
        """Say no."""
        del path
        return False

    def token(self, path: Path) -> object:
        """Give one token for all."""
        del path
        return self

    def row(self, path: Path, *, expanded: bool, width: int) -> tuple[Spans, Spans]:
        """Give an empty row."""
        del path, expanded, width
        return (), ()


class VirtualTree(KeyedLines[Path]):
    """A tree over a source. Depth 1 rows are the roots; () itself is never shown."""

    BINDINGS = bindings("tree")

    class Folded(Message):
        """A branch was opened or closed."""

        def __init__(self, tree: VirtualTree, path: Path) -> None:
            self.tree = tree
            self.path = path
            super().__init__()

        @property
        def control(self) -> VirtualTree:
            """The tree it came from."""
            return self.tree

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.source: TreeSource = EmptySource()
        self.expanded: set[Path] = set()
        self._tokens: dict[Path, object] = {}
        self._awaiting_level = False

    # Showing.

    def show(self, source: TreeSource, *, empty: Sequence[Spans] = ()) -> None:
        """Show another source, keeping expansion, cursor and scroll by path."""
        self.show_following(source, None, empty)

    def show_following(self, source: TreeSource, follow: Callable[[Path], Path] | None, empty: Sequence[Spans]) -> None:
        """Show another source, in which some rows go on under another path."""
        same_shape = self.keys and all(source.token(path) is token for path, token in self._tokens.items())
        old = self.keys
        self.source = source
        if same_shape:
            self.replace(old, empty=empty)
            return
        if follow is not None:
            self.expanded = {follow(path) for path in self.expanded}
        self.replace(self._rows(), fallback=_ancestors, follow=follow, empty=empty)

    def _rows(self) -> list[Path]:
        """List the visible rows. An explicit stack: nesting may be deep."""
        self._tokens = {(): self.source.token(())}
        rows: list[Path] = []
        expanded, source = self.expanded, self.source
        if not expanded:
            return list(source.children(()))
        stack: list[Iterator[Path]] = [iter(source.children(()))]
        while stack:
            for path in stack[-1]:
                rows.append(path)
                if path in expanded and source.expandable(path):
                    self._tokens[path] = source.token(path)
                    children = source.children(path)
                    if not any(child in expanded for child in children):
                        rows.extend(children)
                    else:
                        stack.append(iter(children))
                        break
            else:
                stack.pop()
        return rows

    def line_spans(self, key: Path, width: int) -> tuple[Spans, Spans]:
        """Ask the source for the row."""
        return self.source.row(key, expanded=key in self.expanded, width=width)

    # Opening and closing.

    def unfold(self, path: Path) -> None:
        """Show the children of `path`."""
        if path in self.expanded or not self.source.expandable(path):
            return
        self.expanded.add(path)
        self._refold(path)

    def enfold(self, path: Path) -> None:
        """Hide everything below `path`; what was open inside stays remembered."""
        if path not in self.expanded:
            return
        self.expanded.discard(path)
        self._refold(path)

    def toggle(self, path: Path) -> None:
        """Open or close `path`."""
        if path in self.expanded:
            self.enfold(path)
        else:
            self.unfold(path)

    def _refold(self, path: Path) -> None:
        """Replace the rows below `path` alone; the rest of the list is spliced, not rebuilt."""
        try:
            index = self.keys.index(path)
        except ValueError:
            return
        depth = len(path)
        end = index + 1
        keys = self.keys
        total = len(keys)
        while end < total and len(keys[end]) > depth:
            end += 1
        below = self._below(path)
        # The rows above do not move, so neither do cursor and scroll, unless the cursor was inside.
        cursor = self.cursor
        keys[index + 1 : end] = below
        if cursor >= end:
            cursor += len(below) - (end - index - 1)
        elif cursor > index:
            cursor = index
        self._strips.clear()
        self._resize_virtual()
        moved = cursor != self.cursor
        self.set_reactive(VirtualTree.cursor, cursor)
        self.refresh()
        if moved:
            self.scroll_to_cursor()
            self.post_message(self.Moved(self, self.cursor_key))
        self.post_message(self.Folded(self, path))

    def _below(self, path: Path) -> list[Path]:
        if path not in self.expanded:
            gone = [held for held in self._tokens if held[: len(path)] == path]
            for held in gone:
                del self._tokens[held]
            return []
        rows: list[Path] = []
        stack: list[Iterator[Path]] = [iter((path,))]
        expanded, source = self.expanded, self.source
        while stack:
            for child in stack[-1]:
                if child is not path:
                    rows.append(child)
                if child in expanded and source.expandable(child):
                    self._tokens[child] = source.token(child)
                    children = source.children(child)
                    if len(expanded) == 1 or not any(below in expanded for below in children):
                        rows.extend(children)
                    else:
                        stack.append(iter(children))
                        break
            else:
                stack.pop()
        return rows

    def reveal(self, path: Path) -> bool:
        """Open everything above `path` and put the cursor on it; False if it is not there."""
        for length in range(1, len(path)):
            self.unfold(path[:length])
        if not self.move_to_key(path):
            return False
        self._center_cursor()
        return True

    def _center_cursor(self) -> None:
        height = self._page
        if not self.scroll_offset.y <= self.cursor < self.scroll_offset.y + height:
            self.scroll_to(y=max(0, self.cursor - height // 2), animate=False, force=True)

    def fold_to(self, level: int) -> None:
        """Open everything to `level` (1: the roots alone) within a bound, and close the rest."""
        cursor = self.cursor_key
        opened: set[Path] = set()
        frontier: list[Path] = [()]
        for _ in range(level - 1):
            following: list[Path] = []
            for path in frontier:
                for child in self.source.children(path):
                    if self.source.expandable(child):
                        opened.add(child)
                        following.append(child)
                if len(opened) > FOLD_LIMIT:
                    self.app.bell()
                    return
            frontier = following
        self.expanded = opened
        self.replace(self._rows(), fallback=_ancestors)
        if cursor is not None:
            self.scroll_to_cursor()

    # Actions.

    def action_expand(self) -> None:
        """Open the row, or step into an open one."""
        path = self.cursor_key
        if path is None or not self.source.expandable(path):
            return
        if path in self.expanded:
            self.move_to(self.cursor + 1)
        else:
            self.unfold(path)

    def action_collapse(self) -> None:
        """Close the row, or step out of a closed one."""
        path = self.cursor_key
        if path is None:
            return
        if path in self.expanded:
            self.enfold(path)
        elif len(path) > 1:
            self.move_to_key(path[:-1])

    def action_next_sibling(self) -> None:
        """To the next row of the same depth below the same parent."""
        self._to_sibling(1)

    def action_previous_sibling(self) -> None:
        """To the previous row of the same depth below the same parent."""
        self._to_sibling(-1)

    def _to_sibling(self, step: int) -> None:
        path = self.cursor_key
        if path is None:
            return
        index = self.cursor + step
        while 0 <= index < len(self.keys) and len(self.keys[index]) > len(path):
            index += step
        if 0 <= index < len(self.keys) and len(self.keys[index]) == len(path):
            self.move_to(index)

    def action_fold(self) -> None:
        """Wait for the digit that says the level."""
        self._awaiting_level = True

    def on_key(self, event: events.Key) -> None:
        """Take the digit after `z`, before it means anything else."""
        if not self._awaiting_level:
            return
        self._awaiting_level = False
        if event.character is not None and event.character in "0123456789":
            event.stop()
            event.prevent_default()
            self.fold_to(max(1, int(event.character)))

    def clicked(self, index: int, column: int, chain: int) -> None:
        """Open or close on the marker; a double click elsewhere opens the value."""
        path = self.keys[index]
        if self.source.expandable(path) and column <= marker_column(len(path)) + 1:
            self.toggle(path)
        elif chain == 2:
            self.action_open()


# More rows than this are not opened in one go by a fold level.
FOLD_LIMIT = 20_000


def marker_column(depth: int) -> int:
    """Give the column of the ▸ of a row at `depth` (1: a root)."""
    return 1 + 2 * (min(depth, MAX_INDENT) - 1) + 2


# Deeper rows are not indented further: the key would leave the screen.
MAX_INDENT = 12


def _ancestors(path: Path) -> Sequence[Path]:
    return [path[:length] for length in range(len(path) - 1, 0, -1)]
