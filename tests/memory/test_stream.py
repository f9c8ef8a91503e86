from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.dialect import V2
from engine.memory.stream import (
    Boundary,
    ScopeStream,
    StreamFault,
    Transition,
    accept,
    constrain,
    created,
    extend,
    fold_oldest,
    new_boundary,
    open_stream,
    parse_boundary,
    parse_lineage,
    patch_at,
    state_at,
)
from engine.memory.tidy import stays_tidy
from engine.values import Json, JsonObject, merge, use_fast_paths
from tests.memory.counting import Watch, watched
from tests.memory.reference import Refused, patched, pruned
from tests.memory.strategies import scope_patches, states

ORIGIN = Boundary("o", 0, None)


def boundary(position: int) -> Boundary:
    return Boundary(f"t{position}", position, f"t{position - 1}" if position > 1 else "o")


def opened(patches: list[Any], checkpoint: Any = None, **changes: Any) -> ScopeStream:
    given: dict[str, Any] = {
        "revision": None,
        "through": ORIGIN,
        "checkpoint": {} if checkpoint is None else checkpoint,
        "transitions": [Transition(boundary(number), patch) for number, patch in enumerate(patches, 1)],
    }
    return open_stream(V2, "session", **{**given, **changes})


def test_replay_keeps_every_value_between() -> None:
    stream = opened([{"working": {"n": 1}}, {"working": {"n": None, "m": {}}}])
    assert stream.states == ({}, {"working": {"n": 1}}, {"working": {"m": {}}})
    assert (stream.revision, stream.head) == (2, boundary(2))
    assert patch_at(stream, boundary(1)) == {"working": {"n": 1}}
    assert patch_at(stream, ORIGIN) is None


def test_what_a_patch_did_not_touch_is_the_same_object() -> None:
    stream = opened([{"working": {"n": 1}}], {"lazy": {"big": [1, 2]}})
    assert stream.current["lazy"] is stream.checkpoint["lazy"]


@pytest.mark.parametrize(
    ("changes", "code", "line"),
    [
        ({"checkpoint": []}, "not-an-object", None),
        ({"checkpoint": {"working": []}}, "plane-type", None),
        ({"checkpoint": {"working": {"a": None}}}, "null-stored", None),
        ({"revision": 1}, "bad-revision", None),
        ({"revision": True}, "bad-revision", None),
        ({"transitions": [Transition(boundary(1), {}), Transition(boundary(1), {})]}, "positions-not-rising", 2),
        ({"transitions": [Transition(boundary(1), {}), Transition(Boundary("x", 2, "o"), {})]}, "wrong-parent", 2),
        ({"transitions": [Transition(boundary(1), {}), Transition(Boundary("o", 3, "t2"), {})]}, "boundary-twice", 2),
        ({"transitions": [Transition(Boundary("x", 0, None), {})]}, "positions-not-rising", 1),
        ({"transitions": [Transition(boundary(1), {"working": {"a": {"[3]": 1}}}),
                          Transition(boundary(2), {"working": {"a": [1]}}),
                          Transition(boundary(3), {"working": {"a": {"[1]": 1}}})]}, "patch-rejected", 3),
        ({"transitions": [Transition(boundary(1), {"working": []})]}, "plane-type", 1),
        ({"transitions": [Transition(boundary(1), {"lazy": {"a": [None]}})]}, "null-stored", 1),
        ({"transitions": [Transition(boundary(1), {"artifacts": {"p": {"kind": "k"}}})]}, "invalid-artifact", 1),
        ({"transitions": [Transition(Boundary(f"t{n}", n * 2, f"u{n}"), {}) for n in range(1, 102)]}, "tail-too-long", None),
    ],
)  # fmt: skip
def test_a_stream_that_contradicts_itself_says_where(changes: dict[str, Any], code: str, line: int | None) -> None:
    with pytest.raises(StreamFault) as fault:
        opened([{}, {}], **changes)
    assert (fault.value.code, fault.value.line, fault.value.scope) == (code, line, "session")
    assert fault.value.reason


def test_a_gap_in_positions_needs_no_parent_here() -> None:
    stream = opened([], transitions=[Transition(Boundary("x", 7, "elsewhere"), {"lazy": {"a": 1}})])
    assert state_at(stream, 6) == {}
    assert state_at(stream, 7) == {"lazy": {"a": 1}}


def test_a_hundred_patches_are_the_formats_own_maximum() -> None:
    stream = opened([{"working": {"n": number}} for number in range(100)], revision=2000)
    assert (len(stream.tail), stream.revision) == (100, 2000)


def test_history_before_the_checkpoint_is_an_error_not_an_empty_value() -> None:
    stream = fold_oldest(opened([{"working": {"n": 1}}, {"working": {"n": 2}}]))
    assert state_at(stream, 1) == {"working": {"n": 1}}
    with pytest.raises(InvalidRequest):
        state_at(stream, 0)


@pytest.mark.parametrize("limit", [-1, 101, 1.5, True])
def test_a_limit_is_a_whole_number_up_to_a_hundred(limit: Any) -> None:
    with pytest.raises(InvalidRequest):
        constrain(created(ORIGIN), limit)


