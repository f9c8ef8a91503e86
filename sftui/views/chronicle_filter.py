"""Transitions that hold a text: in a path that they changed, in what they put there, or in what stood there before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.values import Json, dotted, is_array, is_object
from engine.values.needle import needle
from sftui.views.chronicle import Body, Chronicle, parts_of
from sftui.views.history import RowKey
from sftui.views.kinds import Path
from sftui.views.preview import scalar
from sftui.views.transition import Part

_SPELLED: Final = 64


def holding(known: Chronicle, text: str, body: Body, stop: Callable[[], bool]) -> frozenset[RowKey] | None:
    """Give the rows of transitions that hold `text`, with a leading `!` of those that do not. None where it was stopped.

    Lower-case text matches any case. What nobody recorded holds nothing.
    """
    inverse = text.startswith("!")
    sought = text[1:] if inverse else text
    matches, spans_keys = needle(sought).matches, any(sign in sought for sign in ".[")
    found: set[RowKey] = set()
    for key, moment in known.moments.items():
        if stop():
            return None
        parts, _ = parts_of(known, moment, body)
        if any(_holds(part, matches, spans_keys=spans_keys) for part in parts) != inverse:
            found.add(key)
    return frozenset(found)


def _holds(part: Part, matches: Callable[[str], bool], *, spans_keys: bool) -> bool:
    """Look along the patch, and at what stood where it points. With `spans_keys` a match may be more than one key."""
    stack: list[tuple[Path, Json, Json]] = [((part.scope,), part.patch, part.before or {})]
    while stack:
        path, change, old = stack.pop()
        if matches(str(path[-1])) or (spans_keys and matches(dotted(part.scope, path[1:]))):
            return True
        if is_object(change) and change:
            stack += [((*path, key), below, old.get(key) if is_object(old) else None) for key, below in change.items()]
        elif is_object(old):
            # What was removed or replaced, with all that was in it.
            stack += [((*path, key), None, below) for key, below in old.items()]
            if not is_object(change) and _is_in(change, matches):
                return True
        elif _is_in(change, matches) or _is_in(old, matches):
            return True
    return False


def _is_in(value: Json, matches: Callable[[str], bool]) -> bool:
    stack = [value]
    while stack:
        one = stack.pop()
        if is_object(one):
            if any(map(matches, one)):
                return True
            stack.extend(one.values())
        elif is_array(one):
            stack.extend(one)
        elif one is not None and matches(one if isinstance(one, str) else scalar(one, _SPELLED)[0]):
            return True
    return False
