"""Where the elements of an array went: a row of an element is told by what it holds, not by its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from engine.values import Json
from sftui.views.aligning import aligned
from sftui.views.kinds import Path

# Arrays with more rows are not lined up: there an element is taken for gone unless its array is the same.
_MOST_LINED_UP: Final = 2_000
# No row has an index so far below zero: where one went that is not there any more.
GONE: Final = -(1 << 60)


class Rows(Protocol):
    """The rows of a tree, before or after a change."""

    def children(self, path: Path) -> Sequence[Path]:
        """Give the rows below `path`."""

    def value(self, path: Path) -> Json:
        """Give what the row of `path` shows."""

    def token(self, path: Path) -> object:
        """Give an object that is the same as long as everything below `path` is."""


class Followed:
    """Says which row became which. What has gone is given a path that no row has."""

    def __init__(self, old: Rows, new: Rows) -> None:
        self._old, self._new = old, new
        self._known: dict[Path, Mapping[int, int] | None] = {}

    def __call__(self, path: Path) -> Path:
        """Give the row that the row of `path` has become."""
        there: list[str | int] = []
        for depth, key in enumerate(path):
            if isinstance(key, str):
                there.append(key)
                continue
            now = self._indices(path[:depth], tuple(there))
            if now is None:
                there.append(key)
            elif key in now:
                there.append(now[key])
            else:
                return (*there, GONE, *path[depth + 1 :])
        return tuple(there)

    def _indices(self, was: Path, now: Path) -> Mapping[int, int] | None:
        """Give the new index of each element that is still there; None: nothing has changed."""
        if was not in self._known:
            self._known[was] = self._lined_up(was, now)
        return self._known[was]

    def _lined_up(self, was: Path, now: Path) -> Mapping[int, int] | None:
        if self._old.token(was) is self._new.token(now):
            return None
        old, new = self._old.children(was), self._new.children(now)
        if len(old) > _MOST_LINED_UP or len(new) > _MOST_LINED_UP:
            return {}
        found: dict[int, int] = {}
        before, after = [self._old.value(path) for path in old], [self._new.value(path) for path in new]
        for left, right in aligned(before, after):
            if left is not None and right is not None:
                one, other = old[left][-1], new[right][-1]
                if isinstance(one, int) and isinstance(other, int):
                    found[one] = other
        return found
