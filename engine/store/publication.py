"""The one writer of a store: replaces the files of a cohort, wholly or not at all.

Everything new is complete and durable under temporary names before the first
file is replaced, and every old file is kept aside until the last one is. What
is under way is recorded outside the store (`writeahead`), so that whatever
interrupts it can be finished or undone.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, Literal

from engine.errors import StoreFailure
from engine.store import files
from engine.store.files import Capture, Identity
from engine.store.lock import Lock
from engine.store.writeahead import Entry, FileMark, Log, mark_of

Place = tuple[str, str]
"""(directory below the root, "." for the root itself; file name)."""
Settled = Literal["finished", "undone"]

MAX_VECTORS: Final = 512
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})


class Conflict(Exception):
    """Files that hold neither what was there before nor what was to come; nothing was touched."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        super().__init__(places)
        self.places = places


@dataclass(frozen=True, slots=True)
class Target:
    """A file to be replaced: its new bytes in pieces, and what was captured there."""

    directory: str
    name: str
    chunks: Sequence[bytes]
    before: Capture


@contextmanager
def directories(root: int, names: Iterable[str]) -> Iterator[dict[str, int]]:
    """Descriptors of directories below the open root, by name; no link is followed."""
    opened: dict[str, int] = {".": root}
    try:
        for name in names:
            path = ""
            for part in name.split("/"):
                if part == ".":
                    continue
                parent = opened[path or "."]
                path = f"{path}/{part}" if path else part
                if path not in opened:
                    opened[path] = files.open(part, files.DIRECTORY_FLAGS, dir_fd=parent)
        yield opened
    finally:
        for name, descriptor in opened.items():
            if name != ".":
                _close(descriptor)


def replace_files(
    lock: Lock,
    log: Log,
    targets: Sequence[Target],
    unchanged: Mapping[Place, Capture],
    token: str,
) -> dict[Place, Identity]:
    """Replace all `targets`, in their order, and answer what now stands there.

    `unchanged` are the captured files of the cohort that must still be as they were.
    Raises OSError or StoreFailure after everything was put back; when that fails
    too, the lock and the record stay for the next `finish_or_undo`.
    """
    entries = [
        Entry(
            target.directory,
            target.name,
            f".{target.name}.{lock.pid}.{token}.tmp",
            f".{target.name}.{lock.pid}.{token}.old",
            before=None if target.before.identity is None else mark_of(target.before.identity),
        )
        for target in targets
    ]
    made: list[str] = []
    try:
        log.writing(tuple(_missing(lock.root_descriptor, targets)), entries)
        _make_directories(lock.root_descriptor, targets, made)
        with directories(lock.root_descriptor, {target.directory for target in targets}) as open_directories:
            _prepare(open_directories, targets, entries)
            lock.sync()
            for descriptor in open_directories.values():
                files.fsync(descriptor)
            log.sealed(entries)
            _check_unchanged(lock.root_descriptor, unchanged)
            _check_racy(open_directories, targets)
            found = _put_in_place(open_directories, entries)
            for directory in {target.directory for target in targets}:
                files.fsync(open_directories[directory])
    except BaseException as error:
        _put_back(lock, log, entries, made, error)
        raise
    return found


def settle(root: int, entries: Sequence[Entry], made: Sequence[str], *, undo: bool, whatever: bool = False) -> Settled:
    """Bring the files of a publication to exactly before, or exactly after, by what is found on disk.

    With `undo` back; else on, if a file was already replaced and all others are at hand.
    A file that is neither raises Conflict, unless `whatever`: then it alone is left as it is.
    """
    names = [entry.directory for entry in entries]
    present = [name for name in dict.fromkeys(names) if _exists(root, name)]
    with directories(root, present) as opened:
        held = [entry for entry in entries if entry.directory in opened]
        new = [entry for entry in held if _is_new(opened, entry)]
        old = [entry for entry in held if entry not in new and _is_old(opened, entry)]
        others = [entry for entry in held if entry not in new and entry not in old]
        if others and new and not whatever:
            raise Conflict(tuple((entry.directory, entry.name) for entry in others))
        outcome: Settled = "undone"
        if new and not undo and not others and all(_is_ready(opened, entry) for entry in old):
            for entry in old:
                _rename(opened, entry, entry.temporary)
            outcome = "finished"
        else:
            for entry in reversed(new):
                if entry.before is None:
                    files.unlink(entry.name, dir_fd=opened[entry.directory])
                else:
                    _rename(opened, entry, entry.aside)
        if new:
            for descriptor in opened.values():
                files.fsync(descriptor)
        sweep(opened, held)
    if outcome == "undone":
        _unmake(root, made)
    return outcome


