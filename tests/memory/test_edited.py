"""An edited value stages what the person changed in it, and nothing of what others wrote beside it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, PreImage, Put, Remove, Step
from engine.memory.edited import edited
from engine.memory.gathering import add_all, drifted
from engine.values import merge, same

ABSENT = PreImage(exists=False)
PATH = ("lazy", "x")

leaves = st.integers(0, 2) | st.sampled_from(["a", "b"]) | st.lists(st.integers(0, 1), min_size=1, max_size=2)
objects: st.SearchStrategy[Any] = st.recursive(
    st.dictionaries(st.sampled_from("abc"), leaves, min_size=1, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), leaves | inner, min_size=1, max_size=3),
    max_leaves=8,
)


def there(value: Any) -> PreImage:
    return PreImage(exists=True, value=value)


def applied(now: Any, operations: Any) -> Any:
    """What `now` at the path becomes, staged."""
    states: Any = {"global": {}, "cwd": {"lazy": {"x": now}} if now is not None else {}, "session": {}}
    draft = add_all(Draft(), operations)
    compiled = compile_draft(draft, V4, states)
    assert compiled.problems == ()
    after = merge(states["cwd"], compiled.patch.get("cwd", {})).value  # type: ignore[arg-type]
    return after.get("lazy", {}).get("x")  # type: ignore[union-attr]


def states(value: Any) -> Any:
    return {"global": {}, "cwd": {"lazy": {"x": value}}, "session": {}}


def test_each_changed_member_is_a_step_of_its_own() -> None:
    opened: Any = {"keep": 1, "list": [1, 2], "deep": {"a": 1, "b": 2}, "gone": {"x": 1}}
    written: Any = {"keep": 1, "list": [1, 2, 3], "deep": {"a": 1, "b": 3, "c": 4}, "new": {"y": 1}}
    assert edited("cwd", PATH, opened, written, states(opened)) == (
        Put("cwd", (*PATH, "list"), [1, 2, 3], there([1, 2])),
        Put("cwd", (*PATH, "deep", "b"), 3, there(2)),
        Put("cwd", (*PATH, "deep", "c"), 4, ABSENT),
        Remove("cwd", (*PATH, "gone"), there({"x": 1})),
        Put("cwd", (*PATH, "new"), {"y": 1}, ABSENT),
    )


def test_what_is_no_object_on_both_sides_is_set_whole() -> None:
    for opened, written in ((1, 2), ([1], [2]), ({"a": 1}, 5), ("x", {"a": 1}), ([1], {"a": 1})):
        assert edited("cwd", PATH, opened, written, states(opened)) == (Put("cwd", PATH, written, there(opened)),)


def test_in_another_scope_only_the_difference_arrives() -> None:
    opened: Any = {"log": 1, "next": {"a": 1, "b": 2}}
    written: Any = {"log": 1, "next": {"a": 5}}
    own: Any = {"goal": "g", "plan": "p", "next": {"b": 7, "c": 8}}
    assert applied(own, edited("cwd", PATH, opened, written, states(own))) == {
        "goal": "g",
        "plan": "p",
        "next": {"a": 5, "c": 8},
    }
    assert edited("cwd", PATH, opened, opened, states(own)) == ()


def test_where_something_else_stands_it_cannot_be_put_into_that() -> None:
    opened: Any = {"deep": {"a": 1}, "b": 1}
    written: Any = {"deep": {"a": 2}, "b": 1}
    assert edited("cwd", PATH, opened, written, states({"deep": "text"})) == (
        Put("cwd", (*PATH, "deep"), {"a": 2}, there("text")),
    )


@given(objects, objects)
def test_unchanged_underneath_it_comes_to_what_was_written(opened: Any, written: Any) -> None:
    assert same(applied(opened, edited("cwd", PATH, opened, written, states(opened))), written)


@given(objects, objects)
def test_unchanged_text_stages_nothing_whatever_stands_there(opened: Any, other: Any) -> None:
    assert edited("cwd", PATH, opened, opened, states(other)) == ()


@given(objects, objects, objects)
def test_what_another_writer_made_of_other_members_is_kept(opened: Any, written: Any, others: Any) -> None:
    beside = {key: value for key, value in others.items() if same_at(opened, written, key)}
    theirs = {**opened, **beside}
    operations = edited("cwd", PATH, opened, written, states(opened))
    assert drifted(Draft(tuple(Step(one) for one in operations)), states(theirs)) == ()
    assert same(applied(theirs, operations), {**written, **beside})


def same_at(one: Any, other: Any, key: str) -> bool:
    return (key in one) == (key in other) and (key not in one or same(one[key], other[key]))


def test_the_same_key_changed_on_both_sides_drifts_and_no_other_does() -> None:
    opened: Any = {"shell": "sh", "pager": "off", "editor": "vi"}
    theirs = {"shell": "sh", "pager": "less", "editor": "vi"}
    mine = edited("cwd", PATH, opened, {**opened, "x": 1}, states(opened))
    assert drifted(Draft(tuple(Step(one) for one in mine)), states(theirs)) == ()
    assert applied(theirs, mine) == {**theirs, "x": 1}
    both = edited("cwd", PATH, opened, {**opened, "pager": "more", "x": 1}, states(opened))
    (found,) = drifted(Draft(tuple(Step(one) for one in both)), states(theirs))
    assert (found.path, found.before, found.now) == ((*PATH, "pager"), there("off"), there("less"))
