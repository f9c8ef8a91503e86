"""Every system call of a publication goes wrong in turn, or the process is killed there: exactly before, or exactly after."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.errors import EngineError, StoreFailure
from engine.memory.scope import Scope, Wanted
from engine.store import files, journal
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from tests.store.building import (
    CWD,
    KEY,
    LOCK,
    SEAM,
    SESSION,
    Calls,
    Files,
    Home,
    build,
    copied,
    counted_ids,
    ended,
    in_child,
)

ALL: Wanted = ("global", "cwd", "session")


@dataclass(frozen=True)
class Change:
    """A kind of publication: which scopes it changes, with or without room in their tails, or from nothing."""

    scopes: tuple[Scope, ...]
    limit: int = 7
    fresh: bool = False

    def home(self, folder: Path) -> Home:
        if self.fresh:
            folder.mkdir()
            return Home(folder)
        return build(folder, limit=self.limit)

    def publish(self, home: Home) -> None:
        session = SESSION if "session" in self.scopes else None
        wanted = ALL if session else ALL[:2]
        patch: dict[str, Any] = {scope: {home.plane: {"new": f"of {scope}"}} for scope in self.scopes}
        publish(locate(str(home.root), CWD, session), patch, wanted=wanted, new_id=counted_ids("made"))


CHANGES = {
    "shared, room": Change(("cwd",)),
    "shared, full": Change(("cwd",), limit=2),
    "session, full": Change(("session",), limit=2),
    "all scopes": Change(ALL, limit=2),
    "new scopes": Change(("cwd",), fresh=True),
}


@dataclass(frozen=True)
class Case:
    change: Change
    master: Home
    before: Files
    after: Files
    folder: Path

    def again(self) -> Home:
        """A fresh copy of the store before the change."""
        home = Home(self.folder / "run")
        shutil.rmtree(home.root, ignore_errors=True)
        return copied(self.master, home.root)


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory in memory where there is one: thousands of flushes need no disk."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shared)) if shared.is_dir() and os.access(shared, os.W_OK) else tmp_path
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    yield folder
    if folder != tmp_path:
        shutil.rmtree(folder)


@pytest.fixture(params=list(CHANGES.values()), ids=list(CHANGES))
def case(request: pytest.FixtureRequest, quick: Path) -> Case:
    change: Change = request.param
    master = change.home(quick / "master")
    done = copied(master, quick / "done")
    change.publish(done)
    return Case(change, master, master.files(), done.files(), quick)


@pytest.fixture
def seam(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Calls], Calls]]:
    """Puts `calls` between the store and the system."""
    real = {name: getattr(files, name) for name in SEAM}

    def through(calls: Calls) -> Calls:
        for name, call in real.items():
            monkeypatch.setattr(files, name, calls.wrap(name, call))
        return calls

    yield through
    monkeypatch.undo()


def count(case: Case, seam: Callable[[Calls], Calls]) -> int:
    calls = seam(Calls(lambda _name, call: call()))
    case.change.publish(case.again())
    assert calls.count > 40
    return calls.count


def attempted(change: Change, home: Home) -> EngineError | None:
    """What the publication is refused with, None when it is accepted."""
    try:
        change.publish(home)
    except EngineError as error:
        return error
    return None


def descriptors() -> int:
    """How many files this process holds open, 0 where that cannot be seen."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def records() -> list[Path]:
    return [file for file in Path(os.environ["XDG_STATE_HOME"]).rglob("*") if file.is_file()]


def no_folder_is_left(home: Home, case: Case) -> None:
    """Directories made for new scopes go again with them."""
    if home.files() == case.before:
        kept = {path.relative_to(home.root) for path in home.root.rglob("*") if path.is_dir()}
        assert kept == {path.relative_to(case.master.root) for path in case.master.root.rglob("*") if path.is_dir()}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO], ids=["ENOSPC", "EIO"])
