"""Keeping one draft on disk as it changes, beside the running interface."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from engine.memory.draft import Draft
    from engine.store.layout import Address
    from sftui.drafts import DraftFile

# What the disk refused is tried again so often, in seconds; a further change tries at once.
RETRY_SECONDS: Final = 3.0


class Saving:
    """Writes the newest draft, one write at a time; `tell` hears of trouble once, and when it is over.

    `trouble` says why the last write failed. `spawn` calls something asynchronous in the background. Without a `file` one is made with the first draft that holds anything.
    """

    def __init__(
        self,
        tell: Callable[[str, bool], object],
        spawn: Callable[[Callable[[], Coroutine[Any, Any, None]]], object],
        file: DraftFile | None = None,
    ) -> None:
        self._tell, self._spawn, self._file = tell, spawn, file
        self._wanted: tuple[Address, Draft] | None = None
        self._written = True
        self._running = False
        self._wake = asyncio.Event()
        self._turn = threading.Lock()
        self.trouble = ""

    @property
    def is_saved(self) -> bool:
        """Whether the disk holds what is wanted."""
        return self._written

    def keep(self, address: Address, draft: Draft) -> None:
        """Save this soon; nothing is left of an empty draft."""
        self.want(address, draft)
        self._wake.set()
        if not self._running:
            self._running = True
            self._spawn(self._run)

    def want(self, address: Address, draft: Draft) -> None:
        """Say what is to be saved by the next write."""
        with self._turn:
            self._wanted, self._written = (address, draft), False

    def write(self) -> None:
        """Save now, blocking; from any thread. Raises OSError, and then the disk has what it had before."""
        with self._turn:
            if self._wanted is None or self._written:
                return
            address, draft = self._wanted
            if not draft.is_empty:
                self._opened(address.root).save(address, draft)
            elif self._file is not None:
                self._file.discard()
                self._file = None
            self._written = True

    async def flush(self) -> bool:
        """Save what is not saved yet, once; tell whether the disk holds it."""
        try:
            await asyncio.to_thread(self.write)
        except OSError:
            return False
        return True

    def release(self) -> None:
        """Hold the file no longer: it is offered again."""
        with self._turn:
            if self._file is not None:
                self._file.release()
                self._file = None
            self._wanted, self._written = None, True

    def _opened(self, root: str) -> DraftFile:
        from sftui.drafts import Drafts

        if self._file is None:
            self._file = Drafts(root).open()
        return self._file

    async def _run(self) -> None:
        try:
            while not self._written:
                self._wake.clear()
                try:
                    await asyncio.to_thread(self.write)
                except OSError as error:
                    self._failed(error)
                    try:
                        await asyncio.wait_for(self._wake.wait(), RETRY_SECONDS)
                    except TimeoutError:
                        continue
                else:
                    self._well()
        finally:
            self._running = False

    def _failed(self, error: OSError) -> None:
        known, self.trouble = self.trouble, error.strerror or str(error)
        if not known:
            self._tell(f"The draft cannot be saved ({self.trouble}); it is kept here, and tried again", True)

    def _well(self) -> None:
        if self.trouble:
            self.trouble = ""
            self._tell("The draft is saved again", False)
