"""What the system refuses is said of the very place where it did."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Fenced, StoreFailure
from engine.store import files, writeahead
from engine.store.layout import locate
from engine.store.lock import acquire
from engine.store.lockstate import inspect
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from tests.store.building import CWD, KEY, LOCK, Home, build

Call = Callable[..., Any]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "store")


def refused(home: Home) -> StoreFailure:
    with pytest.raises(StoreFailure) as caught:
        publish(locate(str(home.root), CWD), {"cwd": {"lazy": {"n": 9}}}, wanted=("global", "cwd"))
    return caught.value


def failing(call: Call, number: int, when: Callable[[object], bool]) -> Call:
    def instead(name: Any, *arguments: Any, **named: Any) -> Any:
        if when(name):
            raise OSError(number, os.strerror(number), name)
        return call(name, *arguments, **named)

    return instead


@pytest.mark.parametrize(
    ("call", "name"), [("open", ".patches.jsonl."), ("link", "patches.jsonl"), ("rename", ".patches.jsonl.")]
)
def test_a_directory_below_is_named_with_its_file(
    home: Home, monkeypatch: pytest.MonkeyPatch, call: str, name: str
) -> None:
    before = home.files()
    real = getattr(files, call)
    number = errno.EROFS  # not one for which a copy is made instead of a link
    monkeypatch.setattr(files, call, failing(real, number, lambda given: str(given).startswith(name)))
    error = refused(home)
    assert error.code == "write-failed"
    assert error.file is not None
    assert error.file.startswith(f"{home.root}/{KEY}/{name}")
    monkeypatch.undo()
    assert home.files() == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_state_directory_that_cannot_be_written_is_named_and_not_the_store(
    home: Home, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    before = home.files()
    state = os.environ["XDG_STATE_HOME"]
    real = getattr(files, call)

    def is_record(descriptor: Any) -> bool:
        records = Path(writeahead.directory_of(str(home.root))).glob(f"*{writeahead.SUFFIX}")
        return os.fstat(descriptor).st_ino in {record.stat().st_ino for record in records}

    monkeypatch.setattr(files, call, failing(real, number, is_record))
    error = refused(home)
    assert error.code == "not-recorded"
    assert error.file is not None
    assert error.file.startswith(f"{state}/sftui/stores/")
    assert os.strerror(number) in str(error)
    monkeypatch.undo()
    assert home.files() == before


def test_a_record_that_cannot_be_looked_at_is_no_fault_of_the_store(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Path(writeahead.directory_of(str(home.root)))
    place.mkdir(parents=True)
    (place / "1-x.publication").write_text("{}\n")
    is_record = failing(files.open, errno.EACCES, lambda name: str(name).endswith(writeahead.SUFFIX))
    monkeypatch.setattr(files, "open", is_record)
    error = refused(home)
    assert (error.code, error.file) == ("not-recorded", str(place))


def test_a_lock_that_nobody_could_look_at_is_not_judged(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "lstat", failing(os.lstat, errno.EACCES, lambda name: str(name).endswith(LOCK)))
    state = inspect(str(home.root))
    assert (state.kind, state.pid, state.inode) == ("unreadable", None, None)
    seen = snapshot(locate(str(home.root), CWD))
    assert seen.verdict == "broken"
    assert [fault.code for fault in seen.faults] == ["lock-unreadable"]
    assert "cannot be told" in seen.faults[0].reason
    assert seen.cohort is not None


def test_a_lock_that_cannot_be_read_is_not_taken_away(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.lock.write_text("12\n")
    real = os.open
    monkeypatch.setattr(os, "open", failing(real, errno.EACCES, lambda name: str(name).endswith(LOCK)))
    assert inspect(str(home.root)).kind == "unreadable"
    with pytest.raises(Fenced) as caught:
        acquire(str(home.root))
    assert caught.value.code == "lock-unreadable"
    monkeypatch.undo()
    assert home.lock.read_text() == "12\n"
