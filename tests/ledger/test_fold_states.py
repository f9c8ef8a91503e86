"""What is kept of the folds is worth nothing but time: whatever happens to it, the answers are those of the log."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Ledger, folding, registry, states
from engine.ledger import noting as noting_module
from engine.ledger.folds import Folds
from engine.ledger.log import LOG_NAME, Log
from engine.ledger.states import STATE_NAME
from engine.ledger.timeline import page
from engine.ledger.units import Column, Noted, Recorded, Rows, Unit
from engine.ledger.verifying import verify_apart
from tests.ledger.building import ROOT, Scribe, seen
from tests.ledger.test_folds import fresh, kept
from tests.ledger.test_log import environment

EVENTS = 40


@pytest.fixture
def place(tmp_path: Path) -> Path:
    ledger = Ledger.open(ROOT, directory=str(tmp_path))
    scribe = Scribe()
    for number in range(EVENTS):
        ledger.observe(seen(scribe))
        scribe.change({"lazy": {f"k{number % 7}": "x" * 50}})
    return tmp_path


@pytest.fixture
def folded(place: Path) -> Iterator[Folds]:
    folds = Folds(str(place))
    assert folds.catch_up()
    yield folds
    folds.close()


def lines(place: Path) -> int:
    return (place / LOG_NAME).read_bytes().count(b"\n")


def revisions(folds: Folds) -> list[int]:
    return [row.revision for row in page(folds, None)]


ALL = list(range(EVENTS - 1, -1, -1))


def again(place: Path) -> tuple[list[int], str | None, int]:
    """What another process would say now, why it could not keep it, and how many lines it folded for that."""
    folds = Folds(str(place))
    read: list[bytes] = []
    real = noting_module.noting

    def counting() -> Callable[[bytes], Any]:
        note = real()

        def note_and_count(line: bytes) -> Any:
            read.append(line)
            return note(line)

        return note_and_count

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(folding, "noting", counting)
        assert folds.catch_up()
        found = revisions(folds), folds.complaint(), len(read)
    folds.close()
    return found


def test_what_was_folded_is_not_folded_again(place: Path, folded: Folds) -> None:
    assert revisions(folded) == ALL
    assert again(place) == (ALL, None, 0)
    with (place / LOG_NAME).open("ab") as log:
        log.write(b"strange\n")
    assert again(place) == (ALL, None, 1)


def test_it_is_for_this_user_alone(place: Path, folded: Folds) -> None:
    assert stat.S_IMODE((place / STATE_NAME).stat().st_mode) == 0o600


def test_nothing_is_made_where_there_is_no_log(tmp_path: Path) -> None:
    folds = Folds(str(tmp_path / "none"))
    assert folds.catch_up()
    assert (page(folds, None), folds.offset, folds.behind(), folds.complaint()) == ((), 0, 0, None)
    assert folds.verify().ok is None
    assert not (tmp_path / "none").exists()
    transient = Folds.open(ROOT, enabled=False)
    assert page(transient, None) == ()


@pytest.mark.parametrize("when", ["before", "open"])
def test_it_may_be_deleted_at_any_time(place: Path, folded: Folds, when: str) -> None:
    (place / STATE_NAME).unlink()
    if when == "open":
        assert revisions(folded) == ALL
        assert (place / STATE_NAME).exists()
    assert again(place)[:2] == (ALL, None)
    assert revisions(folded) == ALL


def damage(place: Path, statement: str, *values: Any) -> None:
    with sqlite3.connect(place / STATE_NAME, isolation_level=None) as connection:
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE header SET value = 'x' WHERE name = 'offset'",
        "UPDATE header SET value = -1 WHERE name = 'offset'",
        "UPDATE header SET value = 1e99 WHERE name = 'offset'",
        "UPDATE header SET value = value - 1 WHERE name = 'offset'",
        "UPDATE header SET value = value + 1 WHERE name = 'inode'",
        "UPDATE header SET value = '' WHERE name = 'proof'",
        "UPDATE header SET value = replace(value, 'blame 1', 'blame 0') WHERE name = 'units'",
        "DELETE FROM header",
        "DROP TABLE header",
        "DROP TABLE blame",
        "ALTER TABLE timeline RENAME COLUMN place TO other",
        "CREATE TABLE another (x)",
        "CREATE VIEW another AS SELECT 1",
    ],
)
def test_a_state_of_another_make_or_of_another_log_is_folded_anew(place: Path, folded: Folds, statement: str) -> None:
    damage(place, statement)
    assert again(place) == (ALL, None, lines(place))
    assert revisions(folded) == ALL
    assert kept(folded) == fresh(place / LOG_NAME)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE timeline SET part = -1 WHERE revision = 20",
        "UPDATE timeline SET kind = 9 WHERE revision = 20",
        "UPDATE timeline SET place = 'text' WHERE revision = 20",
    ],
)
def test_a_malformed_row_is_not_believed(place: Path, folded: Folds, statement: str) -> None:
    damage(place, statement)
    folds = Folds(str(place))
    assert revisions(folds) == ALL
    assert kept(folds) == fresh(place / LOG_NAME)
    folds.close()


def test_a_log_that_another_one_took_the_place_of_is_folded_anew(place: Path, folded: Folds) -> None:
    log = place / LOG_NAME
    first, *others = log.read_bytes().splitlines(keepends=True)[:10]
    # The same file, shorter: then one of the same length with other bytes.
    for order in (others, others[::-1]):
        log.write_bytes(b"".join([first, *order]))
        assert set(revisions(folded)) == set(range(max(revisions(folded)) + 1)) < set(ALL)
        assert kept(folded) == fresh(log)


@pytest.mark.parametrize("text", ["", "no database", "SQLite format 3\0"])
def test_a_file_that_is_no_database_makes_room(place: Path, text: str) -> None:
    (place / STATE_NAME).write_bytes(text.encode() + (b"\xff" * 5000 if text else b""))
    assert again(place) == (ALL, None, lines(place))
    assert again(place) == (ALL, None, 0)


def test_a_damaged_page_is_noticed_at_the_latest_when_it_is_verified(place: Path, folded: Folds) -> None:
    folded.close()
    path = place / STATE_NAME
    data = bytearray(path.read_bytes())
    for offset in range(4096 + 200, len(data), 97):
        data[offset] ^= 0x55
    path.write_bytes(data)
    folds = Folds(str(place))
    folds.catch_up()
    folds.verify()
    assert revisions(folds) == ALL
    assert kept(folds) == fresh(place / LOG_NAME)
    folds.close()


def test_what_stands_in_its_place_is_left_alone(place: Path) -> None:
    (place / STATE_NAME).mkdir()
    found, complaint, _ = again(place)
    assert found == ALL
    assert complaint is not None
    assert "cannot be kept" in complaint
    (place / STATE_NAME).rmdir()
    os.mkfifo(place / STATE_NAME)
    assert again(place)[0] == ALL
    (place / STATE_NAME).unlink()
    other = place / "other"
    other.write_bytes(b"kept")
    (place / STATE_NAME).symlink_to(other)
    assert again(place)[0] == ALL
    assert other.read_bytes() == b"kept"


class Refusing:
    """A connection that cannot do one kind of statement, as on a full disk or one that is read-only."""

    def __init__(self, real: sqlite3.Connection, start: str, code: int) -> None:
        self._real, self._start, self._code = real, start, code

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def _look(self, statement: str) -> None:
        if statement.startswith(self._start):
            error = sqlite3.OperationalError("refused for the test")
            error.sqlite_errorcode = self._code
            raise error

    def execute(self, statement: str, *values: Any) -> Any:
        self._look(statement)
        return self._real.execute(statement, *values)

    def executemany(self, statement: str, *values: Any) -> Any:
        self._look(statement)
        return self._real.executemany(statement, *values)


@pytest.mark.parametrize(
    "start", ["BEGIN IMMEDIATE", "CREATE TABLE timeline", "INSERT INTO timeline", "COMMIT", "CREATE INDEX"]
)
@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR])
def test_what_cannot_be_kept_is_folded_for_this_process(
    place: Path, monkeypatch: pytest.MonkeyPatch, start: str, code: int
) -> None:
    real = sqlite3.connect

    def connect(name: str, **options: Any) -> Any:
        made = real(name, **options)
        return Refusing(made, start, code) if name else made

    monkeypatch.setattr(sqlite3, "connect", connect)
    found, complaint, _ = again(place)
    assert found == ALL
    assert complaint is not None
    assert "refused for the test" in complaint


def test_what_can_be_read_and_not_be_written_is_gone_on_from(
    place: Path, folded: Folds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a home that is read-only: what is new is folded, and nothing else."""
    with (place / LOG_NAME).open("ab") as log:
        log.write(b"strange\n")
    before = (place / STATE_NAME).read_bytes()
    real = os.open

    def refuse(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if str(path).endswith(STATE_NAME) and flags & os.O_RDWR:
            raise OSError(errno.EROFS, "Read-only file system")
        return real(path, flags, *more, **options)

    with monkeypatch.context() as broken:
        broken.setattr(os, "open", refuse)
        found, complaint, read = again(place)
    assert (found, read) == (ALL, 1)
    assert "Read-only file system" in (complaint or "")
    assert (place / STATE_NAME).read_bytes() == before


def test_where_nothing_can_be_folded_that_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect
    folds = Folds(str(place))
    with monkeypatch.context() as broken:
        broken.setattr(states, "_copy", lambda *_: None)
        broken.setattr(
            sqlite3,
            "connect",
            lambda name, **more: Refusing(real(name, **more), "INSERT INTO", sqlite3.SQLITE_FULL),
        )
        assert not folds.catch_up()
        assert page(folds, None) == ()
        assert "cannot be folded" in (folds.complaint() or "")
    assert folds.catch_up()
    assert revisions(folds) == ALL
    folds.close()


@pytest.mark.parametrize("name", ["pread", "fstat"])
def test_a_log_that_cannot_be_read_is_said(place: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folds = Folds(str(place))

    def fail(*_: Any) -> Any:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, name, fail)
        assert not folds.catch_up()
        assert page(folds, None) == ()
        assert "Input/output error" in (folds.complaint() or "")
    assert revisions(folds) == ALL
    assert folds.complaint() is None
    folds.close()


def test_a_state_that_a_stopped_process_holds_is_not_waited_for_for_ever(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "PATIENCE", 0.1)
    (place / STATE_NAME).touch(0o600)
    holder = sqlite3.connect(place / STATE_NAME, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    found, complaint, _ = again(place)
    assert found == ALL
    assert "another process" in (complaint or "")
    holder.execute("ROLLBACK")
    holder.close()
    assert again(place)[1] is None


def test_threads_wait_for_one_another(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "PART", 500)
    folds = Folds(str(place))
    found: list[list[int]] = []

    def fold() -> None:
        folds.catch_up()
        found.append(revisions(folds))

    threads = [threading.Thread(target=fold) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [ALL] * 4
    folds.close()


FOLDER = """
import sys
from engine.ledger import folding
from engine.ledger.folds import Folds
folding.PART = int(sys.argv[2])
folds = Folds(sys.argv[1])
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    assert folds.catch_up(), folds.complaint()
"""
WRITER = """
import sys
from engine.ledger import Ledger
from tests.ledger.building import ROOT, Scribe, seen
ledger, scribe = Ledger.open(ROOT, directory=sys.argv[1]), Scribe("w")
scribe.written = 10**12
print("ready", flush=True)
for _ in range(int(sys.argv[2])):
    scribe.change({"lazy": {"text": "x" * 300}})
    ledger.observe(seen(scribe))
"""


def started(program: str, *words: object) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)], stdout=subprocess.PIPE, env=environment()
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_two_processes_fold_while_a_third_one_writes(place: Path) -> None:
    processes = [started(FOLDER, place, 700, 150), started(FOLDER, place, 1 << 20, 150), started(WRITER, place, 60)]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    folds = Folds(str(place))
    assert folds.catch_up()
    assert kept(folds) == fresh(place / LOG_NAME)
    assert folds.verify().ok
    folds.close()


def test_killed_in_the_middle_of_folding(place: Path) -> None:
    log = place / LOG_NAME
    log.write_bytes(log.read_bytes() * 30)
    for number in range(6):
        process = started(FOLDER, place, 2000, 1)
        time.sleep(0.004 * number)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    folds = Folds(str(place))
    assert folds.catch_up()
    assert folds.complaint() is None
    assert kept(folds) == fresh(log)
    folds.close()


KILLED = """
import os, signal, sys
from engine.ledger import folding, states
from engine.ledger.folds import Folds
folding.PART = 3000
calls = int(sys.argv[2])
real = states.sqlite3.connect
class Dying:
    def __init__(self, real): self.real = real
    def __getattr__(self, name): return getattr(self.real, name)
    def execute(self, *words):
        global calls
        calls -= 1
        if not calls: os.kill(os.getpid(), signal.SIGKILL)
        return self.real.execute(*words)
    def executemany(self, *words):
        global calls
        calls -= 1
        if not calls: os.kill(os.getpid(), signal.SIGKILL)
        return self.real.executemany(*words)
states.sqlite3.connect = lambda *words, **more: Dying(real(*words, **more))
print("ready", flush=True)
Folds(sys.argv[1]).catch_up()
"""


def test_killed_at_any_statement(place: Path) -> None:
    """One after another, each dies a few statements further on and leaves its state to the next."""
    expected = fresh(place / LOG_NAME)
    for calls in (1, 4, 9, 15, 22, 30, 38, 47):
        process = started(KILLED, place, calls)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        folds = Folds(str(place))
        assert folds.catch_up()
        assert kept(folds) == expected
        folds.close()
        if calls % 2:
            (place / STATE_NAME).unlink()


def test_a_rotated_log_is_kept_and_the_new_one_folded(place: Path, folded: Folds) -> None:
    before = (place / LOG_NAME).read_bytes()
    ledger = Ledger.open(ROOT, directory=str(place))
    other = Ledger.open(ROOT, directory=str(place))
    scribe = Scribe("r")
    scribe.written = 10**12
    scribe.change()
    other.observe(seen(scribe))
    before = (place / LOG_NAME).read_bytes()
    name = ledger.rotate()
    assert name is not None
    assert (place / name).read_bytes() == before
    assert ledger.kept() == (name,)
    assert (place / LOG_NAME).read_bytes() == b""
    assert stat.S_IMODE((place / LOG_NAME).stat().st_mode) == 0o600
    assert ledger.rotate() is None
    assert revisions(folded) == []
    # Who had the old one open goes on in the new one, and no key of the old one is left in what is kept beside it.
    scribe.change()
    other.observe(seen(scribe))
    assert revisions(folded) == [2, 2, 1]
    assert kept(folded) == fresh(place / LOG_NAME)
    assert (place / name).read_bytes() == before
    assert b"/lazy/k3" not in (place / STATE_NAME).read_bytes()
    second = Log(str(place)).rotate()
    assert second is not None
    assert ledger.kept() == (name, second)


def test_verifying_finds_what_a_state_says_beyond_the_log(place: Path, folded: Folds) -> None:
    steps: list[tuple[int, int]] = []
    report = folded.verify(lambda at, of: steps.append((at, of)))
    assert (report.ok, report.events, report.differing) == (True, lines(place), ())
    assert steps
    damage(place, "UPDATE blame SET seq = 0 WHERE seq = (SELECT max(seq) FROM blame)")
    report = folded.verify()
    assert report.ok is False
    assert [key for key, _ in report.differing] == ["blame"]
    assert kept(folded)["timeline"] == []
    assert folded.catch_up()
    assert kept(folded) == fresh(place / LOG_NAME)
    assert folded.verify().ok


def test_a_line_that_was_changed_behind_the_state_is_found(place: Path, folded: Folds) -> None:
    log = place / LOG_NAME
    # Not so near to its end that the state is known to be of another log at once.
    data = log.read_bytes()
    log.write_bytes(data[:-1000].replace(b'"k3"', b'"kX"') + data[-1000:])
    assert folded.verify().ok is False
    assert kept(folded)["timeline"] == []


async def test_it_is_verified_in_a_process_of_its_own(place: Path, folded: Folds) -> None:
    report = await verify_apart(str(place))
    assert (report.ok, report.events) == (True, lines(place))
    damage(place, "DELETE FROM timeline WHERE revision = 7")
    report = await verify_apart(str(place))
    assert report.ok is False
    assert report.differing[0][0] == "timeline"
    assert revisions(folded) == ALL


def test_a_unit_of_a_new_version_or_a_new_one_is_folded_from_the_first_line(place: Path, folded: Folds) -> None:
    def apply(rows: Rows[tuple[int, int]], recorded: Recorded) -> list[tuple[int, int]]:
        before = rows.get((1,))
        return [(1, (before[1] if before else 0) + recorded.length)]

    from engine.ledger import Baseline

    def unit(version: int) -> Unit[tuple[int, int]]:
        return Unit(
            key="bytes",
            version=version,
            columns=(Column("one", "int"), Column("sum", "int")),
            keyed=1,
            wants=(Baseline, Noted),
            apply=apply,
            initial=((1, 0),),
        )

    log = (place / LOG_NAME).read_bytes().splitlines()
    expected = sum(len(line) for line in log if json.loads(line)["event"] in {"baseline", "transition"})
    for version in (1, 2):
        folds = Folds(str(place), (*registry.UNITS, unit(version)))
        assert folds.catch_up()
        assert kept(folds)["bytes"] == [(1, expected)]
        folds.close()
    assert revisions(folded) == ALL


SNIPPET = """
from engine.ledger.blame import BLAME, BLAME_VIEW, BlameAsk
from engine.ledger.units import Viewer, ViewedUnit

def shown(folds: Viewer) -> object:
    return folds.view(BLAME_VIEW, BlameAsk(".", ()))

def leaked(folds: Viewer) -> object:
    return folds.view(BLAME, BlameAsk(".", ()))

listed: tuple[ViewedUnit[tuple[bytes, int], BlameAsk, object], ...] = (BLAME,)
"""


def test_a_unit_without_a_view_cannot_be_enumerated(tmp_path: Path) -> None:
    """It is an error of types, not of somebody's attention."""
    from mypy import api

    project = Path(__file__).parents[2]
    (tmp_path / "snippet.py").write_text(SNIPPET)
    config = ("--config-file", str(project / "pyproject.toml"), "--no-error-summary")
    out, errors, _ = api.run([*config, str(tmp_path / "snippet.py")])
    found = [line for line in out.splitlines() if " error:" in line]
    assert [line.split(":")[1] for line in found] == ["9", "11"], out + errors
    assert all("Unit[tuple[bytes, int]]" in line for line in found)


def test_the_registry_keeps_every_unit_and_shows_only_those_with_a_view(place: Path, folded: Folds) -> None:
    assert set(folded.counts()) == {unit.key for unit in registry.UNITS}
    assert len({unit.key for unit in registry.UNITS}) == len(registry.UNITS)
    assert {viewed.unit for viewed in registry.VIEWED} <= set(registry.UNITS)
    assert json.dumps(folded.verify().to_json())


@pytest.mark.parametrize("place", ["header", "middle", "all"])
def test_a_damaged_file_is_told_by_verify_and_made_good(tmp_path: Path, place: str) -> None:
    ledger, scribe = Ledger.open(ROOT, directory=str(tmp_path)), Scribe()
    for number in range(40):
        scribe.change({"tactics": {f"k{number}": number}})
        ledger.observe(seen(scribe))
    folds = Folds(str(tmp_path))
    assert folds.catch_up()
    assert folds.verify().ok is True
    folds.close()
    path = tmp_path / STATE_NAME
    data = bytearray(path.read_bytes())
    where = {"header": slice(0, 16), "middle": slice(4096, 12288), "all": slice(0, len(data))}[place]
    data[where] = b"\xa5" * len(data[where])
    path.write_bytes(data)
    report = folds.verify()
    assert report.ok is False
    assert report.differing[0][0] == "file"
    assert folds.catch_up()
    assert folds.verify().ok is True
    folds.close()