def test_a_call_that_fails_once(case: Case, seam: Callable[[Calls], Calls], number: int) -> None:
    def fail(name: str, call: Callable[[], object]) -> object:
        if name == "close":
            call()  # a descriptor is gone even when closing it fails
        raise OSError(number, os.strerror(number))

    calls, held = count(case, seam), descriptors()
    for at in range(calls):
        home = case.again()
        seam(Calls(fail, at))
        refused = attempted(case.change, home)
        accepted = refused is None
        assert refused is None or refused.kept, f"call {at}: {refused}"
        seam(Calls(fail))
        found = home.files()
        assert found == (case.after if accepted else case.before), f"call {at}"
        no_folder_is_left(home, case)
        assert descriptors() == held, f"call {at}"
        journal.finish_or_undo(str(home.root))
        assert records() == [], f"call {at}"
        if not accepted:
            case.change.publish(home)
            assert home.files() == case.after


def test_a_call_that_fails_from_then_on(case: Case, seam: Callable[[Calls], Calls]) -> None:
    """The disk stays full: nothing new can be written, but renaming and removing go on."""

    def fail(_name: str, _call: Callable[[], object]) -> object:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    needing = frozenset({"write", "writev", "link", "mkdir"})
    calls = seam(Calls(lambda _name, call: call(), only=needing))
    case.change.publish(case.again())
    for at in range(calls.count):
        home = case.again()
        seam(Calls(fail, at, only=needing, forever=True))
        refused = attempted(case.change, home)
        assert refused is None or refused.code in ("no-space", "lock-failed", "not-recorded"), f"call {at}: {refused}"
        seam(Calls(fail))
        assert home.files() == (case.after if refused is None else case.before), f"call {at}"
        no_folder_is_left(home, case)


def death_of_a_child() -> Callable[[str, Callable[[], object]], object]:
    """What kills the process that makes a call, if it is a child of this one.

    In the process of the tests itself a thread that an earlier test has left may make calls, too.
    """
    tests = os.getpid()

    def die(_name: str, call: Callable[[], object]) -> object:
        if os.getpid() == tests:
            return call()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    return die


def test_a_kill_at_any_call(case: Case, seam: Callable[[Calls], Calls]) -> None:
    """Before each call, which is also after the one before it."""

    die = death_of_a_child()
    sides = {"before": 0, "after": 0}
    for at in range(count(case, seam)):
        home = case.again()
        seam(Calls(die, at))
        status = ended(in_child(partial(case.change.publish, home)))
        seam(Calls(die))
        # Young files are read once more, so that a run may have a few calls less than the one that was counted.
        assert status in (-signal.SIGKILL, 0)
        journal.finish_or_undo(str(home.root))
        found = home.files()
        assert status or found == case.after, f"call {at}"
        assert LOCK not in found, f"call {at}"
        assert found in (case.before, case.after), f"call {at}: {sorted(found)}"
        no_folder_is_left(home, case)
        assert records() == [], f"call {at}"
        sides["after" if found == case.after else "before"] += 1
        if found == case.before:
            case.change.publish(home)
            assert home.files() == case.after
    assert sides["before"]
    assert sides["after"]


def test_a_kill_is_seen_and_then_settled_by_the_next_writer(tmp_path: Path, seam: Callable[[Calls], Calls]) -> None:
    """Between the kill and the settling every scope still reads, and the lock is told as interrupted."""
    home = build(tmp_path / "store", limit=2)

    die = death_of_a_child()

    def first() -> None:
        patch: dict[str, Any] = {scope: {"tactics": {"first": 1}} for scope in ("global", "cwd")}
        publish(locate(str(home.root), CWD), patch, wanted=("global", "cwd"))

    seam(Calls(die, 2, only=frozenset({"rename"})))
    assert ended(in_child(first)) == -signal.SIGKILL
    seam(Calls(die))
    found = snapshot(locate(str(home.root), CWD))
    assert (found.verdict, found.lock.kind) == ("broken", "dead")
    publish(locate(str(home.root), CWD), {"cwd": {"tactics": {"second": 2}}}, wanted=("global", "cwd"))
    assert home.value("global")["tactics"]["first"] == 1
    assert home.value("cwd")["tactics"] == {"kept": "cwd", "first": 1, "second": 2}
    assert snapshot(locate(str(home.root), CWD)).verdict == "ok"


