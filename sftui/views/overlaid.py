"""A value as it is, and what a draft makes of it, as one tree: what goes stays in its place beside what comes.

A path names what will be there. An element that goes from an array has the place `~index` (-1 for the first), which
no element that stays can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.values import Json, JsonArray, JsonObject, KeyTrie, is_array, is_object, same
from sftui.views.aligning import Pair, aligned
from sftui.views.kinds import Path


class _Nothing:
    """No value at all."""


NOTHING: Final = _Nothing()
Side = Json | _Nothing


class Overlaid:
    """Two values of one view, one over the other; `touched` says where they may differ.

    `cascaded` are paths that nobody deleted: their owner went. Answers never change.
    """

    def __init__(
        self, before: JsonObject, after: JsonObject, touched: KeyTrie | None, cascaded: frozenset[Path] = frozenset()
    ) -> None:
        self.before = before
        self.after = after
        self._pairs: dict[Path, tuple[Pair, ...]] = {}
        self._indices: dict[Path, Mapping[int, int]] = {}
        self.signs: Mapping[Path, str] = dict(self._compare(touched, cascaded))
        self.above = frozenset(path[:length] for path in self.signs for length in range(1, len(path)))

    def sides(self, path: Path) -> tuple[Side, Side]:
        """Give what is there now, and what will be."""
        old: Side = self.before
        new: Side = self.after
        for depth, key in enumerate(path):
            if old is new:
                old = new = _member(new, key)
            elif isinstance(key, str):
                old, new = _member(old, key), _member(new, key)
            elif key < 0:
                old, new = _member(old, ~key), NOTHING
            else:
                old, new = self._was(path[:depth], old, new, key), _member(new, key)
            if old is NOTHING and new is NOTHING:
                break
        return old, new

    def value(self, path: Path) -> Json:
        """Give what a row shows: what will be there, or what goes from there; None where there is nothing."""
        old, new = self.sides(path)
        if not isinstance(new, _Nothing):
            return new
        return None if isinstance(old, _Nothing) else old

    def has(self, path: Path) -> bool:
        """Tell whether there is a row for `path`."""
        old, new = self.sides(path)
        return old is not NOTHING or new is not NOTHING

    def stays(self, path: Path) -> bool:
        """Tell whether there will be something at `path`."""
        return self.sides(path)[1] is not NOTHING

    def place_before(self, path: Path) -> Path | None:
        """Give the path of a row in what is there now; None for what only comes."""
        place: list[str | int] = []
        for depth, key in enumerate(path):
            if isinstance(key, str):
                place.append(key)
            elif key < 0:
                place.append(~key)
            else:
                found = self._index_before(path[:depth], key)
                if found is None:
                    return None
                place.append(found)
        old = self.sides(path)[0]
        return None if old is NOTHING else tuple(place)

    def sign(self, path: Path) -> str:
        """Give what happens to the row of `path`: + - ~ or ×, '' for nothing. What comes or goes does so whole."""
        found = self.signs.get(path, "")
        if found:
            return found
        for length in range(len(path) - 1, 0, -1):
            above = self.signs.get(path[:length])
            if above is not None and above != "~":
                return above
            if above is not None:
                # What holds it has become something else, of which it is a part.
                return "+" if self.sides(path)[0] is NOTHING else ""
        return ""

    def children(self, path: Path) -> Sequence[Path]:
        """Give the rows below `path`: those of now in their order, what goes among them, then what comes."""
        old, new = self.sides(path)
        if old is new or isinstance(old, _Nothing):
            return _children(path, new)
        if isinstance(new, _Nothing):
            return _children(path, old)
        if is_object(old) and is_object(new):
            return [(*path, key) for key in _all_keys(old, new)]
        if is_array(old) and is_array(new):
            # Of each pair at least one side is there.
            return [
                (*path, ~was if now is None and was is not None else now or 0)
                for was, now in self._lined(path, old, new)
            ]
        return _children(path, new)

    def elements(self, path: Path) -> tuple[Sequence[int], Sequence[Json]]:
        """Give the last keys of the rows below an array, and what they show."""
        old, new = self.sides(path)
        if old is not new and is_array(old) and is_array(new):
            pairs = self._lined(path, old, new)
            return (
                [~was if now is None and was is not None else now or 0 for was, now in pairs],
                [old[was] if now is None and was is not None else new[now or 0] for was, now in pairs],
            )
        shown = old if isinstance(new, _Nothing) else new
        return (range(len(shown)), shown) if is_array(shown) else ((), ())

    def _lined(self, path: Path, old: JsonArray, new: JsonArray) -> tuple[Pair, ...]:
        found = self._pairs.get(path)
        if found is None:
            found = self._pairs[path] = aligned(old, new)
        return found

    def _came_from(self, path: Path, old: JsonArray, new: JsonArray) -> Mapping[int, int]:
        """Give the index that every element that stays has now."""
        found = self._indices.get(path)
        if found is None:
            pairs = self._lined(path, old, new)
            found = self._indices[path] = {now: was for was, now in pairs if was is not None and now is not None}
        return found

    def _was(self, path: Path, old: Side, new: Side, index: int) -> Side:
        """Give the element that will stand at `index` as it is now."""
        if not (is_array(old) and is_array(new)):
            return NOTHING if is_array(new) else _member(old, index)
        found = self._came_from(path, old, new).get(index)
        return NOTHING if found is None else old[found]

    def _index_before(self, path: Path, index: int) -> int | None:
        old, new = self.sides(path)
        if old is new or not is_array(new):
            return index
        if not is_array(old):
            return None
        return self._came_from(path, old, new).get(index)

    def _compare(self, touched: KeyTrie | None, cascaded: frozenset[Path]) -> Iterator[tuple[Path, str]]:
        """Give the sign of every topmost place that differs, looking only where something may."""
        stack: list[tuple[Path, JsonObject, JsonObject, KeyTrie | None]] = [((), self.before, self.after, touched)]
        while stack:
            path, old, new, where = stack.pop()
            keys = _all_keys(old, new) if where is None else list(where)
            for key in keys:
                if not isinstance(key, str):
                    continue
                here = (*path, key)
                if key not in new:
                    if key in old:
                        yield here, "×" if _is_cascade(here, cascaded) else "-"
                elif key not in old:
                    yield here, "+"
                elif old[key] is not new[key]:
                    was, now = old[key], new[key]
                    if is_object(was) and is_object(now):
                        stack.append((here, was, now, None if where is None else where[key]))
                    elif is_array(was) and is_array(now):
                        yield from self._compare_arrays(here, was, now)
                    elif not same(was, now):
                        yield here, "~"

    def _compare_arrays(self, path: Path, old: JsonArray, new: JsonArray) -> Iterator[tuple[Path, str]]:
        arrays = [(path, old, new)]
        while arrays:
            path, old, new = arrays.pop()
            differs = False
            for was, now in self._lined(path, old, new):
                if was is None and now is not None:
                    differs = True
                    yield (*path, now), "+"
                elif now is None and was is not None:
                    differs = True
                    yield (*path, ~was), "-"
                elif was is not None and now is not None and not same(old[was], new[now]):
                    differs = True
                    yield (*path, now), "~"
                    yield from self._inside((*path, now), old[was], new[now], arrays)
            if differs:
                yield path, "~"

    def _inside(
        self, path: Path, old: Json, new: Json, arrays: list[tuple[Path, JsonArray, JsonArray]]
    ) -> Iterator[tuple[Path, str]]:
        """Compare what an element holds; arrays in it are left to the caller."""
        stack: list[tuple[Path, Json, Json]] = [(path, old, new)]
        while stack:
            at, was, now = stack.pop()
            if is_array(was) and is_array(now):
                arrays.append((at, was, now))
            elif is_object(was) and is_object(now):
                for key in _all_keys(was, now):
                    here = (*at, key)
                    if key not in now or key not in was:
                        yield here, "-" if key not in now else "+"
                    elif not same(was[key], now[key]):
                        yield here, "~"
                        stack.append((here, was[key], now[key]))


def _all_keys(old: JsonObject, new: JsonObject) -> list[str]:
    """Give the keys of both, the new ones last."""
    came = new.keys() - old.keys()
    return [*old, *(key for key in new if key in came)] if came else list(old)


def _is_cascade(path: Path, cascaded: frozenset[Path]) -> bool:
    """Tell whether what goes at `path` was owned: it, something above it, or what it held."""
    return any(path[: len(target)] == target or target[: len(path)] == path for target in cascaded)


def _member(value: Side, key: str | int) -> Side:
    if isinstance(key, str):
        return value[key] if is_object(value) and key in value else NOTHING
    return value[key] if is_array(value) and 0 <= key < len(value) else NOTHING


def _children(path: Path, value: Side) -> Sequence[Path]:
    if is_object(value):
        return [(*path, key) for key in value]
    return [(*path, index) for index in range(len(value))] if is_array(value) else ()
