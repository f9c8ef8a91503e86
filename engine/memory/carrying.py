"""One step of a draft carried out on the working copy, or Blocked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.errors import InvalidRequest
from engine.memory.artifacts import BOOKKEEPING
from engine.memory.dialect import ARTIFACTS, check_patch
from engine.memory.draft import Operation, Put, Raw, Remove, Transfer
from engine.memory.gathering import patched_paths
from engine.memory.ownership import INTENTS
from engine.memory.relocating import transfer
from engine.memory.renaming import Renaming
from engine.memory.request import shape
from engine.memory.scope import SCOPES, Scope
from engine.memory.working import Blocked, Working, check_value
from engine.values import Json, JsonObject, KeyPath, dotted, get, is_array, is_object, merge, parse_pointer, same

_MEMBER = 2  # where the member of a card or of an intent stands in a path


def carry_out(working: Working, operation: Operation) -> list[Renaming]:
    """Carry out one step; returns what references have to follow. A step that is blocked leaves nothing behind."""
    if isinstance(operation, Raw):
        _patch(working, operation.patch)
    elif isinstance(operation, Transfer):
        _check_member(operation.scope, operation.path)
        _check_member(operation.to_scope, operation.to_path)
        _note_partial(working, operation.to_scope, operation.to_path)
        return transfer(working, operation)
    elif isinstance(operation, Remove):
        _remove(working, operation)
    else:
        _put(working, operation)
    return []


def _put(working: Working, put: Put) -> None:
    working.check_place(put.scope, put.path)
    check_value(put.scope, put.path, put.value)
    if put.path[0] == ARTIFACTS:
        for path, member in _bookkeeping(put.path, put.value):
            stands = get(working.states[put.scope], path, None)
            if stands is None or not same(stands, member):
                _check_member(put.scope, path)
    _note_partial(working, put.scope, put.path)
    working.put(put.scope, put.path, put.value)


def _remove(working: Working, remove: Remove) -> None:
    scope, path = remove.scope, remove.path
    working.check_place(scope, path)
    _check_member(scope, path)
    if isinstance(path[-1], str) and not working.has(scope, path):
        working.remark("gone-already", scope, path, "Nothing stands there any more")
        return
    working.remove(scope, path)


def _patch(working: Working, patch: JsonObject) -> None:
    try:
        planned = shape(working.dialect, patch)
        merged: list[tuple[Scope, JsonObject, list[KeyPath]]] = []
        said: list[tuple[str, Scope, str, str]] = []
        for scope in SCOPES:
            if scope in planned:
                check_patch(working.dialect, scope, planned[scope])
                state, change = working.states[scope], planned[scope]
                paths = [path for path in patched_paths(change, state) if _is_written(change, state, path)]
                made = merge(state, change)
                merged.append((scope, made.value, paths))
                said += [("gone-already", scope, at.path, " was not there to delete") for at in made.missing]
                said += [(one.code, scope, one.path, f": {one.detail}") for one in made.warnings]
    except InvalidRequest as refusal:
        raise _blocked(refusal) from None
    for code, scope, where, words in said:
        path = _as_read(working.states[scope], where)
        # Of this nothing is left in the patch that is made of the steps: staging that one need not tell.
        working.remark(code, scope, path, f"{dotted(scope, path)}{words}")
    for scope, state, paths in merged:
        for path in paths:
            _note_partial(working, scope, path)
        working.take_over(scope, state, paths)


def _as_read(state: JsonObject, where: str) -> KeyPath:
    """The place of a pointer: in an array that is there its numbers are positions."""
    path: KeyPath = ()
    for key in parse_pointer(where):
        path = (*path, int(key) if key.isdecimal() and is_array(get(state, path, None)) else key)
    return path


def _note_partial(working: Working, scope: Scope, path: KeyPath) -> None:
    """Say where only a part of an intent is written, and the rest of it is not there."""
    if len(path) > _MEMBER and path[0] == INTENTS and not working.has(scope, path[:_MEMBER]):
        message = "The intent is not there any more: this makes one that has nothing else in it"
        working.remark("recreates-intent", scope, path[:_MEMBER], message)


def _bookkeeping(path: KeyPath, value: Json) -> Iterator[tuple[KeyPath, Json]]:
    """The members of cards, within `value` at `path` or above it, that say where a card came from."""
    if len(path) > _MEMBER:
        if path[_MEMBER] in BOOKKEEPING:
            yield path, value
    elif is_object(value):
        for key, member in value.items():
            yield from _bookkeeping((*path, key), member)


def _check_member(scope: Scope, path: KeyPath) -> None:
    """Raise Blocked for the place of a member that says where a card came from."""
    if len(path) > _MEMBER and path[0] == ARTIFACTS and path[_MEMBER] in BOOKKEEPING:
        message = f"{path[_MEMBER]} says where an artifact came from, and is not changed by hand"
        raise Blocked("artifact-provenance", scope, path, message)


def _is_written(patch: JsonObject, state: JsonObject, path: KeyPath) -> bool:
    """Whether a patch says something at one of its ends: an empty object changes no object that is there."""
    node: Json = patch
    for key in path:
        node = get(node, (f"[{key}]" if isinstance(key, int) else key,), None)
    return bool(path) and not (is_object(node) and is_object(get(state, path, None)))


def _blocked(refusal: InvalidRequest) -> Blocked:
    scope: Scope = next((one for one in SCOPES if one == refusal.scope), "global")
    path = refusal.path or ""
    keys: Iterable[str] = parse_pointer(path) if path.startswith("/") else (path,) if path else ()
    return Blocked(refusal.code, scope, tuple(keys), refusal.message)
