"""Whether anything in effect changes when a scope no longer holds a place: worked out both ways."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import InvalidRequest
from engine.memory.dialect import Dialect
from engine.memory.overlay import effective_at
from engine.memory.scope import Scope
from engine.values import Json, JsonObject, KeyPath, get, has, is_object, prune, same

States = Mapping[Scope, JsonObject]


def is_without_effect(dialect: Dialect, states: States, scope: Scope, path: KeyPath, *, pruned: bool = False) -> bool:
    """Whether the effective value stays as it is without what stands at a path of keys, two or more.

    Where it is `pruned`, empty branches do not count, as a model is not given any.
    """
    narrow = {one: _narrowed(state, path[:2]) for one, state in states.items()}
    after = {**narrow, scope: without(narrow[scope], path)}
    try:
        now, then = effective_at(dialect, narrow, path), effective_at(dialect, after, path)
    except InvalidRequest:
        return False
    if pruned:
        return same(_given(*now), _given(*then))
    return now[0] == then[0] and same(now[1], then[1])


def without(state: JsonObject, path: KeyPath) -> JsonObject:
    """A state without what stands at a path of keys, and without what is left empty by that."""
    key = str(path[0])
    rest = {name: value for name, value in state.items() if name != key}
    below = state.get(key)
    if len(path) > 1 and is_object(below):
        left = without(below, path[1:])
        if left:
            return {**state, key: left}
    return rest


def _narrowed(state: JsonObject, path: KeyPath) -> JsonObject:
    """A state with nothing but what stands at a path of two keys: all else has no say there."""
    plane, key = path
    return {str(plane): {str(key): get(state, path)}} if has(state, path) else {}


def _given(there: bool, value: Json) -> Json:
    return prune({"": value}) if there else {}
