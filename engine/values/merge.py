"""The recursive patch: objects merge, null removes, anything else replaces; `[N]` keys address array slots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from engine.errors import InvalidRequest
from engine.values.paths import KeyTrie, enumeration_order, pointer, slot
from engine.values.types import Json, JsonArray, JsonObject, is_array, is_object, kind, same

# The recording program reads a member without asking whether the object owns it, so these names are never absent
# to it: a patch of deletions below one of them leaves an empty object where any other name would leave nothing.
_INHERITED: Final = frozenset(
    "__proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf"
    " __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__".split()
)


class _Absent:
    """No value at all; null is a value."""


_ABSENT: Final = _Absent()
_Slot = Json | _Absent


@dataclass(frozen=True, slots=True)
class MissingDeletion:
    """A deletion that hit nothing. Both are JSON Pointers; `unavailable` is the first part of the way not there."""

    path: str
    unavailable: str


@dataclass(frozen=True, slots=True)
class Surprise:
    """A result that is as recorded but may not be what was meant. `path` is a JSON Pointer."""

    code: str
    path: str
    detail: str


@dataclass(frozen=True, slots=True)
class Merged:
    """`value` shares all that was not touched; `touched` holds the paths where something was set or removed."""

    value: JsonObject
    missing: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]
    touched: KeyTrie


@dataclass(slots=True)
class _Notes:
    missing: list[MissingDeletion] = field(default_factory=list)
    warnings: list[Surprise] = field(default_factory=list)


_Trie = dict[str | int, KeyTrie | None]


def merge(base: JsonObject, patch: JsonObject) -> Merged:
    """Apply a patch. Returns `base` itself when nothing changed.

    Raises InvalidRequest `patch-rejected` for an index that does not exist and for a null aimed at an array slot.
    """
    notes = _Notes()
    touched: _Trie = {}
    value = _object(base, patch, (), None, notes, touched)
    assert is_object(value)
    return Merged(value, tuple(notes.missing), tuple(notes.warnings), touched)


def _object(
    current: _Slot, patch: JsonObject, path: tuple[str | int, ...], gone: str | None, notes: _Notes, touched: _Trie
) -> _Slot:
    """Patch what is meant to be an object. `gone` is the pointer of the first missing part above, if any."""
    base = current if is_object(current) else None
    if base is None and gone is None:
        gone = pointer(path)
    result: dict[str, Json] | None = None if base is not None else {}
    for key in enumeration_order(patch):
        wanted = patch[key]
        here = (*path, key)
        if wanted is None:
            if base is not None and key in base:
                if result is None:
                    result = dict(base)
                del result[key]
                touched[key] = None
            else:
                where = pointer(here)
                notes.missing.append(MissingDeletion(where, where if gone is None else gone))
            continue
        old: _Slot = base[key] if base is not None and key in base else _ABSENT
        below: _Trie = {}
        new = _value(old, wanted, here, gone, notes, below, inherited=key in _INHERITED)
        if new is old or isinstance(new, _Absent):
            continue
        touched[key] = below or None
        if result is None:
            assert base is not None
            result = dict(base)
        result[key] = new
    if result is None:
        return current
    if isinstance(current, _Absent) and patch and not result:
        return _ABSENT
    return result


def _value(
    old: _Slot,
    wanted: Json,
    path: tuple[str | int, ...],
    gone: str | None,
    notes: _Notes,
    touched: _Trie,
    *,
    inherited: bool = False,
) -> _Slot:
    """What becomes of one member or slot."""
    if not is_object(wanted):
        if not isinstance(old, _Absent) and same(old, wanted):
            return old
        return wanted
    if isinstance(old, _Absent):
        gone = pointer(path) if gone is None else gone
        return _object({} if inherited else _ABSENT, wanted, path, gone, notes, touched)
    if is_array(old) and wanted and all(slot(key) is not None for key in wanted):
        return _array(old, wanted, path, gone, notes, touched)
    if not is_object(old):
        _warn(old, wanted, path, notes)
        return _object(old, wanted, path, gone, notes, {})
    return _object(old, wanted, path, gone, notes, touched)


def _array(
    base: JsonArray, patch: JsonObject, path: tuple[str | int, ...], gone: str | None, notes: _Notes, touched: _Trie
) -> JsonArray:
    """Patch slots of an array that is there."""
    result: list[Json] | None = None
    for key in enumeration_order(patch):
        position = slot(key)
        assert position is not None
        wanted = patch[key]
        if wanted is None:
            raise InvalidRequest("patch-rejected", "an array slot cannot be removed with null", path=pointer(path) + "/" + key)
        if position >= len(base):
            raise InvalidRequest(
                "patch-rejected", f"there is no slot {key}: the array has {len(base)}", path=pointer(path) + "/" + key
            )
        below: _Trie = {}
        new = _value(base[position], wanted, (*path, position), gone, notes, below)
        assert not isinstance(new, _Absent)
        if new is base[position]:
            continue
        touched[position] = below or None
        if result is None:
            result = list(base)
        result[position] = new
    return base if result is None else result


def _warn(old: Json, wanted: JsonObject, path: tuple[str | int, ...], notes: _Notes) -> None:
    """An object patch takes the place of `old`, which is not an object. Say so where it is likely a slip."""
    where = pointer(path)
    if is_array(old) and any(slot(key) is not None for key in wanted):
        detail = "keys of the form [N] beside other keys are ordinary keys: the array is replaced by an object"
        notes.warnings.append(Surprise("array-lost", where, detail))
    elif wanted and _only_deletions(wanted):
        detail = f"a deletion below this {kind(old)} hits nothing and still removes the {kind(old)}"
        notes.warnings.append(Surprise("array-lost" if is_array(old) else "scalar-lost", where, detail))


def _only_deletions(patch: JsonObject) -> bool:
    return all(item is None or (is_object(item) and bool(item) and _only_deletions(item)) for item in patch.values())
