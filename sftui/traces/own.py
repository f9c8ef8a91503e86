"""Traces in what is ours: the ledger, drafts, texts for $EDITOR, records of publications, archives."""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Iterator
from typing import IO, Final

from engine.errors import DecodeError
from engine.ledger.log import CRASH_NAME, LOG_NAME
from engine.store.layout import ARCHIVES, store_home
from engine.values import JsonObject, decode, is_array, is_object
from engine.values.types import MAX_DEPTH
from sftui.actions import key_for, with_keys
from sftui.traces.sought import CHUNK, Probe, Sought, chunks, numbered, reason
from sftui.traces.store import Step
from sftui.views.traces import FEW, Kind, Looked, Trace, Unseen

# Lines of one log that are read closely; more are counted by their bytes.
CLOSELY: Final = 500
# Of an archive no more is unpacked than this.
MOST_UNPACKED: Final = 8 << 30
_DEEPER: Final = 16

_LOG: Final = (
    "the ledger only grows: `sftui ledger rotate` begins a new log and keeps this one beside it; "
    "remove the kept file yourself if it must go, and what it tells of the past with it"
)
_ROTATED: Final = "a log that was put aside: remove the file if it must go, and what it tells of the past with it"
_TORN: Final = "parts of lines that were never completed: nothing reads them; remove the file"
_DERIVED: Final = (
    "worked out from the log: once the log does not hold it, remove the file while no sftui runs; it is made anew"
)
_DRAFT: Final = (
    "a draft: apply it or drop it in the app (X); one of a window that is closed is offered at the next start"
)
_EDIT: Final = "a text for $EDITOR that was not taken over: the app offers it; or remove its directory"
_JOURNAL: Final = "the record of a publication that was interrupted: the next `sftui patch` settles it"
_ARCHIVED: Final = "bytes that were kept when a patch replaced the evidence of a fault: remove the file if it must go"
_ARCHIVE: Final = "an archive of the whole store, made before a repair: remove the file if it must go"
_VIEWS: Final = "how memory was looked at, keys and filters: remove the file while no sftui runs; nothing else is lost"
_OTHER: Final = "not a file that this version knows: remove it, if you know what it is"
_SQLITE: Final = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")


def look(root: str, sought: Sought) -> Iterator[Step]:
    """Every place in our directory for the store at `root`; a step is a piece of a file at most."""
    home = store_home(root)
    files, size = 0, 0
    for folder, directories, names in os.walk(home):
        directories.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            try:
                yield from _of_file(home, path, sought)
                size += os.stat(path, follow_symlinks=False).st_size
            except OSError as error:
                yield Unseen(path, reason(error))
                continue
            files += 1
            yield Looked("our own", files, size)


def _of_file(home: str, path: str, sought: Sought) -> Iterator[Step]:
    place = os.path.relpath(path, home)
    section, name = place.split(os.sep)[0], os.path.basename(path)
    if section == ARCHIVES and ".tar" in name:
        yield from _of_archive(place, path, sought)
    elif section == "ledger" and name.endswith(".jsonl") and name != CRASH_NAME:
        yield from _of_log(place, path, sought)
    elif not sought.whole:
        # A short text is a part of much that is no value.
        yield from _of_bytes(place, path, sought, *_meant(section, name))


def _meant(section: str, name: str) -> tuple[Kind, str]:
    """What a file of ours is, and what can be done about it."""
    if section == "ledger":
        if name == CRASH_NAME:
            return "ledger", _TORN
        return "ledger", _DERIVED
    if section in {"archive", ARCHIVES}:
        return "archive", _ARCHIVED if section == "archive" else _ARCHIVE
    known = {"drafts": _DRAFT, "edits": _EDIT, "journal": _JOURNAL, "views.json": _VIEWS}
    return "own", with_keys(known.get(section, _OTHER), key_for)


def _of_bytes(place: str, path: str, sought: Sought, kind: Kind, remedy: str) -> Iterator[Step]:
    probe = Probe(sought)
    for data in chunks(path):
        probe.push(data)
        yield None
    if path.endswith(_SQLITE[0]) and not probe.count:
        yield from _of_tables(path, probe)
    if probe.count:
        lines = () if path.endswith(_SQLITE) else probe.first(FEW)
        yield Trace(kind, place, path, remedy, lines, probe.count)


def _of_tables(path: str, probe: Probe) -> Iterator[Step]:
    """Look at the values in a database as well: its pages tear long ones."""
    import sqlite3
    from urllib.parse import quote

    try:
        connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        yield Unseen(path, str(error))
        return
    try:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute('SELECT * FROM "{}"'.format(str(table).replace('"', '""'))):  # noqa: S608
                for value in row:
                    if isinstance(value, (str, bytes)):
                        probe.push(
                            (value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value) + b"\n"
                        )
                yield None
    except sqlite3.Error as error:
        yield Unseen(path, f"it cannot be read as a database: {error}")
    finally:
        connection.close()


def _of_log(place: str, path: str, sought: Sought) -> Iterator[Step]:
    first: list[int] = []
    count = closely = 0
    for found in numbered(path, sought):
        if found is None:
            yield None
            continue
        number, line = found
        closely += 1
        if closely <= CLOSELY or sought.whole:
            yield None
            if not _tells(line, sought):
                continue
        count += 1
        if len(first) < FEW:
            first.append(number)
    if count:
        remedy = _LOG if os.path.basename(path) == LOG_NAME else _ROTATED
        yield Trace("ledger", place, path, remedy, tuple(first), count)


def _tells(line: bytes, sought: Sought) -> bool:
    """Whether a line of the log tells the text, and not only names something of its own so."""
    try:
        event = decode(line, max_depth=MAX_DEPTH + _DEEPER, slice_bytes=CHUNK).value
    except DecodeError:
        return True
    return not is_object(event) or any(sought.stands_in(told) for told in _told(event))


def _told(event: JsonObject) -> Iterator[JsonObject]:
    """What of an event comes from a store."""
    for name, value in event.items():
        if name == "tail" and is_array(value):
            for entry in value:
                if is_object(entry):
                    yield from _told(entry)
        elif name in _OF_STORE:
            yield value if is_object(value) else {"": value}


_OF_STORE: Final = frozenset({"patch", "inverse", "value", "reason", "scope", "address", "place", "file"})


def _of_archive(place: str, path: str, sought: Sought) -> Iterator[Step]:
    """Look at each file in an archive, as it is unpacked."""
    left = MOST_UNPACKED
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is None:
                    continue
                probe = Probe(sought)
                for data in _pieces(file):
                    probe.push(data)
                    yield None
                    left -= len(data)
                    if left < 0:
                        yield Unseen(path, f"more than {MOST_UNPACKED >> 30} GiB are packed in it")
                        return
                if probe.count and not sought.whole:
                    yield Trace("archive", f"{place}: {member.name}", path, _ARCHIVE, probe.first(FEW), probe.count)
    except (tarfile.TarError, EOFError, zlib.error, ValueError) as error:
        yield Unseen(path, f"it cannot be unpacked to its end: {str(error) or type(error).__name__}")


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while data := file.read(CHUNK):
        yield data