def test_undoing_that_fails_leaves_the_evidence_and_is_done_later(
    tmp_path: Path, seam: Callable[[Calls], Calls]
) -> None:
    home = build(tmp_path / "store", limit=2)
    before = home.files()

    def fail(_name: str, _call: Callable[[], object]) -> object:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    seam(Calls(fail, 1, only=frozenset({"rename"}), forever=True))
    with pytest.raises(StoreFailure) as caught:
        CHANGES["shared, full"].publish(home)
    assert caught.value.code == "undo-failed"
    assert home.lock.exists()
    assert home.files() != before
    seam(Calls(fail))
    (done,) = journal.finish_or_undo(str(home.root))
    assert (done.outcome, done.lock_cleared) == ("finished", True)
    assert LOCK not in home.files()
    assert home.value("cwd")["tactics"] == {"kept": "cwd", "new": "of cwd"}
    assert snapshot(locate(str(home.root), CWD)).verdict == "ok"
    assert records() == []


def killed_between_renames(home: Home, seam: Callable[[Calls], Calls]) -> None:
    die = death_of_a_child()
    seam(Calls(die, 1, only=frozenset({"rename"})))
    assert ended(in_child(lambda: CHANGES["shared, full"].publish(home))) == -signal.SIGKILL
    seam(Calls(die))


def test_files_changed_since_the_kill_are_left_alone(tmp_path: Path, seam: Callable[[Calls], Calls]) -> None:
    home = build(tmp_path / "store", limit=2)
    killed_between_renames(home, seam)
    (home.cwd / "meta.json").write_bytes(b"theirs")
    before = home.files()
    (done,) = journal.finish_or_undo(str(home.root))
    assert (done.outcome, done.files) == ("left", (f"{KEY}/meta.json",))
    assert home.files() == before
    with pytest.raises(EngineError):
        CHANGES["shared, full"].publish(home)
    assert home.files() == before


def test_without_the_temporaries_what_was_begun_is_undone(tmp_path: Path, seam: Callable[[Calls], Calls]) -> None:
    home = build(tmp_path / "store", limit=2)
    before = home.files()
    killed_between_renames(home, seam)
    for path in home.cwd.glob(".meta.json.*.tmp"):
        path.unlink()
    (done,) = journal.finish_or_undo(str(home.root))
    assert done.outcome == "undone"
    assert home.files() == before


def test_a_lock_that_was_cleared_by_hand_is_no_obstacle(tmp_path: Path, seam: Callable[[Calls], Calls]) -> None:
    home = build(tmp_path / "store", limit=2)
    killed_between_renames(home, seam)
    home.lock.unlink()
    (done,) = journal.finish_or_undo(str(home.root))
    assert (done.outcome, done.lock_cleared) == ("finished", False)
    assert LOCK not in home.files()
    assert snapshot(locate(str(home.root), CWD)).verdict == "ok"


@pytest.mark.parametrize("content", [b"2147483000\n", b"", b"1\n"])
def test_a_lock_that_is_not_proven_ours_is_not_cleared(
    tmp_path: Path, seam: Callable[[Calls], Calls], content: bytes
) -> None:
    home = build(tmp_path / "store", limit=2)
    killed_between_renames(home, seam)
    home.lock.unlink()
    home.lock.write_bytes(content)
    with pytest.raises(EngineError):
        journal.finish_or_undo(str(home.root), cancel=_set())
    assert home.lock.read_bytes() == content
    home.lock.unlink()
    (done,) = journal.finish_or_undo(str(home.root))
    assert done.outcome == "finished"


def _set() -> Any:
    import threading

    event = threading.Event()
    event.set()
    return event


def test_a_publication_under_way_is_not_taken_for_an_interrupted_one(tmp_path: Path) -> None:
    """Another thread that opens the store in the middle of it finds nothing to settle."""
    home = build(tmp_path / "store")
    real: Callable[..., None] = files.rename
    settled: list[object] = []

    def rename(*arguments: Any, **where: Any) -> None:
        settled.extend(journal.finish_or_undo(str(home.root)))
        real(*arguments, **where)

    files.rename = rename
    try:
        CHANGES["shared, room"].publish(home)
    finally:
        files.rename = real
    assert settled == []
    assert home.value("cwd")["tactics"]["new"] == "of cwd"
