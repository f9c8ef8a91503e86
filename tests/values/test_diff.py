"""Net patches replay to exactly what they were taken from; changes name the smallest places."""

from __future__ import annotations

import pytest
from hypothesis import given

from engine.errors import InvalidRequest
from engine.values import Change, Json, JsonObject, changes, merge, net_patch, same, trie
from tests.values import reference
from tests.values.strategies import patches, states, tidy_states, values


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ({}, {}, {}),
        ({"a": 1}, {"a": 1.0}, {}),
        ({"a": 0}, {"a": -0.0}, {}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({"a": 1, "b": {"c": 2}}, {"b": {"c": 2}}, {"a": None}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {}}}, {"a": {"b": {"c": None}}}),
        ({"a": [1, 2, 3]}, {"a": [1, 9, 3]}, {"a": [1, 9, 3]}),
        ({"a": [1]}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": 1}, {"a": {}}, {"a": {}}),
        ({"a": {"b": 1}}, {"a": "x"}, {"a": "x"}),
    ],
)
def test_hand_worked(before: JsonObject, after: JsonObject, patch: JsonObject) -> None:
    assert net_patch(before, after) == patch


@given(tidy_states, tidy_states)
def test_a_net_patch_leads_from_one_state_to_the_other(before: dict[str, Json], after: dict[str, Json]) -> None:
    patch = net_patch(before, after)
    found = merge(before, patch)
    assert reference.equal(found.value, after)
    assert found.missing == ()


@given(states, patches)
def test_looking_only_where_it_was_touched_finds_the_same(state: dict[str, Json], patch: dict[str, Json]) -> None:
    try:
        found = merge(state, patch)
    except InvalidRequest:
        return
    assert reference.equal(net_patch(state, found.value, touched=found.touched), net_patch(state, found.value))


def test_with_touched_paths_nothing_else_is_looked_at() -> None:
    assert net_patch({"a": 1, "b": 1}, {"a": 2, "b": 2}, touched=trie([("a",)])) == {"a": 2}
    assert net_patch({"a": 1}, {"a": 2}, touched={}) == {}


@given(values, values)
def test_changes_are_the_smallest_places(before: Json, after: Json) -> None:
    found = changes(before, after)
    assert {change.path for change in found} == reference.differences(before, after)
    assert len({change.path for change in found}) == len(found)


def test_each_change_tells_both_sides() -> None:
    assert changes({"a": [1, 2], "b": 1, "c": None}, {"a": [1, 3, 4], "c": 0, "d": {}}) == (
        Change(("a", 1), "changed", 2, 3),
        Change(("a", 2), "added", None, 4),
        Change(("b",), "removed", 1, None),
        Change(("c",), "changed", None, 0),
        Change(("d",), "added", None, {}),
    )


@given(values, values)
def test_equality_is_that_of_the_text(a: Json, b: Json) -> None:
    assert same(a, a)
    assert same(a, b) == reference.equal(a, b)
