"""Where an element that somebody means stands by now: told by what it holds, as its place alone tells nothing."""

from __future__ import annotations

from engine.values import JsonArray, JsonObject, get, is_array, same
from sftui.views.kinds import Path


def traced(was: JsonObject, now: JsonObject, path: Path) -> Path | None:
    """Give the place of what stood at `path`; None where it is gone, or where nobody can tell which one it is."""
    there: Path = ()
    for depth, key in enumerate(path):
        old, new = get(was, path[:depth], None), get(now, there, None)
        place: str | int | None = key
        if isinstance(key, int) and is_array(old) and key < len(old):
            place = _place(old, new, key) if is_array(new) else None
        if place is None:
            return None
        there = (*there, place)
    return there


def _place(old: JsonArray, new: JsonArray, index: int) -> int | None:
    """Give where an element has gone: it is told from others of its kind only while those are as many as they were."""
    if _alike(old, new[: len(old)]):
        return index
    element = old[index]
    found = [place for place, one in enumerate(new) if same(one, element)]
    alike = sum(same(one, element) for one in old)
    if not found:
        # Another one in the midst of the same others is this one, changed.
        others = len(old) == len(new) and _alike([*old[:index], *old[index + 1 :]], [*new[:index], *new[index + 1 :]])
        return index if others else None
    if len(found) != alike:
        return None
    if alike == 1:
        return found[0]
    behind = len(new) - len(old)
    if _alike(old[: index + 1], new[: index + 1]):
        return index
    return index + behind if index + behind >= 0 and _alike(old[index:], new[index + behind :]) else None


def _alike(one: JsonArray, other: JsonArray) -> bool:
    return len(one) == len(other) and all(same(left, right) for left, right in zip(one, other, strict=True))
