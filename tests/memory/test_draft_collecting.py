"""Edits of elements, in whatever order they are left out, dropped or overtaken: no other element is touched.

Elements are counted by what they hold, and several hold the same.
"""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.collecting import collect, superseding, ticking
from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Operation, PreImage, Put, Raw, Remove, Step, Transfer
from engine.memory.gathering import drifted, in_arrays, meeting, pre_image, raw
from engine.memory.patching import stage
from engine.memory.pursuit import followed
from engine.memory.scope import SCOPES
from engine.records import replace
from engine.values import KeyPath, same
from tests.memory.draft_reference import LongWay
from tests.memory.drafting import Chance, chances

AT: KeyPath = ("lazy", "list")
ABSENT = PreImage(exists=False)


def there(value: Any) -> PreImage:
    return PreImage(exists=True, value=value)


def listed(items: Any, **more: Any) -> Any:
    return {"cwd": {"lazy": {"list": items, "keep": 1, **more}}}


def after(draft: Draft, states: Any) -> Any:
    compiled = compile_draft(draft, V4, states)
    assert compiled.problems == (), compiled.problems
    return stage(V4, states, compiled.patch).after["cwd"].get("lazy", {})


def remove(index: int, *below: str | int) -> Remove:
    return Remove("cwd", (*AT, index, *below), there("?"))


def put(index: int, value: Any, *below: str | int) -> Put:
    return Put("cwd", (*AT, index, *below), value, there("?"))


def away(index: int, name: str = "apart", *, keep: bool = False) -> Transfer:
    return Transfer("cwd", (*AT, index), "cwd", ("lazy", name), there("?"), ABSENT, keep=keep)


def gathered(states: Any, *edits: Operation) -> Draft:
    draft = Draft()
    for edit in edits:
        draft = collect(draft, [edit], states, V4)
    return draft


LETTERS = listed(list("abcdef"))


@pytest.mark.parametrize(
    ("edits", "left"),
    [
        ([remove(1), remove(2)], list("acef")),
        ([remove(0), put(0, "bX")], ["bX", *"cdef"]),
        ([remove(1), remove(1)], list("adef")),
        ([put(4, "E"), remove(0), put(3, "E2")], ["b", "c", "d", "E2", "f"]),
        ([put(6, "g"), remove(6), remove(5)], list("abcde")),
        ([put(6, "g"), put(6, "G")], [*"abcdef", "G"]),
    ],
)
def test_edits_that_get_in_each_others_way_are_one(edits: list[Operation], left: list[Any]) -> None:
    draft = gathered(LETTERS, *edits)
    assert len(draft.steps) == 1
    assert after(draft, LETTERS)["list"] == left
    before = pre_image(LETTERS, "cwd", AT)
    assert drifted(draft, LETTERS) == ()
    assert [(one.path, one.before) for one in drifted(draft, listed([*"abcXef"]))] == [(AT, before)]


def test_edits_of_one_array_that_do_not_meet_stay_apart() -> None:
    draft = gathered(LETTERS, put(0, "A"), put(3, "D"), put(0, "AA"))
    assert [step.operation.path for step in draft.steps] == [(*AT, 0), (*AT, 3)]  # type: ignore[union-attr]
    assert after(draft.ticking(0, False), LETTERS)["list"] == ["a", "b", "c", "D", "e", "f"]
    assert after(draft.without(1), LETTERS)["list"] == ["AA", *"bcdef"]


def test_what_comes_to_nothing_is_no_step() -> None:
    assert gathered(LETTERS, remove(1), Put("cwd", AT, list("abcdef"), pre_image(LETTERS, "cwd", AT))).steps == ()
    assert gathered(LETTERS, put(6, "g"), remove(6)).steps == ()
    assert gathered(LETTERS, remove(5), put(5, "f")).steps == ()


def test_marked_elements_are_deleted_at_once() -> None:
    draft = collect(Draft(), [remove(4), remove(2), remove(1)], LETTERS, V4)
    assert [step.operation for step in draft.steps] == [Put("cwd", AT, list("adf"), there(list("abcdef")))]


