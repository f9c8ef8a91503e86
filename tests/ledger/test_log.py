"""The file only grows: torn ends, crashes, full disks, two monitors at once."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ledger import Baseline, Event, FaultGone, FaultSeen, Gap, Ledger, TransitionSeen, Whole
from engine.ledger import memo as memo_module
from engine.ledger.folds import Folds
from engine.ledger.index import Index
from engine.ledger.lines import from_line, to_line
from engine.ledger.log import CRASH_NAME, LOG_NAME
from engine.ledger.memo import from_memo, to_memo
from engine.store import files
from engine.values import decode, encode
from tests.ledger.building import ROOT, Scribe, fault, reading, seen, snapshot


def filled(directory: Path, steps: int = 3) -> tuple[Ledger, Scribe, bytes]:
    ledger = Ledger.open(ROOT, directory=str(directory))
    scribe = Scribe()
    ledger.observe(seen(scribe))
    for _ in range(steps):
        scribe.change({"lazy": {"text": "ü\u2028\n"}})
        ledger.observe(seen(scribe))
    return ledger, scribe, (directory / LOG_NAME).read_bytes()


def test_torn_at_every_byte_every_complete_line_stays(tmp_path: Path) -> None:
    _, scribe, whole = filled(tmp_path / "source", steps=2)
    scribe.change()
    for cut in range(len(whole) + 1):
        directory = tmp_path / str(cut)
        directory.mkdir()
        log = directory / LOG_NAME
        log.write_bytes(whole[:cut])
        Ledger.open(ROOT, directory=str(directory)).observe(seen(scribe))
        complete = whole[: whole.rfind(b"\n", 0, cut) + 1]
        fragment = whole[len(complete) : cut]
        after = log.read_bytes()
        assert after.startswith(complete)
        assert after.endswith(b"\n")
        assert all(from_line(line) is not None for line in after.splitlines())
        sidecar = directory / CRASH_NAME
        assert (sidecar.read_bytes() if sidecar.exists() else b"") == (fragment + b"\n" if fragment else b"")
        revisions = [event.transition.revision for event in events(directory) if isinstance(event, TransitionSeen)]
        assert len(set(revisions)) == len(revisions)


def test_the_fragment_is_durable_before_the_log_is_trimmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, scribe, whole = filled(tmp_path)
    (tmp_path / LOG_NAME).write_bytes(whole + b'{"half')
    scribe.change()
    calls: list[str] = []

    def spy(name: str) -> None:
        real: Callable[..., Any] = getattr(os, name)

        def record(*arguments: Any, **options: Any) -> Any:
            path = os.readlink(f"/proc/self/fd/{arguments[0]}")
            calls.append(f"{name} {os.path.basename(path)}")
            return real(*arguments, **options)

        monkeypatch.setattr(os, name, record)
        if hasattr(files, name):
            monkeypatch.setattr(files, name, record)

    spy("fsync")
    spy("ftruncate")
    Ledger.open(ROOT, directory=str(tmp_path)).observe(seen(scribe))
    trim = calls.index(f"ftruncate {LOG_NAME}")
    assert f"fsync {CRASH_NAME}" in calls[:trim]
    assert f"fsync {tmp_path.name}" in calls[:trim]
    assert f"fsync {LOG_NAME}" in calls[trim:]


def test_lines_that_nobody_understands_are_kept(tmp_path: Path) -> None:
    _, scribe, whole = filled(tmp_path)
    strange = b'not json\n{"v":99,"event":"from the future"}\n\xff\xfe\n'
    (tmp_path / LOG_NAME).write_bytes(strange + whole + strange)
    scribe.change()
    ledger = Ledger.open(ROOT, directory=str(tmp_path))
    assert len(ledger.observe(seen(scribe))) == 1
    assert (tmp_path / LOG_NAME).read_bytes().startswith(strange + whole + strange)


@pytest.mark.parametrize("name", ["write", "fsync", "open", "fstat", "pread"])
def test_what_cannot_be_written_is_told_once_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ledger, scribe, _ = filled(tmp_path)

    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    scribe.change()
    with monkeypatch.context() as broken:
        broken.setattr(os, name, fail)
        assert ledger.observe(seen(scribe)) == ()
        assert ledger.observe(seen(scribe)) == ()
    told = ledger.complaint()
    assert told is not None
    assert "No space left on device" in told
    assert ledger.complaint() is None
    ledger.observe(seen(scribe))
    found = [event.transition.revision for event in events(tmp_path) if isinstance(event, TransitionSeen)]
    assert found == [1, 2, 3, 4]


def test_a_write_cut_short_by_a_full_disk_leaves_no_half_line_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, scribe, whole = filled(tmp_path)
    scribe.change()
    scribe.change()
    real = os.write
    budget = [300]

    def short(descriptor: int, data: Any) -> int:
        if not budget[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = real(descriptor, bytes(data)[: budget[0]])
        budget[0] -= count
        return count

    with monkeypatch.context() as full:
        full.setattr(os, "write", short)
        assert ledger.observe(seen(scribe)) == ()
    assert (tmp_path / LOG_NAME).stat().st_size == len(whole) + 300
    ledger.observe(seen(scribe))
    found = [event.transition.revision for event in events(tmp_path) if isinstance(event, TransitionSeen)]
    assert found == [1, 2, 3, 4, 5]


def test_an_unwritable_home_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ledger = Ledger.open(ROOT, directory=str(tmp_path / "file" / "ledger"))
    assert ledger.observe(seen(Scribe())) == ()
    assert "cannot be written" in (ledger.complaint() or "")
    assert list(ledger.read()) == []


def test_another_monitor_that_keeps_the_log_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.ledger.log.PATIENCE", 0.1)
    _, _, whole = filled(tmp_path)
    one = Ledger.open(ROOT, directory=str(tmp_path))
    assert one._log is not None
    with one._log.exclusive():
        other = Ledger.open(ROOT, directory=str(tmp_path))
        assert other.observe(seen(Scribe("b"))) == ()
    assert "another monitor" in (other.complaint() or "")
    assert (tmp_path / LOG_NAME).read_bytes() == whole


# One step of a history: a change in the store, or a look by one of three monitors at some retained snapshot.
STEPS = st.lists(
    st.one_of(st.just("change"), st.just("break"), st.just("mend"), st.tuples(st.integers(0, 2), st.integers(0, 3))),
    max_size=40,
)


@given(STEPS, st.integers(0, 4))
def test_monitors_that_share_a_log_lose_and_double_nothing(steps: list[Any], limit: int) -> None:
    """Whatever the order in which they look, and however old what they look at is."""
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        monitors = [Ledger.open(ROOT, directory=directory) for _ in range(3)]
        scribe = Scribe(limit=limit)
        broken = False
        history = [(seen(scribe), 1.0)]
        newest_looked_at = 0
        for number, step in enumerate(steps, 2):
            if isinstance(step, tuple):
                monitor, back = step
                position = max(0, len(history) - 1 - back)
                shot, at = history[position]
                monitors[monitor].observe(shot, at=at)
                newest_looked_at = max(newest_looked_at, position)
                continue
            if step == "change":
                scribe.change()
            broken = {"break": True, "mend": False}.get(step, broken)
            faults = (fault("not-json"),) if broken else ()
            stream = None if broken else scribe.stream
            shot = snapshot(
                reading("cwd", stream, written=scribe.written, status="fenced" if broken else "healthy", faults=faults)
            )
            history.append((shot, float(number)))
        monitors[0].observe(*history[-1])
        found = events(Path(directory))
        check_history(found)
        assert fold(found) == monitors[0].index
        last = history[-1][0].scopes["cwd"]
        if last.stream is not None:
            assert monitors[0].index.scopes[last.address].revision == last.stream.revision
        assert any(open_now for open_now, _ in monitors[0].index.faults.values()) == broken


def check_history(found: list[Event]) -> None:
    """Every revision after the baseline is there exactly once, as a transition or in a gap; faults alternate."""
    known: int | None = None
    is_open = False
    for event in found:
        match event:
            case TransitionSeen(transition=transition):
                assert known is not None
                assert transition.revision == known + 1
                assert transition.boundary.id == f"a{transition.revision}"
                known = transition.revision
            case FaultSeen():
                assert not is_open
                is_open = True
            case FaultGone():
                assert is_open
                is_open = False
            case Gap():
                assert known is not None
                assert (event.reason, event.first) == ("folded", known + 1)
                known = event.last
            case Baseline():
                assert known is None
                known = event.revision
            case Whole():
                assert event.revision == known
            case _:
                pytest.fail(f"unexpected: {event}")


def fold(found: list[Event]) -> Index:
    index = Index()
    for event in found:
        index.step(event, len(to_line(event)))
    return index


def events(directory: Path) -> list[Event]:
    return [event for _, event in Ledger.open(ROOT, directory=str(directory)).read()]


def test_a_memo_saves_the_fold_and_is_never_believed_blindly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo_module, "MEMO_EVERY", 500)
    ledger, scribe, whole = filled(tmp_path, steps=6)
    memo = tmp_path / memo_module.MEMO_NAME
    good = memo.read_bytes()

    def reopened() -> Index:
        again = Ledger.open(ROOT, directory=str(tmp_path))
        assert again.observe(seen(scribe)) == ()
        return again.index

    assert reopened() == ledger.index
    stored = decode(good).value
    assert isinstance(stored, dict)
    for bad in (
        b"",
        b"\x00" * 40,
        b"[]",
        good[:-5],
        encode({**stored, "proof": "0"}),
        encode({**stored, "offset": len(whole) * 2}),
        encode({**stored, "index": {"scopes": {"x": [1]}, "faults": []}}),
    ):
        memo.write_bytes(bad)
        assert reopened() == ledger.index
    memo.write_bytes(good)
    assert from_memo(to_memo(ledger.index)) == ledger.index
    # A new log under an old memo.
    (tmp_path / LOG_NAME).write_bytes(whole[: whole.index(b"\n") + 1])
    assert len(Ledger.open(ROOT, directory=str(tmp_path)).observe(seen(scribe))) == 6


def test_what_another_monitor_records_is_overheard(tmp_path: Path) -> None:
    watcher, scribe, _ = filled(tmp_path)
    other = Ledger.open(ROOT, directory=str(tmp_path))
    assert watcher.overheard() == ()
    scribe.change()
    made = other.observe(seen(scribe))
    assert len(made) == 1
    assert watcher.observe(seen(scribe)) == ()
    assert watcher.overheard() == made
    assert watcher.overheard() == ()
    scribe.change()
    assert len(watcher.observe(seen(scribe))) == 1
    assert watcher.overheard() == ()


def test_a_log_that_was_rotated_under_a_monitor_is_begun_anew(tmp_path: Path) -> None:
    ledger, scribe, _ = filled(tmp_path)
    (tmp_path / LOG_NAME).rename(tmp_path / "events.1.jsonl")
    (event,) = ledger.observe(seen(scribe))
    first, whole = events(tmp_path)
    assert first == event
    assert isinstance(whole, Whole)
    assert whole.value == scribe.stream.current


WRITER = """
import sys
from engine.ledger import Ledger
from engine.store import files
from tests.ledger.building import ROOT, Scribe, seen
directory, count = sys.argv[1], int(sys.argv[2])
ledger = Ledger.open(ROOT, directory=directory)
scribe = Scribe()
ledger.observe(seen(scribe))
print("ready", flush=True)
for _ in range(count):
    scribe.change({"lazy": {"text": "x" * 5000}})
    ledger.observe(seen(scribe))
