"""A place that both have changed, settled: the step goes on from what stands there now, or leaves it as it is."""

from __future__ import annotations

from engine.memory.collecting import without
from engine.memory.draft import PreImage, Put, Raw, Remove, Step, Transfer
from engine.memory.gathering import array_of
from engine.memory.pursuit import followed
from engine.memory.scope import Scope
from engine.records import replace
from engine.values import KeyPath


def keeping_mine(step: Step, scope: Scope, path: KeyPath, now: PreImage) -> Step:
    """The step in view of what stands at one of its places now; left out where its element cannot be told any more."""
    operation = step.operation
    if (scope, path) in {entry[:2] for entry in operation.arrays}:
        kept = followed(operation, scope, path, now)
        return replace(step, ticked=False) if kept is None else replace(step, operation=kept)
    if array_of(path) is not None and not operation.arrays:
        # It was kept without its array: its index alone does not tell the element.
        return replace(step, ticked=False)
    if isinstance(operation, Put | Remove):
        return replace(step, operation=replace(operation, before=now))
    if isinstance(operation, Transfer):
        if (scope, path) == (operation.scope, operation.path):
            return replace(step, operation=replace(operation, before=now))
        return replace(step, operation=replace(operation, there=now))
    seen = tuple((of, at, now if (of, at) == (scope, path) else before) for of, at, before in operation.before)
    return replace(step, operation=replace(operation, before=seen))


def taking_theirs(step: Step, scope: Scope, path: KeyPath) -> Step:
    """The step without one of its places; what would be nothing without it is left out as a whole."""
    operation = step.operation
    if not isinstance(operation, Raw):
        return replace(step, ticked=False)
    rest = tuple(entry for entry in operation.before if (entry[0], entry[1][: len(path)]) != (scope, path))
    arrays = tuple(entry for entry in operation.arrays if entry[:2] != (scope, path))
    patch = without(operation.patch, (scope, *path))
    if not rest or not patch:
        return replace(step, ticked=False)
    return replace(step, operation=Raw(patch, rest, arrays))