def test_an_array_in_what_is_set_is_edited_there() -> None:
    whole = Put("cwd", ("lazy", "new"), {"list": ["x", "y"], "k": 1}, ABSENT)
    draft = gathered(LETTERS, whole, Remove("cwd", ("lazy", "new", "list", 0), there("x")))
    assert [step.operation for step in draft.steps] == [Put("cwd", whole.path, {"list": ["y"], "k": 1}, ABSENT)]


def test_a_move_among_other_edits_of_its_array_is_told_apart() -> None:
    orders: tuple[tuple[Operation, ...], ...] = ((remove(0), away(0)), (away(1), remove(0)))
    for edits in orders:
        draft = gathered(LETTERS, *edits)
        told = after(draft, LETTERS)
        assert (told["list"], told["apart"]) == (list("cdef"), "b")
        (apart,) = [n for n, step in enumerate(draft.steps) if step.operation.path != AT]  # type: ignore[union-attr]
        assert "apart" not in after(draft.ticking(apart, False), LETTERS)
        assert after(draft.without(1 - apart), LETTERS)["list"] == list("abcdef")
    copied = after(gathered(LETTERS, remove(0), away(0, keep=True)), LETTERS)
    assert (copied["list"], copied["apart"]) == (list("bcdef"), "b")


def test_a_copy_of_an_array_is_of_what_edits_before_it_had_left() -> None:
    copy = Transfer("cwd", AT, "cwd", ("lazy", "other"), pre_image(LETTERS, "cwd", AT), ABSENT, keep=True)
    told = after(gathered(LETTERS, remove(0), copy, remove(0)), LETTERS)
    assert told == {"keep": 1, "list": list("cdef"), "other": list("bcdef")}
    told = after(gathered(LETTERS, copy, remove(0), remove(0)), LETTERS)
    assert told == {"keep": 1, "list": list("cdef"), "other": list("abcdef")}


def test_an_element_of_an_array_that_a_move_brought_is_edited_there() -> None:
    move = Transfer("cwd", AT, "cwd", ("lazy", "other"), pre_image(LETTERS, "cwd", AT), ABSENT)
    draft = gathered(LETTERS, move, Remove("cwd", ("lazy", "other", 0), there("a")))
    told = after(draft, LETTERS)
    assert told == {"keep": 1, "other": list("bcdef")}
    assert after(draft.without(0), LETTERS) == {"keep": 1, "list": list("abcdef"), "other": list("bcdef")}


def test_the_part_of_a_patch_that_names_elements_is_one_with_other_edits_of_them() -> None:
    patch: Any = {"cwd": {"lazy": {"list": {"[1]": "B"}, "keep": 2}}}
    draft = gathered(LETTERS, remove(0), raw(LETTERS, patch))
    told = after(draft, LETTERS)
    assert (told["list"], told["keep"]) == (["b", "B", *"def"], 2)
    assert [step.operation.patch for step in draft.steps if isinstance(step.operation, Raw)] == [
        {"cwd": {"lazy": {"keep": 2}}}
    ]
    other = gathered(LETTERS, raw(LETTERS, patch), remove(0))
    told = after(other, LETTERS)
    assert (told["list"], told["keep"]) == (["B", *"cdef"], 2)


def test_nothing_is_left_to_do_in_an_array_that_is_gone() -> None:
    whole = Remove("cwd", AT, pre_image(LETTERS, "cwd", AT))
    assert after(gathered(LETTERS, whole, Remove("cwd", (*AT, 1, "c"), ABSENT)), LETTERS) == {"keep": 1}


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refused:
        gathered(LETTERS, remove(0), put(9, "x"))
    assert refused.value.code == "index-out-of-range"


def test_of_two_steps_that_cannot_stand_beside_each_other_one_is_left_out() -> None:
    draft = gathered(LETTERS, remove(1)).ticking(0, False)
    draft = gathered_on(draft, LETTERS, remove(3))
    assert [step.ticked for step in draft.steps] == [False, True]
    both, out = ticking(draft, 0, True)
    assert ([step.ticked for step in both.steps], out) == ([True, False], (1,))
    assert after(both, LETTERS)["list"] == list("acdef")
    assert ticking(draft, 0, False) == (draft, ())


def gathered_on(draft: Draft, states: Any, *edits: Operation) -> Draft:
    for edit in edits:
        draft = collect(draft, [edit], states, V4)
    return draft


