"""Which element is meant after its array has become another one: told by what it holds, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from sftui.views.tracing import traced


@pytest.mark.parametrize(
    ("old", "index", "new", "place"),
    [
        (["a", "b", "c"], 1, ["a", "b", "c"], 1),
        (["a", "b", "c"], 1, ["x", "a", "b", "c"], 2),
        (["a", "b", "c"], 1, ["b", "c"], 0),
        (["a", "b", "c"], 1, ["c", "b", "a"], 1),
        (["a", "b", "c"], 1, ["a", "c"], None),
        (["a", "b", "c"], 1, ["a", "other", "c"], 1),
        (["a", "b", "c"], 1, ["x", "other", "c"], None),
        # Of two that are alike nobody knows which one has gone, or which one has come.
        (["s", "s", "last"], 1, ["s", "last"], None),
        (["s", "last"], 0, ["s", "s", "last"], None),
        (["s", "s", "last"], 1, ["x", "s", "s", "last"], 2),
        (["s", "s", "last"], 1, ["s", "s", "x", "last"], 1),
        (["s", "s"], 1, ["s", "s", "s"], 1),
        (["s", "x", "s"], 2, ["x", "s", "s"], 2),
        (["s", "x", "s"], 0, ["x", "s", "s"], None),
        # A number is no flag.
        ([1, True], 0, [True, 1], 1),
    ],
)
def test_an_element_is_where_what_it_held_is(old: list[Any], index: int, new: list[Any], place: int | None) -> None:
    found = traced({"k": old}, {"k": new}, ("k", index))
    assert found == (None if place is None else ("k", place))


def test_what_is_inside_an_element_goes_with_it() -> None:
    was: dict[str, Any] = {"k": [{"state": "open", "name": 1}, {"state": "open", "name": 2}]}
    now: dict[str, Any] = {"k": [{"state": "open", "name": 0}, *was["k"]]}
    assert traced(was, now, ("k", 1, "state")) == ("k", 2, "state")
    # The same words at the same place are of another element.
    assert traced(was, {"k": [now["k"][0], was["k"][0]]}, ("k", 1, "state")) is None


def test_a_path_without_an_element_stays_what_it_is() -> None:
    assert traced({}, {"a": {"b": 1}}, ("a", "b")) == ("a", "b")
    assert traced({"k": [[1, 2], [3]]}, {"k": [[3], [0, 1, 2]]}, ("k", 0, 1)) is None
    assert traced({"k": [[1, 2], [3]]}, {"k": [[3], [1, 2]]}, ("k", 0, 1)) == ("k", 1, 1)