"""


def test_killed_in_the_middle_of_appending(tmp_path: Path) -> None:
    for round_number in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), "100000"], stdout=subprocess.PIPE, env=environment()
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.03 + 0.02 * round_number)
        before = (tmp_path / LOG_NAME).read_bytes()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        after = (tmp_path / LOG_NAME).read_bytes()
        assert after.startswith(before[: before.rfind(b"\n") + 1])
    ledger = Ledger.open(ROOT, directory=str(tmp_path))
    scribe = Scribe("other")
    scribe.written = 1
    ledger.observe(seen(scribe))
    check_history(events(tmp_path))


def test_two_processes_at_once(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), "60"], stdout=subprocess.PIPE, env=environment())
        for _ in range(2)
    ]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    found = events(tmp_path)
    check_history(found)
    assert [event.transition.revision for event in found if isinstance(event, TransitionSeen)] == list(range(1, 61))


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def test_a_line_survives_the_round_trip_at_the_deepest_nesting(tmp_path: Path) -> None:
    ledger = Ledger.open(ROOT, directory=str(tmp_path))
    scribe = Scribe()
    ledger.observe(seen(scribe))
    from engine.values import MAX_DEPTH, Json

    deep: Json = 1
    for _ in range(MAX_DEPTH - 2):
        deep = [deep]
    scribe.change({"lazy": {"deep": deep}})
    (event,) = ledger.observe(seen(scribe))
    assert to_line(event).count(b"\n") == 1
    back = from_line(to_line(event).rstrip(b"\n"))
    assert isinstance(back, TransitionSeen)
    assert to_line(back) == to_line(event)


def test_a_memo_that_is_not_the_fold_is_found_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo_module, "MEMO_EVERY", 500)
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    for number in range(6):
        scribe.change({"tactics": {"n": number}})
        ledger.observe(seen(scribe))
    memo = tmp_path / memo_module.MEMO_NAME
    folds = Folds(str(tmp_path))
    assert folds.catch_up()
    assert folds.verify().ok is True
    assert memo.exists()
    said: Any = decode(memo.read_bytes()).value
    (address,) = said["index"]["scopes"]
    said["index"]["scopes"][address][1] += 1
    memo.write_bytes(encode(said))
    report = folds.verify()
    folds.close()
    assert (report.ok, report.differing) == (False, (("index", ""),))
    assert not memo.exists(), "nobody takes it for news again"


def test_a_pipe_in_the_place_of_the_memo_is_waited_for_by_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / memo_module.MEMO_NAME)
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    scribe.change()
    assert ledger.observe(seen(scribe))
