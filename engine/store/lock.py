"""The publication lock: one writer at a time in a store, among processes and threads.

The file is made exclusively and then holds its owner's number. A live owner is
waited for; a lock whose owner is gone, or that no owner can have written, is
evidence of an interrupted publication: it is named, and never taken away here.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from engine.errors import StoreFailure
from engine.records import replace
from engine.store import files
from engine.store.lockstate import EMPTY_SECONDS, LOCK_NAME, MAX_CONTENT, LockState, broken_lock, inspect, registered
from engine.store.waiting import OnWait, Wait, enter, leave

__all__ = ["EMPTY_SECONDS", "LOCK_NAME", "Lock", "LockState", "acquire", "clear_interrupted", "inspect"]

STALE_EMPTY_SECONDS: Final = 0.25
"""How long one is watched that looks older than `EMPTY_SECONDS`: clocks of file systems may differ from ours."""


class Lock:
    """The lock, held. `release` is idempotent; leaving the `with` block releases."""

    __slots__ = ("_descriptor", "_key", "inode", "left", "pid", "root", "root_descriptor")

    def __init__(self, root: str, root_descriptor: int, key: tuple[int, int]) -> None:
        self.root = root
        self.root_descriptor = root_descriptor
        self.pid = os.getpid()
        self.left: LockState | None = None
        """What stood in its place when it was released, if that was not it or could not be removed."""
        self._key: tuple[int, int] | None = key
        self._descriptor, self.inode = _make(root_descriptor, self.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def verify(self) -> None:
        """Raise StoreFailure `lock-lost` when what stands in the lock's place is not ours."""
        if not self._is_ours():
            raise StoreFailure(
                code="lock-lost",
                message="the publication lock was taken away while it was held",
                file=os.path.join(self.root, LOCK_NAME),
                hint="look for a program that removes locks, then try again",
            )

    def mark(self) -> tuple[int, int, int]:
        """(device, inode, mtime in ns) as `inspect` gives them for this lock."""
        found = files.fstat(self._descriptor)
        return found.st_dev, found.st_ino, found.st_mtime_ns

    def sync(self) -> None:
        """Make the lock durable, so that it survives a power loss as evidence."""
        files.fsync(self._descriptor)

    def abandon(self) -> None:
        """Let go but leave the file in place, as evidence of memory that could not be put right."""
        if self._key is not None:
            key, self._key = self._key, None
            self._let_go(key)

    def release(self) -> LockState | None:
        """Remove the lock if it still is ours; answer what stands there if it stays."""
        if self._key is None:
            return None
        key, self._key = self._key, None
        for _ in range(2):  # once more after a failure: a lock left behind stops every writer
            try:
                if self._is_ours():
                    files.unlink(LOCK_NAME, dir_fd=self.root_descriptor)
                    self.left = None
                else:
                    self.left = inspect(self.root)
                break
            except OSError as error:
                self.left = replace(inspect(self.root), reason=f"it could not be removed ({error.strerror})")
        self._let_go(key)
        return self.left

    def _let_go(self, key: tuple[int, int]) -> None:
        # A lock which could not be removed is nobody's from here on.
        registered.discard((*self.inode, self.pid))
        for descriptor in (self._descriptor, self.root_descriptor):
            files.release(descriptor)
        leave(key)

    def _is_ours(self) -> bool:
        try:
            found = files.stat(LOCK_NAME, dir_fd=self.root_descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False
        if (found.st_dev, found.st_ino) != self.inode:
            return False
        return files.pread(self._descriptor, MAX_CONTENT, 0) == b"%d\n" % self.pid


def acquire(
    root: str,
    *,
    cancel: threading.Event | None = None,
    on_wait: OnWait | None = None,
    timeout: float | None = None,
    before: Callable[[], None] | None = None,
) -> Lock:
    """Take the lock of the store at `root`, waiting for a live owner.

    `on_wait` hears who is waited for, at once and then about twice a second.
    `before` is called just before each attempt to make the file. Raises
    Cancelled, Busy after `timeout` seconds, Fenced for a lock that nobody will
    release (code `lock-<kind>`), StoreFailure when the root cannot be used.
    """
    wait = Wait(root, cancel, on_wait, timeout)
    descriptor = _open_root(root)
    try:
        found = files.fstat(descriptor)
        _check_owner(root, found)
        key = (found.st_dev, found.st_ino)
        enter(key, wait)
    except BaseException:
        files.release(descriptor)
        raise
    try:
        empty: tuple[tuple[int, int, int] | None, float] | None = None
        while True:
            if before is not None:
                before()
            try:
                return Lock(root, descriptor, key)
            except FileExistsError:
                empty = _look(wait, empty)
            except OSError as error:
                raise _cannot(root, error) from error
    except BaseException:
        files.release(descriptor)
        leave(key)
        raise


def clear_interrupted(root: str, proven: tuple[int, int, int]) -> bool:
    """Remove a lock that a crashed publication of ours left, once its files are reconciled.

    `proven` is the lock, as (device, inode, mtime in ns), that the caller knows to be ours;
    anything else is left. Answers whether it was removed.
    """
    now = inspect(root)
    if now.inode != proven:
        return False
    files.unlink(now.path)
    return True


def _look(
    wait: Wait, empty: tuple[tuple[int, int, int] | None, float] | None
) -> tuple[tuple[int, int, int] | None, float] | None:
    """One look at a lock in the way: pause if it may go, raise if it never will.

    `empty` is which empty lock is being watched and since when.
    """
    state = inspect(wait.root)
    if state.kind == "free":
        wait.check(state)
        return None
    if state.kind == "held":
        wait.pause(state)
        return None
    if state.kind == "empty":
        now = time.monotonic()
        watched = empty if empty is not None and empty[0] == state.inode else (state.inode, now)
        if now - watched[1] < (EMPTY_SECONDS if state.is_live else STALE_EMPTY_SECONDS):
            wait.pause(state)
            return watched
    else:
        again = inspect(wait.root)
        if (again.kind, again.pid, again.inode) != (state.kind, state.pid, state.inode):
            # Its owner has released it, or another has taken it, between the two looks.
            wait.check(again)
            return None
    raise broken_lock(state)


def _open_root(root: str) -> int:
    try:
        return files.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _cannot(root, error) from error


def _check_owner(root: str, found: os.stat_result) -> None:
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise StoreFailure(
            code="not-owner",
            message="the store belongs to another user, whom a write would lock out",
            file=root,
            kept="nothing was written",
            hint=f"run as the user with the number {found.st_uid}",
        )


def _cannot(root: str, error: OSError) -> StoreFailure:
    return StoreFailure(
        code="lock-failed",
        message=f"the store cannot be locked ({error.strerror})",
        file=root,
        kept="nothing was written",
    )


def _make(directory: int, pid: int) -> tuple[int, tuple[int, int]]:
    """Make the lock file and fill it: its descriptor and (device, inode)."""
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC
    descriptor = files.open(LOCK_NAME, flags, 0o600, dir_fd=directory)
    inode: tuple[int, int] | None = None
    try:
        made = files.fstat(descriptor)
        inode = (made.st_dev, made.st_ino)
        # Registered before it is filled: our number without a registration would look like a leftover.
        registered.add((*inode, pid))
        content = b"%d\n" % pid
        if files.write(descriptor, content) != len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except BaseException:
        if inode is not None:
            registered.discard((*inode, pid))
        files.release(descriptor)
        _remove(directory)
        raise
    return descriptor, inode


def _remove(directory: int) -> None:
    try:
        files.unlink(LOCK_NAME, dir_fd=directory)
    except OSError:
        files.unlink(LOCK_NAME, dir_fd=directory)


def _forget() -> None:
    """A forked child holds nothing."""
    registered.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
