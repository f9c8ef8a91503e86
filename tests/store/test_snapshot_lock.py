"""Beside other people's locks: ok, busy and broken are three answers, and no lock is ever touched."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.store.judge import judge
from engine.store.layout import Address, locate
from engine.store.snapshot import snapshot
from tests.conformance.stores import tree
from tests.store.building import CWD, SESSION, Home, build, dump


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "store")


@pytest.fixture
def owner() -> Iterator[int]:
    """The number of a live process of somebody else."""
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        yield process.pid
        process.kill()


@pytest.fixture
def gone() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def whole(home: Home) -> Address:
    return locate(str(home.root), CWD, SESSION)


def test_a_held_lock_before_the_first_look_is_busy_and_vouches_for_nothing(home: Home, owner: int) -> None:
    home.lock.write_bytes(b"%d\n" % owner)
    before = tree(home.root)
    started = time.monotonic()
    taken = snapshot(whole(home), patience=0.2)
    assert 0.2 <= time.monotonic() - started < 2
    assert taken.verdict == "busy"
    assert taken.cohort is None
    assert taken.stale == {"global", "cwd", "session"}
    assert [(fault.code, fault.severity) for fault in taken.faults] == [("lock-held", "warning")]
    assert str(owner) in taken.faults[0].reason
    assert taken.lock.pid == owner
    assert tree(home.root) == before


def test_what_was_known_stays_current_until_it_is_touched(home: Home, owner: int) -> None:
    first = snapshot(whole(home))
    home.lock.write_bytes(b"%d\n" % owner)
    held = snapshot(whole(home), first, patience=0)
    assert (held.verdict, held.stale) == ("busy", frozenset())
    assert held.cohort is first.cohort
    # Half of a publication: the tail is new, its metadata is not yet.
    with (home.cwd / "patches.jsonl").open("ab") as file:
        file.write(dump({"lazy": {"n": 9}}))
    half = snapshot(whole(home), held, patience=0)
    assert half.stale == {"cwd"}
    assert half.cohort is first.cohort
    assert half.scopes["cwd"] is first.scopes["cwd"]
    assert [reading.status for reading in half.scopes.values()] == ["healthy"] * 3
    meta = home.meta("cwd")
    meta["temporal"]["revision"] = 3
    meta["temporal"]["patches"].append({"id": "new", "position": 9, "parent": "x"})
    (home.cwd / "meta.json").write_bytes(dump(meta))
    home.lock.unlink()
    done = snapshot(whole(home), half)
    assert (done.verdict, done.stale, done.all_faults) == ("ok", frozenset(), ())
    assert done.scopes["cwd"].stream is not None
    assert done.scopes["cwd"].stream.current["lazy"] == {"n": 9}


def test_a_lock_that_is_let_go_in_time_is_waited_for(home: Home, owner: int) -> None:
    home.lock.write_bytes(b"%d\n" % owner)
    threading.Timer(0.15, home.lock.unlink).start()
    taken = snapshot(whole(home), patience=5)
    assert taken.verdict == "ok"


def test_a_dead_owners_lock_is_named_at_once_and_reading_goes_on(home: Home, gone: int) -> None:
    home.lock.write_bytes(b"%d\n" % gone)
    os.utime(home.lock, (time.time() - 90, time.time() - 90))
    before = tree(home.root)
    started = time.monotonic()
    taken = snapshot(whole(home))
    assert time.monotonic() - started < 1
    assert taken.verdict == "broken"
    (fault,) = taken.all_faults
    assert (fault.code, fault.file) == ("lock-dead", home.lock.name)
    assert str(gone) in fault.reason
    assert "90 s" in fault.reason
    assert taken.cohort is not None
    assert taken.blocks("write")
    assert tree(home.root) == before
    home.lock.unlink()
    assert snapshot(whole(home), taken).verdict == "ok"


def test_an_empty_lock_is_waited_for_then_nobodys(home: Home) -> None:
    home.lock.write_bytes(b"")
    assert snapshot(whole(home), patience=0).verdict == "busy"
    started = time.monotonic()
    taken = snapshot(whole(home), patience=5)
    assert 1 < time.monotonic() - started < 4
    assert taken.verdict == "broken"
    assert [fault.code for fault in taken.faults] == ["lock-empty"]
    assert taken.cohort is not None


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"0123\n", "lock-malformed"),
        (b"me\n", "lock-malformed"),
        (b"-1\n", "lock-malformed"),
        (b"1 2\n", "lock-malformed"),
    ],
)
def test_a_lock_that_no_agent_wrote(home: Home, content: bytes, code: str) -> None:
    home.lock.write_bytes(content)
    taken = snapshot(whole(home), patience=0)
    assert (taken.verdict, [fault.code for fault in taken.faults]) == ("broken", [code])
    assert taken.cohort is not None
    assert home.lock.read_bytes() == content


@pytest.mark.parametrize("kind", ["folder", "link", "fifo"])
def test_something_else_in_the_locks_place(home: Home, kind: str) -> None:
    if kind == "folder":
        home.lock.mkdir()
    elif kind == "link":
        home.lock.symlink_to("checkpoint.json")
    else:
        os.mkfifo(home.lock)
    taken = snapshot(whole(home), patience=0)
    assert (taken.verdict, [fault.code for fault in taken.faults]) == ("broken", ["lock-not-a-file"])
    assert judge(taken).write == "rejects"


def test_our_own_number_without_a_lock_of_ours_is_an_interrupted_one(home: Home) -> None:
    home.lock.write_bytes(b"%d\n" % os.getpid())
    assert [fault.code for fault in snapshot(whole(home), patience=0).faults] == ["lock-dead"]
