"""How much longer a change makes a value as text. What it does not touch is never measured."""

from __future__ import annotations

from engine.values.encode import encoded_size
from engine.values.types import JsonObject, is_object


def grown(patch: JsonObject, before: JsonObject, after: JsonObject) -> int:
    """By how many bytes `after` is longer than `before`, looking only where `patch` points."""
    total = 0
    stack: list[tuple[JsonObject, JsonObject, JsonObject]] = [(patch, before, after)]
    while stack:
        change, old, new = stack.pop()
        total += commas(new) - commas(old)
        for key, below in change.items():
            if is_object(below) and is_object(was := old.get(key)) and is_object(now := new.get(key)):
                stack.append((below, was, now))
                continue
            is_there, was_there = key in new, key in old
            if is_there:
                total += encoded_size(new[key])
            if was_there:
                total -= encoded_size(old[key])
            if is_there != was_there:
                name = encoded_size(key) + 1
                total += name if is_there else -name
    return total


def members_grown(patch: JsonObject, before: JsonObject, after: JsonObject) -> dict[str, int]:
    """By how many bytes each member's value is longer, those that are as long left out; one that is not there has 0."""
    found: dict[str, int] = {}
    for key, below in patch.items():
        if is_object(below) and is_object(was := before.get(key)) and is_object(now := after.get(key)):
            delta = grown(below, was, now)
        else:
            delta = (encoded_size(after[key]) if key in after else 0) - (
                encoded_size(before[key]) if key in before else 0
            )
        if delta:
            found[key] = delta
    return found


def commas(value: JsonObject) -> int:
    """How many commas stand between the members of an object."""
    return max(0, len(value) - 1)
