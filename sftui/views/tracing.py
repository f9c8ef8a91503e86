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
    """Give where an element has gone: all up to it, or from it on, is as it was, or it is the only one of its kind."""
    behind = len(old) - index
    if _alike(old[: index + 1], new[: index + 1]):
        return index
    if len(new) >= behind and _alike(old[index:], new[len(new) - behind :]):
        return len(new) - behind
    element = old[index]
    found = [place for place, one in enumerate(new) if same(one, element)]
    if found:
        return found[0] if len(found) == 1 and sum(same(one, element) for one in old) == 1 else None
    # Another one in the midst of the same others is this one, changed.
    others = len(old) == len(new) and _alike([*old[:index], *old[index + 1 :]], [*new[:index], *new[index + 1 :]])
    return index if others else None


def _alike(one: JsonArray, other: JsonArray) -> bool:
    return len(one) == len(other) and all(same(left, right) for left, right in zip(one, other, strict=True))
