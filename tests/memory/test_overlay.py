from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given

from engine.errors import InvalidRequest
from engine.memory.dialect import V2, V4, dialect_for
from engine.memory.layering import lay_over
from engine.memory.overlay import (
    Masked,
    Provenance,
    defaulted,
    effective,
    effective_at,
    hot,
    model,
    overlay,
    provenance,
    scope_view,
)
from engine.memory.scope import SCOPES, Scope
from engine.values import KeyPath
from tests.memory import reference
from tests.memory.counting import Watch, watched
from tests.memory.strategies import cohort_states


def memory(**scopes: Any) -> dict[Scope, Any]:
    return {scope: scopes.get({"global": "g", "cwd": "c", "session": "s"}[scope], {}) for scope in SCOPES}


def working(**scopes: Any) -> dict[Scope, Any]:
    return memory(**{letter: {"working": plane} for letter, plane in scopes.items()})


def facts(found: Provenance) -> tuple[Any, ...]:
    return found.providers, found.winner, [(one.scope, one.value) for one in found.masked], dict(found.revealed)


def test_planes_come_in_reading_order_and_absent_ones_stay_absent() -> None:
    states = memory(g={"lazy": {"a": 1}}, s={"working": {}, "intents": {"i": 1}, "extra": 1})
    assert list(effective(V2, states)) == ["intents", "working", "lazy"]
    assert scope_view(V2, states["session"]) == {"intents": {"i": 1}, "working": {}}
    assert defaulted(V2, {})["response"] == ""


def test_the_last_answer_that_is_not_empty_shows() -> None:
    states = memory(g={"response": "g"}, c={"response": "c"}, s={"response": ""})
    assert effective(V2, states) == {"response": "c"}
    assert overlay(V2, states)["response"] == ""
    assert facts(provenance(V2, states, ("response",))) == (("cwd",), "cwd", [("global", "g")], {"global": "g"})


def test_a_subtree_with_one_provider_is_shared() -> None:
    big = {"x": [1]}
    states = memory(g={"lazy": {"big": big, "both": {"a": 1}}}, s={"lazy": {"both": {"b": big}}})
    view: Any = effective(V2, states)
    assert view["lazy"]["big"] is big
    assert view["lazy"]["both"] == {"a": 1, "b": big}
    assert view["lazy"]["both"]["b"] is big
    alone = memory(c={"lazy": {"big": big}})
    assert effective(V2, alone)["lazy"] is alone["cwd"]["lazy"]


def test_composing_walks_only_where_scopes_meet() -> None:
    watch = Watch()
    rows = {f"k{number}": {"deep": {"x": [1]}} for number in range(300)}
    states = watched(
        memory(g={"lazy": {"a": rows, "shared": {"n": 1}}}, s={"lazy": {"b": rows, "shared": {"m": 2}}}), watch
    )
    effective(V2, states)
    assert watch.visited <= 12
    watch.seen.clear()
    assert effective_at(V2, states, ("lazy", "shared", "n")) == (True, 1)
    provenance(V2, states, ("lazy", "a", "k7", "deep"))
    assert watch.visited <= 20


def test_an_object_of_indexes_in_a_narrower_scope_changes_elements() -> None:
    states = working(g={"a": [1, {"n": 1}, 3]}, c={"a": {"[1]": {"m": 2}}}, s={"a": {"[0]": 9}})
    assert effective(V2, states) == {"working": {"a": [9, {"n": 1, "m": 2}, 3]}}
    where: KeyPath = ("working", "a", 0)
    assert facts(provenance(V2, states, where)) == (("session",), "session", [("global", 1)], {"global": 1})
    assert facts(provenance(V2, states, ("working", "a", 1))) == (
        ("global", "cwd"), "cwd", [], {"global": {"n": 1}},
    )  # fmt: skip
    assert facts(provenance(V2, states, ("working", "a", 1, "m"))) == (("cwd",), "cwd", [], {})
    assert provenance(V2, states, ("working", "a")).providers == ("global", "cwd", "session")


def test_an_element_of_an_array_of_ones_own_cannot_be_deleted() -> None:
    states = working(g={"a": [1]}, s={"a": [2]})
    assert facts(provenance(V2, states, ("working", "a", 0))) == (("session",), "session", [("global", 1)], {})


