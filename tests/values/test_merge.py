"""The patch: as recorded, as worked out by hand, and as a second version has it."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given

from engine.errors import InvalidRequest
from engine.values import Json, JsonObject, merge, prune, prune_along, same, trie_paths
from tests.values import reference
from tests.values.strategies import patches, states

HAND_WORKED: list[tuple[str, JsonObject, JsonObject, JsonObject, list[tuple[str, str]]]] = [
    ("null removes an owned key", {"a": 1, "b": 2}, {"a": None}, {"b": 2}, []),
    ("a deletion of nothing is reported", {"a": 1}, {"b": None}, {"a": 1}, [("/b", "/b")]),
    ("deletions create no ancestors", {}, {"a": {"b": {"c": None}}}, {}, [("/a/b/c", "/a")]),
    ("an empty object creates one", {}, {"a": {"b": {}}}, {"a": {"b": {}}}, []),
    ("an empty object leaves an object alone", {"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}, []),
    ("an empty object replaces anything else", {"a": [1], "b": "x"}, {"a": {}, "b": {}}, {"a": {}, "b": {}}, []),
    ("a missed deletion destroys a scalar", {"a": 5}, {"a": {"b": None}}, {"a": {}}, [("/a/b", "/a")]),
    ("slots are patched in place", {"a": [1, {"x": 1}]}, {"a": {"[1]": {"x": 2}}}, {"a": [1, {"x": 2}]}, []),
    ("mixed keys lose the array", {"a": [1]}, {"a": {"[0]": 2, "x": 3}}, {"a": {"[0]": 2, "x": 3}}, []),
    ("an inherited name is never absent", {}, {"valueOf": {"x": None}}, {"valueOf": {}}, [("/valueOf/x", "/valueOf")]),
    ("a null inside of an array stays", {}, {"a": [None, {"b": None}]}, {"a": [None, {"b": None}]}, []),
    ("indexes come first, then in turn", {}, {"b": None, "10": None, "9": None, "a": None}, {}, [
        ("/9", "/9"), ("/10", "/10"), ("/b", "/b"), ("/a", "/a"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "patch", "result", "missing"), [row[1:] for row in HAND_WORKED], ids=[row[0] for row in HAND_WORKED]
)
def test_hand_worked(state: JsonObject, patch: JsonObject, result: JsonObject, missing: list[tuple[str, str]]) -> None:
    found = merge(state, patch)
    assert same(found.value, result)
    assert [(miss.path, miss.unavailable) for miss in found.missing] == missing


@pytest.mark.parametrize(
    ("state", "patch", "place"),
    [
        ({"a": [1]}, {"a": {"[1]": 2}}, "/a/[1]"),
        ({"a": [1]}, {"a": {"[0]": None}}, "/a/[0]"),
        ({"a": []}, {"a": {"[0]": 2}}, "/a/[0]"),
        ({"a": [[1]]}, {"a": {"[0]": {"[99999999999999999999999]": 2}}}, "/a/0/[99999999999999999999999]"),
    ],
)
def test_a_slot_must_exist_and_cannot_be_removed(state: JsonObject, patch: JsonObject, place: str) -> None:
    before = copy.deepcopy(state)
    with pytest.raises(InvalidRequest) as caught:
        merge(state, patch)
    assert (caught.value.code, caught.value.path) == ("patch-rejected", place)
    assert state == before


@pytest.mark.parametrize(
    ("state", "patch", "warning"),
    [
        ({"a": [1]}, {"a": {"[0]": 2, "x": 3}}, ("array-lost", "/a")),
        ({"a": {"b": 5}}, {"a": {"b": {"c": None}}}, ("scalar-lost", "/a/b")),
        ({"a": [1]}, {"a": {"x": {"y": None}}}, ("array-lost", "/a")),
        ({"a": [[1], 7]}, {"a": {"[1]": {"x": None}}}, ("scalar-lost", "/a/1")),
        ({"a": [1]}, {"a": {"[00]": 2}}, ("array-lost", "/a")),
        ({"a": [1]}, {"a": {"[-1]": 2}}, ("array-lost", "/a")),
        ({"a": [1]}, {"a": {}}, ("array-lost", "/a")),
        ({"a": {"b": 5}}, {"a": {"b": {"c": {}, "d": None}}}, ("scalar-lost", "/a/b")),
    ],
)
def test_a_surprising_result_carries_a_warning(state: JsonObject, patch: JsonObject, warning: tuple[str, str]) -> None:
    assert [(found.code, found.path) for found in merge(state, patch).warnings] == [warning]


@pytest.mark.parametrize("patch", [{"a": {"[0]": 2}}, {"a": {"x": 1}}, {"a": [2]}, {"b": 1}])
def test_an_ordinary_result_carries_none(patch: JsonObject) -> None:
    assert merge({"a": [1]}, patch).warnings == ()


@given(states, patches)
def test_as_a_second_version_has_it(state: dict[str, Json], patch: dict[str, Json]) -> None:
    before = copy.deepcopy((state, patch))
    try:
        expected, missing = reference.merged(state, patch)
    except reference.Refused:
        with pytest.raises(InvalidRequest):
            merge(state, patch)
    else:
        found = merge(state, patch)
        assert reference.equal(found.value, expected)
        assert [(miss.path, miss.unavailable) for miss in found.missing] == missing
    assert (state, patch) == before


@given(states, patches)
def test_a_repeat_changes_nothing_and_says_so_by_identity(state: dict[str, Json], patch: dict[str, Json]) -> None:
    try:
        once = merge(state, patch).value
        twice = merge(once, patch)
    except InvalidRequest:
        return
    if same(once, twice.value):
        assert twice.value is once
        assert twice.touched == {}


@given(states, patches)
def test_all_that_changed_lies_at_or_below_a_touched_path(state: dict[str, Json], patch: dict[str, Json]) -> None:
    try:
        found = merge(state, patch)
    except InvalidRequest:
        return
    touched = trie_paths(found.touched)
    for path in reference.differences(state, found.value):
        assert any(path[: len(end)] == end for end in touched)


@given(states, patches)
def test_what_is_not_touched_is_shared(state: dict[str, Json], patch: dict[str, Json]) -> None:
    try:
        found = merge(state, patch)
    except InvalidRequest:
        return
    for key, value in state.items():
        if key not in patch:
            assert found.value[key] is value


@given(states, patches)
def test_pruning_as_a_second_version_has_it(state: dict[str, Json], patch: dict[str, Json]) -> None:
    tidy = prune(state)
    assert reference.equal(tidy, reference.pruned(state))
    assert prune(tidy) is tidy
    assert isinstance(tidy, dict)
    try:
        found = merge(tidy, patch)
    except InvalidRequest:
        return
    assert reference.equal(prune_along(found.value, found.touched), reference.pruned(found.value))
