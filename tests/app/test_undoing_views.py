"""What is undone from a row: its own part of a change and no other."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.patching import stage
from engine.memory.stream import Boundary
from engine.memory.undo import Undo, Undone, inverse, undo_draft
from engine.store.snapshot import snapshot
from engine.values import get, has, same
from sftui.views.blaming import last_change, touching
from sftui.views.changes import KEPT_LINES
from sftui.views.details import details
from sftui.views.picture import Picture, look
from sftui.views.undoing import Part, in_tails, narrowed, newest_first, told
from tests.app.stores import begin
from tests.memory.owning import KEYS, contents, plane_changes

HERE = Boundary("b", 3, "a")


def part(net: Any, back: Any, *, revision: int = 1, boundary: Boundary = HERE) -> Part:
    return Part("cwd-key", boundary, revision, Undone("cwd", f"c{revision}", net, back))


def test_a_patch_touches_what_is_above_and_below_it() -> None:
    patch: Any = {"lazy": {"a": {"b": None}, "list": [1]}, "tactics": None}
    for path in [
        ("lazy",),
        ("lazy", "a"),
        ("lazy", "a", "b"),
        ("lazy", "a", "b", "c"),
        ("lazy", "list", 3),
        ("tactics", "x"),
    ]:
        assert touching(patch, path) is not None, path
    for path in [("strategy",), ("lazy", "c"), ("lazy", "a", "c")]:
        assert touching(patch, path) is None, path


def test_a_row_has_its_own_part_of_a_change_or_the_whole_that_was_recorded_above_it() -> None:
    whole = part(
        {"lazy": {"a": {"x": 1, "y": 2}, "b": None, "list": [1]}, "tactics": {"t": 3}},
        {"lazy": {"a": {"x": 0, "y": None}, "b": 5, "list": [1, 2]}, "tactics": None},
    )
    found = narrowed(whole, ("lazy", "a", "x"))
    assert found is not None and found.undone.net == {"lazy": {"a": {"x": 1}}}
    assert found.undone.inverse == {"lazy": {"a": {"x": 0}}}
    at_list = narrowed(whole, ("lazy", "list", 1))
    assert at_list is not None and at_list.undone.inverse == {"lazy": {"list": [1, 2]}}
    plane = narrowed(whole, ("tactics", "t"))
    assert plane is not None and plane.undone.inverse == {"tactics": {"t": None}}, (
        "the plane came as a whole, the row alone goes"
    )
    assert narrowed(whole, ("lazy", "c")) is None
    assert narrowed(whole, ("strategy",)) is None


def test_the_newest_is_undone_first_and_each_once() -> None:
    one, two = (
        part({"lazy": 1}, {"lazy": 2}),
        part({"lazy": 3}, {"lazy": 1}, revision=2, boundary=Boundary("c", 4, "b")),
    )
    assert newest_first((one, two, one)) == (two, one)


planes = st.dictionaries(st.sampled_from(KEYS), contents, max_size=3)


@given(planes, plane_changes, st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS)))
def test_undoing_a_row_brings_it_back_and_leaves_the_rest(lazy: Any, change: Any, row: tuple[str, str]) -> None:
    before: Any = stage(V4, {"cwd": {}}, {"cwd": {"lazy": lazy}}).after["cwd"]
    try:
        staged = stage(V4, {"cwd": before}, {"cwd": {"lazy": change}})
    except EngineError:
        return  # such a change is never accepted
    net = staged.net.get("cwd")
    after: Any = staged.after["cwd"]
    path = ("lazy", *row)
    found = None if net is None else narrowed(part(net, inverse("cwd", before, after, net)), path)
    if found is None:
        assert same(get(before, path, None), get(after, path, None))
        return
    undo = undo_draft(V4, [found.undone], {"cwd": after})
    patch = compile_draft(undo.draft, V4, {"cwd": after}).patch
    back: Any = stage(V4, {"cwd": after}, patch).after["cwd"] if patch else after
    assert has(back, path) == has(before, path)
    assert same(get(back, path, None), get(before, path, None))
    for other in KEYS:
        if other != row[0]:
            beside = ("lazy", other)
            assert same(get(back, beside, None), get(after, beside, None))


def test_a_row_that_a_large_change_touched_is_found_beyond_the_lines_that_are_kept(tmp_path: Any) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {"lazy": {"a": 1}}})
    many = {f"k{number:03}": number for number in range(KEPT_LINES + 50)}
    store.patch(cwd={"lazy": many})
    store.patch(cwd={"tactics": {"x": 1}})
    picture = look(Picture(), snapshot(store.address), "live", 0.0, pinned=True, sightings={})
    entry = last_change(picture, "cwd", ("lazy", f"k{KEPT_LINES + 40}"))
    assert entry is not None and entry.short == "c1" and entry.more
    assert last_change(picture, "effective", ("lazy", f"k{KEPT_LINES + 40}")) == entry
    assert last_change(picture, "session", ("lazy", f"k{KEPT_LINES + 40}")) is None
    assert last_change(picture, "cwd", ("lazy", "a")) is None
    # Details say the same of it.
    facts = dict(details(picture, "cwd", ("lazy", f"k{KEPT_LINES + 40}")).facts)
    assert facts["last change"].startswith("in c1")
    assert picture.snapshot is not None
    (found,) = in_tails(picture.snapshot, entry.boundary)
    assert found.revision == 1 and found.undone.label == "c1"
    assert found.undone.inverse == {"lazy": dict.fromkeys(many)}


def test_what_is_said_of_an_undo() -> None:
    states: Any = {"cwd": {"lazy": {"a": 2, "b": 2}}}
    undone = Undone("cwd", "c1", {"lazy": {"a": 2, "b": 1}}, {"lazy": {"a": 1, "b": 0}})
    some = undo_draft(V4, [undone], states)
    assert told(some, "c1") == (
        "The undo of c1 is in the draft: 2 steps; p reviews it. 1 not ticked: changed since",
        True,
    )
    nothing = undo_draft(V4, [Undone("cwd", "c1", {"lazy": {"a": 1}}, {"lazy": {"a": 2}})], states)
    assert told(nothing, "c1") == ("Nothing of c1 is left to undo: what stood before it stands there now", False)
    none = undo_draft(V4, [Undone("cwd", "c1", {"lazy": {"b": 1}}, {"lazy": {"b": 0}})], states)
    assert told(none, "c1") == ("c1: everything it touched has changed since; 1 step in the draft, none ticked", True)
    many = Undo(nothing.draft, tuple(f"c1: {number}" for number in range(5)))
    assert told(many, "c1") == ("c1 cannot be undone. Not undone: c1: 0; c1: 1; c1: 2; and 2 more", True)