def test_an_edit_made_in_view_of_another_array_still_drifts_once_it_is_one_with_others() -> None:
    now = listed(["new", *"abcdef"])
    draft = gathered_on(gathered(LETTERS, remove(1)), now, remove(0))
    assert [(one.path, one.before.value) for one in drifted(draft, now)] == [(AT, list("abcdef"))]


def test_an_undo_says_what_it_takes_the_place_of() -> None:
    own = gathered(LETTERS, remove(1), Put("cwd", ("lazy", "keep"), 5, there(1)))
    undo = Draft((Step(Put("cwd", AT, list("abc"), there(list("abcdef"))), note="undo of g3"),))
    left, newer = superseding(own, undo)
    assert [step.operation.path for step in left.steps] == [("lazy", "keep")]  # type: ignore[union-attr]
    assert newer.steps[0].note == "undo of g3; takes the place of the draft's cwd.lazy.list[1]"
    assert superseding(left, undo) == (left, undo)
    assert superseding(own.ticking(0, False), undo)[0] == own.ticking(0, False)


def test_drafts_that_change_one_array_meet() -> None:
    one, other = gathered(LETTERS, remove(1)), gathered(LETTERS, put(4, "E"))
    assert meeting(one, other) == ("cwd", (*AT, 4))
    assert meeting(gathered(LETTERS, put(1, "B")), other) is None
    assert meeting(one, gathered(LETTERS, Put("cwd", ("lazy", "keep"), 2, there(1)))) is None
    assert meeting(one, Draft()) is None


@pytest.mark.parametrize(
    ("was", "now", "index", "place"),
    [
        ("abc", "nabc", 1, 2),
        ("abc", "bc", 1, 0),
        ("abc", "ac", 1, None),
        ("abb", "nabb", 1, None),
        ("abb", "ab", 1, None),
        ("ab", "bab", 1, None),
        ("abc", "nabc", 3, 4),
    ],
)
def test_an_element_is_followed_where_it_alone_holds_what_it_held(
    was: str, now: str, index: int, place: int | None
) -> None:
    found = followed(in_arrays(remove(index), listed(list(was))), "cwd", AT, there(list(now)))
    if place is None:
        assert found is None
    else:
        assert isinstance(found, Remove)
        assert found.path == (*AT, place)
        assert drifted(Draft((Step(found),)), listed(list(now))) == ()


# By chance, against a list of names.


class Rows:
    """What a person sees and edits: elements by name, in the order in which they are shown. Knows nothing of steps."""

    def __init__(self, items: list[Any]) -> None:
        self.items = [dict(item) for item in items]

    def shown(self) -> list[Any]:
        return [dict(item) for item in self.items]


def edit(chance: Random, rows: Rows, fresh: list[int]) -> Operation:
    """One edit of what is shown, carried out on the rows and given as the operation that a screen makes of it."""
    index = chance.randrange(len(rows.items) + 1)
    if index == len(rows.items) or chance.random() < 0.15:
        fresh[0] += 1
        made = {"id": -fresh[0], "v": 0}
        rows.items.append(made)
        return Put("cwd", (*AT, len(rows.items) - 1), dict(made), ABSENT)
    old = dict(rows.items[index])
    act = chance.random()
    if act < 0.45:
        del rows.items[index]
        return Remove("cwd", (*AT, index), there(old))
    value = chance.choice([0, 1, 2])
    rows.items[index]["v"] = value
    if act < 0.75:
        return Put("cwd", (*AT, index, "v"), value, there(old.get("v")))
    rows.items[index] = {"id": old["id"], "v": value}
    return Put("cwd", (*AT, index), dict(rows.items[index]), there(old))


def named(draft: Draft, size: int) -> set[int]:
    """Where the elements stand that the ticked steps may change: all, once the array is set as a whole."""
    found: set[int] = set()
    for step in draft.steps:
        path = step.operation.path  # type: ignore[union-attr]
        if step.ticked and path == AT:
            return set(range(size))
        if step.ticked:
            index = path[len(AT)]
            assert isinstance(index, int)
            found.add(index)
    return found


def counted(items: list[Any]) -> Counter[str]:
    return Counter(json.dumps(item, sort_keys=True) for item in items)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 5), st.integers(1, 6))
