"""What changed between two values: as a patch to record, and as a list for people."""

from __future__ import annotations

from typing import Literal

from engine.records import dataclass
from engine.values.depth import clear_of_depth
from engine.values.paths import KeyTrie
from engine.values.types import Json, JsonObject, KeyPath, is_array, is_object, same


@clear_of_depth
def net_patch(before: JsonObject, after: JsonObject, *, touched: KeyTrie | None = None) -> JsonObject:
    """The patch that turns `before` into `after`: changed arrays whole, null for what is gone.

    Shared parts are skipped; with `touched` nothing outside these paths is looked at.
    One change has no such patch: an array that became an object whose keys all have the form `[N]`.
    """
    return _net_patch(before, after, touched)


def inverse_patch(before: JsonObject, after: JsonObject, net: JsonObject) -> JsonObject:
    """The patch that leads back from `after`, looked for where the record `net` points: nulls, and whole arrays."""
    return net_patch(after, before, touched=_pointed_at(net))


def _pointed_at(net: JsonObject) -> KeyTrie:
    return {key: _pointed_at(below) if is_object(below) and below else None for key, below in net.items()}


def _net_patch(before: JsonObject, after: JsonObject, touched: KeyTrie | None) -> JsonObject:
    if before is after:
        return {}
    patch: dict[str, Json] = {}
    keys = {**before, **after} if touched is None else [key for key in touched if isinstance(key, str)]
    for key in keys:
        if key not in after:
            if key in before:
                patch[key] = None
            continue
        new = after[key]
        if key not in before:
            patch[key] = new
            continue
        old = before[key]
        if old is new:
            continue
        if is_object(old) and is_object(new):
            below = _net_patch(old, new, None if touched is None else touched[key])
            if below:
                patch[key] = below
        elif not same(old, new):
            patch[key] = new
    return patch


@dataclass(frozen=True, slots=True)
class Change:
    """One place that differs. The side that has no value there is None."""

    path: KeyPath
    op: Literal["added", "removed", "changed"]
    before: Json
    after: Json


@clear_of_depth
def changes(before: Json, after: Json) -> tuple[Change, ...]:
    """Every smallest place that differs; arrays are compared position by position."""
    found: list[Change] = []
    _compare((), before, after, found)
    return tuple(found)


def _compare(path: KeyPath, before: Json, after: Json, found: list[Change]) -> None:
    if before is after:
        return
    if is_object(before) and is_object(after):
        for key, old in before.items():
            if key in after:
                _compare((*path, key), old, after[key], found)
            else:
                found.append(Change((*path, key), "removed", old, None))
        found.extend(Change((*path, key), "added", None, after[key]) for key in after if key not in before)
    elif is_array(before) and is_array(after):
        common = min(len(before), len(after))
        for index in range(common):
            _compare((*path, index), before[index], after[index], found)
        found.extend(Change((*path, index), "removed", before[index], None) for index in range(common, len(before)))
        found.extend(Change((*path, index), "added", None, after[index]) for index in range(common, len(after)))
    elif not same(before, after):
        found.append(Change(path, "changed", before, after))
