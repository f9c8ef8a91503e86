"""The last good state of scopes, and the sizes of their planes over time, at every point of a log."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ledger import Ledger
from engine.ledger import ledger as ledger_module
from engine.ledger.folds import Folds
from engine.ledger.last_good import LAST_GOOD_VIEW, LastGood, LastGoodAsk
from engine.ledger.log import LOG_NAME
from engine.ledger.sizes import SizePoint, series, thinned
from engine.memory.cohort import begin
from engine.memory.dialect import V4
from engine.memory.scope import Scope
from engine.values import JsonObject, encode
from tests.ledger.building import ADDRESS, ROOT, Scribe, fault, reading, snapshot
from tests.ledger.test_inverses import PATCHES

SHARED: tuple[Scope, ...] = ("global", "cwd")
WHOLE_COHORT = begin(V4, {}, origin_id="o", limit=7)


@dataclass
class Two:
    """Global and cwd memory of one cohort, and all that they ever held."""

    directory: Path
    limit: int = 3
    scribes: dict[Scope, Scribe] = field(default_factory=dict)
    was: dict[tuple[str, str], JsonObject] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ledger = Ledger.open(ROOT, directory=str(self.directory))
        for scope in SHARED:
            self.scribes[scope] = Scribe(scope[0], self.limit)
            self.note(scope)

    def note(self, scope: Scope) -> None:
        stream = self.scribes[scope].stream
        self.was[ADDRESS.scope_address(scope), stream.head.id] = stream.current

    def change(self, scope: Scope, patch: JsonObject | None = None) -> None:
        self.scribes[scope].change(patch)
        self.note(scope)

    def look(self, *, broken: bool = False) -> None:
        readings = [reading(scope, one.stream, written=one.written) for scope, one in self.scribes.items()]
        shot = snapshot(*readings, verdict="broken" if broken else "ok")
        faults = (fault("boundary-contradiction"),) if broken else ()
        self.ledger.observe(replace(shot, cohort=None if broken else WHOLE_COHORT, faults=faults))

    def lines(self) -> list[bytes]:
        return (self.directory / LOG_NAME).read_bytes().splitlines(keepends=True)


def last_good(log: bytes, scope: Scope) -> LastGood | None:
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / LOG_NAME).write_bytes(log)
        folds = Folds.open(ROOT, directory=directory)
        found = folds.view(LAST_GOOD_VIEW, LastGoodAsk(ADDRESS.scope_address(scope), body=True))
        assert folds.complaint() is None
        folds.close()
        return found


def named(log: bytes, scope: Scope) -> tuple[int, str, dict[str, int]] | None:
    """By looking through the lines: the newest cohort that names the scope, and what led to its revision there."""
    address = ADDRESS.scope_address(scope)
    heads: dict[str, tuple[int, str]] = {}
    found = None
    for event in map(json.loads, log.splitlines()):
        if event["event"] in {"baseline", "transition"}:
            heads[event["address"]] = (event["revision"], event["boundary"]["id"])
        elif event["event"] == "gap":
            heads[event["address"]] = (event["last"], event["boundary"]["id"])
        elif event["event"] == "composed" and address in event["revisions"]:
            assert event["revisions"] == {at: revision for at, (revision, _) in heads.items()}
            found = (*heads[address], event["revisions"])
    return found


STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(SHARED), PATCHES),
        st.tuples(st.sampled_from(SHARED), PATCHES),
        st.sampled_from(["look", "look", "broken"]),
    ),
    max_size=14,
)


@settings(max_examples=6, deadline=None)
@given(STEPS, st.integers(0, 4))
def test_at_every_line_of_a_log_the_last_good_is_what_was_valid_then(steps: list[Any], limit: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        two = Two(Path(directory), limit)
        two.look()
        for number, step in enumerate(steps):
            if isinstance(step, str):
                two.look(broken=step == "broken")
            else:
                two.change(step[0], {"lazy": {"n": number, **step[1]}})
        two.look()
        lines = two.lines()
        gaps = any(b'"event":"gap"' in line for line in lines)
        for count in range(len(lines) + 1):
            log = b"".join(lines[:count])
            for scope in SHARED:
                expected, found = named(log, scope), last_good(log, scope)
                assert (found is None) == (expected is None)
                if found is None or expected is None:
                    continue
                assert (found.revision, found.boundary.id, found.revisions) == expected
                assert gaps or found.start is not None
                if found.start is not None:
                    assert found.value is not None
                    assert encode(found.value) == encode(two.was[found.address, found.boundary.id])
                    assert found.end is not None
                    assert b'"event":"whole"' in log[found.start :].split(b"\n")[0]
                    # What lies in that range is enough to make it of.
                    assert log[: found.end].count(b"\n") <= count
        # The torn rest of a line adds nothing.
        assert last_good(b"".join(lines) + b'{"v":1,"event":"composed"', "cwd") == last_good(b"".join(lines), "cwd")


def test_while_nothing_composes_the_last_good_stays(tmp_path: Path) -> None:
    two = Two(tmp_path)
    two.look()
    two.change("cwd")
    two.look()
    good = last_good(b"".join(two.lines()), "cwd")
    for _ in range(4):
        two.change("cwd")
        two.look(broken=True)
    after = last_good(b"".join(two.lines()), "cwd")
    assert after == good
    assert after is not None
    assert (after.revision, after.cohort) == (1, ADDRESS.scope_address("cwd"))
    two.look()
    mended = last_good(b"".join(two.lines()), "cwd")
    assert mended is not None
    assert mended.revision == 5


def test_without_a_complete_state_it_is_said_that_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "IN_PASSING", -1)
    two = Two(tmp_path)
    two.look()
    good = last_good(b"".join(two.lines()), "global")
    assert good is not None
    assert (good.revision, good.start, good.end, good.value) == (0, None, None, None)


def test_a_cohort_is_named_once_for_each_of_its_states(tmp_path: Path) -> None:
    two = Two(tmp_path)
    for _ in range(3):
        two.look()
    two.look(broken=True)
    two.look()
    other = Ledger.open(ROOT, directory=str(tmp_path))
    readings = [reading(scope, one.stream, written=one.written) for scope, one in two.scribes.items()]
    other.observe(replace(snapshot(*readings), cohort=WHOLE_COHORT))
    assert sum(b'"event":"composed"' in line for line in two.lines()) == 1
    two.change("global")
    two.look()
    # An older reading of another monitor says nothing of what is known since.
    other.observe(replace(snapshot(*readings), cohort=WHOLE_COHORT))
    assert sum(b'"event":"composed"' in line for line in two.lines()) == 2


# Sizes.


def sizes(state: JsonObject) -> dict[str, int]:
    return {plane: len(encode(value)) for plane, value in state.items()}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.dictionaries(st.sampled_from("ab"), PATCHES, max_size=2), st.booleans()), max_size=16))
def test_sizes_are_those_of_the_states_and_unknown_where_nobody_saw_them(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        two = Two(Path(directory))
        for number, (patch, look) in enumerate(steps):
            two.change("cwd", {"lazy": {"n": number}, **patch})
            if look or not number:
                two.look()
        two.look()
        stream = two.scribes["cwd"].stream
        folds = Folds.open(ROOT, directory=directory)
        points = series(folds, ADDRESS.scope_address("cwd"), stream.revision, sizes(stream.current))
        folds.close()
        events = [json.loads(line) for line in two.lines() if b'"--work-app--"' in line]
        gaps = [event["last"] for event in events if event["event"] == "gap"]
        recorded = [t["revision"] for event in events for t in event.get("tail", ())]
        recorded += [event["revision"] for event in events if event["event"] == "transition"]
        assert [point.revision for point in points] == recorded
        states = {point: state for (at, point), state in two.was.items() if at == ADDRESS.scope_address("cwd")}
        for point in points:
            if point.revision <= max(gaps, default=-1):
                assert point.planes is None
            else:
                assert point.planes == sizes(states[f"c{point.revision}"])


def test_what_no_record_says_is_unknown_before(tmp_path: Path) -> None:
    two = Two(tmp_path)
    two.look()
    for _ in range(4):
        two.change("cwd")
        two.look()
    lines = []
    for line in two.lines():
        document = json.loads(line)
        if document["event"] == "transition" and document["revision"] == 3:
            del document["grew"]
        lines.append(json.dumps(document))
    (tmp_path / LOG_NAME).write_text("\n".join(lines) + "\n")
    stream = two.scribes["cwd"].stream
    folds = Folds.open(ROOT, directory=str(tmp_path))
    address = ADDRESS.scope_address("cwd")
    points = series(folds, address, 4, sizes(stream.current))
    assert [(point.revision, point.planes and point.planes["lazy"]) for point in points] == [
        (1, None),
        (2, None),
        (3, 7),
        (4, 7),
    ]
    # Sizes that are of something else than what is recorded last tell nothing.
    assert {point.planes for point in series(folds, address, 5, {})} == {None}


@given(
    st.lists(st.none() | st.dictionaries(st.sampled_from("pq"), st.integers(0, 50), max_size=2), max_size=60),
    st.integers(2, 30),
)
def test_thinned_out_no_peak_is_lost(planes: list[dict[str, int] | None], count: int) -> None:
    points = [SizePoint(number, number, one) for number, one in enumerate(planes)]
    left = thinned(points, count)
    assert list(left) == [point for point in points if point in left]
    assert len(left) <= max(count, 2 + 5)
    for plane in "pq":
        known = [(point.planes.get(plane, 0), point) for point in points if point.planes is not None]
        kept = [point.planes.get(plane, 0) for point in left if point.planes is not None]
        if known and any(plane in (point.planes or {}) for point in points):
            assert min(size for size, _ in known) == min(kept)
            assert max(size for size, _ in known) == max(kept)
    if points:
        assert (left[0], left[-1]) == (points[0], points[-1])
    assert any(point.planes is None for point in left) == any(one is None for one in planes)
