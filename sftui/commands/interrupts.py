"""Signals that ask a program to end, turned into a wish: what has begun is finished, not torn."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

# Ctrl-C, a polite kill, and a terminal that went away. Windows has no SIGHUP.
_ENDING: Final = ("SIGINT", "SIGTERM", "SIGHUP")


_POLL_SECONDS: Final = 0.025


class Wish(threading.Event):
    """An event that a signal handler may set.

    A plain one must not be: its lock may be held by the very code that the handler interrupts, and that never goes on.
    """

    def __init__(self) -> None:
        super().__init__()
        self._wished = False

    def set(self) -> None:
        self._wished = True

    def clear(self) -> None:
        self._wished = False

    def is_set(self) -> bool:
        return self._wished

    def wait(self, timeout: float | None = None) -> bool:
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._wished:
            left = _POLL_SECONDS if deadline is None else min(_POLL_SECONDS, deadline - time.monotonic())
            if left <= 0:
                break
            time.sleep(left)
        return self._wished


@contextmanager
def wish_to_end(wish: Wish | None = None) -> Iterator[Wish]:
    """Set the wish that is given when the process is asked to end, for the length of a `with` block.

    A signal that the process was started to ignore, as by nohup, stays ignored.
    """
    asked = Wish() if wish is None else wish
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def ask(_signal: int, _frame: FrameType | None) -> None:
        asked.set()

    numbers: list[signal.Signals] = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = [(number, signal.getsignal(number)) for number in numbers]
    heard = [(number, handler) for number, handler in before if handler is not signal.SIG_IGN]
    for number, _ in heard:
        signal.signal(number, ask)
    try:
        yield asked
    finally:
        for number, handler in heard:
            signal.signal(number, handler)
