"""Patches whose result is as every reader of the store expects it, but maybe not as their author does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.memory.layering import is_selection
from engine.memory.scope import SCOPES, Scope
from engine.values import Json, JsonObject, KeyPath, Surprise, get, is_array, is_object, pointer, slot

States = Mapping[Scope, JsonObject]


def element_surprises(states: States, scope: Scope, patch: JsonObject) -> Iterator[Surprise]:
    """Warnings about `[N]` keys of a patch of `scope`, looked at on the values before. Pointers start with the scope."""
    yield from _below(states, scope, patch, states.get(scope, {}), ())


def _below(states: States, scope: Scope, patch: JsonObject, own: Json, path: KeyPath) -> Iterator[Surprise]:
    for key, change in patch.items():
        if not is_object(change) or not change:
            continue
        index = slot(key) if is_array(own) else None
        step: str | int = key if index is None else index
        here = (*path, step)
        value = get(own, (step,), None)
        if is_selection(change):
            yield from _selection(states, scope, change, value, here)
        yield from _below(states, scope, change, value, here)


def _selection(states: States, scope: Scope, change: JsonObject, value: Json, path: KeyPath) -> Iterator[Surprise]:
    where = f"/{scope}{pointer(path)}"
    rank = SCOPES.index(scope)
    if is_array(value):
        for narrower in SCOPES[rank + 1 :]:
            other = get(states.get(narrower, {}), path, None)
            if other is not None and not (is_object(other) and is_selection(other)):
                yield Surprise(
                    "array-masked", where, f"effective memory does not show it: {narrower} has a value of its own there"
                )
                return
        return
    for broader in reversed(SCOPES[:rank]):
        other = get(states.get(broader, {}), path, None)
        if is_array(other):
            if any((slot(key) or 0) >= len(other) for key in change):
                detail = f"the array of {broader} has only {len(other)}: effective memory cannot be composed"
                yield Surprise("effective-unreadable", where, detail)
            else:
                detail = (
                    f"{scope} has no array there: the keys are stored, and lie over the array of {broader} from now on"
                )
                yield Surprise("elements-overlaid", where, detail)
            return
        if other is not None and not (is_object(other) and is_selection(other)):
            break  # an object of elements lies over what is broader still; anything else hides it
    yield Surprise("elements-stored", where, "there is no array: keys of the form [N] are stored as they are")
