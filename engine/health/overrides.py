"""What a scope says although it inherits the same: without it the effective value is what it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.errors import InvalidRequest
from engine.health.effect import is_without_effect, without
from engine.health.findings import Finding
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect
from engine.memory.draft import Remove
from engine.memory.gathering import pre_image
from engine.memory.layering import is_selection, lay_over
from engine.memory.overlay import effective_at
from engine.memory.ownership import INTENTS, cascade
from engine.memory.scope import SCOPES, Scope
from engine.values import Json, JsonObject, KeyPath, dotted, has, is_array, is_object, same

States = Mapping[Scope, JsonObject]

# What lies over what at a key below a plane, and which paths below it are the same in both.
Overlap = dict[tuple[Scope, str, str], tuple[Json, Json, tuple[KeyPath, ...]]]


def inherited(dialect: Dialect, states: States, known: Overlap) -> tuple[list[Finding], Overlap]:
    """The findings, and what makes the next look cheap: what lies unchanged over what is not compared again."""
    compared: Overlap = {}
    for scope in SCOPES[1:]:
        if scope not in states:
            continue
        below = {one: states[one] for one in SCOPES[: SCOPES.index(scope)] if one in states}
        for path, value, low in _overlapping(dialect, states[scope], below):
            place = (scope, str(path[0]), str(path[1]))
            before = known.get(place)
            if before is not None and before[0] is value and before[1] is low:
                compared[place] = before
            else:
                compared[place] = (value, low, tuple(_equal(value, low)))
    found = [
        _finding(dialect, states, scope, path)
        for (scope, plane, key), (_, _, parts) in compared.items()
        for path in ((plane, key, *rest) for rest in parts)
        if is_without_effect(dialect, states, scope, path)
    ]
    return found, compared


def _overlapping(dialect: Dialect, state: JsonObject, below: States) -> Iterator[tuple[KeyPath, Json, Json]]:
    """The keys below the planes that broader scopes have as well, with both values."""
    for plane in dialect.planes:
        high = state.get(plane)
        holders = [one for one in below if is_object(below[one].get(plane))]
        if plane in {RESPONSE, ARTIFACTS} or not is_object(high) or not holders:
            continue
        for key, value in high.items():
            path = (plane, key)
            if not any(has(below[one], path) for one in holders):
                continue
            try:
                yield path, value, effective_at(dialect, below, path)[1]
            except InvalidRequest:
                continue


def _equal(high: Json, low: Json) -> list[KeyPath]:
    """The topmost places below which `high` says nothing that `low` does not say."""
    if not is_object(high):
        return [()] if same(high, low) else []
    if not high:
        return []  # an empty branch, which is another matter
    if is_array(low):
        return [()] if is_selection(high) and _selects_the_same(high, low) else []
    if not is_object(low):
        return []
    parts = {key: _equal(value, low[key]) for key, value in high.items() if key in low}
    if len(parts) == len(high) and all(part == [()] for part in parts.values()):
        return [()]
    return [(key, *rest) for key, part in parts.items() for rest in part]


def _selects_the_same(high: JsonObject, low: Json) -> bool:
    try:
        return same(lay_over(low, high), low)
    except InvalidRequest:
        return False


def _finding(dialect: Dialect, states: States, scope: Scope, path: KeyPath) -> Finding:
    broader = [one for one in SCOPES[: SCOPES.index(scope)] if one in states and has(states[one], path)]
    source = dotted(broader[-1], path) if broader else "broader memory"
    unfixed = ""
    if path[0] == INTENTS and len(path) == _AN_INTENT:
        after = without(states[scope], path)
        taken = cascade(dialect, scope, states[scope], after, among=[str(path[1])])
        if taken.targets:
            unfixed = f"deleting this intent would take along what it owns ({', '.join(taken.paths[:3])})"
    return Finding(
        "inherited",
        "low",
        scope,
        path,
        f"it says what {source} says anyway: without it the effective value is what it is now",
        fix=() if unfixed else (Remove(scope, path, pre_image(states, scope, path)),),
        unfixed=unfixed,
        same=not unfixed,
    )


_AN_INTENT: Final = 2
