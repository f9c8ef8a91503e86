"""What a person changed in a value: only that is staged, so that what others wrote beside it meanwhile stays."""

from __future__ import annotations

from collections.abc import Iterator

from engine.memory.draft import PreImage, Put, Remove
from engine.memory.gathering import States, alike, pre_image
from engine.memory.scope import Scope
from engine.values import Json, KeyPath, has, is_object


def edited(scope: Scope, path: KeyPath, opened: Json, written: Json, states: States) -> tuple[Put | Remove, ...]:
    """The operations that carry the difference between `opened` and `written` over to `path`, member by member.

    Arrays and plain values are set as a whole, as is an object where something else stands in `states`.
    """
    return tuple(_changes(scope, path, _there(opened), _there(written), states))


def _changes(
    scope: Scope, path: KeyPath, opened: PreImage, written: PreImage, states: States
) -> Iterator[Put | Remove]:
    pending = [(path, opened, written)]
    while pending:
        at, old, new = pending.pop()
        before = pre_image(states, scope, at)
        if not new.exists:
            yield Remove(scope, at, before)
        elif old.exists and is_object(old.value) and is_object(new.value) and _holds_members(before):
            keys = dict.fromkeys((*old.value, *new.value))
            pending.extend(((*at, key), _member(old.value, key), _member(new.value, key)) for key in reversed(keys))
        elif not alike(old, new):
            yield Put(scope, at, new.value, before)


def _holds_members(there: PreImage) -> bool:
    return not there.exists or is_object(there.value)


def _there(value: Json) -> PreImage:
    return PreImage(exists=True, value=value)


def _member(value: Json, key: str) -> PreImage:
    return _there(value[key]) if is_object(value) and has(value, (key,)) else PreImage(exists=False)
