"""What the author of a patch is told once it is accepted, and the digest by which a person approves it before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from engine.errors import InvalidRequest
from engine.memory.artifacts import is_bookkeeping, shown_at
from engine.memory.collation import CollationKey, collation_key
from engine.memory.dialect import Dialect
from engine.memory.layering import is_selection
from engine.memory.navigation import is_hollow, lazy_navigation
from engine.memory.overlay import effective_at
from engine.memory.references import relative, relative_path
from engine.memory.scope import SCOPES, Scope, Wanted
from engine.memory.staging import Staged
from engine.records import dataclass
from engine.values import (
    Json,
    JsonObject,
    KeyPath,
    MissingDeletion,
    Surprise,
    encode,
    get,
    has,
    is_array,
    is_object,
    kind,
    pointer,
    same,
)

States = Mapping[Scope, JsonObject]
LAZY = "lazy"


@dataclass(frozen=True, slots=True)
class Effect:
    """One place of effective hot memory that reads otherwise now. Without `exists` nothing is left there."""

    path: KeyPath
    exists: bool
    value: Json = None

    def to_json(self) -> JsonObject:
        shown: list[Json] = list(self.path)
        return {"path": shown, "value": self.value} if self.exists else {"path": shown, "deleted": True}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an accepted patch came to, as the caller of these wanted scopes sees it.

    `effective` tells of hot memory alone; lazy bodies stay out, and `lazy_navigation` is there where the top level of
    effective lazy memory changed. `cascaded` holds read paths, `missed` and `warnings` JSON Pointers.
    """

    effective: tuple[Effect, ...]
    cascaded: tuple[str, ...]
    missed: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]
    lazy_navigation: JsonObject | None
    changed: tuple[Scope, ...]

    def to_json(self) -> JsonObject:
        """Plain JSON; members that have nothing to say are left out."""
        updates: dict[str, Json] = {}
        if self.effective:
            updates["effective"] = [effect.to_json() for effect in self.effective]
        if self.cascaded:
            updates["cascaded"] = list(self.cascaded)
        if self.lazy_navigation is not None:
            updates["lazy_navigation"] = self.lazy_navigation
        whole: dict[str, Json] = {"state_updates": updates} if updates else {}
        if self.missed:
            whole["missed_deletions"] = [{"path": m.path, "unavailable": m.unavailable} for m in self.missed]
        if self.warnings:
            whole["warnings"] = [{"code": w.code, "path": w.path, "detail": w.detail} for w in self.warnings]
        return whole


def receipt(dialect: Dialect, wanted: Wanted, before: States, staged: Staged) -> Receipt:
    """The receipt of `staged`. With one wanted scope its paths and references are shown without naming it."""
    old = {scope: before.get(scope, {}) for scope in wanted}
    new = {scope: staged.after[scope] for scope in wanted}
    only = wanted[0] if len(wanted) == 1 else None
    effects, unreadable = _effects(dialect, old, new, staged)
    cascaded = tuple(path for scope in SCOPES for path in staged.cascaded.get(scope, ()))
    missed, warnings = staged.missed, staged.warnings
    if only is not None:
        effects = tuple(Effect(e.path, e.exists, relative(dialect, only, e.value)) for e in effects)
        cascaded = tuple(relative_path(dialect, only, path) for path in cascaded)
        prefix = f"/{only}"
        missed = tuple(MissingDeletion(m.path.removeprefix(prefix), m.unavailable.removeprefix(prefix)) for m in missed)
        warnings = tuple(Surprise(w.code, w.path.removeprefix(prefix), w.detail) for w in warnings)
    root = "" if only is not None else "/effective"
    warnings = (*warnings, *(Surprise(w.code, f"{root}{w.path}", w.detail) for w in unreadable))
    navigation = _navigation(dialect, new) if _navigation_changed(dialect, old, new, staged) else None
    return Receipt(effects, cascaded, missed, warnings, navigation, staged.changed)


def approval(before: States, staged: Staged) -> str:
    """The sha-256 (hex) of what a person approves: net patches, cascades, and what stands in the touched places now."""
    import hashlib  # not needed by whoever only reads

    images: dict[str, Json] = {}
    for scope in staged.changed:
        state = before.get(scope, {})
        for path in _leaves(staged.net[scope]):
            found: dict[str, Json] = {"value": get(state, path)} if has(state, path) else {}
            images[f"/{scope}{pointer(path)}"] = found
    approved: dict[str, Json] = {
        "net": {scope: staged.net[scope] for scope in staged.changed},
        "cascaded": {scope: list(paths) for scope, paths in staged.cascaded.items()},
        "before": images,
    }
    return hashlib.sha256(encode(approved)).hexdigest()


