"""From the store to pictures: everything here runs in threads, one after another."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from engine.records import replace
from sftui.process import loaded, taking_turns
from sftui.views.changes import Sighted, corrected
from sftui.views.kinds import EntryKey, Feed
from sftui.views.picture import Picture, look, measured

if TYPE_CHECKING:
    from engine.ledger import Ledger
    from engine.memory.stream import ScopeStream
    from engine.store.layout import Address
    from engine.store.readings import Snapshot
    from sftui.views.changes import Entry

# What was shown of so many scopes is kept for coming back to them.
KEPT_SCOPES: Final = 60
# Members of freshly read memory from which on the garbage collector is told to leave it alone.
MUCH: Final = 50_000
# Bytes of the log that are folded, at most, before a picture is shown: some 20 ms.
PATIENT: Final = 2_000_000


class Reader:
    """Makes pictures of what is read, and has the ledger record what is new.

    Use from any thread, one call at a time goes on. Nothing here touches a widget.
    """

    def __init__(self, store: str, *, ledger: bool, clock: Callable[[], float]) -> None:
        self.store = store
        self._with_ledger = ledger
        self._clock = clock
        self._ledger: Ledger | None = None
        self._sightings: dict[EntryKey, Sighted] = {}
        self._shown: dict[str, tuple[Entry, ...]] = {}
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
            moved = previous.snapshot is not None and previous.snapshot.address != snapshot.address
            if moved:
                self._put_away(previous.log)
            earlier = tuple(entry for entries in self._shown.values() for entry in entries)
            made = look(
                previous, snapshot, feed, at, pinned=pinned, sightings=self._sightings, earlier=earlier if moved else ()
            )
            self._forget(snapshot)
            return replace(made, aside=self._aside())

    def heard(self, picture: Picture) -> Picture:
        """Give the picture with what other monitors have recorded meanwhile; itself where that is nothing."""
        with self._turn:
            if picture.snapshot is None:
                return picture
            self._observe(picture.snapshot, self._clock())
            log = corrected(picture.log, self._sightings)
            self._forget(picture.snapshot)
            aside = self._aside()
            same = log is picture.log and aside == picture.aside
            return picture if same else replace(picture, log=log, aside=aside)

    def _aside(self) -> bool:
        return self._ledger is not None and self._ledger.has_kept()

    @property
    def listens(self) -> bool:
        """Whether other monitors' records are read."""
        return self._with_ledger

    def _put_away(self, log: tuple[Entry, ...]) -> None:
        """Keep what was shown of the scopes that are left: they may be looked at again."""
        for address in {entry.address for entry in log}:
            self._shown.pop(address, None)
            self._shown[address] = tuple(entry for entry in log if entry.address == address)
        for address in list(self._shown)[:-KEPT_SCOPES]:
            del self._shown[address]

    def _forget(self, snapshot: Snapshot) -> None:
        """Let go of what is known about changes that are no longer retained: the log has it."""
        read = {reading.address for reading in snapshot.scopes.values() if reading.stream is not None}
        kept = {
            key
            for reading in snapshot.scopes.values()
            if reading.stream is not None
            for key in keys_of(reading.address, reading.stream)
        }
        self._sightings = {key: told for key, told in self._sightings.items() if key[0] not in read or key in kept}

    def measured(self, picture: Picture) -> Picture:
        """Give the picture with all sizes known: of large memory they come after the memory itself."""
        with self._turn:
            before = picture.sizes.weight
            sized = measured(picture, taking_turns())
        loaded(much=picture.sizes.weight - before >= MUCH)
        return sized

    def keep_states(self, snapshot: Snapshot) -> None:
        """Have the ledger write down what takes a moment, once everything is shown."""
        with self._turn:
            if self._ledger is not None and snapshot.present:
                self._ledger.keep_states(snapshot)

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
                    found = event.transition
                    # Without a record nobody can say who made it.
                    ours = False if self._with_ledger else None
                    self._note((event.address, found.revision, found.boundary.id), Sighted(event.seen, ours=ours))
                case MadeHere():
                    for _, address, revision, _ in event.changes:
                        self._note((address, revision, event.boundary.id), Sighted(event.seen, ours=True))
        # What was there before this run may have been seen by an earlier one: asked once for each scope.
        unasked = {
            reading.address: reading.stream
            for reading in snapshot.scopes.values()
            if reading.stream is not None and reading.address not in self._asked
        }
        # Folding a long log takes its time; that is done elsewhere, and then they are asked.
        if not unasked or self._ledger.behind() > PATIENT:
            return
        self._asked.update(unasked)
        wanted = {address: retained(stream, stream.revision - len(stream.tail)) for address, stream in unasked.items()}
        told = self._ledger.sightings(wanted)
        for address, stream in unasked.items():
            for key in keys_of(address, stream):
                sighting = told.get(key[:2])
                if sighting is not None:
                    self._note(key, Sighted(sighting.seen, sighting.ours))

    def _note(self, key: EntryKey, told: Sighted) -> None:
        """Remember; that a change was made here is not unlearned."""
        known = self._sightings.get(key)
        if known is not None and known.ours:
            told = Sighted(told.seen if known.seen is None else known.seen, ours=True)
        self._sightings[key] = told


def keys_of(address: str, stream: ScopeStream) -> list[EntryKey]:
    """Give the keys of the retained changes of a scope."""
    first = stream.revision - len(stream.tail) + 1
    return [(address, revision, entry.boundary.id) for revision, entry in enumerate(stream.tail, first)]
