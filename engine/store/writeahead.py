"""The record of a publication under way: a small file outside the store, one line a phase.

It is what lets the next process finish or undo what a killed one had begun, and
what proves that a lock left behind is ours. Lines are only appended, so a torn
last one hides nothing that was written before it.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from engine.records import dataclass, replace
from engine.store import files, layout, processes
from engine.store.files import Identity

SUFFIX: Final = ".publication"
CONFLICT_SUFFIX: Final = ".conflict"

NOTE_NS: Final = 500_000_000
"""How long an announced attempt to lock stands for the ones after it."""

_JSON = json.JSONEncoder(separators=(",", ":"))

FileMark = tuple[int, int, int]
"""(inode, size, mtime in ns): what stays the same when a file is renamed or linked."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the cohort that is replaced.

    `before` and `after` are None where there was nothing before, or nothing is
    complete yet; `kept` is the old file under its name aside.
    """

    directory: str
    name: str
    temporary: str
    aside: str
    before: FileMark | None = None
    after: FileMark | None = None
    kept: FileMark | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known of one publication. `phase` is the last one that was reached.

    Phases: locking, locked, writing (nothing replaced before `sealed`), sealed
    (files may be replaced), done, undone. `lock` is (device, inode, mtime in ns);
    `locking_at` is in nanoseconds; `made` are directories that were created.
    """

    root: str
    pid: int
    start: str | None
    phase: str = ""
    locking_at: int = 0
    lock: tuple[int, int, int] | None = None
    made: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()


def mark_of(identity: Identity) -> FileMark:
    return identity.ino, identity.size, identity.mtime_ns


class RecordError(OSError):
    """The records cannot be read or written; `filename` is their directory. Of the store this says nothing."""


