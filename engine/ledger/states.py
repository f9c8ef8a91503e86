"""Where the states of the fold are kept: one sqlite file beside the log, which may be lost at any time.

It holds a header, which says of which log it is and up to where, and a table for each unit. Rows and header change in
one transaction, so a process that is killed leaves the state before or after. It is written with a rollback journal:
a connection to a file that somebody has deleted meanwhile leaves nothing behind that the next file could trip over.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

from engine.ledger.units import Cell, Changes, Unit
from engine.records import dataclass

STATE_NAME: Final = "folds.sqlite"
FORMAT: Final = 1
# Another process folds a part in a fraction of this; after so long without progress it is taken to be stopped.
PATIENCE: Final = 5.0
POLL_SECONDS: Final = 0.01
CACHE_KB: Final = 8_000

_DECLARED: Final = {"int": "INTEGER", "float": "REAL", "text": "TEXT", "bytes": "BLOB"}
# A plain error is a table that is not as the header says.
_BROKEN: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
_HELD: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class Malformed(Exception):
    """What is kept is no state of these units; it is folded anew."""


class Held(Exception):
    """Another process keeps the state and does not move on."""


@dataclass(frozen=True, slots=True)
class Header:
    """Which log the state is of (its inode, and a hash of the bytes before `offset`) and how much of it."""

    inode: int
    offset: int
    proof: str
    events: int


NOTHING: Final = Header(0, 0, "", 0)


class Table:
    """One unit's rows, those that were put since the last flush in front of those that are kept."""

    def __init__(self, connection: sqlite3.Connection, unit: Unit[Any]) -> None:
        self.unit = unit
        self._connection = connection
        self._added: list[tuple[Any, ...]] = []
        names = [column.name for column in unit.columns]
        self._columns = ", ".join(names)
        keyed = " AND ".join(f"{name} = ?" for name in names[: unit.keyed])
        self._get = f"SELECT {self._columns} FROM {unit.key} WHERE {keyed}"  # noqa: S608 - names of our own
        # Rows of a key and one cell are pairs: a dict takes many of those in at once.
        self._pairs = unit.keyed == 1 and len(names) == 2 and not unit.grows
        self._changed: dict[Any, Any] = {}
        verb = "INSERT" if unit.grows else "INSERT OR REPLACE"
        self._put = f"{verb} INTO {unit.key} VALUES ({', '.join('?' * len(names))})"

    def get(self, key: tuple[Any, ...]) -> Any:
        """Give the row with this key, or None."""
        found = self._changed.get(key[0] if self._pairs else key)
        if found is not None:
            return (key[0], found) if self._pairs else found
        for row in self._connection.execute(self._get, key):
            return self._sound(row)
        return None

    @property
    def put(self) -> Callable[[Changes[Any]], object]:
        """Takes rows in; asked for once where a million are put."""
        if self._pairs:
            return self._changed.update
        return self._added.extend if self.unit.grows else self._put_keyed

    def _put_keyed(self, rows: Changes[Any]) -> None:
        changed, keyed = self._changed, self.unit.keyed
        for row in rows:
            changed[row[:keyed]] = row

    def flush(self, *, added: bool = False) -> None:
        """Write down what was put, or only rows that do not change any more."""
        if self._added:
            self._connection.executemany(self._put, self._added)
            self._added.clear()
        if self._changed and not added:
            self._connection.executemany(self._put, self._changed.items() if self._pairs else self._changed.values())
            self._changed.clear()

    def forget(self) -> None:
        """Let go of what was put and not written down."""
        self._added.clear()
        self._changed.clear()

    def select(self, where: str, values: tuple[Cell, ...], limit: int | None) -> list[Any]:
        """Give the rows that are kept and meet a condition."""
        query = f"SELECT {self._columns} FROM {self.unit.key} WHERE {where}"  # noqa: S608 - conditions of our own
        if limit is not None:
            query += f" LIMIT {limit:d}"
        return [self._sound(row) for row in self._connection.execute(query, values)]

    def all(self) -> Iterator[Any]:
        """Give all rows that are kept, in the order of their keys."""
        names = ", ".join(column.name for column in self.unit.columns[: self.unit.keyed])
        yield from self._connection.execute(f"SELECT {self._columns} FROM {self.unit.key} ORDER BY {names}")  # noqa: S608

    def count(self) -> int:
        """How many rows are kept."""
        (found,) = self._connection.execute(f"SELECT count(*) FROM {self.unit.key}").fetchone()  # noqa: S608
        return int(found)

    def _sound(self, row: Any) -> Any:
        if not self.unit.is_row(row):
            raise Malformed(self.unit.key)
        return row


