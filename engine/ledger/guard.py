"""The guard of the log: filelock's own system call, without its import and its care.

An append takes less than filelock takes around it. On systems with `flock` it locks the file by that call, so one that
calls it directly and one that goes through filelock keep each other out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

POLL_SECONDS: Final = 0.01


def flocked(path: str, patience: float) -> AbstractContextManager[None] | None:
    """Hold the lock file at `path`; None where the system has no such call. Raises TimeoutError, OSError."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        return None
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + patience
    try:
        while True:
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise TimeoutError(f"another monitor has kept {path} for {patience:g} s") from None
                time.sleep(POLL_SECONDS)
    except BaseException:
        os.close(descriptor)
        raise
    return _closing(descriptor)


@contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    """Closing the descriptor lets go of the lock."""
    try:
        yield
    finally:
        os.close(descriptor)