def test_an_index_without_an_array_under_it_leaves_no_effective_view() -> None:
    states = working(g={"a": []}, c={"a": {"[0]": 2}}, s={"n": 1})
    with pytest.raises(InvalidRequest) as refused:
        effective(V2, states)
    assert (refused.value.code, refused.value.path) == ("index-unavailable", "effective.working.a")
    assert effective_at(V2, states, ("working", "n")) == (True, 1)
    with pytest.raises(InvalidRequest):
        effective_at(V2, states, ("working", "a", 0))


def test_a_deletion_that_would_leave_an_index_without_its_array_is_foretold() -> None:
    states = working(g={"a": []}, c={"a": {"[0]": 2}}, s={"a": [1]})
    found = provenance(V2, states, ("working", "a"))
    assert (found.winner, found.breaks, dict(found.revealed)) == ("session", True, {})
    assert found.masked == (Masked("global", []), Masked("cwd", {"[0]": 2}))


@pytest.mark.parametrize("high", [{}, {"[0]": 1, "x": 2}, {"[01]": 1}, {"[-1]": 1}, "text", 0, [], False])
def test_what_is_not_an_object_of_indexes_replaces_an_array(high: Any) -> None:
    assert lay_over([1, 2], high) is high


def test_an_empty_object_over_an_object_changes_nothing() -> None:
    low = {"a": 1}
    assert lay_over(low, {}) is low
    assert lay_over("text", {}) == {}


def test_a_masked_value_is_found_through_a_replaced_parent() -> None:
    states = working(g={"a": {"b": 1}}, c={"a": "text"}, s={"a": {"c": 2}})
    assert facts(provenance(V2, states, ("working", "a"))) == (
        ("session",), "session", [("global", {"b": 1}), ("cwd", "text")], {"cwd": "text"},
    )  # fmt: skip
    found = provenance(V2, states, ("working", "a", "b"))
    assert (found.exists, found.winner, found.masked) == (False, None, (Masked("global", 1),))


def test_deleting_the_last_member_takes_the_emptied_parent_along() -> None:
    states = working(g={"a": [{"k": 2}]}, c={"a": {"[0]": {"k": 1}}})
    assert facts(provenance(V2, states, ("working", "a", 0, "k"))) == (("cwd",), "cwd", [("global", 2)], {"global": 2})


def test_memory_beside_the_planes_never_shows() -> None:
    states = memory(g={"extra": {"a": None, "b": 1}}, s={"extra": {"c": 1}, "other": None})
    assert effective(V2, states) == {}
    assert overlay(V2, states)["extra"] == {"b": 1, "c": 1}
    assert "other" not in overlay(V2, states)
    assert effective_at(V2, states, ("extra",)) == (False, None)
    assert not provenance(V2, states, ("extra", "b")).exists


def test_declared_roots_overlay_like_planes_and_lazy_ones_stay_out_of_the_hot_view() -> None:
    dialect = dialect_for(
        4, {"notes": {"module": "m", "projection": "hot"}, "shelf": {"module": "m", "projection": "lazy"}}
    )
    states = memory(
        g={"notes": {"a": 1, "l": [1]}, "shelf": {"x": 1}},
        s={"shelf": {"y": 2}, "notes": {"l": {"[0]": 2}}, "tactics": {"t": 1}},
    )
    view = effective(dialect, states)
    assert list(view) == ["tactics", "notes", "shelf"]
    assert view["notes"] == {"a": 1, "l": [2]}
    assert view["shelf"] == {"x": 1, "y": 2}
    assert list(hot(dialect, view)) == ["tactics", "notes"]
    assert provenance(dialect, states, ("shelf", "y")).winner == "session"
    assert effective(V4, states) == {"tactics": {"t": 1}}


def test_a_model_is_given_no_empty_objects_and_no_bookkeeping() -> None:
    view = effective(
        V2, memory(g={"artifacts": {"p": {"description": "d", "hint": "h", "compilation": {}}}, "working": {"a": {}}})
    )
    assert hot(V2, view) == {"working": {"a": {}}, "artifacts": {"p": {"description": "d", "compilation": {}}}}
    assert model(V2, view) == {"artifacts": {"p": {"description": "d"}}}


def test_the_whole_view_is_at_the_empty_path() -> None:
    states = working(g={"a": 1})
    assert effective_at(V2, states, ()) == (True, {"working": {"a": 1}})
    with pytest.raises(InvalidRequest):
        provenance(V2, states, ())


