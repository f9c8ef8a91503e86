from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.cohort import (
    Cohort,
    Contradiction,
    adopt,
    advance,
    at,
    begin,
    boundary_at,
    join,
    limited,
    record,
    vector,
)
from engine.memory.dialect import V2, V4, dialect_for
from engine.memory.scope import SCOPES, Scope
from engine.memory.stream import Boundary, ScopeStream, Transition, created, open_stream
from engine.values import Json
from tests.memory.reference import Refused, patched
from tests.memory.strategies import cohort_states, scope_patches

ORIGIN = Boundary("o", 0, None)


def chain(last: int) -> tuple[Boundary, ...]:
    """o, t1, t2, ... up to position `last`."""
    return (
        ORIGIN,
        *(Boundary(f"t{number}", number, f"t{number - 1}" if number > 1 else "o") for number in range(1, last + 1)),
    )


def stream(*positions: int, through: Boundary = ORIGIN) -> ScopeStream:
    """A stream that changed at the given positions of the chain."""
    transitions = [Transition(chain(position)[-1], {"working": {"n": position}}) for position in positions]
    return open_stream(V2, "session", revision=None, through=through, checkpoint={}, transitions=transitions)


def joined(streams: dict[Scope, ScopeStream], lineage: tuple[Boundary, ...] | None, limit: int = 7) -> Cohort:
    return join(V2, streams, lineage, origin_id="fresh", limit=limit)


def test_parts_of_one_history_are_joined_as_they_are() -> None:
    cohort = joined({"global": stream(2), "cwd": stream(), "session": stream(1, 3)}, chain(3))
    assert not cohort.adopted
    assert [at(cohort, offset)["session"] for offset in range(4)] == [
        {"working": {"n": 3}}, {"working": {"n": 1}}, {"working": {"n": 1}}, {},
    ]  # fmt: skip
    assert at(cohort, 2)["global"] == {}
    assert cohort.revisions == {"global": 1, "cwd": 0, "session": 2}
    assert vector(cohort.revisions) == "g1 c0 s2"
    assert vector({"cwd": 8}) == "c8"


def test_a_boundary_of_another_session_makes_a_fresh_origin() -> None:
    foreign = Transition(Boundary("x", 4, "y"), {"lazy": {"x": 1}})
    shared = open_stream(V2, "cwd", revision=None, through=ORIGIN, checkpoint={}, transitions=[foreign])
    cohort = joined({"global": stream(), "cwd": shared, "session": stream(1)}, chain(1))
    assert cohort.adopted
    assert cohort.lineage == (Boundary("fresh", 5, None),)
    assert cohort.states["cwd"] == {"lazy": {"x": 1}}
    assert cohort.states["session"] == {"working": {"n": 1}}
    with pytest.raises(InvalidRequest):
        at(cohort, 1)


def test_a_lineage_that_goes_on_past_every_stream_is_adopted() -> None:
    assert joined({"global": stream(), "cwd": stream(), "session": stream(1)}, chain(2)).adopted


def test_a_shared_checkpoint_later_than_the_lineage_is_adopted() -> None:
    streams: dict[Scope, ScopeStream] = {
        "global": stream(through=chain(2)[-1]),
        "cwd": stream(),
        "session": stream(1, 2),
    }
    assert joined(streams, chain(2)).adopted


def test_a_stranger_at_the_lineages_first_position_is_adopted() -> None:
    stranger = Boundary("x", 2, "t1")
    folded = open_stream(V2, "cwd", revision=2, through=stranger, checkpoint={}, transitions=[])
    kept = open_stream(V2, "cwd", revision=1, through=ORIGIN, checkpoint={}, transitions=[Transition(stranger, {})])
    for shared in (folded, kept):
        assert joined({"global": stream(), "cwd": shared, "session": stream(2)}, chain(2)[2:]).adopted
    assert not joined({"global": stream(), "cwd": stream(1), "session": stream(2)}, chain(2)[2:]).adopted


@pytest.mark.parametrize("session", [stream(1, 3), stream(through=chain(1)[-1]), stream(2, through=chain(1)[-1])])
def test_a_session_that_left_its_own_lineage_is_refused(session: ScopeStream) -> None:
    with pytest.raises(Contradiction) as refused:
        joined({"global": stream(), "cwd": stream(), "session": session}, chain(2))
    assert (refused.value.code, refused.value.scope) == ("session-diverged", "session")