def _effects(
    dialect: Dialect, old: States, new: States, staged: Staged
) -> tuple[tuple[Effect, ...], tuple[Surprise, ...]]:
    """Where effective hot memory differs, in reading order; and where effective memory, lazy too, cannot be read."""
    places: dict[KeyPath, None] = {}
    for scope in staged.changed:
        if scope in new:
            for plane, change in staged.net[scope].items():
                if plane in dialect.lazy:
                    if any(plane in new[narrower] for narrower in SCOPES[SCOPES.index(scope) + 1 :] if narrower in new):
                        places.update(dict.fromkeys(_arrays(change, (plane,))))
                elif plane in dialect.planes:
                    places.update(dict.fromkeys(_places(old, new, scope, change, (plane,))))
    effects: list[Effect] = []
    unreadable: list[Surprise] = []
    for path in sorted(places, key=partial(_rank, dialect)):
        if any(path[:n] in places for n in range(1, len(path))) or is_bookkeeping(path):
            continue
        try:
            exists, now = effective_at(dialect, new, path)
        except InvalidRequest as refusal:
            unreadable.append(Surprise("effective-unreadable", pointer(path), refusal.message))
            continue
        if path[0] not in dialect.lazy and not _was_already(dialect, old, path, exists=exists, now=now):
            effects.append(Effect(path, exists, shown_at(path, now) if exists else None))
    return tuple(effects), tuple(unreadable)


def _rank(dialect: Dialect, path: KeyPath) -> tuple[int, list[CollationKey]]:
    plane, *keys = path
    return dialect.planes.index(str(plane)), [collation_key(str(key)) for key in keys]


def _was_already(dialect: Dialect, old: States, path: KeyPath, *, exists: bool, now: Json) -> bool:
    try:
        existed, was = effective_at(dialect, old, path)
    except InvalidRequest:
        return False
    return existed == exists and same(was, now)


def _places(old: States, new: States, scope: Scope, change: Json, path: KeyPath) -> Iterator[KeyPath]:
    """Where a net patch of `scope` may show: at its ends, but as a whole where an object came or went altogether."""
    inside = len(path) == 1
    if not inside:
        was, now = _at(old, path), _at(new, path)
        # Keys of the form [N] lie over an array, which is told of as a whole.
        inside = any(map(is_object, was)) and any(map(is_object, now)) and "array" not in (_kind(was), _kind(now))
    members: Json = get(old[scope], path, None) if change is None else change
    if not inside or not is_object(members) or not members:
        yield path
        return
    for key, below in members.items():
        yield from _places(old, new, scope, None if change is None else below, (*path, key))


def _arrays(change: Json, path: KeyPath) -> Iterator[KeyPath]:
    """Where a net patch puts an array: a narrower scope may select elements that it lacks."""
    if is_array(change):
        yield path
    elif is_object(change):
        for key, below in change.items():
            yield from _arrays(below, (*path, key))


def _at(states: States, path: KeyPath) -> list[Json]:
    """What the scopes hold at the path, broad to narrow; those with nothing there left out."""
    held = (get(states[scope], path, None) for scope in SCOPES if scope in states)
    return [value for value in held if value is not None]


def _navigation(dialect: Dialect, states: States) -> JsonObject | None:
    """The hint about effective lazy memory, None where that cannot be composed."""
    try:
        exists, lazy = effective_at(dialect, states, (LAZY,))
    except InvalidRequest:
        return None
    return lazy_navigation(dialect, {LAZY: lazy} if exists else {})


def _navigation_changed(dialect: Dialect, old: States, new: States, staged: Staged) -> bool:
    """Whether a top-level key of effective lazy memory came, went, or changed its kind."""
    for scope in staged.changed:
        if scope not in new or LAZY not in dialect.planes or LAZY not in staged.net[scope]:
            continue
        change, was, now = staged.net[scope][LAZY], old[scope].get(LAZY), new[scope].get(LAZY)
        keys = change if is_object(change) else was
        for key in keys if is_object(keys) else ():
            if not (_is_content(was, key) and _is_content(now, key)) and _hint_at(old, key) != _hint_at(new, key):
                return True
    return False


def _is_content(plane: Json, key: str) -> bool:
    """Whether a scope has an object with something in it there: as long as it has, the hint stays as it is."""
    value = plane.get(key) if is_object(plane) else None
    return is_object(value) and not is_hollow(value)


def _kind(held: list[Json]) -> str | None:
    """The kind of the effective value: that of the narrowest scope, but elements laid over an array leave it one."""
    found: str | None = None
    for value in held:
        if not (found == "array" and is_object(value) and is_selection(value)):
            found = kind(value)
    return found


def _hint_at(states: States, key: str) -> str | None:
    """The kind of a top-level lazy key as the hint tells it: None where there is nothing but empty objects."""
    path = (LAZY, key)
    found = _kind(_at(states, path))
    if found != "object":
        return found
    # An object shows what the scopes below it hold as well, up to one that holds something else.
    for scope in reversed(SCOPES):
        value = get(states.get(scope, {}), path, {})
        if not is_object(value):
            break
        if not is_hollow(value):
            return found
    return None


def _leaves(change: Json, path: KeyPath = ()) -> Iterator[KeyPath]:
    if is_object(change) and change:
        for key, below in change.items():
            yield from _leaves(below, (*path, key))
    else:
        yield path
