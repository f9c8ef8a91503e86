"""What a ledger records of snapshots, and what it leaves alone."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from engine.ledger import (
    Baseline,
    Event,
    FaultGone,
    FaultSeen,
    Gap,
    Ledger,
    ScopeGone,
    TransitionSeen,
    Whole,
)
from engine.ledger.index import Index
from engine.ledger.lines import to_line
from engine.values import JsonObject
from tests.ledger.building import ROOT, Scribe, fault, reading, seen, snapshot


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.open(ROOT, clock=Clock(), directory=str(tmp_path / "ledger"))


def revisions(events: tuple[Event, ...]) -> list[int]:
    return [event.transition.revision for event in events if isinstance(event, TransitionSeen)]


def test_the_first_sight_is_a_baseline_with_its_tail(ledger: Ledger) -> None:
    scribe = Scribe()
    scribe.change()
    scribe.change()
    (event,) = ledger.observe(seen(scribe))
    assert isinstance(event, Baseline)
    assert (event.revision, event.boundary.id, event.address) == (2, "a2", "--work-app--")
    assert [entry.revision for entry in event.tail] == [1, 2]
    assert event.tail[1].patch == {"lazy": {"n": 2}}


def test_a_scope_that_did_not_change_adds_nothing(ledger: Ledger) -> None:
    scribe = Scribe()
    ledger.observe(seen(scribe))
    before = list(ledger.read())
    assert ledger.observe(seen(scribe)) == ()
    assert list(ledger.read()) == before


def test_each_transition_is_recorded_once_with_its_first_time(ledger: Ledger) -> None:
    scribe = Scribe()
    ledger.observe(seen(scribe))
    scribe.change()
    scribe.change()
    events = ledger.observe(seen(scribe), at=200.0)
    assert revisions(events) == [1, 2]
    scribe.change()
    assert revisions(ledger.observe(seen(scribe), at=300.0)) == [3]
    written = [event for _, event in ledger.read() if isinstance(event, TransitionSeen)]
    assert [(event.transition.revision, event.seen) for event in written] == [(1, 200.0), (2, 200.0), (3, 300.0)]


def test_what_left_the_tail_unseen_is_a_gap_and_is_not_bridged(ledger: Ledger) -> None:
    scribe = Scribe(limit=2)
    ledger.observe(seen(scribe))
    for _ in range(5):
        scribe.change()
    gap, *rest = ledger.observe(seen(scribe))
    assert isinstance(gap, Gap)
    assert (gap.reason, gap.first, gap.last, gap.boundary.id) == ("folded", 1, 3, "a3")
    assert revisions(tuple(rest)) == [4, 5]


def test_without_a_tail_every_step_is_a_gap(ledger: Ledger) -> None:
    scribe = Scribe(limit=0)
    ledger.observe(seen(scribe))
    scribe.change()
    (gap,) = ledger.observe(seen(scribe))
    assert isinstance(gap, Gap)
    assert (gap.first, gap.last, gap.boundary.id) == (1, 1, "a1")
    assert ledger.observe(seen(scribe)) == ()


def test_a_restored_older_store_is_said_and_becomes_the_new_baseline(ledger: Ledger) -> None:
    scribe = Scribe()
    scribe.change()
    older = scribe.stream
    ledger.observe(seen(scribe))
    scribe.change()
    ledger.observe(seen(scribe))
    scribe.stream, scribe.written = older, scribe.written + 1
    gap, baseline = ledger.observe(seen(scribe))
    assert isinstance(gap, Gap)
    assert (gap.reason, gap.first, gap.last) == ("rewound", 2, 1)
    assert isinstance(baseline, Baseline)
    assert baseline.revision == 1


def test_another_past_is_said(ledger: Ledger) -> None:
    one, other = Scribe(), Scribe("b")
    for _ in range(3):
        one.change()
        other.change()
    ledger.observe(seen(one))
    other.change()
    other.written = one.written + 1
    gap, _ = ledger.observe(seen(other))
    assert isinstance(gap, Gap)
    assert gap.reason == "diverged"


def test_going_forward_again_doubles_no_transition(ledger: Ledger) -> None:
    scribe = Scribe()
    ledger.observe(seen(scribe))
    scribe.change()
    old = scribe.stream
    ledger.observe(seen(scribe))
    scribe.change()
    new = scribe.stream
    ledger.observe(seen(scribe))
    for stream in (old, new, old, new):
        scribe.stream, scribe.written = stream, scribe.written + 1
        ledger.observe(seen(scribe))
    assert revisions(tuple(event for _, event in ledger.read())) == [1, 2]


def test_an_older_reading_of_a_slow_monitor_adds_nothing(tmp_path: Path) -> None:
    quick, slow = (Ledger.open(ROOT, clock=Clock(), directory=str(tmp_path)) for _ in range(2))
    scribe = Scribe()
    first = seen(scribe)
    slow.observe(first)
    scribe.change()
    second = seen(scribe)
    scribe.change()
    quick.observe(seen(scribe))
    assert slow.observe(first) == ()
    assert slow.observe(second) == ()
    assert revisions(tuple(event for _, event in quick.read())) == [1, 2]


def test_scopes_beside_a_busy_writer_wait_until_they_are_confirmed(ledger: Ledger) -> None:
    scribe = Scribe()
    assert ledger.observe(seen(scribe, stale=True)) == ()
    assert len(ledger.observe(seen(scribe))) == 1


def test_a_scope_that_goes_and_comes_back(ledger: Ledger) -> None:
    scribe = Scribe()
    scribe.change()
    ledger.observe(seen(scribe))
    gone = snapshot(reading("cwd", None))
    (event,) = ledger.observe(gone)
    assert isinstance(event, ScopeGone)
    assert ledger.observe(gone) == ()
    again = Scribe("z", written=scribe.written + 1)
    (event,) = ledger.observe(seen(again))
    assert isinstance(event, Baseline)


def test_faults_are_recorded_when_they_come_and_when_they_go(ledger: Ledger) -> None:
    broken = snapshot(
        reading("cwd", None, status="fenced", faults=(fault("not-json"), fault("bad-meta", file="meta.json")))
    )
    came = ledger.observe(broken)
    assert [type(event) for event in came] == [FaultSeen, FaultSeen]
    assert ledger.observe(broken) == ()
    half = snapshot(reading("cwd", None, status="fenced", faults=(fault("bad-meta", file="meta.json"),)))
    (gone,) = ledger.observe(half)
    assert isinstance(gone, FaultGone)
    assert (gone.code, gone.file, gone.place) == ("not-json", "patches.jsonl", "--work-app--")
    (gone,) = ledger.observe(seen(Scribe()))[1:]
    assert isinstance(gone, FaultGone)


def test_a_writer_at_work_is_no_fault_and_a_lock_left_behind_is(ledger: Ledger) -> None:
    scribe = Scribe()
    ledger.observe(seen(scribe))
    lock = ".state-flow-publication.lock"
    at_work = replace(seen(scribe), faults=(fault("lock-held", file=lock, line=None),))
    assert ledger.observe(at_work) == ()
    left = replace(seen(scribe), faults=(fault("lock-dead", file=lock, line=None),))
    (event,) = ledger.observe(left)
    assert isinstance(event, FaultSeen)
    assert (event.place, event.code) == ("lock", "lock-dead")


def test_a_fenced_scope_is_not_read_as_gone_or_empty(ledger: Ledger) -> None:
    scribe = Scribe()
    scribe.change()
    ledger.observe(seen(scribe))
    (event,) = ledger.observe(snapshot(reading("cwd", None, status="fenced", faults=(fault("not-json"),))))
    assert isinstance(event, FaultSeen)


def test_a_fault_elsewhere_is_not_closed_by_looking_here(ledger: Ledger) -> None:
    ledger.observe(snapshot(reading("cwd", None, status="fenced", faults=(fault("not-json"),))))
    assert ledger.observe(snapshot(reading("global", None))) == ()
    assert ledger.observe(replace(seen(Scribe()), stale=frozenset({"cwd"}))) == ()


def test_a_fault_seen_by_an_older_reading_does_not_reopen(tmp_path: Path) -> None:
    quick, slow = (Ledger.open(ROOT, directory=str(tmp_path)) for _ in range(2))
    broken = snapshot(reading("cwd", None, status="fenced", faults=(fault("not-json"),)))
    quick.observe(broken, at=10.0)
    quick.observe(seen(Scribe()), at=12.0)
    assert slow.observe(broken, at=11.0) == ()


def test_a_transient_ledger_notices_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    ledger = Ledger.open(ROOT, enabled=False)
    scribe = Scribe()
    ledger.observe(seen(scribe))
    scribe.change()
    assert revisions(ledger.observe(seen(scribe))) == [1]
    assert list(ledger.read()) == []
    assert os.listdir(tmp_path) == []


def test_it_is_for_this_user_alone_and_outside_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    os.umask(old := os.umask(0))
    os.umask(0)
    try:
        Ledger.open(ROOT).observe(seen(Scribe()))
    finally:
        os.umask(old)
    for directory, names, files in os.walk(tmp_path):
        if directory != str(tmp_path):
            assert stat.S_IMODE(os.stat(directory).st_mode) == 0o700
        for name in files:
            assert stat.S_IMODE(os.stat(os.path.join(directory, name)).st_mode) & 0o077 == 0, name
        assert names or files


def test_what_is_read_back_is_what_was_recorded(ledger: Ledger) -> None:
    scribe = Scribe()
    odd: JsonObject = {
        "lazy": {"a\ud800": "\x1b]52;c;\u2028\x85", "n": 10**400, "f": 1e21, "deep": [[[[{}]]]], "null": None}
    }
    recorded = [*ledger.observe(seen(scribe))]
    scribe.change(odd)
    recorded += ledger.observe(seen(scribe))
    assert [event for _, event in ledger.read() if not isinstance(event, Whole)] == recorded


def test_the_index_is_the_fold_of_the_log(ledger: Ledger) -> None:
    scribe = Scribe(limit=2)
    for step in range(9):
        for _ in range(step % 4):
            scribe.change()
        ledger.observe(seen(scribe))
    folded = Index()
    for _, event in ledger.read():
        folded.step(event, len(to_line(event)))
    assert folded == ledger.index
