"""Staging against the same thing done by copies and dotted names."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.dialect import V4
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.values import merge, use_fast_paths
from tests.memory import reference
from tests.memory.owning import REFS, intent_patches, owning_states


@given(owning_states, intent_patches)
def test_staging_equals_the_long_way(before: Any, patch: Any) -> None:
    """Against staging by copies: intents, cascade by sets of dotted names, the rest, prune."""
    try:
        wanted = long_way(before, patch)
    except reference.Refused:
        wanted = None
    for tidy in (frozenset[Scope](), frozenset(SCOPES)):
        before_now = reference.pruned(before) if tidy else before
        for fast in (True, False):
            with use_fast_paths(fast):
                try:
                    staged = stage(V4, {"cwd": before_now}, {"cwd": patch}, tidy=tidy)
                except InvalidRequest:
                    assert wanted is None
                    continue
            assert wanted is not None
            after, cascaded = wanted
            assert staged.after["cwd"] == after
            assert set(staged.cascaded.get("cwd", ())) == cascaded
            assert merge(before_now, staged.net.get("cwd", {})).value == after


@given(st.data())
def test_a_repeat_is_no_change(data: st.DataObject) -> None:
    before: Any = reference.pruned(data.draw(owning_states))
    patch: Any = data.draw(intent_patches)
    try:
        once = stage(V4, {"cwd": before}, {"cwd": patch})
    except InvalidRequest:
        return
    again = stage(V4, once.after, {"cwd": patch})
    assert again.net == {}
    assert again.after["cwd"] == once.after["cwd"]
    assert again.cascaded == {}


def long_way(before: Any, patch: Any) -> tuple[Any, set[str]]:
    middle = reference.pruned(reference.patched(before, {"intents": patch.get("intents", {})}))
    intents, left = before.get("intents", {}), middle.get("intents", {})
    deleted = [value for key, value in intents.items() if key not in left]
    kept = {name for value in left.values() for name in names(value)}
    targets = {
        name
        for value in deleted
        for name in names(value)
        if exists(middle, name) and not any(nested(name, other) or nested(other, name) for other in kept)
    }
    top = {name for name in targets if not any(nested(name, other) and name != other for other in targets)}
    cleared = middle
    for name in top:
        keys = name.split(".")[1:]
        nest: Any = None
        for key in reversed(keys):
            nest = {key: nest}
        cleared = reference.patched(cleared, nest)
    rest = {plane: change for plane, change in patch.items() if plane != "intents"}
    if selects_lost_array(middle, cleared, rest):
        raise reference.Refused
    after = reference.pruned(reference.patched(cleared, rest))
    if any(replaced_by_elements(before, after, path) for path in reference.paths(before)):
        raise reference.Refused
    return after, top


def replaced_by_elements(before: Any, after: Any, path: tuple[str | int, ...]) -> bool:
    """Whether an array gave way to an object that, as a patch, would mean elements of it."""
    if any(isinstance(key, int) for key in path):
        return False  # a changed array is recorded whole
    new = reference.found(after, path)[1]
    array = isinstance(reference.found(before, path)[1], list)
    return array and isinstance(new, dict) and new != {} and all(reference.SLOT.fullmatch(key) for key in new)


def names(value: Any) -> set[str]:
    """Every structured reference that can be owned in cwd, by a plain walk."""
    found: set[str] = set()
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"] in REFS:
            found.add(value["$ref"])
        for member in value.values():
            found |= names(member)
    if isinstance(value, list):
        for member in value:
            found |= names(member)
    return found


def exists(state: Any, name: str) -> bool:
    return reference.found(state, tuple(name.split(".")[1:]))[0]


def nested(name: str, other: str) -> bool:
    """Whether `name` is `other` or lies below it."""
    return name == other or name.startswith(other + ".")


def selects_lost_array(basis: Any, cleared: Any, patch: Any) -> bool:
    if not isinstance(patch, dict) or not isinstance(basis, dict):
        return False
    for key, change in patch.items():
        if key not in basis or not isinstance(change, dict):
            continue
        there = isinstance(cleared, dict) and key in cleared
        if (
            isinstance(basis[key], list)
            and not there
            and change
            and all(reference.SLOT.fullmatch(one) for one in change)
        ):
            return True
        if selects_lost_array(basis[key], cleared[key] if there else None, change):
            return True
    return False