@contextmanager
def _of_records(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RecordError(error.errno, error.strerror or str(error), path) from error


class Recording:
    """A record being written. Holding it open and locked says that its publication is alive."""

    __slots__ = ("_descriptor", "_directory", "_noted", "_path", "_root", "keep", "name")

    def __init__(self, root: str, path: str) -> None:
        """`path` is the `directory_of` the root; it is made when it is not there."""
        self.keep = False
        self._root = root
        self._noted = 0
        self._path = path
        with _of_records(path):
            self._directory = _open_directory(path)
            try:
                self.name, self._descriptor = _new_file(self._directory)
            except BaseException:
                files.release(self._directory)
                raise

    def locking(self) -> None:
        """Said just before each attempt to make the lock; a long wait is noted now and then."""
        now = files.now_ns()
        if not self._noted:
            begun = {"phase": "begun", "root": self._root, "pid": os.getpid(), "start": _own_start()}
            self._append(begun, {"phase": "locking", "at": now})
        elif not 0 <= now - self._noted < NOTE_NS:
            self._append({"phase": "locking", "at": now})
        else:
            return
        self._noted = now

    def locked(self, lock: tuple[int, int, int]) -> None:
        self._append({"phase": "locked", "lock": lock})

    def writing(self, made: tuple[str, ...], entries: list[Entry]) -> None:
        """Names only: enough to remove what is about to be made."""
        self._append({"phase": "writing", "made": made, "entries": [_dump(entry) for entry in entries]})

    def sealed(self, entries: list[Entry]) -> None:
        """Everything that finishing or undoing needs, durable before the first file is replaced."""
        self._append({"phase": "sealed", "entries": [_dump(entry) for entry in entries]})
        # The name of a new file is durable with it on every file system that counts, and where it is not,
        # the lock and the temporaries that bear its number still tell what was under way.
        with _of_records(self._path):
            files.fsync(self._descriptor)

    def ended(self, phase: str) -> None:
        self._append({"phase": phase})

    def close(self) -> None:
        """Let go and remove it; one that is to be kept is settled by the next `finish_or_undo`."""
        try:
            if not self.keep:
                files.unlink(self.name, dir_fd=self._directory)
        except OSError:
            # It is settled then like that of a killed process, and found to be done.
            pass
        finally:
            files.release(self._descriptor)
            files.release(self._directory)

    def _append(self, *phases: Mapping[str, object]) -> None:
        line = b"".join(_JSON.encode(phase).encode("ascii") + b"\n" for phase in phases)
        with _of_records(self._path):
            if files.write(self._descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Found:
    """A record of another, or of an abandoned, publication, held for the time of its settling."""

    __slots__ = ("_descriptor", "_directory", "name", "record")

    def __init__(self, directory: int, name: str, descriptor: int, record: Record | None) -> None:
        self._directory = directory
        self._descriptor = descriptor
        self.name = name
        self.record = record

    def discard(self) -> None:
        """Remove it, unless its maker already has: one found before it was held is given up by both."""
        try:
            files.unlink(self.name, dir_fd=self._directory)
        except FileNotFoundError:
            pass

    def set_aside(self) -> None:
        """Keep it as evidence, out of the way of later publications."""
        files.rename(
            self.name,
            self.name.removesuffix(SUFFIX) + CONFLICT_SUFFIX,
            src_dir_fd=self._directory,
            dst_dir_fd=self._directory,
        )


def directory_of(root: str) -> str:
    """Where the records of a root lie. A resolved root keeps its place, which is asked for with each publication."""
    key = (root, layout.state_home(os.environ))
    known = _places.get(key)
    if known is None:
        known = _places[key] = os.path.join(layout.store_home(root), "journal")
    return known


_places: dict[tuple[str, str], str] = {}


def abandoned(path: str) -> Iterator[Found]:
    """The records in a `directory_of` a root that nobody is carrying out any more."""
    try:
        names = sorted(name for name in os.listdir(path) if name.endswith(SUFFIX))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise RecordError(error.errno, error.strerror, path) from error
    if not names:
        return
    with _of_records(path):
        directory = files.open(path, files.DIRECTORY_FLAGS)
    try:
        for name in names:
            try:
                descriptor = files.open(name, files.READ_FLAGS, dir_fd=directory)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise RecordError(error.errno, error.strerror, path) from error
            try:
                if _try_lock(descriptor) and files.fstat(descriptor).st_nlink:
                    yield Found(directory, name, descriptor, _parse(descriptor))
            finally:
                files.release(descriptor)
    finally:
        files.release(directory)


def _open_directory(path: str) -> int:
    try:
        return files.open(path, files.DIRECTORY_FLAGS)
    except FileNotFoundError:
        files.make_private(path)
        return files.open(path, files.DIRECTORY_FLAGS)


def _new_file(directory: int) -> tuple[str, int]:
    """A fresh record, held: its name and descriptor."""
    while True:
        name = f"{os.getpid()}-{os.urandom(8).hex()}{SUFFIX}"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | files.CLOEXEC
        descriptor = files.open(name, flags, 0o600, dir_fd=directory)
        try:
            # Somebody may have found it before it was held, taken it for abandoned and removed it.
            if _try_lock(descriptor) and files.fstat(descriptor).st_nlink:
                return name, descriptor
        except BaseException:
            _discard(name, directory, descriptor)
            raise
        _discard(name, directory, descriptor)


def _discard(name: str, directory: int, descriptor: int) -> None:
    try:
        files.unlink(name, dir_fd=directory)
    except OSError:
        pass
    files.release(descriptor)


def _try_lock(descriptor: int) -> bool:
    """Take the advisory lock of a record, which its owner's end sets free; False if somebody has it."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _dump(entry: Entry) -> list[object]:
    names = (entry.directory, entry.name, entry.temporary, entry.aside)
    return [*names, entry.before, entry.after, entry.kept]


def _parse(descriptor: int) -> Record | None:
    """None when not even the first line is whole: nothing had happened then."""
    size = files.fstat(descriptor).st_size
    record: Record | None = None
    for line in files.read(descriptor, size + 1).split(b"\n")[:-1]:
        try:
            members = json.loads(line)
            phase = members["phase"]
            if phase == "begun":
                record = Record(members["root"], members["pid"], members["start"], phase)
            elif record is not None:
                record = _advanced(record, phase, members)
        except (ValueError, KeyError, TypeError):
            break
    return record


def _advanced(record: Record, phase: str, members: dict[str, Any]) -> Record:
    known = replace(record, phase=phase)
    if "at" in members:
        known = replace(known, locking_at=members["at"])
    if "lock" in members:
        device, inode, changed = members["lock"]
        known = replace(known, lock=(device, inode, changed))
    if "made" in members:
        known = replace(known, made=tuple(members["made"]))
    if "entries" in members:
        known = replace(known, entries=tuple([_entry(*entry) for entry in members["entries"]]))
    return known


def _entry(directory: str, name: str, temporary: str, aside: str, *marks: list[int] | None) -> Entry:
    before, after, kept = (None if mark is None else (mark[0], mark[1], mark[2]) for mark in marks)
    return Entry(directory, name, temporary, aside, before, after, kept)


def new_id() -> str:
    """A random UUID, made without importing the module of that name."""
    text = (
        (int.from_bytes(os.urandom(16), "big") & ~(0xF << 76) & ~(3 << 62) | 4 << 76 | 2 << 62)
        .to_bytes(16, "big")
        .hex()
    )
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def archive(root: str, data: bytes) -> str:
    """Keep bytes of a store outside of it, durably, under their digest; answer where."""
    from hashlib import sha256

    directory = os.path.join(layout.store_home(root), "archive")
    path = os.path.join(directory, sha256(data).hexdigest())
    with _of_records(directory):
        files.make_private(directory)
        files.write_private(path, data)
    return path


_start: tuple[int, str | None] | None = None


def _own_start() -> str | None:
    """This process's mark, looked up once: it never changes."""
    global _start
    pid = os.getpid()
    if _start is None or _start[0] != pid:
        _start = (pid, processes.start_mark(pid))
    return _start[1]
