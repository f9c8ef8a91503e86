"""Where the elements of an array went: a row of an element is told by what it holds, not by its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from engine.values import Json
from sftui.views.aligning import aligned
from sftui.views.kinds import Path

# No row has an index so far below zero: where one went that is not there any more.
GONE: Final = -(1 << 60)


class Rows(Protocol):
    """The rows of a tree, before or after a change."""

    def elements(self, path: Path) -> tuple[Sequence[int], Sequence[Json]]:
        """Give the last keys of the rows below an array, and what they show."""

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
        old_keys, old = self._old.elements(was)
        new_keys, new = self._new.elements(now)
        pairs = aligned(old, new)
        return {old_keys[left]: new_keys[right] for left, right in pairs if left is not None and right is not None}
