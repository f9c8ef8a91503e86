"""From the store to pictures: everything here runs in threads, one after another."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sftui.views.changes import Sighted
from sftui.views.kinds import Feed
from sftui.views.picture import Picture, look, measured

if TYPE_CHECKING:
    from engine.ledger import Ledger
    from engine.store.layout import Address
    from engine.store.readings import Snapshot

# Members of freshly read memory from which on the garbage collector is told to leave it alone.
FREEZE_FROM: Final = 50_000


# The collector looks through everything that is not frozen this rarely: opening a branch of
# 200,000 rows would make it do so several times.
_RARELY = (50_000, 20, 100)


class Reader:
    """Makes pictures of what is read, and has the ledger record what is new.

    Use from any thread, one call at a time goes on. Nothing here touches a widget.
    """

    def __init__(self, store: str, *, ledger: bool, clock: Callable[[], float]) -> None:
        self.store = store
        self._with_ledger = ledger
        self._clock = clock
        self._ledger: Ledger | None = None
        self._sightings: dict[tuple[str, int], Sighted] = {}
        self._asked: set[str] = set()
        self._turn = threading.Lock()

    def address(self, cwd: str | None, session: str | None, *, key: str | None = None) -> Address:
        """Give the address of a cohort; without a session, of the directory's newest one.

        A directory whose sessions cannot be listed has none. Raises InvalidRequest for a bad session key.
        """
        from engine.store.layout import Address, locate
        from sftui.survey import newest

        if key is not None:
            place = Address(os.path.realpath(self.store), cwd, None, key)
        else:
            place = locate(self.store, cwd, None)
        chosen = session
        if chosen is None and place.key is not None:
            chosen = newest(place.root, place.key)
        return Address(place.root, place.cwd, chosen, place.key)

    def picture(self, previous: Picture, snapshot: Snapshot, feed: Feed, at: float, *, pinned: bool) -> Picture:
        """Record what is new and make the next picture."""
        with self._turn:
            self._observe(snapshot, at)
            return look(previous, snapshot, feed, at, pinned=pinned, sightings=self._sightings)

    def measured(self, picture: Picture) -> Picture:
        """Give the picture with all sizes known: of large memory they come after the memory itself."""
        with self._turn:
            before = picture.sizes.weight
            sized = measured(picture)
            much = picture.sizes.weight - before >= FREEZE_FROM
        if much:
            # Memory holds no cycles. Left to the collector, 200,000 objects stall the interface for
            # a quarter of a second whenever it looks through them all. Not for less: whatever else
            # is garbage at that moment is never collected.
            gc.collect(1)
            gc.freeze()
            gc.set_threshold(*_RARELY)
        return sized

    def complaint(self) -> str | None:
        """Give, once, why the ledger could not be written."""
        return None if self._ledger is None else self._ledger.complaint()

    def _observe(self, snapshot: Snapshot, at: float) -> None:
        from engine.ledger import Ledger, MadeHere, TransitionSeen, retained

        if self._ledger is None:
            self._ledger = Ledger.open(snapshot.address.root, enabled=self._with_ledger, clock=self._clock)
        if not snapshot.present:
            return
        for event in (*self._ledger.observe(snapshot, at), *self._ledger.overheard()):
            match event:
                case TransitionSeen():
                    self._sightings[event.address, event.transition.revision] = Sighted(event.seen, ours=False)
                case MadeHere():
                    for _, address, revision, _ in event.changes:
                        self._sightings[address, revision] = Sighted(event.seen, ours=True)
        # What was there before this run may have been seen by an earlier one: asked once for each scope.
        unasked = {
            reading.address: reading.stream
            for reading in snapshot.scopes.values()
            if reading.stream is not None and reading.address not in self._asked
        }
        if not unasked:
            return
        self._asked.update(unasked)
        wanted = {address: retained(stream, stream.revision - len(stream.tail)) for address, stream in unasked.items()}
        for key, sighting in self._ledger.sightings(wanted).items():
            self._sightings[key] = Sighted(sighting.seen, sighting.ours)
