"""Whether a value that held no empty object still holds none, told from the patch that changed it."""

from __future__ import annotations

from engine.values import Json, JsonObject, is_array, is_object


def stays_tidy(patch: JsonObject, after: JsonObject) -> bool:
    """Whether applying `patch` to a value without empty objects left `after` without one; visits what it touched."""
    pending: list[tuple[Json, Json]] = [(patch, after)]
    while pending:
        change, value = pending.pop()
        if is_object(value):
            if not value and value is not after:
                return False
            if not is_object(change):
                return False  # cannot be: a patch member that is no object leaves none
            pending.extend((change[key], value[key]) for key in change if key in value)
        elif is_array(value):
            if is_object(change):
                pending.extend((change[key], value[int(key[1:-1])]) for key in change)
            elif _holds_empty(value):
                return False
    return True


def _holds_empty(value: Json) -> bool:
    pending: list[Json] = [value]
    while pending:
        node = pending.pop()
        if is_object(node):
            if not node:
                return True
            pending.extend(node.values())
        elif is_array(node):
            pending.extend(node)
    return False