def test_no_other_element_is_ever_touched(seed: int, size: int, length: int) -> None:
    chance, fresh = Random(seed), [0]
    items = [{"id": chance.choice([7, 7, n]), "v": chance.choice([0, 0, 1])} for n in range(size)]
    states = listed(items)
    rows, draft = Rows(items), Draft()
    for _ in range(length):
        draft = collect(draft, [edit(chance, rows, fresh)], states, V4)
        # What is shown after each edit is what the person made of it.
        assert same(after(draft, states)["list"], rows.shown())
        if chance.random() < 0.3 and draft.steps:
            which = chance.randrange(len(draft.steps))
            if chance.random() < 0.5:
                draft = draft.without(which)
            else:
                draft, _ = ticking(draft, which, not draft.steps[which].ticked)
            rows = Rows(after(draft, states)["list"])
    check(draft, states, items)
    for which in range(len(draft.steps)):
        check(draft.without(which), states, items)
        check(ticking(draft, which, not draft.steps[which].ticked)[0], states, items)
    overtaken(chance, draft, items)


def check(draft: Draft, states: Any, items: list[Any]) -> None:
    """What no ticked step names is there as it was."""
    meant = named(draft, len(items))
    others = [item for index, item in enumerate(items) if index not in meant]
    assert counted(others) <= counted(after(draft, states)["list"]), (draft, states)


def overtaken(chance: Random, draft: Draft, items: list[Any]) -> None:
    """Somebody else changes the array; each step is kept as far as its element can be told."""
    theirs: list[tuple[int | None, Any]] = [(index, dict(item)) for index, item in enumerate(items)]
    for _ in range(chance.choice([1, 1, 2])):
        act = chance.random()
        if act < 0.5 or not theirs:
            made = {"id": chance.choice([7, 1000]), "v": 0}
            theirs.insert(chance.randrange(len(theirs) + 1), (None, made))
        elif act < 0.8:
            del theirs[chance.randrange(len(theirs))]
        else:
            at = chance.randrange(len(theirs))
            theirs[at] = (theirs[at][0], {**theirs[at][1], "v": 9})
    array = [item for _, item in theirs]
    if same(array, items):
        return
    now = listed(array)
    drift = {(one.step, one.path) for one in drifted(draft, now)}
    assert drift == {(n, AT) for n, step in enumerate(draft.steps) if step.ticked}
    meant = named(draft, len(items))
    if any(step.operation.path == AT for step in draft.steps):  # type: ignore[union-attr]
        return  # the array as a whole is what is shown, and what is written over
    kept: list[Step] = []
    for step in draft.steps:
        operation = followed(step.operation, "cwd", AT, there(array))
        if operation is not None:
            kept.append(Step(operation, step.ticked))
    final = Draft(tuple(kept))
    assert drifted(final, now) == ()
    # One that came and holds what an element held that is not there any more is that element: nothing tells them apart.
    gone = [items[n] for n in meant if n < len(items) and (n, items[n]) not in theirs]
    others = [item for origin, item in theirs if origin not in meant and not (origin is None and item in gone)]
    assert counted(others) <= counted(after(final, now)["list"]), (draft, theirs)


@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much], deadline=None)
@given(chances)
def test_collecting_does_not_change_what_edits_come_to(chance: Chance) -> None:
    """Moves and patches among them, arrays in arrays: against the same edits one after another."""
    states: Any = {
        scope: {plane: value for plane, value in state.items() if plane != "intents"}
        for scope, state in chance.cohort().items()
    }
    edits: list[Operation] = []
    for one in chance.operations(states, 12):
        edit = replace(one, rewrite=False) if isinstance(one, Transfer) else one
        long_way = LongWay(states)
        long_way.run(Draft(tuple(Step(every) for every in (*edits, edit))))
        if not long_way.refused:
            edits.append(edit)
    wanted = LongWay(states).run(Draft(tuple(Step(edit) for edit in edits)))
    draft = Draft()
    for edit in edits:
        draft = collect(draft, [edit], states, V4)
    compiled = compile_draft(draft, V4, states)
    assume(all(problem.code != "unrecordable" for problem in compiled.problems))
    assert compiled.problems == (), (states, edits, draft)
    told = stage(V4, states, compiled.patch).after
    assert all(same(told[scope], wanted[scope]) for scope in SCOPES), (states, edits, draft)