class State:
    """The states of `units`: in the file at `path`, or for this process alone when that is None.

    One of this process alone may `begin` as a copy of a file, as far as that can be read. Raises sqlite3.Error and
    OSError.
    """

    def __init__(self, path: str | None, units: tuple[Unit[Any], ...], *, begin: str | None = None) -> None:
        self.path = path
        self.units = units
        self.identity = None if path is None else _made_sure(path)
        # A private one is a temporary file that goes by itself, and is in memory until it is large.
        name = "" if path is None else f"file:{quote(path)}?mode=rw"
        self.connection = sqlite3.connect(
            name, timeout=1.0, isolation_level=None, check_same_thread=False, uri=path is not None
        )
        try:
            self.connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
            if path is None:
                self.connection.execute("PRAGMA journal_mode = OFF")
                _copy(begin, self.connection)
            self.tables = {unit.key: Table(self.connection, unit) for unit in units}
        except BaseException:
            self.connection.close()
            raise

    @property
    def is_there(self) -> bool:
        """Whether the file is still the one that was opened."""
        return self.path is None or self.identity == _identity(self.path)

    def header(self) -> Header:
        """Say which log the state is of; NOTHING for a state that is empty, malformed or of other units."""
        try:
            found = dict(self.connection.execute("SELECT name, value FROM header"))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise
            return NOTHING
        told = [found.get(name) for name in ("units", "inode", "offset", "proof", "events")]
        match told:
            case [str(units), int(inode), int(offset), str(proof), int(events)]:
                if units == self._units() and offset >= 0 and self._tables_fit():
                    return Header(inode, offset, proof, events)
        return NOTHING

    def put_header(self, header: Header) -> None:
        """Say how far the state has come; in the transaction of its rows."""
        values = (
            ("inode", header.inode),
            ("offset", header.offset),
            ("proof", header.proof),
            ("events", header.events),
        )
        self.connection.executemany("INSERT OR REPLACE INTO header VALUES (?, ?)", values)

    def reset(self) -> None:
        """Begin anew; in a transaction."""
        run = self.connection.execute
        own = "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        for kind, name in run(own).fetchall():
            quoted = name.replace('"', '""')
            run(f'DROP {kind} "{quoted}"')
        run("CREATE TABLE header (name TEXT PRIMARY KEY, value) WITHOUT ROWID")
        run("INSERT INTO header VALUES ('units', ?)", (self._units(),))
        for unit in self.units:
            run(_table(unit))
            table = self.tables[unit.key]
            table.forget()
            table.put(unit.initial)
            table.flush()

    def index(self) -> None:
        """Make the indexes that views look rows up by: over many rows at once that is much cheaper; in a transaction."""
        for unit in self.units:
            for names in unit.indexes:
                name = "_".join((unit.key, *names))
                self.connection.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {unit.key} ({', '.join(names)})")

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[None]:
        """Change the state, or leave it as it was. Raises Held when another process does not let it.

        What is not `durable` becomes so with the next change that is; until then only a power loss can damage it.
        """
        if self.path is not None:
            self.connection.execute(f"PRAGMA synchronous = {'NORMAL' if durable else 'OFF'}")
        self._begin()
        try:
            yield
        except BaseException:
            for table in self.tables.values():
                table.forget()
            self._roll_back()
            raise
        try:
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            if _code(error) not in _HELD:
                self._roll_back()
                raise
            self._insist("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one state for a while."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self._roll_back()

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    def _begin(self) -> None:
        self._insist("BEGIN IMMEDIATE")

    def _insist(self, statement: str) -> None:
        deadline, seen = time.monotonic() + PATIENCE, NOTHING
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self.connection.execute(statement)
                    return
                except sqlite3.OperationalError as error:
                    if _code(error) not in _HELD:
                        raise
                if statement != "COMMIT":
                    seen, moved = self._progress(seen)
                    if moved:
                        deadline = time.monotonic() + PATIENCE
                if time.monotonic() >= deadline:
                    if statement == "COMMIT":
                        self._roll_back()
                    raise Held
                time.sleep(POLL_SECONDS)
        finally:
            self.connection.execute("PRAGMA busy_timeout = 1000")

    def _progress(self, seen: Header) -> tuple[Header, bool]:
        """Whether the process that holds the state has come further."""
        try:
            now = self.header()
        except sqlite3.OperationalError:
            return seen, False
        return now, now != seen

    def _roll_back(self) -> None:
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass

    def _units(self) -> str:
        told = [f"{unit.key} {unit.version}" for unit in self.units]
        return ", ".join((f"format {FORMAT}", *told))

    def _tables_fit(self) -> bool:
        there = dict(self.connection.execute("SELECT name, sql FROM sqlite_master WHERE type != 'index'"))
        return there.keys() == {"header", *self.tables} and all(there[unit.key] == _table(unit) for unit in self.units)


def is_broken(error: sqlite3.Error) -> bool:
    """Whether the file is no state at all, or one that was damaged: another one may take its place."""
    return _code(error) in _BROKEN


def flaw_of(path: str) -> str | None:
    """What damage the file has, as sqlite tells it; None where it has none, is not there, or cannot be looked at."""
    if not os.path.isfile(path) or os.path.islink(path):
        return None
    try:
        looking = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=1.0)
        try:
            found = looking.execute("PRAGMA integrity_check(1)").fetchone()
        finally:
            looking.close()
    except sqlite3.Error as error:
        return str(error) if is_broken(error) else None
    return None if found == ("ok",) else str(found[0]) if found else "nothing is told of it"


