"""A draft over memory as one tree: what goes stays in its place, what comes is there, signs tell which is which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.values import get, has, is_object, net_patch, same, trie
from sftui.views.aligning import aligned
from sftui.views.elements import GONE, Followed
from sftui.views.kinds import Path
from sftui.views.overlaid import Overlaid

SCALARS = st.sampled_from(["a", "b", 1, 2, True, "1"])
JSON: Any = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
OBJECTS: Any = st.dictionaries(st.sampled_from("pq"), JSON, max_size=2)


def rows(over: Overlaid, path: Path = ()) -> Iterator[Path]:
    for child in over.children(path):
        yield child
        yield from rows(over, child)


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    inside = value.items() if is_object(value) else enumerate(value) if isinstance(value, list) else ()
    for key, member in inside:
        yield (*path, key)
        yield from places(member, (*path, key))


@given(st.lists(SCALARS, max_size=8), st.lists(SCALARS, max_size=8))
def test_every_element_is_lined_up_once_and_in_order(before: list[Any], after: list[Any]) -> None:
    pairs = aligned(before, after)
    assert [old for old, _ in pairs if old is not None] == list(range(len(before)))
    assert [new for _, new in pairs if new is not None] == list(range(len(after)))


@given(st.lists(st.integers(), unique=True, max_size=9), st.data())
def test_what_stays_in_an_array_is_found_again(before: list[int], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(before))) if before else set()
    after = [item for item in before if item not in gone]
    kept = [(old, new) for old, new in aligned(before, after) if old is not None and new is not None]
    assert [(before[old], after[new]) for old, new in kept] == [(item, item) for item in after]


@given(OBJECTS, OBJECTS)
def test_all_that_will_be_there_has_its_row_and_what_goes_keeps_one(before: Any, after: Any) -> None:
    over = Overlaid(before, after, None)
    shown = list(rows(over))
    assert len(set(shown)) == len(shown)
    assert {path for path in shown if over.stays(path)} == set(places(after))
    for path in shown:
        if over.stays(path):
            assert same(over.value(path), get(after, path))
        place = over.place_before(path)
        if place is None:
            assert over.sign(path) == "+"
        else:
            assert has(before, place)
            if not over.stays(path):
                assert over.sign(path) == "-"
                assert same(over.value(path), get(before, place))


@given(OBJECTS, OBJECTS)
def test_signs_stand_where_something_differs_and_nowhere_else(before: Any, after: Any) -> None:
    over = Overlaid(before, after, None)
    assert (not over.signs) == same(before, after)
    for path in rows(over):
        place = over.place_before(path)
        if not over.sign(path) and path not in over.above:
            assert place is not None
            assert same(get(before, place), get(after, path))
        elif over.sign(path) == "~":
            assert place is not None
            assert not same(get(before, place), get(after, path))


@given(OBJECTS, OBJECTS)
def test_looking_only_where_the_record_points_finds_the_same(before: Any, after: Any) -> None:
    net = net_patch(before, after)
    touched = trie(path for path in places(net) if not is_object(get(net, path)) or not get(net, path))
    assert Overlaid(before, after, touched).signs == Overlaid(before, after, None).signs


def test_an_element_that_goes_stays_where_it_was() -> None:
    over = Overlaid({"p": ["a", "b", "c"]}, {"p": ["a", "c"]}, None)
    assert over.children(("p",)) == [("p", 0), ("p", ~1), ("p", 1)]
    assert [over.value(path) for path in over.children(("p",))] == ["a", "b", "c"]
    assert [over.sign(path) for path in (("p",), *over.children(("p",)))] == ["~", "", "-", ""]
    assert over.place_before(("p", 1)) == ("p", 2)
    assert over.place_before(("p", ~1)) == ("p", 1)


def test_a_change_inside_an_element_is_found_in_it() -> None:
    over = Overlaid({"p": [{"x": 1, "y": 2}, "b"]}, {"p": [{"x": 1, "y": 3}, "b"]}, None)
    assert over.signs == {("p",): "~", ("p", 0): "~", ("p", 0, "y"): "~"}
    assert over.sides(("p", 0, "y")) == (2, 3)


def test_what_a_cascade_takes_has_a_sign_of_its_own() -> None:
    before: Any = {"tactics": {"mine": 1, "owned": {"deep": 1}}}
    over = Overlaid(before, {"tactics": {}}, None, frozenset({("tactics", "owned")}))
    assert over.signs == {("tactics", "mine"): "-", ("tactics", "owned"): "×"}
    assert over.sign(("tactics", "owned", "deep")) == "×"


class Plain:
    """The rows of one value."""

    def __init__(self, root: Any) -> None:
        self.root = root

    def elements(self, path: Path) -> tuple[range, Any]:
        value: Any = get(self.root, path)
        return range(len(value)), value

    def token(self, path: Path) -> object:
        return get(self.root, path, None)


@pytest.mark.parametrize(
    ("before", "after", "row", "there"),
    [
        (["a", "b"], ["new", "a", "b"], ("p", 1), ("p", 2)),
        (["a", "b"], ["b"], ("p", 1), ("p", 0)),
        (["a", "b"], ["b"], ("p", 0), ("p", GONE)),
        (["a", "b"], ["a", "x"], ("p", 1), ("p", 1)),  # changed in its place
        (["a", "b", "c"], ["x"], ("p", 1), ("p", GONE)),  # nobody knows which became which
        ([{"k": 1}, {"k": 2}], [{"k": 0}, {"k": 1}, {"k": 2}], ("p", 1, "k"), ("p", 2, "k")),
        ([["a"], ["b"]], [["b", "c"]], ("p", 1, 0), ("p", GONE, 0)),
    ],
)
def test_an_element_is_followed_by_what_it_holds(before: list[Any], after: list[Any], row: Path, there: Path) -> None:
    assert Followed(Plain({"p": before}), Plain({"p": after}))(row) == there


def test_of_a_long_array_all_but_what_went_is_followed() -> None:
    items = [f"item {number}" for number in range(20_000)]
    follow = Followed(Plain({"p": items}), Plain({"p": items[:500] + items[501:]}))
    assert [follow(("p", index))[1] for index in (0, 499, 500, 501, 19_999)] == [0, 499, GONE, 500, 19_998]


def test_an_unchanged_array_is_not_lined_up() -> None:
    shared = ["a"] * 5_000
    assert Followed(Plain({"p": shared, "q": 1}), Plain({"p": shared, "q": 2}))(("p", 4_999)) == ("p", 4_999)
