"""The ends of a recorded change: the places that it sets or removes, found without looking anywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.values import Json, JsonObject, is_object
from sftui.views.kinds import Path

GONE: Final = None
"""Stands for "nothing here"; a stored value is never null."""

End = tuple[Path, Json, Json]
"""A place, what stood there, and what stands there then."""


def ends(patch: JsonObject, before: JsonObject, after: JsonObject, taken: tuple[Path, ...] = ()) -> Iterator[End]:
    """Walk along `patch`, in its order. A plane that comes or goes is told by what came or went with it.

    So is what held one of `taken`, places that went along with something else: each of them is an end by itself.
    """
    above = {target[:length] for target in taken for length in range(1, len(target))}
    stack: list[tuple[Path, Json, Json, Json]] = [((), patch, before, after)]
    while stack:
        path, change, old, new = stack.pop()
        if is_object(change) and is_object(old) and is_object(new):
            below = [((*path, key), change[key], old.get(key, GONE), new.get(key, GONE)) for key in change]
            stack.extend(reversed(below))
        elif old is GONE and new is GONE:
            continue
        elif (len(path) == 1 and (is_object(old) or is_object(new))) or (new is GONE and path in above):
            was, now = old if is_object(old) else {}, new if is_object(new) else {}
            names = [*dict.fromkeys((*was, *now))]
            stack.extend(((*path, key), None, was.get(key, GONE), now.get(key, GONE)) for key in reversed(names))
        else:
            yield path, old, new