@pytest.mark.parametrize("other", [Boundary("t1", 1, "elsewhere"), Boundary("t1", 2, "o"), Boundary("o", 1, None)])
def test_one_id_for_two_boundaries_is_refused_wherever_it_stands(other: Boundary) -> None:
    odd = open_stream(V2, "cwd", revision=None, through=other, checkpoint={}, transitions=[])
    for lineage in (chain(1), None):
        with pytest.raises(Contradiction):
            joined({"global": stream(), "cwd": odd, "session": stream(1)}, lineage)


def test_an_absent_scope_counts_as_empty_memory() -> None:
    cohort = joined({"session": stream(1)}, chain(1))
    assert not cohort.adopted
    assert cohort.states["cwd"] == {}
    assert joined({}, None).lineage == (Boundary("fresh", 1, None),)
    assert joined({}, None).streams["cwd"].through == Boundary("fresh:empty", 0, None)


def test_an_absent_scope_that_is_written_can_be_read_again() -> None:
    for lineage in (chain(0), None):
        cohort = joined({"global": stream(), "session": stream()}, lineage)
        after = _written_and_opened(record(cohort, "n", [("cwd", {"lazy": {"a": 1}})]))
        assert after.states["cwd"] == {"lazy": {"a": 1}}


def test_a_writer_without_a_session_publishes_on_the_origin() -> None:
    cohort = joined({"global": stream(1), "cwd": stream(2)}, None)
    after = advance(cohort, "n", {"cwd": {"lazy": {"a": 1}}}, {"cwd": {"working": {"n": 2}, "lazy": {"a": 1}}})
    assert after.lineage == (Boundary("fresh", 3, None), Boundary("n", 4, "fresh"))
    assert after.streams["global"] is cohort.streams["global"]
    assert after.streams["cwd"].head == Boundary("n", 4, "fresh")


def test_an_id_is_taken_while_anything_retains_it_and_free_once_folded() -> None:
    cohort = begin(V2, {}, origin_id="o", limit=0)
    for name in ("a", "b", "a"):
        cohort = record(
            cohort,
            name,
            [("session", {"working": {"n": len(cohort.streams["session"].head.id), name: cohort.head.position}})],
        )
    odd: Any = 5
    for taken in ("o", "a", "", " ", odd):
        with pytest.raises(InvalidRequest):
            record(cohort, taken, [("session", {"working": {"x": 1}})])
    assert cohort.head == Boundary("a", 3, "b")


def test_a_transition_that_changes_nothing_is_none() -> None:
    cohort = begin(V2, {"cwd": {"working": {"n": 0}}}, origin_id="o", limit=7)
    assert record(cohort, "o", [("cwd", {"working": {"n": -0.0}}), ("session", {})]) is cohort
    assert advance(cohort, "o", {}, {}) is cohort


@pytest.mark.parametrize(
    "transitions",
    [
        [("cwd", {}), ("cwd", {})],
        [("Session", {})],
        [("cwd", [])],
        [("cwd", {"response": "x"})],
        [("cwd", {"working": "x"})],
    ],
)
def test_a_bad_transition_is_refused_whole(transitions: list[tuple[str, Any]]) -> None:
    cohort = begin(V2, {}, origin_id="o", limit=7)
    with pytest.raises(InvalidRequest):
        record(cohort, "n", [("session", {"lazy": {"a": 1}}), *transitions])


NOTES = dialect_for(4, {"notes": {"module": "m", "projection": "hot"}, "shelf": {"module": "m", "projection": "lazy"}})


def test_declared_roots_are_recorded_folded_and_found_again_like_planes() -> None:
    cohort = begin(NOTES, {"global": {"notes": {"a": 1}}}, origin_id="o", limit=1)
    for number in (1, 2):
        cohort = record(
            cohort, f"n{number}", [("global", {"notes": {"n": number}}), ("session", {"shelf": {"n": [number]}})]
        )
    assert cohort.streams["global"].checkpoint == {"notes": {"a": 1, "n": 1}}
    assert at(cohort, 1)["session"] == {"shelf": {"n": [1]}}
    assert cohort.states["global"] == {"notes": {"a": 1, "n": 2}}
    deleted = record(cohort, "n3", [("session", {"shelf": {"n": {"[0]": 7}}}), ("global", {"notes": None})])
    assert deleted.states == {"global": {}, "cwd": {}, "session": {"shelf": {"n": [7]}}}
    refused: list[dict[str, Json]] = [{"notes": []}, {"notes": 1}, {"shelf": {"a": [None]}}]
    for bad in refused:
        with pytest.raises(InvalidRequest):
            record(cohort, "n4", [("cwd", bad)])


