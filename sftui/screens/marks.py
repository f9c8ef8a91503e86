"""The marked rows of the memory tree, a few or very many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from sftui.background import begin
from sftui.slices import in_slices
from sftui.views.kinds import Path

if TYPE_CHECKING:
    from engine.values import Json
    from sftui.screens.memory import MemoryScreen
    from sftui.views.tree import MemorySource

# So many rows are marked at most.
MOST_MARKS: Final = 100_000
# So many are changed at once: more than a person looks through in a review.
MOST_AT_ONCE: Final = 10_000
# More marks than these are looked through beside the interface.
AT_ONCE: Final = 2_000


class Marks:
    """What is marked in the view that is shown, with what it held then: an element of an array is known by that alone."""

    def __init__(self, screen: MemoryScreen) -> None:
        self._screen = screen
        self._held: dict[Path, Json] = {}
        # What they were looked through for: as long as that is shown, they stand.
        self._seen: tuple[object, object] | None = None

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Path]:
        return iter(self._held)

    def clear(self) -> None:
        """Take all off."""
        for group in ("marks", "marks-seen"):
            self._screen.workers.cancel_group(self._screen, group)
        self._held.clear()

    def toggle(self, path: Path) -> None:
        """Mark a row, or no longer."""
        if path in self._held:
            del self._held[path]
        else:
            self._held[path] = self._screen.source(self._screen.sftui.picture).value(path)

    def show_in(self, source: MemorySource) -> None:
        """Have a source show them; what has gone or become another loses its mark."""
        source.marks = _Shown(self._held, source)
        token = (source.root, source.over)
        if self._seen is not None and all(one is other for one, other in zip(self._seen, token, strict=True)):
            return
        self._seen = token
        if len(self._held) <= AT_ONCE:
            for path in [path for path in self._held if path not in source.marks]:
                del self._held[path]
        else:
            begin(self._screen, partial(self._look_through, source), "marks-seen", exclusive=True)

    async def _look_through(self, source: MemorySource) -> None:
        shown = _Shown(dict(self._held), source)
        gone = [path async for path in in_slices(iter(tuple(self._held))) if path not in shown]
        for path in gone:
            self._held.pop(path, None)
        self._screen.say_tree()

    def chosen(self) -> tuple[Path, ...]:
        """Give those that stand; none, and that is said, where they are too many to be changed at once."""
        if len(self._held) > MOST_AT_ONCE:
            words = f"{len(self._held):,} rows are marked, and at most {MOST_AT_ONCE:,} are changed at once"
            self._screen.sftui.say(f"{words}: a filter that leaves fewer helps", warning=True)
            return ()
        shown = _Shown(self._held, self._screen.source(self._screen.sftui.picture))
        return tuple(path for path in self._held if path in shown)

    async def add_all(self) -> None:
        """Mark what the filter has found, or without one the row under the cursor and those beside it."""
        screen = self._screen
        view, text = screen.view, screen.filter.text
        if text:
            await screen.filter.settled()
        if (screen.view, screen.filter.text) != (view, text):
            return
        source = screen.source(screen.sftui.picture)
        kept = screen.filter.kept
        cursor = screen.rows.cursor_key
        paths: Iterable[Path]
        if text and kept is not None:
            paths, count = kept.found(), kept.count
        else:
            beside = source.children(cursor[:-1] if cursor else ())
            paths, count = beside, len(beside)
        found: dict[Path, Json] = {}
        async for path in in_slices(iter(paths)):
            if len(found) + len(self._held) >= MOST_MARKS:
                break
            if path not in self._held and source.stays(path):
                found[path] = source.value(path)
        if (screen.view, screen.filter.text) != (view, text):
            return
        self._held.update(found)
        self._seen = None
        screen.show_marks()
        if not self._held:
            screen.sftui.say("There is no row to mark", warning=True)
        elif len(self._held) >= MOST_MARKS:
            screen.sftui.say(f"{len(self._held):,} rows are marked, of {count:,} here: no more can be", warning=True)


class _Shown:
    """The marks that stand in a source: asked of the rows that are on screen, not of all."""

    def __init__(self, held: dict[Path, Json], source: MemorySource) -> None:
        self._held, self._source = held, source

    def __contains__(self, path: object) -> bool:
        from engine.values import same

        if not isinstance(path, tuple) or path not in self._held or not self._source.has(path):
            return False
        is_element = any(isinstance(key, int) for key in path)
        return not is_element or same(self._source.value(path), self._held[path])
