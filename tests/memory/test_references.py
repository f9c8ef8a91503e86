from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.collation import collation_key
from engine.memory.dialect import V2, V4
from engine.memory.references import Mention, anchor, find, owners, relative, relative_path
from engine.memory.selectors import Range, Selector, parse, try_parse


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("working", Selector("effective", None, ("working",), flat=True)),
        ("working[0]", Selector("effective", None, ("working", 0), flat=True)),
        ("effective", Selector("effective", None, ())),
        ("cwd[02].lazy.a[3][1:4].b", Selector("cwd", 2, ("lazy", "a", 3, Range(1, 4), "b"))),
        ("session.lazy.a[0..2]", Selector("session", None, ("lazy", "a", Range(0, 2)))),
        ("global.anything", Selector("global", None, ("anything",))),
        ("cwd.$a-b", Selector("cwd", None, ("$a-b",))),
    ],
)
def test_a_path_is_taken_apart(text: str, selector: Selector) -> None:
    assert parse(V2, text) == selector
    canonical = text.replace("[02]", "[2]").replace("..", ":")
    assert selector.text() == canonical


def test_a_plane_is_a_root_only_in_its_dialect() -> None:
    assert try_parse(V2, "tactics.a") is None
    assert try_parse(V4, "tactics.a") == Selector("effective", None, ("tactics", "a"), flat=True)


def test_a_number_is_read_up_to_any_sensible_length() -> None:
    assert parse(V2, "working.a[" + "9" * 600 + "]").steps[-1] == 10**600 - 1
    assert parse(V2, "working.a[" + "0" * 599 + "7]").steps[-1] == 7
    with pytest.raises(InvalidRequest, match="not a path"):
        parse(V2, "working.a[" + "9" * 6000 + "]")


def test_mentions_are_found_where_they_stand() -> None:
    value: Any = {
        "a": [{"$ref": "cwd.lazy.x", "also": "see $working.y, and $effective.lazy.z[0:2]."}],
        "b": "no $ here",
        "c": {"$ref": 5},
    }
    assert list(find(value, ("working",))) == [
        Mention(("working", "a", 0), "cwd.lazy.x", structured=True),
        Mention(("working", "a", 0, "also"), "working.y", structured=False),
        Mention(("working", "a", 0, "also"), "effective.lazy.z[0:2]", structured=False),
    ]


def test_owners_stop_at_three() -> None:
    state: Any = {"working": {f"k{n}": {"$ref": "cwd.lazy.gone"} for n in range(5)}}
    found = owners(V2, {"cwd": state}, ["cwd.lazy.gone"])
    assert [owner.path for owner in found.owners] == ["cwd.working.k0", "cwd.working.k1", "cwd.working.k2"]
    assert found.truncated


def test_parts_without_references_are_shared() -> None:
    value: Any = {"a": {"x": [1]}, "b": {"$ref": "lazy.p"}}
    bound: Any = anchor(V2, "cwd", value)
    assert bound == {"a": {"x": [1]}, "b": {"$ref": "cwd.lazy.p"}}
    assert bound["a"] is value["a"]
    assert anchor(V2, "cwd", bound) is bound
    assert relative(V2, "session", bound) is bound


texts = st.sampled_from(
    [
        "lazy.a",
        "lazy",
        "working.b[0]",
        "effective.lazy.a",
        "session.lazy.a",
        "cwd[0].lazy.a",
        "cwd",
        "cwd.strange.a",
        "x",
        "",
        "lazy.a b",
    ]
)
trees: st.SearchStrategy[Any] = st.recursive(
    st.integers(0, 2) | texts | texts.map(lambda text: {"$ref": text}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "$ref", "b"]), inner, max_size=3),
    max_leaves=8,
)


@given(trees)
def test_what_was_anchored_is_shown_as_it_was_written(value: Any) -> None:
    assert relative(V2, "cwd", anchor(V2, "cwd", value)) == value


def test_relative_paths_lose_the_owner_before_a_plane_alone() -> None:
    assert relative_path(V2, "cwd", "cwd.lazy.a[0]") == "lazy.a[0]"
    assert relative_path(V2, "cwd", "cwd.lazy[0]") == "lazy[0]"
    assert relative_path(V2, "cwd", "session.lazy.a") == "session.lazy.a"
    assert relative_path(V2, "cwd", "cwd.extra.a") == "cwd.extra.a"


def test_collation_is_that_of_a_reader() -> None:
    ordered = ["_", "-", ".", "$", "1", "10", "2", "a", "A", "á", "ab", "b", "B", "Z", "zé", "日"]
    assert sorted(set(ordered), key=collation_key) == ordered
    assert sorted(["e", "é", "f", "E"], key=collation_key) == ["e", "E", "é", "f"]
