"""The recursive patch: objects merge, null removes, anything else replaces; `[N]` keys address array slots."""

from __future__ import annotations

from typing import Final

from engine.errors import InvalidRequest
from engine.records import dataclass
from engine.values.depth import clear_of_depth
from engine.values.paths import KeyTrie, enumeration_order, pointer, slot
from engine.values.types import Json, JsonArray, JsonObject, KeyPath, is_array, is_object, kind, same

# The recording program reads a member without asking whether the object owns it, so these names are never absent
# to it: a patch of deletions below one of them leaves an empty object where any other name would leave nothing.
_INHERITED: Final = frozenset(
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
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


@dataclass(frozen=True, slots=True)
class _At:
    """A place of the walk. `gone` is the pointer of the first missing part on the way, None while all is there."""

    path: KeyPath
    gone: str | None

    def below(self, key: str | int) -> _At:
        return _At((*self.path, key), self.gone)

    def absent(self) -> _At:
        return self if self.gone is not None else _At(self.path, pointer(self.path))


_Trie = dict[str | int, KeyTrie | None]


@clear_of_depth
def merge(base: JsonObject, patch: JsonObject) -> Merged:
    """Apply a patch. Returns `base` itself as the value when nothing changed.

    Raises InvalidRequest `patch-rejected` for an index that does not exist and for a null aimed at an array slot.
    """
    merger = _Merger()
    touched: _Trie = {}
    value = merger.object(base, patch, _At((), None), touched)
    assert is_object(value)
    return Merged(value, tuple(merger.missing), tuple(merger.warnings), touched)


class _Merger:
    """One application of a patch, with what it has to report."""

    def __init__(self) -> None:
        self.missing: list[MissingDeletion] = []
        self.warnings: list[Surprise] = []

    def object(self, current: _Slot, patch: JsonObject, at: _At, touched: _Trie) -> _Slot:
        """Patch what is meant to be an object; nothing at all when only deletions are aimed at nothing."""
        base = current if is_object(current) else None
        if base is None:
            at = at.absent()
        result: dict[str, Json] | None = None if base is not None else {}
        for key in enumeration_order(patch):
            wanted = patch[key]
            here = at.below(key)
            owned = base is not None and key in base
            if wanted is None:
                if owned:
                    result = dict(base or {}) if result is None else result
                    del result[key]
                    touched[key] = None
                else:
                    where = pointer(here.path)
                    self.missing.append(MissingDeletion(where, where if here.gone is None else here.gone))
                continue
            old: _Slot = base[key] if base is not None and owned else _ABSENT
            below: _Trie = {}
            new = self.value(old, wanted, here, below)
            if new is old or isinstance(new, _Absent):
                continue
            touched[key] = below or None
            result = dict(base or {}) if result is None else result
            result[key] = new
        if result is None:
            return current
        if isinstance(current, _Absent) and patch and not result:
            return _ABSENT
        return result

    def value(self, old: _Slot, wanted: Json, at: _At, touched: _Trie) -> _Slot:
        """What becomes of one member or slot. `touched` stays empty when it is new as a whole."""
        if not is_object(wanted):
            return old if not isinstance(old, _Absent) and same(old, wanted) else wanted
        if isinstance(old, _Absent):
            inherited = at.path[-1] in _INHERITED
            return self.object({} if inherited else _ABSENT, wanted, at.absent(), {})
        if is_object(old):
            return self.object(old, wanted, at, touched)
        if is_array(old) and wanted and all(slot(key) is not None for key in wanted):
            return self.array(old, wanted, at, touched)
        self.warn(old, wanted, at)
        return self.object(old, wanted, at, {})

    def array(self, base: JsonArray, patch: JsonObject, at: _At, touched: _Trie) -> JsonArray:
        """Patch slots of an array that is there."""
        result: list[Json] | None = None
        for key in enumeration_order(patch):
            position = slot(key)
            assert position is not None
            wanted = patch[key]
            if wanted is None:
                raise _rejected("an array slot cannot be removed with null", at, key)
            if position >= len(base):
                raise _rejected(f"the array has {len(base)} slots and none at {key}", at, key)
            below: _Trie = {}
            new = self.value(base[position], wanted, at.below(position), below)
            assert not isinstance(new, _Absent)
            if new is base[position]:
                continue
            touched[position] = below or None
            result = list(base) if result is None else result
            result[position] = new
        return base if result is None else result

    def warn(self, old: Json, wanted: JsonObject, at: _At) -> None:
        """An object patch takes the place of `old`, which is no object. Say so where it is likely a slip."""
        lost = kind(old)
        if is_array(old) and any(slot(key) is not None for key in wanted):
            detail = "keys of the form [N] beside other keys are ordinary keys: the array is replaced by an object"
        elif is_array(old) and any(key.startswith("[") for key in wanted):
            detail = "keys like these select no elements: the array is replaced by an object"
        elif wanted and _only_deletions(wanted):
            detail = f"a deletion below this {lost} hits nothing and still removes the {lost}"
        elif _is_hollow(wanted):
            detail = f"an empty object takes the place of this {lost}, and empty objects are dropped"
        else:
            return
        code = "array-lost" if is_array(old) else "scalar-lost"
        self.warnings.append(Surprise(code, pointer(at.path), detail))


def _rejected(reason: str, at: _At, key: str) -> InvalidRequest:
    return InvalidRequest("patch-rejected", reason, path=pointer((*at.path, key)), kept="nothing was changed")


def _only_deletions(patch: JsonObject) -> bool:
    return all(item is None or (is_object(item) and bool(item) and _only_deletions(item)) for item in patch.values())


def _is_hollow(patch: JsonObject) -> bool:
    """Whether all that the patch leaves, put where no object is, are empty objects."""
    return all(item is None or (is_object(item) and _is_hollow(item)) for item in patch.values())