def discard(path: str) -> None:
    """Remove the file, and what a killed process may have left beside it."""
    for name in (path, f"{path}-journal"):
        try:
            os.unlink(name)
        except FileNotFoundError:
            pass


def _copy(path: str | None, into: sqlite3.Connection) -> None:
    """Take over what can be read of a state; nothing where it cannot be, or is no regular file."""
    if path is None or not os.path.isfile(path) or os.path.islink(path):
        return
    try:
        source = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=1.0)
        try:
            source.backup(into)
        finally:
            source.close()
    except sqlite3.Error:
        pass


def _code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _table(unit: Unit[Any]) -> str:
    columns = [f"{c.name} {_DECLARED[c.kind]}{'' if c.optional else ' NOT NULL'}" for c in unit.columns]
    if unit.keyed == 1 and unit.columns[0].kind == "int":
        columns[0] = f"{unit.columns[0].name} INTEGER PRIMARY KEY"
        return f"CREATE TABLE {unit.key} ({', '.join(columns)})"
    key = ", ".join(column.name for column in unit.columns[: unit.keyed])
    return f"CREATE TABLE {unit.key} ({', '.join(columns)}, PRIMARY KEY ({key})) WITHOUT ROWID"


def _made_sure(path: str) -> tuple[int, int] | None:
    """See that a regular file is there, for this user alone: sqlite would make one for others, and wait for a pipe."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        found = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"no regular file stands at {path}")
    return found.st_dev, found.st_ino


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return found.st_dev, found.st_ino
