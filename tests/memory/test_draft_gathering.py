"""Edits as they gather: what becomes one, what moved since."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Operation, PreImage, Put, Remove, Step, Transfer
from engine.memory.gathering import Drift, add, add_all, drifted, in_arrays, places, pre_image, raw, rebased
from engine.memory.patching import stage
from engine.memory.scope import SCOPES
from engine.records import replace
from engine.values import KeyPath, same
from tests.memory.draft_reference import LongWay
from tests.memory.drafting import Chance, chances

STATES: Any = {
    "global": {"lazy": {"g": 1}},
    "cwd": {"lazy": {"a": 1, "list": [1, 2, 3], "deep": {"x": 1, "y": 2}}},
    "session": {},
}
ABSENT = PreImage(exists=False)


def put(path: KeyPath, value: Any) -> Put:
    return Put("cwd", path, value, pre_image(STATES, "cwd", path))


def remove(path: KeyPath) -> Remove:
    return Remove("cwd", path, pre_image(STATES, "cwd", path))


def rename(path: KeyPath, to: KeyPath) -> Transfer:
    return Transfer("cwd", path, "cwd", to, pre_image(STATES, "cwd", path), pre_image(STATES, "cwd", to))


def gathered(*edits: Operation) -> list[Operation]:
    draft = Draft()
    for edit in edits:
        draft = add(draft, edit)
    return [step.operation for step in draft.steps]


def test_a_pre_image_tells_nothing_from_something() -> None:
    assert pre_image(STATES, "cwd", ("lazy", "list", 1)) == PreImage(exists=True, value=2)
    assert pre_image(STATES, "cwd", ("lazy", "list", 3)) == ABSENT
    assert pre_image(STATES, "session", ("lazy",)) == ABSENT
    assert pre_image({}, "session", ("lazy",)) == ABSENT


def test_a_later_edit_takes_the_place_of_an_earlier_one_and_keeps_what_stood_there() -> None:
    first = Put("cwd", ("lazy", "a"), 2, PreImage(exists=True, value=1))
    second = Put("cwd", ("lazy", "a"), 3, PreImage(exists=True, value="moved meanwhile"))
    assert gathered(first, put(("lazy", "b"), 0), second) == [replace(first, value=3), put(("lazy", "b"), 0)]
    assert gathered(first, Remove("cwd", ("lazy", "a"), second.before)) == [Remove("cwd", ("lazy", "a"), first.before)]


def test_what_brings_back_what_stood_there_is_no_edit() -> None:
    assert gathered(put(("lazy", "a"), 2), put(("lazy", "a"), 1)) == []
    assert gathered(put(("lazy", "a"), 1.0)) == []
    assert gathered(remove(("lazy", "a")), put(("lazy", "a"), 1)) == []
    assert gathered(put(("lazy", "new"), 1), remove(("lazy", "new"))) == []
    assert gathered(put(("lazy", "new", "deep"), 1), remove(("lazy", "new"))) == []
    # But where a step before it has been at work, there is something to do.
    moved = rename(("lazy", "a"), ("lazy", "b"))
    assert gathered(moved, put(("lazy", "a"), 1)) == [moved, put(("lazy", "a"), 1)]


def test_edits_below_what_is_set_or_deleted_whole_are_gone() -> None:
    whole = put(("lazy", "deep"), {"x": 5})
    assert gathered(put(("lazy", "deep", "x"), 3), remove(("lazy", "deep", "y")), whole) == [whole]
    assert gathered(put(("lazy", "list", 0), 3), remove(("lazy", "list", 1)), remove(("lazy", "list"))) == [
        remove(("lazy", "list"))
    ]


def test_elements_that_moved_up_are_other_ones() -> None:
    first = remove(("lazy", "list", 0))
    assert gathered(first, first) == [first, first]
    assert gathered(first, put(("lazy", "list", 0), 9)) == [first, put(("lazy", "list", 0), 9)]
    assert gathered(put(("lazy", "list", 0), 9), first) == [first]
    # Beside each other they do not get in the way.
    assert gathered(*(put(("lazy", "list", at), value) for at, value in ((0, 7), (1, 8), (0, 9)))) == [
        put(("lazy", "list", 0), 9),
        put(("lazy", "list", 1), 8),
    ]
    assert gathered(put(("lazy", "list", 3), 7), remove(("lazy", "list", 3))) == []
    # What was set may have been one more at the end, where something else had stood: then only that goes again.
    last: list[Operation] = [remove(("lazy", "list", 2)), put(("lazy", "list", 2), 9), remove(("lazy", "list", 2))]
    assert gathered(*last) == last


def test_renames_in_a_row_become_one() -> None:
    assert gathered(rename(("lazy", "a"), ("lazy", "b")), rename(("lazy", "b"), ("lazy", "c"))) == [
        rename(("lazy", "a"), ("lazy", "c"))
    ]
    assert gathered(rename(("lazy", "a"), ("lazy", "b")), rename(("lazy", "b"), ("lazy", "a"))) == []
    copied = replace(rename(("lazy", "a"), ("lazy", "b")), keep=True)
    assert gathered(copied, rename(("lazy", "b"), ("lazy", "c"))) == [copied, rename(("lazy", "b"), ("lazy", "c"))]
    edited: list[Operation] = [
        rename(("lazy", "a"), ("lazy", "b")),
        put(("lazy", "b"), 2),
        rename(("lazy", "b"), ("lazy", "c")),
    ]
    assert gathered(*edited) == edited


def test_the_places_of_an_operation_are_those_it_changes() -> None:
    move = rename(("lazy", "a"), ("lazy", "b"))
    assert places(put(("lazy", "a"), 1)) == (("cwd", ("lazy", "a")),)
    assert places(move) == (("cwd", ("lazy", "a")), ("cwd", ("lazy", "b")))
    assert places(replace(move, keep=True)) == (("cwd", ("lazy", "b")),)
    patch: Any = {"cwd": {"lazy": {"list": {"[1]": 5}, "deep": {"x": None}}}, "global": {"lazy": {"[0]": {}}}}
    assert places(raw(STATES, patch)) == (
        ("global", ("lazy", "[0]")),
        ("cwd", ("lazy", "list", 1)),
        ("cwd", ("lazy", "deep", "x")),
    )


def test_drift_is_what_no_longer_stands_where_an_edit_was_made() -> None:
    draft = Draft((
        Step(put(("lazy", "a"), 2)),
        Step(rename(("lazy", "deep"), ("lazy", "new"))),
        Step(put(("lazy", "list", 0), 9), ticked=False),
        Step(raw(STATES, {"global": {"lazy": {"g": 2}}})),
    ))  # fmt: skip
    assert drifted(draft, STATES) == ()
    now: Any = {**STATES, "cwd": {"lazy": {"a": 1, "list": [], "new": 0, "deep": {"y": 2, "x": 1}}}, "global": {}}
    assert drifted(draft, now) == (
        Drift(1, "cwd", ("lazy", "new"), ABSENT, PreImage(exists=True, value=0)),
        Drift(3, "global", ("lazy", "g"), PreImage(exists=True, value=1), ABSENT),
    )
    seen = rebased(draft, now)
    assert drifted(seen, now) == ()
    assert [step.ticked for step in seen.steps] == [True, True, False, True]
    assert seen.steps[0].operation == draft.steps[0].operation


@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much])
@given(chances)
def test_gathering_does_not_change_what_edits_come_to(chance: Chance) -> None:
    """Against the same edits one after another, in memory without intents: what is told of twice may survive those."""
    states: Any = {
        scope: {plane: value for plane, value in state.items() if plane != "intents"}
        for scope, state in chance.cohort().items()
    }
    edits: list[Operation] = []
    for edit in chance.operations(states, 12):
        # Only what can be carried out after what is there already; references are none of this.
        one = replace(edit, rewrite=False) if isinstance(edit, Transfer) else edit
        long_way = LongWay(states)
        long_way.run(Draft(tuple(Step(every) for every in (*edits, one))))
        if not long_way.refused:
            edits.append(one)
    wanted = LongWay(states).run(Draft(tuple(Step(edit) for edit in edits)))
    draft = Draft()
    for edit in edits:
        draft = add(draft, edit)
    assert len(draft.steps) <= len(edits)
    compiled = compile_draft(draft, V4, states)
    assume(all(problem.code != "unrecordable" for problem in compiled.problems))
    assert compiled.problems == (), (states, edits, draft)
    after = stage(V4, states, compiled.patch).after
    assert all(same(after[scope], wanted[scope]) for scope in SCOPES), (states, edits, draft)


# An element is known by its index alone, and its neighbour may look the same.

ITEMS: Any = [{"done": False, "what": "a"}, {"done": False, "what": "b"}, {"done": False, "what": "b"}]


def listed(items: list[Any]) -> Any:
    return {"cwd": {"lazy": {"todo": items}}}


@pytest.mark.parametrize(
    "shifted", [ITEMS[1:], [{"done": False, "what": "new"}, *ITEMS], ITEMS[:2], [ITEMS[1], *ITEMS[1:]]]
)
@pytest.mark.parametrize(
    "operation",
    [
        Put("cwd", ("lazy", "todo", 0, "done"), True, PreImage(exists=True, value=False)),
        Put("cwd", ("lazy", "todo", 1), "x", PreImage(exists=True, value=ITEMS[1])),
        Put("cwd", ("lazy", "todo", 3), "last", ABSENT),
        Remove("cwd", ("lazy", "todo", 1), PreImage(exists=True, value=ITEMS[1])),
        Remove("cwd", ("lazy", "todo", 1, "what"), PreImage(exists=True, value="b")),
        Transfer("cwd", ("lazy", "todo", 1), "cwd", ("lazy", "apart"), PreImage(exists=True, value=ITEMS[1]), ABSENT),
        Transfer("cwd", ("lazy", "b"), "cwd", ("lazy", "todo", 1, "more"), ABSENT, ABSENT),
        raw(listed(ITEMS), {"cwd": {"lazy": {"todo": {"[1]": {"done": True}}}}}),
    ],
)
def test_an_edit_of_an_element_drifts_whenever_its_array_is_another_one(operation: Operation, shifted: Any) -> None:
    draft = add_all(Draft(), [in_arrays(operation, listed(ITEMS))])
    assert drifted(draft, listed(list(ITEMS))) == ()
    (found,) = drifted(draft, listed(shifted))
    assert (found.scope, found.path) == ("cwd", ("lazy", "todo"))
    assert (found.before.value, found.now.value) == (ITEMS, shifted)
    seen = rebased(draft, listed(shifted))
    assert drifted(seen, listed(shifted)) == ()
    assert len(drifted(seen, listed(ITEMS))) == 1


def test_the_second_deletion_at_one_index_is_of_another_element() -> None:
    first = in_arrays(remove(("lazy", "list", 0)), STATES)
    second = in_arrays(Remove("cwd", ("lazy", "list", 0), PreImage(exists=True, value=2)), STATES)
    draft = add_all(Draft(), [first, second])
    assert [step.operation.before for step in draft.steps] == [
        PreImage(exists=True, value=1),
        PreImage(exists=True, value=2),
    ]
    # What the second one means has changed, although its index holds what it held.
    now: Any = {"cwd": {"lazy": {"list": [1, "two", 3]}}}
    assert [drift.step for drift in drifted(draft, now)] == [0, 1]
    assert rebased(draft, now).steps[1].operation.before == PreImage(exists=True, value=2)


def test_a_later_edit_of_an_element_keeps_the_array_that_was_seen_first() -> None:
    first = in_arrays(put(("lazy", "list", 0), 8), STATES)
    later: Any = {"cwd": {"lazy": {"list": [0, 1, 2, 3]}}}
    second = in_arrays(Put("cwd", ("lazy", "list", 0), 9, PreImage(exists=True, value=8)), later)
    (step,) = add_all(Draft(), [first, second]).steps
    assert step.operation == replace(first, value=9)
