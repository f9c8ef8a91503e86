"""What an interrupted publication of ours left behind: finished, or undone, exactly."""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import Literal

from engine.errors import Fenced, StoreFailure
from engine.records import dataclass
from engine.store import files, processes
from engine.store.lock import Lock, acquire, clear_interrupted, inspect
from engine.store.places import Conflict, directories, exists, unrecorded
from engine.store.publication import settle, sweep
from engine.store.waiting import POLL_SECONDS, OnWait
from engine.store.writeahead import SUFFIX, Found, Record, RecordError, Recording, abandoned, directory_of

FRESH_NS = 2_000_000_000
"""A lock made within this time after its owner said that it would is that owner's."""
SETTLING_SECONDS = 1.0
"""How long somebody else's settling of one lock may take."""
_LEFT_BEHIND = frozenset({"lock-dead", "lock-empty"})
CLOCK_NS = 50_000_000
"""How far a file's time stamp may lag behind the clock."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was done about one interrupted publication.

    "nothing" had been replaced; "undone" and "finished" say to which side the files were
    brought; "left" that somebody has changed them since, so that they were not touched.
    """

    outcome: Literal["nothing", "undone", "finished", "left"]
    pid: int
    lock_cleared: bool
    files: tuple[str, ...] = ()


def finish_or_undo(
    root: str, *, cancel: threading.Event | None = None, on_wait: OnWait | None = None, path: str | None = None
) -> tuple[Recovered, ...]:
    """Settle every publication into the store at `root` that a process of ours did not end.

    Cheap when there is none. `path` is `directory_of(root)` where that is known. Raises StoreFailure when the disk does not let it, and what
    `acquire` raises when a lock that is not ours stands in the way of files that need it.
    """
    done: list[Recovered] = []
    try:
        for found in abandoned(path or directory_of(root)):
            if found.record is None:
                found.discard()
            else:
                done.append(_settled(root, found, found.record, cancel, on_wait))
    except RecordError as error:
        raise unrecorded(error) from error
    return tuple(done)


def _settled(
    root: str, found: Found, record: Record, cancel: threading.Event | None, on_wait: OnWait | None
) -> Recovered:
    try:
        return _settle(root, found, record, cancel, on_wait)
    except OSError as error:
        raise StoreFailure(
            "recovery-failed",
            f"an interrupted publication could not be put right ({error})",
            file=root,
            kept="the old files are kept beside the new ones",
            hint="free some space or repair the disk, then open the store again",
        ) from error


def take_lock(
    root: str, path: str, recording: Recording, *, cancel: threading.Event | None, on_wait: OnWait | None
) -> tuple[Lock, tuple[Recovered, ...]]:
    """The lock, for the publication whose record is `recording`; what was put right to get it.

    One of ours may die while it is waited for: then that is settled as it would have been before the wait. Raises
    what `acquire` and `finish_or_undo` raise.
    """
    done: list[Recovered] = []
    until: dict[tuple[int, int, int] | None, float] = {}
    while True:
        try:
            return acquire(root, cancel=cancel, on_wait=on_wait, before=recording.locking), tuple(done)
        except Fenced as fenced:
            if fenced.code not in _LEFT_BEHIND:
                raise
            left = inspect(root).inode
            now = time.monotonic()
            deadline = until.setdefault(left, now + SETTLING_SECONDS)
            done.extend(finish_or_undo(root, cancel=cancel, on_wait=on_wait, path=path))
            refuse_left(tuple(done))
            if left is None or inspect(root).inode != left:
                continue
            # Another one that waited may be settling it right now; then it is gone soon.
            if now >= deadline or not _is_at_work(path, recording.name):
                raise
            time.sleep(POLL_SECONDS)


def _is_at_work(path: str, own: str) -> bool:
    """Whether there are records of other publications."""
    return any(name.endswith(SUFFIX) and name != own for name in os.listdir(path))


def clears_lock(root: str) -> bool:
    """Whether the lock that stands there is a left-over of ours, which `finish_or_undo` would put right. Looks only."""
    return any(
        found.record is not None and _our_lock(root, found.record) is not None
        for found in abandoned(directory_of(root))
    )