def test_what_one_scope_declares_as_a_root_is_a_plane_in_all() -> None:
    undeclared = open_stream(V4, "cwd", revision=None, through=ORIGIN, checkpoint={"notes": ["a"]}, transitions=[])
    assert join(V4, {"cwd": undeclared}, None, origin_id="fresh", limit=7).states["cwd"] == {"notes": ["a"]}
    with pytest.raises(Contradiction) as refused:
        join(NOTES, {"cwd": undeclared}, None, origin_id="fresh", limit=7)
    assert (refused.value.code, refused.value.scope) == ("plane-type", "cwd")


@pytest.mark.parametrize("offset", [-1, 0.5, 2, 7, 100, True, False, "0", None])
def test_a_moment_that_is_not_retained_is_an_error(offset: Any) -> None:
    cohort = record(begin(V2, {}, origin_id="o", limit=7), "n", [("session", {"lazy": {"a": 1}})])
    for ask in (boundary_at, at):
        with pytest.raises(InvalidRequest):
            ask(cohort, offset)


def test_a_smaller_limit_folds_streams_and_cuts_the_lineage() -> None:
    cohort = joined({"global": stream(2), "cwd": stream(), "session": stream(1, 3)}, chain(3))
    small = limited(cohort, 1)
    assert small.lineage == chain(3)[-2:]
    assert small.streams["session"].states == ({"working": {"n": 1}}, {"working": {"n": 3}})
    assert small.states == cohort.states
    assert at(small, 1)["session"] == {"working": {"n": 1}}
    assert limited(cohort, 7) is not None
    with pytest.raises(InvalidRequest):
        limited(cohort, 101)


def test_a_taken_origin_id_is_refused() -> None:
    with pytest.raises(Contradiction):
        adopt(V2, {"global": created(ORIGIN)}, origin_id="o", limit=7)


@given(
    cohort_states,
    st.lists(st.dictionaries(st.sampled_from(SCOPES), scope_patches, max_size=3), max_size=8),
    st.integers(0, 4),
    st.booleans(),
)
def test_every_retained_moment_is_what_it_was(initial: Any, steps: list[Any], limit: int, reopen: bool) -> None:
    cohort = begin(V2, initial, origin_id="o", limit=limit)
    moments: list[dict[Scope, Any]] = [dict(initial)]
    revisions = dict.fromkeys(SCOPES, 0)
    for number, step in enumerate(steps):
        try:
            after: dict[Scope, Any] = {scope: patched(moments[-1][scope], step.get(scope, {})) for scope in SCOPES}
        except Refused:
            with pytest.raises(InvalidRequest):
                record(cohort, f"n{number}", list(step.items()))
            continue
        try:
            cohort = record(cohort, f"n{number}", list(step.items()))
        except InvalidRequest:
            assert "None" in str(after)  # a null that an array would keep
            continue
        if after != moments[-1]:
            for scope in SCOPES:
                revisions[scope] += after[scope] != moments[-1][scope]
            moments.append(after)
        if reopen:
            cohort = _written_and_opened(cohort)
        for offset, moment in enumerate(moments[: -limit - 2 : -1]):
            assert at(cohort, offset) == moment
        if len(moments) > 1:
            with pytest.raises(InvalidRequest):
                at(cohort, len(cohort.lineage))
        assert len(cohort.lineage) == min(limit + 1, len(moments))
        assert cohort.revisions == revisions


def _written_and_opened(cohort: Cohort) -> Cohort:
    """The cohort as a reader finds it after it was written."""
    streams: dict[Scope, ScopeStream] = {
        scope: open_stream(
            V2, scope, revision=kept.revision, through=kept.through, checkpoint=kept.checkpoint, transitions=kept.tail
        )
        for scope, kept in cohort.streams.items()
    }
    again = joined(streams, cohort.lineage, cohort.limit)
    assert not again.adopted
    assert again.lineage == cohort.lineage
    return again
