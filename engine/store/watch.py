"""Changes in, snapshots out.

A notification only means 'look again'. Because notifications can be lost (a directory made anew, a network file
system, no watches left), the files of the cohort are glanced at once a second as well, by the thread that listens: a
quiet store does not wake the event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Final, Literal

from engine.errors import StoreFailure
from engine.records import dataclass
from engine.store.captures import untouched
from engine.store.layout import Address
from engine.store.notice import Listener, Watched, listen, watched
from engine.store.readings import Snapshot
from engine.store.snapshot import prepare, snapshot

Feed = Literal["live", "polling", "stale"]

POLLING_SECONDS: Final = 0.25
"""How often to look when nobody tells."""
UNHEARD_SECONDS: Final = 60.0
"""When to look even though the listener says that nothing happens."""
BUSY_SECONDS: Final = 0.05
SETTLE_SECONDS: Final = 0.03
"""A file that has just been written is looked at again once the clock has moved on."""
RETRY_SECONDS: Final = 10.0
"""How often to ask the system again for notifications that it refused."""
GAP_SECONDS: Final = 0.015
"""At most this often beside a writer that never rests."""
PATIENCE: Final = 0.15
"""Seconds for which a lock is waited out before it is shown; publications take much less."""


@dataclass(frozen=True, slots=True)
class Update:
    """What a watcher has to say.

    `feed`: "live" - the system tells of changes; "polling" - it does not, so the files are looked at; "stale" - they
    could not be looked at, `snapshot` is the last one that could. `at` is when, in seconds since the epoch. `listing`:
    a working directory or a session may have come or gone.
    """

    snapshot: Snapshot
    feed: Feed
    at: float
    listing: bool = False


async def watch(
    address: Address,
    *,
    first: Snapshot | None = None,
    stop: asyncio.Event | None = None,
    limit: int | None = None,
) -> AsyncGenerator[Update, None]:
    """Yield the cohort at once and then whenever it has changed, until `stop` is set or the generator is closed.

    `first` is a snapshot to begin with, so that nothing of it is read again. Reading is done in threads. To watch
    another address, close this generator and start another with the last snapshot as `first`.
    """
    watcher = _Watcher(address, first, limit)
    stopper = None if stop is None else asyncio.ensure_future(_wake_at(stop, watcher.wake))
    try:
        while stop is None or not stop.is_set():
            update = await watcher.look()
            if update is not None:
                yield update
                await asyncio.to_thread(prepare, update.snapshot)
            await watcher.rest()
    finally:
        if stopper is not None:
            stopper.cancel()
        watcher.close()


async def _wake_at(stop: asyncio.Event, wake: asyncio.Event) -> None:
    await stop.wait()
    wake.set()


class _Watcher:
    def __init__(self, address: Address, first: Snapshot | None, limit: int | None) -> None:
        self.address = address
        self.limit = limit
        self.wake = asyncio.Event()
        self.last = first
        self.shown: Update | None = None
        self.listing = False
        self.directories: Watched = ()
        self.listener: Listener | None = None
        self.heard: Watched = ()
        self.refused_at: float | None = None
        self.settling = SETTLE_SECONDS
        self.looked_at = 0.0
        self._loop = asyncio.get_running_loop()

    async def look(self) -> Update | None:
        """Read again; None when there is nothing new to say."""
        self.wake.clear()
        self.looked_at = time.monotonic()
        listing, self.listing = self.listing, False
        feed: Feed = "stale"
        try:
            heard, directories, taken = await asyncio.to_thread(self._look)
        except (OSError, StoreFailure):
            if self.last is None:
                raise
            taken = self.last
        else:
            feed = "live" if heard else "polling"
            listing = (
                listing or (not heard and directories != self.directories) or len(directories) != len(self.directories)
            )
            self.directories = directories
        self.settling = SETTLE_SECONDS if taken is not self.last else min(2 * self.settling, 1.0)
        self.last = taken
        update = Update(taken, feed, time.time(), listing)
        if (
            self.shown is not None
            and not listing
            and feed == self.shown.feed
            and same_to_see(self.shown.snapshot, taken)
        ):
            return None
        self.shown = update
        return update

    async def rest(self) -> None:
        """Wait until there may be something new."""
        assert self.shown is not None
        pause = POLLING_SECONDS if self.listener is None or self.shown.feed != "live" else UNHEARD_SECONDS
        if self.last is not None:
            if self.last.verdict == "busy":
                pause = min(pause, BUSY_SECONDS)
            elif self.last.unsettled:
                pause = min(pause, self.settling)
        alarm = self._loop.call_later(pause, self.wake.set)
        try:
            await self.wake.wait()
        finally:
            alarm.cancel()
        gap = self.looked_at + GAP_SECONDS - time.monotonic()
        if gap > 0:
            await asyncio.sleep(gap)

    def close(self) -> None:
        if self.listener is not None:
            self.listener.close()
            self.listener = None

    def _look(self) -> tuple[bool, Watched, Snapshot]:
        """Listen, then read (in a thread): what happens while we read must be heard."""
        heard, directories = self._listen()
        taken = snapshot(self.address, self.last, limit=self.limit, patience=PATIENCE, sliced=True)
        return heard, directories, taken

    def _listen(self) -> tuple[bool, Watched]:
        """Listen to the directories as they are now; whether anybody does, and the directories (in a thread)."""
        directories = watched(self.address)
        if self.listener is not None and self.listener.alive and self.heard == directories:
            return True, directories
        self.close()
        if self.refused_at is not None and time.monotonic() - self.refused_at < RETRY_SECONDS:
            return False, directories
        try:
            self.listener = listen(self.address, directories, self._heard, self._silent)
        except (OSError, RuntimeError):
            self.refused_at = time.monotonic()
            return False, directories
        self.refused_at, self.heard = None, directories
        return True, directories

    def _heard(self, listing: bool) -> None:
        """Called by the listening thread."""
        try:
            self._loop.call_soon_threadsafe(self._note, listing)
        except RuntimeError:
            pass  # the loop is closed: nobody is interested any more

    def _silent(self) -> None:
        """Called by the listening thread after a second without news."""
        taken = self.last
        if taken is None or self.shown is None:
            return
        places = {scope: reading.captures for scope, reading in taken.scopes.items() if reading.captures}
        if (
            watched(self.address) != self.heard
            or len(self.heard) != 1 + len(places)
            or not untouched(self.address, places, taken.settings.capture)
        ):
            self._heard(False)

    def _note(self, listing: bool) -> None:
        self.listing = self.listing or listing
        self.wake.set()


def same_to_see(old: Snapshot, new: Snapshot) -> bool:
    """Whether two snapshots say the same, the age of a lock and the readers' own notes apart."""
    if old is new:
        return True
    return (
        old.address == new.address
        and old.present == new.present
        and old.verdict == new.verdict
        and old.stale == new.stale
        and (old.lock.kind, old.lock.pid, old.lock.inode) == (new.lock.kind, new.lock.pid, new.lock.inode)
        and [fault.code for fault in old.faults] == [fault.code for fault in new.faults]
        and old.mode == new.mode
        and old.runtime == new.runtime
        and old.config == new.config
        and all(
            reading.stream is old.scopes[scope].stream
            and reading.meta == old.scopes[scope].meta
            and reading.faults == old.scopes[scope].faults
            and reading.status == old.scopes[scope].status
            for scope, reading in new.scopes.items()
        )
    )