def test_accepting_at_limit_zero_moves_the_checkpoint() -> None:
    stream = accept(created(ORIGIN), boundary(1), {"lazy": {"a": 1}}, {"lazy": {"a": 1}}, 0)
    assert (stream.tail, stream.through, stream.checkpoint, stream.revision) == ((), boundary(1), {"lazy": {"a": 1}}, 1)


@pytest.fixture
def shortcuts() -> Iterator[None]:
    """What a test of cost is about, whatever the run says."""
    with use_fast_paths(True):
        yield


@pytest.mark.usefixtures("shortcuts")
def test_extending_validates_the_new_transition_alone() -> None:
    watch = Watch()
    big = {"lazy": {f"k{number}": {"text": "x"} for number in range(500)}}
    stream = opened([{"working": {"n": 1}}], watched(big, watch), maybe_null=False, maybe_empty=False)
    watch.seen.clear()
    longer = extend(V2, "session", stream, [Transition(boundary(2), {"lazy": {"k7": {"text": "y"}}})], revision=2)
    assert watch.visited <= 4
    assert longer.states[:2] == stream.states
    assert longer.tidy
    assert extend(V2, "session", stream, [], revision=1) is stream
    with pytest.raises(StreamFault):
        extend(V2, "session", stream, [Transition(boundary(2), {})], revision=5)
    with pytest.raises(StreamFault):
        extend(V2, "session", stream, [Transition(boundary(1), {})])


@pytest.mark.usefixtures("shortcuts")
def test_opening_what_holds_no_null_walks_nothing() -> None:
    watch = Watch()
    big = watched({"lazy": {f"k{number}": {"text": ["x"]} for number in range(500)}}, watch)
    opened([{"lazy": {f"k{number}": {"text": ["y"]}}} for number in range(7)], big, maybe_null=False, maybe_empty=False)
    assert watch.visited <= 25


@pytest.mark.parametrize(
    "value",
    [None, [], {}, {"id": "a", "position": 1}, {"id": "a", "position": 1, "parent": "b", "more": 1},
     {"id": "", "position": 1, "parent": "b"}, {"id": 5, "position": 1, "parent": "b"}, {"id": "a", "position": -1, "parent": "b"},
     {"id": "a", "position": 1.5, "parent": "b"}, {"id": "a", "position": True, "parent": "b"},
     {"id": "a", "position": 1, "parent": ""}, {"id": "a", "position": 1, "parent": 5}, {"id": "a", "position": 1, "parent": "a"},
     {"id": "a", "position": 0, "parent": "b"}],
)  # fmt: skip
def test_what_is_no_boundary_is_refused(value: Json) -> None:
    with pytest.raises(InvalidRequest):
        parse_boundary(value)


def test_a_boundary_survives_a_round_trip() -> None:
    for value in (ORIGIN, boundary(1), Boundary("late", 9, None)):
        assert parse_boundary(value.to_json()) == value
    assert parse_boundary({"id": "a", "position": 3.0, "parent": None}) == Boundary("a", 3, None)


@pytest.mark.parametrize("name", ["", " ", "\ufeff", "\u00a0\n"])
def test_a_blank_id_is_none(name: str) -> None:
    with pytest.raises(InvalidRequest):
        new_boundary(name, 1, "o")


def test_a_lineage_is_a_chain() -> None:
    chain: list[Json] = [ORIGIN.to_json(), boundary(1).to_json(), boundary(2).to_json()]
    assert parse_lineage(chain) == (ORIGIN, boundary(1), boundary(2))
    odd: list[Json] = [
        [],
        chain[::2],
        chain[::-1],
        chain * 40,
        {},
        [boundary(1).to_json(), Boundary("x", 2, "o").to_json()],
    ]
    for broken in odd:
        with pytest.raises(InvalidRequest):
            parse_lineage(broken)
    with pytest.raises(InvalidRequest):
        parse_lineage(chain, limit=1)


@given(states, st.lists(scope_patches, max_size=6), st.integers(0, 4))
def test_folding_and_replaying_agree_with_applying_one_after_another(
    checkpoint: Any, changes: list[Any], limit: int
) -> None:
    values = [checkpoint]
    kept: list[Any] = []
    for change in changes:
        try:
            values.append(patched(values[-1], change))
        except Refused:
            continue
        kept.append(change)
    stream = opened(kept, checkpoint)
    assert list(stream.states) == values
    folded = constrain(stream, limit)
    assert list(folded.states) == values[-(limit + 1) :]
    assert (folded.revision, len(folded.tail)) == (len(kept), min(limit, len(kept)))
    step = created(ORIGIN, checkpoint)
    for number, (change, after) in enumerate(zip(kept, values[1:], strict=True), 1):
        step = accept(step, boundary(number), change, after, limit)
    assert (step.states, step.through, step.tail) == (folded.states, folded.through, folded.tail)


@given(states, scope_patches)
def test_what_is_promised_to_hold_no_empty_object_holds_none(state: Any, patch: Any) -> None:
    before: JsonObject = pruned(state)
    try:
        after = merge(before, patch).value
    except InvalidRequest:
        return
    if stays_tidy(patch, after):
        assert pruned(after) == after
