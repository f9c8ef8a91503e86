"""The patch that a person's wishes come to: what to write so that staging it leaves memory as it is meant to be."""

from __future__ import annotations

from enum import Enum
from typing import Final

from engine.memory.layering import is_selection
from engine.values import Json, JsonObject, KeyPath, KeyTrie, is_array, is_object, same


class _Sign(Enum):
    ABSENT = 0
    UNCHANGED = 1


_ABSENT: Final = _Sign.ABSENT
_UNCHANGED: Final = _Sign.UNCHANGED
_NOTHING: Final[JsonObject] = {}


def blend(base: JsonObject, wanted: JsonObject, touched: KeyTrie) -> JsonObject:
    """`wanted` in the touched places, `base` everywhere else."""
    blended = _blend(base, wanted, touched)
    assert is_object(blended)
    return blended


def author(base: JsonObject, wanted: JsonObject, touched: KeyTrie) -> JsonObject:
    """The patch of planes which makes `wanted` of `base`; nothing outside the touched places differs.

    Elements of an array that keeps its length are named one by one, any other array is written whole.
    """
    patch: dict[str, Json] = {}
    for plane, below in touched.items():
        old = base.get(str(plane), _NOTHING)
        new = wanted.get(str(plane), _NOTHING)
        assert is_object(old)
        assert is_object(new)
        change = _object(old, new, below, within_array=False)
        if change:
            patch[str(plane)] = change
    return patch


def unrecordable(before: Json, wanted: Json, touched: KeyTrie | None, at: KeyPath = ()) -> list[KeyPath]:
    """The touched places where an object of nothing but `[N]` keys would take the place of an array."""
    if before is wanted:
        return []
    if is_array(before):
        return [at] if is_object(wanted) and is_selection(wanted) else []
    if not is_object(before) or not is_object(wanted):
        return []
    keys = wanted if touched is None else touched
    return [
        path
        for key in keys
        if isinstance(key, str) and key in before and key in wanted
        for path in unrecordable(before[key], wanted[key], None if touched is None else touched[key], (*at, key))
    ]


def _blend(base: Json | _Sign, wanted: Json, touched: KeyTrie | None) -> Json:
    if touched is None or not is_object(wanted):
        return wanted
    members: dict[str, Json] = {} if isinstance(base, _Sign) or not is_object(base) else dict(base)
    for key, below in touched.items():
        name = str(key)
        if name in wanted:
            members[name] = _blend(members.get(name, _ABSENT), wanted[name], below)
        else:
            members.pop(name, None)
    return members


class _InArray(Exception):
    """A change within an array which a patch of its elements would not bring about."""


def _object(old: JsonObject, new: JsonObject, touched: KeyTrie | None, *, within_array: bool) -> JsonObject:
    patch: dict[str, Json] = {}
    for key in {**old, **new} if touched is None else touched:
        name = str(key)
        if name not in new:
            if name in old:
                patch[name] = None
            continue
        if name not in old:
            patch[name] = new[name]
            continue
        below = None if touched is None else touched[key]
        change = _value(old[name], new[name], below, within_array=within_array)
        if not isinstance(change, _Sign):
            patch[name] = change
    return patch


def _value(old: Json, new: Json, touched: KeyTrie | None, *, within_array: bool) -> Json | _Sign:
    if old is new:
        return _UNCHANGED
    if is_object(old) and is_object(new):
        return _object(old, new, touched, within_array=within_array) or _UNCHANGED
    if is_array(old):
        if is_array(new) and len(old) == len(new):
            try:
                return _elements(old, new, touched) or _UNCHANGED
            except _InArray:
                return new
        if within_array and is_object(new) and is_selection(new):
            raise _InArray
    return _UNCHANGED if same(old, new) else new


def _elements(old: Json, new: Json, touched: KeyTrie | None) -> JsonObject:
    assert is_array(old)
    assert is_array(new)
    patch: dict[str, Json] = {}
    for key in range(len(new)) if touched is None else touched:
        index = int(key)
        below = None if touched is None else touched[key]
        change = _value(old[index], new[index], below, within_array=True)
        if not isinstance(change, _Sign):
            patch[f"[{index}]"] = change
    return patch
