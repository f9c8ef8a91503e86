"""The one writer of a store: replaces the files of a cohort, wholly or not at all.

Everything new is complete and durable under temporary names before the first
file is replaced, and every old file is kept aside until the last one is. What
is under way is recorded outside the store (`writeahead`), so that whatever
interrupts it can be finished or undone.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.errors import StoreFailure
from engine.memory.scope import Wanted
from engine.records import replace
from engine.store import admission, files, places, writing
from engine.store.afterwards import previewed, published, written_snapshot
from engine.store.asking import spoken
from engine.store.files import Capture
from engine.store.layout import Address
from engine.store.lock import Lock
from engine.store.places import (
    Conflict,
    Settled,
    check_racy,
    check_unchanged,
    directories,
    exists,
    is_ready,
    mark,
    mark_at,
    missing,
    moved,
    plainly,
    planned,
    standing,
)
from engine.store.proposal import Proposal, Published, propose, refuse_moved, unasked
from engine.store.readings import Snapshot
from engine.store.snapshot import captured, snapshot
from engine.store.waiting import OnWait
from engine.store.writeahead import Entry, FileMark, Recording, directory_of, new_id
from engine.store.writing import Place, Target

if TYPE_CHECKING:
    from engine.store.asking import Authored

__all__ = ["Published", "publish", "replace_files", "settle", "sweep"]

MAX_VECTORS: Final = 512
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})


def replace_files(
    lock: Lock, recording: Recording, targets: Sequence[Target], unchanged: Mapping[Place, Capture]
) -> dict[Place, Capture]:
    """Replace all `targets`, in their order, and answer what now stands there, without the bytes.

    `unchanged` are the captured files of the cohort that must still be as they were.
    Raises OSError or StoreFailure after everything was put back; when that fails
    too, the lock and the record stay for the next `finish_or_undo`.
    """
    root = lock.root_descriptor
    entries = planned(targets, lock.pid)
    made: list[str] = []
    try:
        recording.writing(tuple(missing(root, targets)), entries)
        _make_directories(root, targets, made)
        with directories(root, {target.directory for target in targets}) as opened:
            _prepare(opened, targets, entries)
            lock.sync()
            for descriptor in opened.values():
                files.fsync(descriptor)
            recording.sealed(entries)
            lock.verify()
            check_unchanged(root, unchanged)
            check_racy(opened, targets)
            found = _put_in_place(opened, entries)
            for directory in {target.directory for target in targets}:
                files.fsync(opened[directory])
    except BaseException as error:
        _put_back(lock, recording, entries, made, error)
        raise
    _clean_up(root, recording, entries)
    return found


def _clean_up(root: int, recording: Recording, entries: Sequence[Entry]) -> None:
    """After success nothing may fail any more: what cannot be removed now is left to the next `finish_or_undo`."""
    kept = [entry for entry in entries if entry.before is not None]
    recording.keep = True
    for attempt in range(4):
        try:
            if attempt < 2:
                recording.ended("done")
            with directories(root, {entry.directory for entry in kept}) as opened:
                recording.keep = bool(sweep(opened, kept))
            return
        except OSError:
            continue


def settle(root: int, entries: Sequence[Entry], made: Sequence[str], *, undo: bool, whatever: bool = False) -> Settled:
    """Bring the files of a publication to exactly before, or exactly after, by what is found on disk.

    With `undo` back; else on, if a file was already replaced and all others are at hand.
    A file that is neither raises Conflict, unless `whatever`: then it alone is left as it is.
    """
    names = [entry.directory for entry in entries]
    present = [name for name in dict.fromkeys(names) if exists(root, name)]
    with directories(root, present) as opened:
        held = [entry for entry in entries if entry.directory in opened]
        found = standing(opened, held)
        if found.others and found.new and not whatever:
            raise Conflict(tuple((entry.directory, entry.name) for entry in found.others))
        outcome: Settled = "undone"
        onward = bool(found.new) and not undo and not found.others
        if onward and all(is_ready(opened, entry) for entry in found.old):
            for entry in found.old:
                _rename(opened, entry, entry.temporary)
            outcome = "finished"
        else:
            for entry in reversed(found.new):
                if entry.before is None:
                    files.unlink(entry.name, dir_fd=opened[entry.directory])
                else:
                    _rename(opened, entry, entry.aside)
        if found.new:
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
            with places.below(entry.directory):
                descriptor = files.open(entry.temporary, flags, 0o600, dir_fd=opened[entry.directory])
            written.append(descriptor)
            _write_all(descriptor, target.chunks)
        for index, (target, entry) in enumerate(zip(targets, entries, strict=True)):
            with places.below(entry.directory):
                entries[index] = replace(entry, kept=_keep_aside(opened[entry.directory], target, entry))
        for index, descriptor in enumerate(written):
            files.fsync(descriptor)
            entries[index] = replace(entries[index], after=mark(files.fstat(descriptor)))
    finally:
        for descriptor in written:
            files.release(descriptor)


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
        raise moved(entry.directory, entry.name)
    try:
        files.link(entry.name, entry.aside, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _copy_aside(directory, entry)
    if mark(files.stat(entry.aside, dir_fd=directory, follow_symlinks=False)) != entry.before:
        raise moved(entry.directory, entry.name)
    return entry.before


def _copy_aside(directory: int, entry: Entry) -> FileMark:
    kept = files.capture(entry.name, directory)
    if kept.data is None:
        raise moved(entry.directory, entry.name)
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | files.NOFOLLOW | files.CLOEXEC
    descriptor = files.open(entry.aside, flags, 0o600, dir_fd=directory)
    try:
        _write_all(descriptor, [kept.data])
        files.fsync(descriptor)
        return mark(files.fstat(descriptor))
    finally:
        files.release(descriptor)


def _put_in_place(opened: Mapping[str, int], entries: Sequence[Entry]) -> dict[Place, Capture]:
    """Check each target once more, rename over it, and look at what stands there then."""
    began = files.now_ns()
    for entry in entries:
        if mark_at(opened, entry.directory, entry.name) != entry.before:
            raise moved(entry.directory, entry.name)
        with places.below(entry.directory):
            _rename(opened, entry, entry.temporary)
    found: dict[Place, Capture] = {}
    for entry in entries:
        seen = files.stat(entry.name, dir_fd=opened[entry.directory], follow_symlinks=False)
        if mark(seen) != entry.after:
            raise moved(entry.directory, entry.name)
        found[entry.directory, entry.name] = Capture(files.identity_of(seen), racy=files.is_young(seen, began))
    return found


def _put_back(
    lock: Lock, recording: Recording, entries: Sequence[Entry], made: Sequence[str], error: BaseException
) -> None:
    """Undo after `error`; when that fails too, both are reported and the evidence stays."""
    for last in (False, True):
        try:
            settle(lock.root_descriptor, entries, made, undo=True, whatever=True)
            break
        except OSError as second:
            if last:
                lock.abandon()
                recording.keep = True
                raise StoreFailure(
                    "undo-failed",
                    f"writing failed ({error}), and so did putting the old files back ({second})",
                    file=lock.root,
                    kept="the old files are kept beside the new ones, and the lock stays as a sign of it",
                    hint="free some space or repair the disk, then open the store again: it is put right then",
                ) from error
    try:
        recording.ended("undone")
    except OSError:
        # The record goes now anyway; nothing is left that it could be needed for.
        pass


def _make_directories(root: int, targets: Sequence[Target], made: list[str]) -> None:
    for name in missing(root, targets):
        files.mkdir(name, 0o700, dir_fd=root)
        made.append(name)


def _unmake(root: int, made: Sequence[str]) -> None:
    for name in reversed(made):
        try:
            files.rmdir(name, dir_fd=root)
        except OSError:
            # Absent, or no longer empty: then it is somebody else's by now.
            continue


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


def publish(
    address: Address,
    authored: Authored,
    *,
    wanted: Wanted | None = None,
    previous: Snapshot | None = None,
    approved: str | None = None,
    force_session: bool = False,
    dry_run: bool = False,
    dialect: int | None = None,
    allow: Collection[str] = (),
    cancel: threading.Event | None = None,
    on_wait: OnWait | None = None,
    new_id: Callable[[], str] = new_id,
) -> Published:
    """Change memory as `patch_state` does: all of `authored`, or nothing.

    A draft is compiled on the values that are captured: by a dry run as they are, and again under the lock. Without
    `wanted` the receipt is about every scope that can be read.
    `previous` is a snapshot that may be reused. `approved` is the digest of a preview: another result raises Moved.
    `allow` are codes of losses that a person has consented to. `dialect` is for the first scope of a store. Raises
    InvalidRequest, Fenced, Busy, Cancelled, Moved or StoreFailure, and then memory is as it was.
    """
    ids = (new_id(), new_id())

    def proposed(seen: Snapshot) -> Proposal:
        return propose(seen, authored, wanted, spoken(seen, dialect), ids, warm=previous is not None, lenient=dry_run)

    if dry_run or not os.path.isdir(address.root):
        # A store that is not there yet is not made for a request that is refused.
        found = proposed(snapshot(address, previous))
        if dry_run:
            return previewed(found, approved=approved, force_session=force_session, allow=allow)
    from engine.store import journal

    with plainly(address.root):
        os.makedirs(address.root, mode=0o700, exist_ok=True)
        records = directory_of(address.root)
        journal.refuse_left(journal.finish_or_undo(address.root, cancel=cancel, on_wait=on_wait, path=records))
        recording = Recording(address.root, records)
        try:
            held, settled = journal.take_lock(address.root, records, recording, cancel=cancel, on_wait=on_wait)
            with held as lock:
                recording.locked(lock.mark())
                found = proposed(captured(address, previous))
                refuse_moved(found, approved)
                for refusal in unasked(found, force_session=force_session, allow=allow):
                    raise refusal
                after = found.before if found.successor is None else _write(lock, recording, found.before, found)
        finally:
            recording.close()
    done = published(found, after, lock.left)
    return replace(done, alarms=(*done.alarms, *map(journal.told, settled))) if settled else done


def _write(lock: Lock, recording: Recording, before: Snapshot, found: Proposal) -> Snapshot:
    successor = found.successor
    if successor is None:
        return before
    for directory, name in admission.files_to_archive(before, successor):
        places.archived(lock.root, lock.root_descriptor, directory, name)
    targets = writing.targets(before, successor)
    written = replace_files(lock, recording, targets, writing.unchanged(before, found.needed, successor))
    return written_snapshot(before, successor, written)
