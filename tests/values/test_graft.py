"""The short way of patching gives what the long way gives, or nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.values import Json, JsonObject, graft, is_array, is_object, merge

KEYS = st.sampled_from(["a", "b", "c", "[0]", "1", "é", "__proto__", ""])
LEAVES = st.one_of(st.integers(-2, 2), st.sampled_from([1.0, -0.0, 2.5]), st.booleans(), st.sampled_from(["", "x"]))
STATES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)), max_leaves=8
)
CHANGES = st.recursive(
    st.one_of(LEAVES, st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)


def holds(value: Json, wanted: Json) -> bool:
    if value == wanted and type(value) is type(wanted):
        return True
    members = list(value.values()) if is_object(value) else list(value) if is_array(value) else []
    return any(holds(member, wanted) for member in members)


@given(st.dictionaries(KEYS, STATES, max_size=4), st.dictionaries(KEYS, CHANGES, max_size=4))
@example({"a": {"b": 1}}, {"a": {"b": None}})
@example({"a": 1}, {"a": 1.0})
@example({"a": True}, {"a": 1})
@example({}, {"b": {"a": 1}, "1": 2})
def test_as_merge_has_it(state: dict[str, Json], patch: dict[str, Json]) -> None:
    before = json.dumps([state, patch])
    found = graft(state, patch)
    assert json.dumps([state, patch]) == before
    if found is None:
        return
    merged = merge(state, patch)
    assert json.dumps(found) == json.dumps(merged.value)
    assert (found is state) == (merged.value is state)
    for key, value in found.items():
        assert (value is state.get(key)) == (merged.value[key] is state.get(key)) or value in (0, 1, "", "x", [])
    if not holds(state, {}):
        assert not any(holds(member, {}) for member in found.values())
    assert not holds(found, None) or holds(state, None)


@pytest.mark.parametrize(
    ("state", "patch"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}, "d": {"e": {"f": "x"}}}),
        ({"a": [1]}, {"a": [1, 2]}),
        ({"a": 1}, {"a": "x", "z": None}),
        ({"a": {"[0]": 1}}, {"a": {"[0]": 2}}),
    ],
)
def test_what_most_patches_do_is_done(state: JsonObject, patch: JsonObject) -> None:
    assert graft(state, patch) == merge(state, patch).value


@pytest.mark.parametrize(
    ("state", "patch"),
    [
        ({"a": [1]}, {"a": {"[0]": 2}}),
        ({"a": 1}, {"a": {"b": 2}}),
        ({"a": {"b": 1}}, {"a": {"b": None}}),
        ({"a": 1}, {"a": None}),
        ({}, {"a": {"b": None}}),
        ({}, {"a": {}}),
        ({}, {"a": [None]}),
        ({}, {"a": [[1]]}),
        ({}, {"7": 1}),
    ],
)
def test_what_needs_a_second_look_is_left(state: JsonObject, patch: JsonObject) -> None:
    assert graft(state, patch) is None