def test_a_path_that_does_not_fit_the_value_finds_nothing() -> None:
    states = working(g={"a": [1], "b": {"[0]": 1}})
    for path in (
        ("working", "a", "[0]"),
        ("working", "a", 1),
        ("working", "a", -1),
        ("working", "b", 0),
        (0,),
        ("working", "a", 0, "x"),
    ):
        assert effective_at(V2, states, path) == (False, None)
        assert not provenance(V2, states, path).exists


def test_deep_memory_is_composed_without_recursion() -> None:
    deep: Any = {"end": 1}
    other: Any = {"other": 2}
    for _ in range(5000):
        deep, other = {"a": deep}, {"a": other}
    path = ("working", *["a"] * 5000, "other")
    states = working(g=deep, s=other)
    effective(V2, states)
    assert effective_at(V2, states, path) == (True, 2)


@given(cohort_states)
def test_the_effective_view_is_the_long_way_round(states: Mapping[Scope, Any]) -> None:
    try:
        wanted = reference.effective(V2.planes, states)
    except reference.Refused:
        with pytest.raises(InvalidRequest):
            effective(V2, states)
        return
    assert effective(V2, states) == wanted
    for path in [*reference.paths(wanted), ("working",), ("working", "a", "b"), ("lazy", "b", 2)]:
        assert effective_at(V2, states, path) == reference.found(wanted, path)


@given(cohort_states)
def test_provenance_is_what_changing_a_scope_shows(states: Mapping[Scope, Any]) -> None:
    try:
        view = reference.effective(V2.planes, states)
    except reference.Refused:
        assume(False)
    for path in reference.paths(view):
        found = provenance(V2, states, path)
        assert (found.exists, found.value) == reference.found(view, path)
        assert found.winner == found.providers[-1]
        stored = {scope: reference.found(states[scope], _keys(states[scope], path)) for scope in SCOPES}
        holders = {scope for scope in SCOPES if stored[scope][0]}
        assert holders == {*found.providers, *(one.scope for one in found.masked)} or path == ("response",)
        for scope in holders:
            if path != ("response",) and _shows(states, scope, path, view):
                assert scope in found.providers
        _check_revealed(states, found)


def _keys(state: Any, path: KeyPath) -> KeyPath:
    """The path as this scope spells it: an element that it merely patches has the key `[N]`."""
    spelled: list[str | int] = []
    for key in path:
        value = reference.found(state, tuple(spelled))[1]
        spelled.append(f"[{key}]" if isinstance(key, int) and isinstance(value, dict) else key)
    return tuple(spelled)


def _shows(states: Mapping[Scope, Any], scope: Scope, path: KeyPath, view: Any) -> bool:
    """Whether a value put in the place of what this scope stores there can be seen in the effective view there."""
    marker: Any = reference.found(states[scope], _keys(states[scope], path))[1]
    if isinstance(marker, dict):
        if marker and all(reference.SLOT.fullmatch(key) for key in marker):
            return False  # a further key would make it something else
        marker = {**marker, "marker": 1}
    else:
        marker = [*marker, "marker"] if isinstance(marker, list) else "marker"
    changed = {**states, scope: _put(states[scope], _keys(states[scope], path), marker)}
    try:
        after = reference.effective(V2.planes, changed)
    except reference.Refused:
        return False
    return bool(reference.found(after, path) != reference.found(view, path))


def _put(value: Any, path: KeyPath, marker: Any) -> Any:
    if not path:
        return marker
    if isinstance(value, dict):
        assert isinstance(path[0], str)
        return {**value, path[0]: _put(value[path[0]], path[1:], marker)}
    assert isinstance(path[0], int)
    return [*value[: path[0]], _put(value[path[0]], path[1:], marker), *value[path[0] + 1 :]]


def _check_revealed(states: Mapping[Scope, Any], found: Provenance) -> None:
    assert found.winner is not None
    keys = _keys(states[found.winner], found.path)
    if any(isinstance(key, int) for key in keys):
        # The way leads through an array of the winner's own, which hides whatever lies below it.
        assert dict(found.revealed) == {}
        return
    without = _deleted(states[found.winner], keys)
    try:
        after = reference.effective(V2.planes, {**states, found.winner: without})
    except reference.Refused:
        return
    exists, value = reference.found(after, found.path)
    assert list(found.revealed.values()) == ([value] if exists else [])


def _deleted(value: Any, path: KeyPath) -> Any:
    """Without the member at the path, and without parents that this empties."""
    head, rest = path[0], path[1:]
    left = {key: member for key, member in value.items() if key != head}
    if rest:
        below = _deleted(value[head], rest)
        if below != {}:
            left[str(head)] = below
    return left
