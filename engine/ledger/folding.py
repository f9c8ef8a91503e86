"""The fold itself: the lines behind an offset, one event after another, into the tables of a state."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from engine.ledger.events import Event
from engine.ledger.lines import from_line
from engine.ledger.log import complete_lines, many_lines, proof
from engine.ledger.noting import noting
from engine.ledger.states import NOTHING, Header, State, Table
from engine.ledger.units import Cell, Noted, Recorded, S, Unit
from engine.values.collector import collector_at_rest

# Folded in one transaction: so long others wait, and so much is in memory.
PART: Final = 16 << 20


class LogSource:
    """Rows of a state, and events of the log that it is of."""

    def __init__(self, state: State, log: int) -> None:
        self._state = state
        self._log = log

    def select(self, unit: Unit[S], where: str, values: tuple[Cell, ...] = (), *, limit: int | None = None) -> list[S]:
        """Give the rows of a unit that meet an SQL condition."""
        found: list[S] = self._state.tables[unit.key].select(where, values, limit)
        return found

    def event(self, offset: int, length: int) -> Event | None:
        """Give the event whose line stands there, exactly."""
        return from_line(os.pread(self._log, length, offset))


def is_of(header: Header, log: int) -> bool:
    """Whether a state is of this log, whole or up to a point."""
    found = os.fstat(log)
    return header.inode == found.st_ino and header.offset <= found.st_size and header.proof == proof(log, header.offset)


def is_current(header: Header, log: int) -> bool:
    """Whether a state is of this log, and of all of its complete lines."""
    return is_of(header, log) and not _has_line(log, header.offset)


def advance(state: State, log: int) -> tuple[Header, bool, int]:
    """Fold one part of what the log has beyond the state; what the state is then of, whether there is more, its size."""
    size = os.fstat(log).st_size
    header = state.header()
    if is_current(header, log):
        return header, False, size
    # Of many parts the last one makes all of them durable.
    durable = size - (header.offset if is_of(header, log) else 0) <= PART
    with state.writing(durable=durable), collector_at_rest():
        header = state.header()
        if not is_of(header, log):
            state.reset()
            header = NOTHING
        offset, count = fold(state, log, header.offset, header.offset + PART)
        more = _has_line(log, offset)
        if not more:
            state.index()
        header = Header(os.fstat(log).st_ino, offset, proof(log, offset), header.events + count)
        state.put_header(header)
    return header, more, size


def fold(state: State, log: int, start: int, stop: int) -> tuple[int, int]:
    """Fold complete lines from `start` on, up to the first that ends at `stop` or behind it.

    Gives the offset behind the last one and how many they were; in a transaction.
    """
    takers: dict[type[Event | Noted], list[tuple[Callable[[Any], object], Callable[[Any, Recorded], Any], Table]]] = {}
    for unit in state.units:
        table = state.tables[unit.key]
        for kind in unit.wants:
            takers.setdefault(kind, []).append((table.put, unit.apply, table))
    read, record = noting(), tuple.__new__
    offset, count = start, 0
    for lines in many_lines(log, start):
        for line in lines:
            length = len(line)
            event = read(line)
            if event is not None:
                recorded = record(Recorded, (offset, length, event))
                for put, apply, rows in takers.get(event.__class__, ()):
                    put(apply(rows, recorded))
            offset += length + 1
            count += 1
            if offset >= stop:
                break
        # While they are still at hand; what changes again and again is written once, at the end.
        for table in state.tables.values():
            table.flush(added=True)
        if offset >= stop:
            break
    for table in state.tables.values():
        table.flush()
    return offset, count


def _has_line(log: int, offset: int) -> bool:
    if os.fstat(log).st_size <= offset:
        return False
    return next(complete_lines(log, offset), None) is not None
