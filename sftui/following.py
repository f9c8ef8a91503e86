"""Keeping up with a cohort: which one, from where, and what to do when it cannot be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.records import replace
from sftui.feed import Reader
from sftui.views.picture import Picture
from sftui.want import Want, place_of

if TYPE_CHECKING:
    from engine.store.layout import Address
    from engine.store.readings import Snapshot

RETRY_SECONDS: Final = 2.0
# Who made a change is recorded a moment after it can be seen: asked so long after one came, in seconds.
LISTEN_AFTER: Final = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0)


class Follower:
    """Follows the cohort that is wanted. Reads in threads; shows, says and lists by calling back.

    `stays` tells whether the session that is open must not be left for the newest one.
    """

    def __init__(
        self,
        store: str,
        want: Want,
        *,
        ledger: bool,
        clock: Callable[[], float],
        stays: Callable[[], bool] = lambda: False,
    ) -> None:
        self.want = want
        self.picture = Picture(pinned=want.session is not None)
        self._stays = stays
        self._reader = Reader(store, ledger=ledger, clock=clock)
        self._address: Address | None = None
        self._last: Snapshot | None = None
        self._said = ""
        self._listening: asyncio.Task[None] | None = None

    async def follow(
        self, show: Callable[[Picture], object], say: Callable[[str], None], listing: Callable[[], object]
    ) -> None:
        """Read what is wanted and keep up with it, until cancelled; after a failure it is tried again."""
        while True:
            try:
                await self._watch(show, say, listing)
            except (OSError, EngineError) as error:
                self._failed(f"The store cannot be read: {error}", show, say)
            except Exception as error:  # noqa: BLE001 - whatever it was, it is said, and the window stays open
                self._failed(f"Internal error{place_of(error)}: {type(error).__name__}; please report it", show, say)
            await asyncio.sleep(RETRY_SECONDS)

    async def _watch(
        self, show: Callable[[Picture], object], say: Callable[[str], None], listing: Callable[[], object]
    ) -> None:
        from engine.store.watch import watch

        want, reader = self.want, self._reader
        session = want.session
        if session is None and self._address is not None and self._stays():
            session = self._address.session
        address = await asyncio.to_thread(reader.address, want.cwd, session, key=want.key)
        self._address = address
        known = self._last if self._last is not None and self._last.address == address else None
        updates = watch(address, first=known)
        try:
            async for update in updates:
                self._last, self._said = update.snapshot, ""
                pinned = want.session is not None
                before = self.picture.log
                self.picture = await asyncio.to_thread(
                    reader.picture, self.picture, update.snapshot, update.feed, update.at, pinned=pinned
                )
                show(self.picture)
                sized = await asyncio.to_thread(reader.measured, self.picture)
                if sized is not self.picture:
                    self.picture = sized
                    show(sized)
                if self.picture.log is not before and reader.listens:
                    self._stop_listening()
                    self._listening = asyncio.create_task(self._listen(show))
                await asyncio.to_thread(reader.keep_states, update.snapshot)
                complaint = reader.complaint()
                if complaint is not None:
                    say(f"{complaint[:1].upper()}{complaint[1:]}")
                if update.listing:
                    listing()
        finally:
            self._stop_listening()
            await updates.aclose()

    async def _listen(self, show: Callable[[Picture], object]) -> None:
        """Ask for a while what other monitors know of the newest changes; the last answer is the one that counts."""
        for pause in LISTEN_AFTER:
            await asyncio.sleep(pause)
            before = self.picture
            heard = await asyncio.to_thread(self._reader.heard, before)
            # A picture that was made meanwhile has heard the same.
            if heard is not before and self.picture is before:
                self.picture = heard
                show(heard)

    def _stop_listening(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            self._listening = None

    def _failed(self, words: str, show: Callable[[Picture], object], say: Callable[[str], None]) -> None:
        """Say why nothing is read at the moment: once, though it is tried again and again."""
        if words != self._said:
            self._said = words
            say(words)
        self.picture = replace(self.picture, feed="stale")
        show(self.picture)

    async def has_newer(self) -> tuple[bool, float]:
        """Tell whether the directory has a newer session than the one that is open, and how long it took to see (s)."""
        from sftui.survey import newest

        address = self._address
        if address is None or address.key is None or self.want.session is not None:
            return False, 0.0
        began = monotonic()
        found = await asyncio.to_thread(newest, address.root, address.key)
        return found is not None and found != address.session and self.want.session is None, monotonic() - began
