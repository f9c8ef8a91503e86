"""Empty objects dropped from the leaves up; arrays keep their slots and the root stays."""

from __future__ import annotations

from collections.abc import Iterable

from engine.values.depth import clear_of_depth
from engine.values.paths import KeyTrie
from engine.values.types import Json, JsonArray, JsonObject, is_array, is_object


@clear_of_depth
def prune(value: Json) -> Json:
    """The value without empty object members. Parts with nothing to drop keep their identity."""
    return _prune(value)


@clear_of_depth
def prune_along(value: Json, touched: KeyTrie | None) -> Json:
    """The same where only `touched` paths (and all below their ends) can hold anything to drop."""
    return _prune_along(value, touched)


def _prune(value: Json) -> Json:
    if is_object(value):
        return _members(value, value, None)
    if is_array(value):
        return _slots(value, range(len(value)), None)
    return value


def _prune_along(value: Json, touched: KeyTrie | None) -> Json:
    if touched is None:
        return _prune(value)
    if is_object(value):
        return _members(value, (key for key in touched if isinstance(key, str) and key in value), touched)
    if is_array(value):
        return _slots(value, (key for key in touched if isinstance(key, int) and key < len(value)), touched)
    return value


def _members(value: JsonObject, keys: Iterable[str], touched: KeyTrie | None) -> JsonObject:
    result: dict[str, Json] | None = None
    for key in keys:
        old = value[key]
        if not (is_object(old) or is_array(old)):
            continue
        new = _prune(old) if touched is None else _prune_along(old, touched[key])
        dropped = is_object(new) and not new
        if new is old and not dropped:
            continue
        if result is None:
            result = dict(value)
        if dropped:
            del result[key]
        else:
            result[key] = new
    return value if result is None else result


def _slots(value: JsonArray, positions: Iterable[int], touched: KeyTrie | None) -> JsonArray:
    result: list[Json] | None = None
    for position in positions:
        old = value[position]
        if not (is_object(old) or is_array(old)):
            continue
        new = _prune(old) if touched is None else _prune_along(old, touched[position])
        if new is not old:
            if result is None:
                result = list(value)
            result[position] = new
    return value if result is None else result
