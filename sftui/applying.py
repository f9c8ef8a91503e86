"""A draft being written: who is waited for, how it can be stopped, what came of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from engine.errors import EngineError
from sftui.views.header_lines import duration

if TYPE_CHECKING:
    from engine.store.lockstate import LockState
    from engine.store.proposal import Published
    from sftui.drafting import Drafting


class Applying:
    """One attempt at writing what was approved; `changed` is called whenever there is something else to say."""

    def __init__(self, drafting: Drafting, changed: Callable[[], None]) -> None:
        self._drafting = drafting
        self._changed = changed
        self._cancel = threading.Event()
        self._lock: LockState | None = None

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop waiting."""
        return self._cancel.is_set()

    @property
    def waiting(self) -> str:
        """Whose lock is waited for, and how long that has been held; '' where nobody is."""
        lock = self._lock
        if lock is None:
            return ""
        owner = "another program" if lock.pid is None else f"process {lock.pid}"
        age = "" if lock.age_s is None else f", locked for {duration(lock.age_s)}"
        return f"waiting for {owner}{age}" + (", stopping" if self.is_stopping else "")

    def stop(self) -> None:
        """Stop waiting. What is being written already is written to its end."""
        self._cancel.set()
        self._changed()

    async def run(self, approved: str, *, force_session: bool, allow: Collection[str]) -> str | EngineError:
        """Write, and tell in a sentence what came of it."""

        try:
            published = await self._drafting.publish(
                approved, force_session=force_session, allow=allow, on_wait=self._told, cancel=self._cancel
            )
        except EngineError as error:
            return error
        return await asyncio.to_thread(_words, published)

    def _told(self, lock: LockState) -> None:
        self._lock = lock
        self._changed()


def _words(published: Published) -> str:
    from sftui.views.receipt import done

    return done(published).words
