"""Values put as a reader of their text has them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.values import Json, decode, encode, graft, merge
from engine.values.ordering import arranged, as_read, settled
from tests.values.strategies import colliding_keys, colliding_values, keys, values

objects = st.dictionaries(keys, values, max_size=4) | st.dictionaries(colliding_keys, colliding_values, max_size=4)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": 2}, '{"a": 2, "b": 1}'),
        ({"10": 1, "x": 0, "9": 2}, '{"9": 2, "10": 1, "x": 0}'),
        ({"a": [{"z": 1.0, "b": -0.0}]}, '{"a": [{"b": 0, "z": 1}]}'),
    ],
)
def test_settled(value: dict[str, Json], text: str) -> None:
    assert json.dumps(settled(value)) == text
    assert json.dumps(as_read(value, encode(value))) == text


def test_what_is_in_order_stays_the_same_object() -> None:
    inner: Json = {"a": 1, "b": [1, "x"]}
    value: Json = {"k": inner, "z": {"y": 1, "b": 2}}
    assert arranged(value, {"k": {"b": [1, "x"]}}) is value
    assert as_read({"k": inner}, encode({"k": inner})) == {"k": inner}


def test_only_what_the_patch_points_at_is_arranged() -> None:
    value: Json = {"out": {"y": 1, "b": 2}, "in": {"n": 1, "c": 2}}
    assert json.dumps(arranged(value, {"in": {"c": 2}})) == '{"in": {"c": 2, "n": 1}, "out": {"y": 1, "b": 2}}'


@given(objects, objects)
def test_arranging_what_was_put_into_an_ordered_value_orders_it(base: dict[str, Json], patch: dict[str, Json]) -> None:
    known = settled(base)
    change = decode(encode(patch)).value
    assert isinstance(change, dict)
    try:
        after = merge(known, change).value
    except InvalidRequest:
        return
    assert json.dumps(arranged(after, change)) == json.dumps(settled(after))
    quick = graft(known, change)
    assert quick is None or json.dumps(quick) == json.dumps(after)