def _settle(
    root: str, found: Found, record: Record, cancel: threading.Event | None, on_wait: OnWait | None
) -> Recovered:
    if not os.path.isdir(root):
        # The store is gone, and with it whatever was to be put right.
        found.discard()
        return Recovered("nothing", record.pid, lock_cleared=False)
    ours = _our_lock(root, record)
    if not record.entries:
        # Nothing was made beside the lock itself.
        cleared = ours is not None and clear_interrupted(root, ours)
        found.discard()
        return Recovered("nothing", record.pid, cleared)
    # While our dead lock stands, nobody else writes; without it, we take the lock like anyone.
    done = record.phase in ("done", "undone")
    held: Lock | None = None if ours is not None or done else acquire(root, cancel=cancel, on_wait=on_wait)
    try:
        descriptor = files.open(root, files.DIRECTORY_FLAGS & ~files.NOFOLLOW)
        try:
            outcome = _reconcile(descriptor, record)
        finally:
            files.release(descriptor)
    except Conflict as conflict:
        found.set_aside()
        names = tuple(f"{directory}/{name}" for directory, name in conflict.places)
        return Recovered("left", record.pid, lock_cleared=False, files=names)
    finally:
        if held is not None:
            held.release()
    cleared = ours is not None and clear_interrupted(root, ours)
    found.discard()
    return Recovered(outcome, record.pid, cleared, tuple(f"{e.directory}/{e.name}" for e in record.entries))


def _reconcile(root: int, record: Record) -> Literal["undone", "finished"]:
    if record.phase not in ("done", "undone"):
        return settle(root, record.entries, record.made, undo=record.phase == "writing")
    # The files have been put right already, and may be another writer's by now.
    with directories(root, {entry.directory for entry in record.entries if exists(root, entry.directory)}) as opened:
        left = sweep(opened, [entry for entry in record.entries if entry.directory in opened])
    if left:
        raise OSError(errno.EIO, f"{left[0]} cannot be removed")
    return "finished" if record.phase == "done" else "undone"


def _our_lock(root: str, record: Record) -> tuple[int, int, int] | None:
    """The lock that stands there, if it is proven to be the one which this publication left.

    Its process has let go of the record, so it is dead or has given up. The proof is
    the lock's own identity; or, when the process died right after making the lock,
    that it had just announced it, and that its number belongs to no other since.
    """
    state = inspect(root)
    if state.inode is None or state.kind == "not-a-file":
        return None
    if record.lock is not None:
        same = state.inode == record.lock and state.pid in (record.pid, None)
        return state.inode if same else None
    if record.phase != "locking" or _lives(record):
        return None
    fresh = -CLOCK_NS <= state.inode[2] - record.locking_at <= FRESH_NS
    if not fresh or state.pid not in (record.pid, None) or state.kind in ("malformed", "unreadable"):
        return None
    if state.kind == "empty" and not _stays_empty(root, state.inode):
        return None
    return state.inode


def _lives(record: Record) -> bool:
    return (
        processes.is_alive(record.pid)
        and record.pid != os.getpid()
        and processes.start_mark(record.pid) == record.start
    )


def _stays_empty(root: str, inode: tuple[int, int, int]) -> bool:
    """An empty lock may belong to somebody who is about to fill it: give that the time it has."""
    from engine.store.lock import EMPTY_SECONDS

    deadline = time.monotonic() + EMPTY_SECONDS
    while time.monotonic() < deadline:
        time.sleep(0.025)
        state = inspect(root)
        if state.kind != "empty" or state.inode != inode:
            return False
    return True


def told(recovered: Recovered) -> str:
    """What became of an interrupted publication, for people."""
    what = "had changed nothing yet" if recovered.outcome == "nothing" else f"was {recovered.outcome}"
    return f"an earlier publication, interrupted in process {recovered.pid}, {what}"


def refuse_left(recovered: tuple[Recovered, ...]) -> None:
    """Raise Fenced when an interrupted publication could not be reconciled."""
    for one in recovered:
        if one.outcome == "left":
            raise Fenced(
                "interrupted",
                "an interrupted publication cannot be put right, because its files were changed since",
                file=", ".join(one.files),
                kept="every file was left as it is, and so were the old and new ones beside them",
                hint="compare the files, then remove those whose names begin with a dot",
            )
