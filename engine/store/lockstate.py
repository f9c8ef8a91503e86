"""What stands at the lock's place, judged without touching it."""

from __future__ import annotations

import os
import re
import stat
import time
from typing import Final, Literal

from engine.errors import Fenced
from engine.records import dataclass
from engine.store import processes

LOCK_NAME: Final = ".state-flow-publication.lock"
BOOT_MARGIN_SECONDS: Final = 2.0
"""How much older than the boot a lock must look, since clocks are adjusted."""
MAX_CONTENT: Final = 64
EMPTY_SECONDS: Final = 2.0
"""How long a lock may stay empty: its owner is between making and filling it."""

LockKind = Literal["free", "held", "dead", "empty", "malformed", "not-a-file", "unreadable"]

# Locks that this process holds: (device, inode, process number). A fact about the
# process itself, which is why it lives at module level; only `lock` changes it.
registered: set[tuple[int, int, int]] = set()

_OWNER = re.compile(rb"[1-9][0-9]{0,18}\n?")


@dataclass(frozen=True, slots=True)
class LockState:
    """What stands at the lock's place: `held` is busy, `free` is free, the rest is broken.

    Of an `unreadable` one nothing is known, not even whether it is there. An `empty` lock is busy while it is young. `age_s` is in seconds, None where the file's time lies in the
    future and tells nothing; `inode` is (device, inode, mtime in ns), so that two looks can be compared.
    """

    kind: LockKind
    path: str
    pid: int | None = None
    age_s: float | None = None
    inode: tuple[int, int, int] | None = None
    reason: str = ""

    @property
    def is_live(self) -> bool:
        """Whether somebody may be at work: a live owner, or one that is just about to fill its lock."""
        if self.kind == "empty":
            return self.age_s is not None and self.age_s < EMPTY_SECONDS
        return self.kind == "held"

    @property
    def is_broken(self) -> bool:
        """Whether nobody will ever release it, as far as can be told."""
        return self.kind != "free" and not self.is_live


def inspect(root: str) -> LockState:
    """Look at the lock of a store without touching it."""
    path = os.path.join(root, LOCK_NAME)
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return LockState("free", path)
    except OSError as error:
        return LockState("unreadable", path, reason=f"it cannot be looked at ({error.strerror})")
    if not stat.S_ISREG(found.st_mode):
        return _state("not-a-file", path, found, reason="it is not a regular file")
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return LockState("free", path)
    except OSError as error:
        return _state("unreadable", path, found, reason=f"it cannot be read ({error.strerror})")
    try:
        found = os.fstat(fd)
        content = os.read(fd, MAX_CONTENT)
    except OSError as error:
        return _state("unreadable", path, found, reason=f"it cannot be read ({error.strerror})")
    finally:
        os.close(fd)
    return _judge(path, found, content)


def _judge(path: str, found: os.stat_result, content: bytes) -> LockState:
    if not content:
        return _state("empty", path, found, reason="it is empty, and so names no process")
    if _OWNER.fullmatch(content) is None:
        return _state("malformed", path, found, reason="it does not hold a process number")
    pid = int(content)
    if pid == os.getpid():
        if (found.st_dev, found.st_ino, pid) in registered:
            return _state("held", path, found, pid)
        reason = "it bears the number of this process, which does not hold it"
        return _state("dead", path, found, pid, reason)
    if not processes.is_alive(pid):
        return _state("dead", path, found, pid, f"no process with the number {pid} runs here")
    boot = processes.boot_time()
    if boot is not None and found.st_mtime < boot - BOOT_MARGIN_SECONDS:
        return _state("dead", path, found, pid, "it is older than the machine's last start")
    return _state("held", path, found, pid)


def _state(kind: LockKind, path: str, found: os.stat_result, pid: int | None = None, reason: str = "") -> LockState:
    since = time.time() - found.st_mtime
    # Clocks of file systems run a little ahead; a time far ahead says nothing.
    age = max(0.0, since) if since > -EMPTY_SECONDS else None
    inode = (found.st_dev, found.st_ino, found.st_mtime_ns)
    return LockState(kind, path, pid, age, inode, reason)


def duration(seconds: float) -> str:
    """An age for people: "3 s", "12 min", "19 h", "4 days"."""
    for limit, unit, name in ((120, 1, "s"), (7_200, 60, "min"), (172_800, 3_600, "h")):
        if seconds < limit:
            return f"{seconds // unit:.0f} {name}"
    return f"{seconds // 86_400:.0f} days"


def described(state: LockState) -> str:
    """Whose lock it is and how old: "the lock of process 12, 19 h old"."""
    owner = f" of process {state.pid}" if state.pid is not None else ""
    age = f", {duration(state.age_s)} old" if state.age_s is not None else ""
    return f"the publication lock{owner}{age}"


KEPT: Final = "everything can still be read; nothing can be written until the lock is cleared"


def next_step(state: LockState) -> str:
    """What a person does about a lock which nobody will release."""
    if state.kind == "unreadable":
        return f"let this user read {os.path.dirname(state.path)} and what is in it, then look again"
    bears = f" (.*.{state.pid}.*)" if state.pid is not None else ""
    return (
        "1. make sure that no agent uses this store, in containers and on other machines too: process numbers prove "
        "nothing about those; 2. a publication may have been interrupted: put right whatever else is listed here, and "
        f"compare left-over temporaries{bears} with the files beside them; 3. then remove {state.path} by hand: "
        "sftui clears no locks but its own"
    )


def standing(state: LockState) -> str:
    """What there is to say of a broken lock, as a sentence."""
    if state.kind == "unreadable":
        return f"whether the store is locked cannot be told: {state.reason}"
    return f"{described(state)}, will not be released: {state.reason}"


def broken_lock(state: LockState) -> Fenced:
    """The error for a lock which nobody will release."""
    if state.kind == "unreadable":
        kept, hint = "nothing was written", next_step(state)
    else:
        kept = "nothing was written; everything can still be read"
        hint = "`sftui doctor` says what to make sure of before it is removed by hand"
    return Fenced(
        code=f"lock-{state.kind}",
        message=standing(state),
        file=state.path,
        kept=kept,
        hint=hint,
    )
