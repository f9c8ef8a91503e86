"""The folds of one log: brought up to date as it grows, and asked through views.

The log is the only authority. What is kept beside it is a memo of folding it: believed where it is of this log, of
these units, and well formed, and folded anew otherwise. Bodies stay in the log.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from engine.ledger.events import Baseline, Event, Retained, TransitionSeen
from engine.ledger.folding import LogSource, advance, is_current, is_of
from engine.ledger.lines import from_line
from engine.ledger.log import LOG_NAME, open_log
from engine.ledger.memo import Memo
from engine.ledger.registry import UNITS
from engine.ledger.states import NOTHING, STATE_NAME, Held, Malformed, State, discard, flaw_of, is_broken
from engine.ledger.timeline import TimelineRow, lines_at
from engine.ledger.units import S, Unit, ViewedUnit
from engine.ledger.verifying import Report, compared
from engine.records import replace
from engine.store.layout import store_home

A = TypeVar("A")
V = TypeVar("V")
T = TypeVar("T")

Step = Callable[[int, int], object]
"""Told now and then how many bytes of how many are folded. What it raises ends the folding; what was folded stays."""

# A state may be found malformed, then damaged, then held by another process.
_TRIES: Final = 4


class _Behind(Exception):
    """The log holds more than the state, or is another one."""


class Folds:
    """The fold of a store's ledger. From any thread; calls wait for one another.

    Never raises for its own files: `complaint` tells why something cannot be known. What cannot be kept beside the
    log is folded for this process alone. They are of the current log: what was put aside is named, and not folded.
    """

    def __init__(self, directory: str | None, units: tuple[Unit[Any], ...] = UNITS) -> None:
        self._directory = directory
        self._units = units
        self._state: State | None = None
        self._private: str | None = None
        self._log: int | None = None
        self._header = NOTHING
        self._complaint: str | None = None
        self._turn = threading.RLock()

    @classmethod
    def open(cls, root: str, enabled: bool = True, *, directory: str | None = None) -> Folds:
        """Open the folds of the store at `root`; nothing is made or read yet. Not `enabled`: nothing is known."""
        if not enabled:
            return cls(None)
        return cls(directory or os.path.join(store_home(root), "ledger"))

    @property
    def directory(self) -> str | None:
        """Where the log is; None when there is none."""
        return self._directory

    @property
    def offset(self) -> int:
        """How many bytes of the log were folded when it was last caught up with."""
        return self._header.offset

    @property
    def events(self) -> int:
        """How many complete lines those are."""
        return self._header.events

    def behind(self) -> int:
        """How many bytes of the log wait to be folded."""
        with self._turn:
            return self._carefully(self._behind) or 0

    def catch_up(self, step: Step | None = None) -> bool:
        """Fold what the log has beyond the state. False when that cannot be done; `complaint` says why."""
        while True:
            with self._turn:
                reached = self._carefully(self._fold_part)
                done = self._header.offset
            if reached is None:
                return False
            more, size = reached
            if step is not None:
                step(done, size)
            if not more:
                return True

    def view(self, viewed: ViewedUnit[S, A, V], ask: A) -> V | None:
        """Ask a unit for its view of the log as it is now. None also where there is no log, or nothing can be known."""
        with self._turn:
            return self._carefully(lambda: self._view(viewed, ask))

    def event(self, offset: int, length: int) -> Event | None:
        """Read the event whose line stands there, exactly."""
        with self._turn:
            try:
                line = None if self._log is None else os.pread(self._log, length, offset)
            except OSError as error:
                self._complain("read", error)
                return None
        return None if line is None else from_line(line)

    def lines_at(self, boundary_ids: Iterable[str]) -> list[bytes] | None:
        """Give the lines that record something at boundaries of these ids, oldest first, and few others.

        For whoever would else read them all; None where it is not known which they are.
        """
        with self._turn:
            return self._carefully(lambda: self._lines_at(tuple(boundary_ids)))

    def body(self, row: TimelineRow) -> Retained | None:
        """Read the transition of a row, patch and way back; None for a row that has none."""
        event = self.event(row.offset, row.length)
        found: Retained | None = None
        if isinstance(event, TransitionSeen) and event.address == row.address:
            found = event.transition
        elif isinstance(event, Baseline) and event.address == row.address and row.part < len(event.tail):
            found = event.tail[row.part]
        return found if found is not None and (found.revision, found.hash) == (row.revision, row.hash) else None

    def counts(self) -> dict[str, int]:
        """How many rows each unit keeps."""
        with self._turn:
            return self._carefully(self._counts) or {}

    def verify(self, step: Step | None = None) -> Report:
        """Fold the log from its first line and compare: a state that is not the same is folded anew.

        So is the index by which the ledger knows what it holds already, once one was kept beside the log.
        It takes as long as folding everything does, and no more memory; others are kept waiting for a copy only.
        """
        flaw = None if self._directory is None else flaw_of(os.path.join(self._directory, STATE_NAME))
        if flaw is not None:
            with self._turn:
                self._drop_state()
                self._private = None
                try:
                    discard(os.path.join(self._directory or "", STATE_NAME))
                except OSError as error:
                    self._complain("kept", error)
            return Report(ok=False, differing=(("file", flaw),))
        with self._turn:
            kept = self._carefully(self._copied)
            log = None if self._log is None else os.dup(self._log)
        if log is None:
            return Report(ok=None, reason=self._complaint or "there is no log")
        try:
            if kept is None:
                return Report(ok=None, reason=self._complaint or "nothing is folded yet")
            report = compared(kept, log, step)
            if self.directory is not None and Memo(self.directory).is_wrong(log, step):
                report = replace(report, ok=False, differing=(*report.differing, ("index", "")))
        except (OSError, sqlite3.Error, Held) as error:
            return Report(ok=None, reason=f"it cannot be compared: {error}")
        finally:
            os.close(log)
            if kept is not None:
                kept.close()
        if report.ok is False:
            with self._turn:
                self._carefully(self._begin_anew)
        return report

    def checked(self, step: Step | None = None) -> Report:
        """Verify what is kept. What is not there yet is folded first, and what differs is folded anew afterwards."""
        report = self.verify(step)
        if report.ok is not True:
            self.catch_up()
        return self.verify(step) if report.ok is None else report

    def complaint(self) -> str | None:
        """Why something cannot be known, or not be kept; None when all is well."""
        return self._complaint or self._private

    def close(self) -> None:
        """Let go of all files; it may be used again afterwards."""
        with self._turn:
            self._drop_state()
            self._private = None
            if self._log is not None:
                os.close(self._log)
                self._log = None

    # --- one try of each, in turn

    def _fold_part(self) -> tuple[bool, int]:
        """Fold one part; whether there is more, and the size of the log."""
        if not self._has_log():
            self._drop_state()
            return False, 0
        assert self._log is not None
        state = self._ready()
        self._header, more, size = advance(state, self._log)
        return more, size

    def _behind(self) -> int:
        if not self._has_log():
            return 0
        assert self._log is not None
        size = os.fstat(self._log).st_size
        header = self._ready().header()
        return size - header.offset if is_of(header, self._log) else size

    def _view(self, viewed: ViewedUnit[S, A, V], ask: A) -> V | None:
        if not self._has_log():
            return None
        assert self._log is not None
        state = self._ready()
        with state.reading():
            if not is_current(state.header(), self._log):
                raise _Behind
            found = viewed.view(LogSource(state, self._log), ask)
        if not viewed.is_view(found):
            raise Malformed(viewed.unit.key)
        return found

    def _lines_at(self, boundary_ids: tuple[str, ...]) -> list[bytes] | None:
        if not self._has_log():
            return []
        assert self._log is not None
        state = self._ready()
        with state.reading():
            if not is_current(state.header(), self._log):
                raise _Behind
            found = lines_at(LogSource(state, self._log), boundary_ids)
        return [os.pread(self._log, length, offset) for offset, length in found]

    def _counts(self) -> dict[str, int]:
        state = self._ready()
        return {unit.key: state.tables[unit.key].count() for unit in self._units}

    def _copied(self) -> State | None:
        if not self._has_log():
            return None
        assert self._log is not None
        state = self._ready()
        if not is_of(state.header(), self._log):
            return None
        copy = State(None, self._units)
        try:
            state.connection.backup(copy.connection)
        except BaseException:
            copy.close()
            raise
        return copy

    def _begin_anew(self) -> bool:
        state = self._ready()
        with state.writing():
            state.reset()
        return True

    # --- what it stands on

    def _has_log(self) -> bool:
        """Have the log of now open; one that was put aside is let go."""
        assert self._directory is not None
        path = os.path.join(self._directory, LOG_NAME)
        if self._log is not None:
            try:
                found = os.stat(path, follow_symlinks=False)
                if found.st_ino == os.fstat(self._log).st_ino:
                    return True
            except (FileNotFoundError, NotADirectoryError):
                pass
            os.close(self._log)
            self._log = None
        self._log = open_log(path)
        return self._log is not None

    def _ready(self) -> State:
        """Have a state to work with: the one beside the log, or one for this process alone."""
        assert self._directory is not None
        if self._state is not None and not self._state.is_there:
            self._drop_state()
        if self._state is None:
            self._state = self._opened(None if self._private else os.path.join(self._directory, STATE_NAME))
        return self._state

    def _opened(self, path: str | None, *, again: bool = False) -> State:
        if path is None:
            return State(None, self._units)
        try:
            return State(path, self._units)
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, sqlite3.Error) and is_broken(error) and not again:
                try:
                    discard(path)
                    return self._opened(path, again=True)
                except OSError:
                    pass
            self._go_private(error)
            assert self._state is not None
            return self._state

    def _drop_state(self) -> None:
        self._header = NOTHING
        if self._state is not None:
            self._state.close()
            self._state = None

    def _go_private(self, error: Exception) -> None:
        """From now on with a state of this process's own, which begins with what can be read of the other."""
        assert self._directory is not None
        self._drop_state()
        self._private = f"what is folded of the ledger cannot be kept, so it is folded each time: {_told(error)}"
        usable = not (isinstance(error, sqlite3.Error) and is_broken(error))
        self._state = State(None, self._units, begin=os.path.join(self._directory, STATE_NAME) if usable else None)

    def _complain(self, what: str, error: Exception) -> None:
        self._complaint = f"the ledger cannot be {what}: {_told(error)}"

    def _carefully(self, work: Callable[[], T]) -> T | None:
        """Do some work, and see to whatever in its own files is in the way of it."""
        if self._directory is None:
            return None
        for attempt in range(_TRIES):
            try:
                done = work()
            except _Behind:
                if not self.catch_up():
                    return None
            except Malformed:
                if self._carefully(self._begin_anew) is None or not self.catch_up():
                    return None
            except (sqlite3.Error, Held) as error:
                if not self._sidestepped(error, again=attempt > 0):
                    return None
            except OSError as error:
                self._complain("read", error)
                return None
            else:
                self._complaint = None
                return done
        self._complaint = "what is folded of the ledger cannot be brought in order"
        return None

    def _sidestepped(self, error: Exception, *, again: bool) -> bool:
        """Whether there is another way: a new file for a damaged one, a state of this process's own otherwise."""
        assert self._directory is not None
        if self._private is not None:
            self._drop_state()
            self._private = None
            self._complain("folded", error)
            return False
        if isinstance(error, sqlite3.Error) and is_broken(error) and not again:
            self._drop_state()
            try:
                discard(os.path.join(self._directory, STATE_NAME))
            except OSError as refused:
                self._go_private(refused)
        else:
            self._go_private(error)
        return True


def _told(error: Exception) -> str:
    if isinstance(error, Held):
        return "another process keeps it and does not move on"
    return getattr(error, "strerror", None) or str(error)