def sweep(opened: Mapping[str, int], entries: Iterable[Entry]) -> list[str]:
    """Remove temporaries and what was kept aside; answer the names that could not be removed."""
    left: list[str] = []
    for entry in entries:
        for name in (entry.temporary, entry.aside):
            try:
                _remove(name, opened[entry.directory])
            except OSError:
                left.append(f"{entry.directory}/{name}")
    return left


def _prepare(opened: Mapping[str, int], targets: Sequence[Target], entries: list[Entry]) -> None:
    """Write all temporaries and keep all old files aside; fills in the marks of `entries`."""
    written: list[int] = []
    try:
        for target, entry in zip(targets, entries, strict=True):
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | files.NOFOLLOW | files.CLOEXEC
            descriptor = files.open(entry.temporary, flags, 0o600, dir_fd=opened[entry.directory])
            written.append(descriptor)
            _write_all(descriptor, target.chunks)
        for index, (target, entry) in enumerate(zip(targets, entries, strict=True)):
            entries[index] = replace(entry, kept=_keep_aside(opened[entry.directory], target, entry))
        for index, descriptor in enumerate(written):
            files.fsync(descriptor)
            entries[index] = replace(entries[index], after=_mark(files.fstat(descriptor)))
    finally:
        for descriptor in written:
            _close(descriptor)


def _write_all(descriptor: int, chunks: Sequence[bytes]) -> None:
    pending = [chunk for chunk in chunks if chunk]
    first = 0
    while first < len(pending):
        written = files.writev(descriptor, pending[first : first + MAX_VECTORS])
        while first < len(pending) and written >= len(pending[first]):
            written -= len(pending[first])
            first += 1
        if written:
            pending[first] = pending[first][written:]


