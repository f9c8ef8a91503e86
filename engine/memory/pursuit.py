"""An edit of an element, once its array has become another one: it follows the element by what that holds."""

from __future__ import annotations

from collections.abc import Callable

from engine.memory.draft import Operation, PreImage, Raw, Transfer
from engine.memory.gathering import ends
from engine.memory.scope import Scope
from engine.records import replace
from engine.values import Json, KeyPath, is_array, same


def followed(operation: Operation, scope: Scope, array: KeyPath, now: PreImage) -> Operation | None:
    """The operation on the array as it is now; None where it cannot be told which element is meant.

    An element is the one that was meant where it alone holds what that held, then and now. What would have been one
    more at the end still is.
    """
    seen = next((image for of, at, image in operation.arrays if (of, at) == (scope, array)), None)
    if seen is None:
        return operation
    if not seen.exists or not now.exists or not is_array(seen.value) or not is_array(now.value):
        return None
    found: dict[int, int] = {}
    for of, path, _ in ends(operation):
        if of == scope and path[: len(array)] == array and len(path) > len(array):
            index = path[len(array)]
            place = _place(index, len(path) == len(array) + 1, list(seen.value), list(now.value))
            if place is None or not isinstance(index, int):
                return None
            found[index] = place
    arrays = tuple((of, at, now if (of, at) == (scope, array) else was) for of, at, was in operation.arrays)
    if isinstance(operation, Raw):
        # Its keys name positions: it is not written anew.
        return replace(operation, arrays=arrays) if all(old == new for old, new in found.items()) else None
    moved = _mover(scope, array, found)
    operation = replace(operation, path=moved(operation.scope, operation.path), arrays=arrays)
    if isinstance(operation, Transfer):
        return replace(operation, to_path=moved(operation.to_scope, operation.to_path))
    return operation


def _place(index: str | int, is_element: bool, was: list[Json], now: list[Json]) -> int | None:
    if not isinstance(index, int):
        return None
    if index >= len(was):
        return len(now) if is_element and index == len(was) else None
    then = sum(same(item, was[index]) for item in was)
    places = [place for place, item in enumerate(now) if same(item, was[index])]
    return places[0] if then == len(places) == 1 else None


def _mover(scope: Scope, array: KeyPath, found: dict[int, int]) -> Callable[[Scope, KeyPath], KeyPath]:
    def moved(of: Scope, path: KeyPath) -> KeyPath:
        depth = len(array)
        if of != scope or path[:depth] != array or len(path) <= depth:
            return path
        index = path[depth]
        return (*path[:depth], found.get(index, index) if isinstance(index, int) else index, *path[depth + 1 :])

    return moved
