"""What is recorded besides what happened: whose session vouches for it, what it added, and complete states in time."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ledger import Baseline, Composed, Ledger, Retained, TransitionSeen, Whole
from engine.ledger import footing as footing_module
from engine.ledger import ledger as ledger_module
from engine.ledger.lines import from_line, glance, to_line, to_whole_line
from engine.ledger.log import LOG_NAME
from engine.ledger.memo import from_memo, to_memo
from engine.memory.stream import Boundary
from engine.store.layout import locate
from engine.store.snapshot import snapshot as read
from engine.values import Encoder, JsonObject, encode, use_fast_paths
from tests.ledger.building import ROOT, Scribe, seen
from tests.ledger.test_inverses import PLAIN
from tests.standin.agent import Agent, plan

SESSION = "2026-01-01T00-00-00-000Z_11111111-1111-4111-8111-111111111111"
OTHER = "2026-01-02T00-00-00-000Z_22222222-2222-4222-8222-222222222222"
CWD = "/work/app"


def lines(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / LOG_NAME).read_bytes().splitlines()]


def kinds(directory: Path) -> list[str]:
    return [line["event"] for line in lines(directory)]


# Whose it is.


def test_a_session_is_named_where_its_own_lineage_holds_the_transition(tmp_path: Path) -> None:
    root = tmp_path / "store"
    root.mkdir()
    mine, theirs = (Agent(str(root), CWD, session, 4) for session in (SESSION, OTHER))
    mine.create()
    theirs.create()
    mine.select()
    address = locate(str(root), CWD, SESSION)
    ledger = Ledger.open(str(root), directory=str(tmp_path / "ledger"))
    ledger.observe(read(address))
    mine.patch({"cwd": {"tactics": {"a": 1}}, "session": {"tactics": {"b": 1}}})
    ledger.observe(read(address))
    theirs.patch({"cwd": {"tactics": {"c": 1}}})
    ledger.observe(read(address))
    mine.patch({"cwd": {"tactics": {"d": 1}}})
    ledger.observe(read(address))
    told = [
        (line["scope"], line["patch"], line.get("session"))
        for line in lines(tmp_path / "ledger")
        if line["event"] == "transition"
    ]
    own = f"--work-app--/{SESSION}"
    assert told == [
        ("cwd", {"tactics": {"a": 1}}, own),
        ("session", {"tactics": {"b": 1}}, own),
        ("cwd", {"tactics": {"c": 1}}, None),  # nobody in view says whose it is
        ("cwd", {"tactics": {"d": 1}}, own),
    ]


def test_nobody_is_named_where_no_session_is_read(tmp_path: Path) -> None:
    root = tmp_path / "store"
    root.mkdir()
    agent = Agent(str(root), CWD, SESSION, 4)
    agent.create()
    agent.patch(plan(3, "tactics"))
    ledger = Ledger.open(str(root), directory=str(tmp_path / "ledger"))
    events = ledger.observe(read(locate(str(root), CWD, None)))
    tails = [one for event in events if isinstance(event, Baseline) for one in event.tail]
    assert tails
    assert {one.session for one in tails} == {None}


def test_a_cohort_that_composed_is_named_with_its_revisions(tmp_path: Path) -> None:
    root = tmp_path / "store"
    root.mkdir()
    agent = Agent(str(root), CWD, SESSION, 4)
    agent.create()
    address = locate(str(root), CWD, SESSION)
    ledger = Ledger.open(str(root), directory=str(tmp_path / "ledger"))
    ledger.observe(read(address), at=1.0)
    agent.patch(plan(3, "tactics"))
    events = ledger.observe(read(address), at=2.0)
    session = f"--work-app--/{SESSION}"
    assert events[-1] == Composed(2.0, session, {".": 0, "--work-app--": 1, session: 1})
    path = Path(agent.folder("cwd")) / "patches.jsonl"
    good = path.read_bytes()
    path.write_bytes(b"{broken\n")
    assert not any(isinstance(event, Composed) for event in ledger.observe(read(address), at=3.0))
    path.write_bytes(good)
    # It is as it was: that it composes is known.
    assert not any(isinstance(event, Composed) for event in ledger.observe(read(address), at=4.0))


# Lines.


def test_lines_of_earlier_versions_say_less_and_are_the_same_transition() -> None:
    transition = Retained(3, Boundary("b3", 3, "b2"), "hash", {"lazy": {"n": 3}}, None, "s", {"lazy": -2})
    event = TransitionSeen(1.0, 2, "cwd", "at", transition)
    back = from_line(to_line(event).rstrip())
    assert isinstance(back, TransitionSeen)
    assert (back.transition.session, back.transition.grew) == ("s", {"lazy": -2})
    document = json.loads(to_line(event))
    del document["session"], document["grew"]
    old = from_line(encode(document))
    assert isinstance(old, TransitionSeen)
    assert (old.transition.session, old.transition.grew) == (None, None)
    assert old == event


@pytest.mark.parametrize(
    "odd", [{"session": 1}, {"grew": []}, {"grew": {"lazy": 1.5}}, {"grew": {"lazy": True}}, {"grew": {"lazy": 2**70}}]
)
def test_a_line_that_tells_nonsense_is_passed_over(odd: JsonObject) -> None:
    transition = Retained(3, Boundary("b3", 3, "b2"), "hash", {"lazy": {"n": 3}})
    document = json.loads(to_line(TransitionSeen(1.0, 2, "cwd", "at", transition)))
    for read_line in (from_line, glance):
        assert read_line(encode({**document, **odd})) is None


@given(st.dictionaries(st.sampled_from("pqr"), PLAIN, max_size=3), st.sampled_from(["at", 'a","value":{"x', "é\ud800"]))
def test_a_complete_state_is_written_piece_by_piece_as_it_would_be_at_once(state: JsonObject, address: str) -> None:
    event = Whole(1.5, "cwd", address, 7, Boundary('b,"value":{', 3, None), state)
    line = to_line(event)
    assert to_whole_line(bare(event), Encoder().encode_chunks(state)) == line
    assert from_line(line.rstrip(b"\n")) == event


def bare(event: Whole) -> Whole:
    return Whole(event.seen, event.scope, event.address, event.revision, event.boundary)


@pytest.mark.parametrize("fast", [True, False])
def test_of_a_long_complete_state_only_the_place_is_read_where_that_is_asked_for(fast: bool) -> None:
    state: JsonObject = {"lazy": {f"k{number}": "x" * 50 for number in range(1_000)}}
    event = Whole(1.5, "cwd", 'odd","value":{"é', 7, Boundary("b", 3, None), state)
    line = to_line(event).rstrip(b"\n")
    place = bare(event)
    with use_fast_paths(fast):
        assert from_line(line, outline=True) == place
        assert glance(line) == place
        assert from_line(line) == event
        # Another long line is read whole, also one that names such things.
        patch: JsonObject = {"lazy": {"a": ',"event":"whole",', "value": "y" * 40_000, "b": ',"value":{'}}
        other = TransitionSeen(1.0, 2, "cwd", "at", Retained(3, Boundary("b3", 3, "b2"), "hash", patch))
        assert from_line(to_line(other).rstrip(b"\n"), outline=True) == other
        assert glance(to_line(other).rstrip(b"\n")) == other


# Complete states, in time.


def test_the_first_sight_and_every_other_past_come_with_a_complete_state(tmp_path: Path) -> None:
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    scribe.change({"lazy": {"n": 1}})
    older = scribe.stream
    ledger.observe(seen(scribe))
    scribe.change({"lazy": {"n": 2}})
    ledger.observe(seen(scribe))
    scribe.stream, scribe.written = older, scribe.written + 1
    ledger.observe(seen(scribe))
    assert kinds(tmp_path) == ["baseline", "whole", "transition", "gap", "baseline", "whole"]
    assert [line["value"] for line in lines(tmp_path) if line["event"] == "whole"] == [{"lazy": {"n": 1}}] * 2


def test_another_one_comes_once_as_much_as_it_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footing_module, "LEAST", 2_000)
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    scribe.change({"lazy": {f"k{number}": "x" * 90 for number in range(100)}})  # some 10 kB
    ledger.observe(seen(scribe))
    for number in range(60):
        scribe.change({"lazy": {"k1": f"{number}" * 90}})
        ledger.observe(seen(scribe))
    told = lines(tmp_path)
    sizes = [len(line) + 1 for line in (tmp_path / LOG_NAME).read_bytes().splitlines()]
    at = [number for number, line in enumerate(told) if line["event"] == "whole"]
    assert len(at) > 2
    for before, after in itertools.pairwise(at):
        between = sum(sizes[before + 1 : after])
        assert between > sizes[before]
        assert between - sizes[after - 1] <= max(2_000, sizes[before])
    assert [line["value"]["lazy"]["k1"] for line in told if line["event"] == "whole"][-1] == told[at[-1] - 1]["patch"][
        "lazy"
    ]["k1"]


def test_after_revisions_that_nobody_saw_it_comes_sooner_but_not_each_time(tmp_path: Path) -> None:
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe(limit=0)
    scribe.change({"lazy": {f"k{number}": "x" * 90 for number in range(100)}})
    ledger.observe(seen(scribe))
    for _ in range(40):
        scribe.change()
        ledger.observe(seen(scribe))
    told = kinds(tmp_path)
    assert told.count("gap") == 40
    assert 2 <= told.count("whole") <= 10


def test_what_is_not_small_is_written_when_there_is_time_and_what_is_too_large_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    scribe.change({"lazy": {"text": "x" * 1_000}})
    monkeypatch.setattr(ledger_module, "IN_PASSING", -1)
    ledger.observe(seen(scribe))
    assert kinds(tmp_path) == ["baseline"]
    monkeypatch.setattr(ledger_module, "MOST", -1)
    ledger.keep_states(seen(scribe))
    monkeypatch.setattr(ledger_module, "MOST", 5_000)
    monkeypatch.setattr(footing_module, "MOST", 500)
    ledger.keep_states(seen(scribe))
    assert kinds(tmp_path) == ["baseline"]
    monkeypatch.setattr(footing_module, "MOST", 5_000)
    before = seen(scribe)
    scribe.change()
    # What is not as the log knows it is nothing to stand on.
    ledger.keep_states(seen(scribe))
    assert kinds(tmp_path) == ["baseline"]
    ledger.observe(seen(scribe))
    ledger.keep_states(before)
    assert kinds(tmp_path) == ["baseline", "transition"]
    for _ in range(3):
        ledger.keep_states(seen(scribe))
    assert kinds(tmp_path) == ["baseline", "transition", "whole"]
    assert lines(tmp_path)[-1]["value"] == scribe.stream.current
    Ledger.open(ROOT, enabled=False).keep_states(seen(scribe))


def test_a_log_of_an_earlier_version_gets_one_once_a_monitor_has_time(tmp_path: Path) -> None:
    scribe = Scribe()
    Ledger.open(ROOT, directory=str(tmp_path)).observe(seen(scribe))
    first = (tmp_path / LOG_NAME).read_bytes().splitlines(keepends=True)[0]
    (tmp_path / LOG_NAME).write_bytes(first)
    later = Ledger.open(ROOT, directory=str(tmp_path))
    later.observe(seen(scribe))
    assert kinds(tmp_path) == ["baseline"]
    later.keep_states(seen(scribe))
    assert kinds(tmp_path) == ["baseline", "whole"]


def test_it_takes_no_write_and_no_sync_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    synced: list[int] = []
    real = os.fsync

    def sync(descriptor: int) -> None:
        synced.append(descriptor)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    ledger.observe(seen(scribe))
    assert kinds(tmp_path) == ["baseline", "whole"]
    first = len(synced)
    for _ in range(3):
        ledger.observe(seen(scribe))
    assert len(synced) == first
    scribe.change()
    ledger.observe(seen(scribe))
    assert len(synced) == first + 1


def test_what_an_earlier_version_noted_of_the_log_is_still_good(tmp_path: Path) -> None:
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    ledger.observe(seen(scribe))
    memo = to_memo(ledger.index)
    assert from_memo(memo) == ledger.index
    old = from_memo({name: memo[name] for name in ("scopes", "faults")})
    assert old is not None
    assert (old.scopes, old.footings) == (ledger.index.scopes, {})
    bad: JsonObject
    for bad in ({"footings": {"x": [1, 2, 3]}}, {"composed": {"x": {"y": "1"}}}, {"footings": []}):
        assert from_memo({**memo, **bad}) is None
