"""Waiting for a lock: how long, whom to tell, and one queue per root inside a process."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from engine.errors import Busy, Cancelled
from engine.store.lockstate import LockState, inspect

POLL_SECONDS: Final = 0.025
REPORT_SECONDS: Final = 0.5

OnWait = Callable[[LockState], None]


class Wait:
    """How long to wait, whom to tell, and what ends the waiting."""

    __slots__ = ("_cancel", "_deadline", "_next_report", "_on_wait", "root")

    def __init__(
        self,
        root: str,
        cancel: threading.Event | None,
        on_wait: OnWait | None,
        timeout: float | None,
    ) -> None:
        self.root = root
        self._cancel = cancel
        self._on_wait = on_wait
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._next_report = 0.0

    def check(self, state: LockState) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled(
                code="cancelled",
                message="the wait for the publication lock was cancelled",
                file=state.path,
                kept="nothing was written",
            )
        if self._deadline is not None and time.monotonic() >= self._deadline:
            owner = f"process {state.pid}" if state.pid is not None else "another writer"
            raise Busy(
                code="lock-held",
                message=f"the store is locked by {owner}",
                file=state.path,
                kept="nothing was written",
                hint="try again when it is done",
            )

    def pause(self, state: LockState, ticket: threading.Event | None = None) -> None:
        """Tell about the wait, then sleep one poll, or until the ticket's turn."""
        self.check(state)
        now = time.monotonic()
        if self._on_wait is not None and now >= self._next_report:
            self._next_report = now + REPORT_SECONDS
            self._on_wait(state)
        if ticket is not None:
            ticket.wait(POLL_SECONDS)
        elif self._cancel is not None:
            self._cancel.wait(POLL_SECONDS)
        else:
            time.sleep(POLL_SECONDS)


# Who waits in this process, per root: a fact about the process itself, which is
# why it lives at module level.
_queues: dict[tuple[int, int], deque[threading.Event]] = {}
_guard = threading.Lock()


def enter(key: tuple[int, int], wait: Wait) -> None:
    """Take the next place in this process's queue for one root, and wait for the turn."""
    ticket = threading.Event()
    with _guard:
        queue = _queues.setdefault(key, deque())
        queue.append(ticket)
        if queue[0] is ticket:
            return
    try:
        while not ticket.is_set():
            wait.pause(inspect(wait.root), ticket)
    except BaseException:
        with _guard:
            first = queue[0] is ticket
            if not first:
                queue.remove(ticket)
        if first:
            leave(key)
        raise


def leave(key: tuple[int, int]) -> None:
    with _guard:
        queue = _queues.get(key)
        if not queue:
            return
        queue.popleft()
        if queue:
            queue[0].set()
        else:
            del _queues[key]


def _forget() -> None:
    """In a forked child: nobody waits."""
    global _guard
    _guard = threading.Lock()
    _queues.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