def _keep_aside(directory: int, target: Target, entry: Entry) -> FileMark | None:
    """Link the old file to its name aside, or copy it where links cannot be had."""
    known = target.before.identity
    if known is None:
        return None
    # The link moves the file's ctime, so this is the last moment for the whole identity.
    if not files.same_file(known, files.stat(entry.name, dir_fd=directory, follow_symlinks=False)):
        raise _moved(entry.directory, entry.name)
    try:
        files.link(entry.name, entry.aside, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _copy_aside(directory, entry)
    if _mark(files.stat(entry.aside, dir_fd=directory, follow_symlinks=False)) != entry.before:
        raise _moved(entry.directory, entry.name)
    return entry.before


def _copy_aside(directory: int, entry: Entry) -> FileMark:
    kept = files.capture(entry.name, directory)
    if kept.data is None:
        raise _moved(entry.directory, entry.name)
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | files.NOFOLLOW | files.CLOEXEC
    descriptor = files.open(entry.aside, flags, 0o600, dir_fd=directory)
    try:
        _write_all(descriptor, [kept.data])
        files.fsync(descriptor)
        return _mark(files.fstat(descriptor))
    finally:
        _close(descriptor)


def _put_in_place(opened: Mapping[str, int], entries: Sequence[Entry]) -> dict[Place, Identity]:
    """Check each target once more, rename over it, and look at what stands there then."""
    for entry in entries:
        if _mark_at(opened, entry.directory, entry.name) != entry.before:
            raise _moved(entry.directory, entry.name)
        _rename(opened, entry, entry.temporary)
    found: dict[Place, Identity] = {}
    for entry in entries:
        seen = files.stat(entry.name, dir_fd=opened[entry.directory], follow_symlinks=False)
        if _mark(seen) != entry.after:
            raise _moved(entry.directory, entry.name)
        found[entry.directory, entry.name] = files.identity_of(seen)
    return found


def _put_back(lock: Lock, log: Log, entries: Sequence[Entry], made: Sequence[str], error: BaseException) -> None:
    """Undo after `error`; when that fails too, both are reported and the evidence stays."""
    for last in (False, True):
        try:
            settle(lock.root_descriptor, entries, made, undo=True, whatever=True)
            log.ended("undone")
            return
        except OSError as second:
            if last:
                lock.abandon()
                raise StoreFailure(
                    "undo-failed",
                    f"writing failed ({error}), and so did putting the old files back ({second})",
                    file=lock.root,
                    kept="the old files are kept beside the new ones, and the lock stays as a sign of it",
                    hint="free some space or repair the disk, then open the store again: it is put right then",
                ) from error


def _check_unchanged(root: int, captures: Mapping[Place, Capture]) -> None:
    """Raise unless the files that are not replaced still are as they were captured."""
    with directories(root, {directory for directory, _ in captures if _exists(root, directory)}) as opened:
        for (directory, name), known in captures.items():
            if directory not in opened:
                if known.identity is not None:
                    raise _moved(directory, name)
                continue
            if known.racy:
                _check_bytes(opened[directory], directory, name, known)
                continue
            try:
                found = files.stat(name, dir_fd=opened[directory], follow_symlinks=False)
            except FileNotFoundError:
                if known.identity is not None:
                    raise _moved(directory, name) from None
                continue
            if known.identity is None or not files.same_file(known.identity, found):
                raise _moved(directory, name)


def _check_racy(opened: Mapping[str, int], targets: Sequence[Target]) -> None:
    """Compare bytes where the clock could not tell a later change from the one that was captured."""
    for target in targets:
        if target.before.racy:
            _check_bytes(opened[target.directory], target.directory, target.name, target.before)


def _check_bytes(directory: int, place: str, name: str, known: Capture) -> None:
    if files.capture(name, directory).sha256 != known.sha256:
        raise _moved(place, name)


def _moved(directory: str, name: str) -> StoreFailure:
    return StoreFailure(
        "changed-meanwhile",
        "a file of the store was changed by a program that ignores the lock",
        file=name if directory == "." else f"{directory}/{name}",
        kept="that change was kept, and nothing of ours was written",
        hint="look at the change, then try again",
    )


def _missing(root: int, targets: Sequence[Target]) -> list[str]:
    """The directories that have to be made, parents first."""
    wanted: dict[str, None] = {}
    for target in targets:
        parts = [] if target.directory == "." else target.directory.split("/")
        for depth in range(1, len(parts) + 1):
            wanted["/".join(parts[:depth])] = None
    return [name for name in wanted if not _exists(root, name)]


def _make_directories(root: int, targets: Sequence[Target], made: list[str]) -> None:
    for name in _missing(root, targets):
        files.mkdir(name, 0o700, dir_fd=root)
        made.append(name)


def _unmake(root: int, made: Sequence[str]) -> None:
    for name in reversed(made):
        try:
            files.rmdir(name, dir_fd=root)
        except OSError:
            # Absent, or no longer empty: then it is somebody else's by now.
            continue


def _exists(root: int, name: str) -> bool:
    try:
        files.stat(name, dir_fd=root, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _mark(found: os.stat_result) -> FileMark:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _mark_at(opened: Mapping[str, int], directory: str, name: str) -> FileMark | None:
    try:
        return _mark(files.stat(name, dir_fd=opened[directory], follow_symlinks=False))
    except FileNotFoundError:
        return None


def _is_new(opened: Mapping[str, int], entry: Entry) -> bool:
    return entry.after is not None and _mark_at(opened, entry.directory, entry.name) == entry.after


def _is_old(opened: Mapping[str, int], entry: Entry) -> bool:
    mark = _mark_at(opened, entry.directory, entry.name)
    return mark == entry.before or (mark is not None and mark == entry.kept)


def _is_ready(opened: Mapping[str, int], entry: Entry) -> bool:
    return entry.after is not None and _mark_at(opened, entry.directory, entry.temporary) == entry.after


def _rename(opened: Mapping[str, int], entry: Entry, source: str) -> None:
    directory = opened[entry.directory]
    files.rename(source, entry.name, src_dir_fd=directory, dst_dir_fd=directory)


def _remove(name: str, directory: int) -> None:
    for last in (False, True):
        try:
            files.unlink(name, dir_fd=directory)
        except FileNotFoundError:
            return
        except OSError:
            if last:
                raise
        else:
            return


def _close(descriptor: int) -> None:
    try:
        files.close(descriptor)
    except OSError:
        pass
