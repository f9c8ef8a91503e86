"""The ledger of one store: looks at snapshots and records what is new in them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from engine.ledger.events import (
    Baseline,
    Composed,
    Event,
    Gap,
    MadeHere,
    Retained,
    ScopeGone,
    TransitionSeen,
    identity,
)
from engine.ledger.facts import Facts, facts_of, made
from engine.ledger.footing import IN_PASSING, MOST, is_due, is_head, whole_line
from engine.ledger.index import Footing, Index
from engine.ledger.lines import from_line, to_line
from engine.ledger.log import Log
from engine.ledger.memo import Memo
from engine.ledger.noticing import noticed, noticed_composed, noticed_faults
from engine.records import dataclass, replace
from engine.store.layout import store_home

if TYPE_CHECKING:
    from engine.ledger.folds import Folds
    from engine.ledger.lookup import Recorded
    from engine.ledger.noticing import Sight
    from engine.store.proposal import Published
    from engine.store.readings import Snapshot

# Reading this much takes as long as loading what folds.
LONG: Final = 1 << 20
# What says where a scope stands; all that says that it stands elsewhere than before.
_MOVES: Final = (Baseline, TransitionSeen, Gap)
_OF_A_SCOPE: Final = (*_MOVES, ScopeGone)


@dataclass(frozen=True, slots=True)
class Sighting:
    """When a transition was first seen (Unix seconds), None if it was there before the log was; `ours` if made here."""

    seen: float | None
    ours: bool


class Ledger:
    """Records transitions, faults and changes made here, outside the store.

    Never raises for its own files: what could not be written is told once by `complaint`, and looked at
    again the next time. Use it from one thread at a time.
    """

    def __init__(self, directory: str | None, clock: Callable[[], float]) -> None:
        self._log = None if directory is None else Log(directory)
        self._memo = Memo("" if directory is None else directory)
        self._clock = clock
        self._index = Index()
        self._offset = 0
        self._overheard: list[Event] | None = None
        self._inode: int | None = None
        self._complaint: str | None = None
        self._complained = False
        self._folds: Folds | None = None

    @classmethod
    def open(
        cls,
        root: str,
        enabled: bool = True,
        *,
        clock: Callable[[], float] = time.time,
        directory: str | None = None,
    ) -> Ledger:
        """Open the ledger of the store at `root`. Not `enabled`: transient, and nothing is written.

        `directory` replaces the usual place. Nothing is made or read before it is needed.
        """
        if not enabled:
            return cls(None, clock)
        return cls(directory or os.path.join(store_home(root), "ledger"), clock)

    @property
    def index(self) -> Index:
        """What the log says so far; for reading only."""
        return self._index

    def observe(self, snapshot: Snapshot, at: float | None = None) -> tuple[Event, ...]:
        """Record what is new in `snapshot`, read at `at` (Unix seconds; default: now). Gives what was recorded.

        Complete states, which are written now and then, are not told of.
        """
        facts = facts_of(snapshot)
        return self._record(facts, lambda moment: self._news(facts, moment), at)

    def made_here(self, published: Published, at: float | None = None) -> tuple[Event, ...]:
        """Record a change that this program published, and whatever else its snapshot shows."""
        facts = facts_of(published.snapshot)
        change = made(published)

        def events(moment: float) -> tuple[Event, ...]:
            news = self._news(facts, moment)
            return news if change is None else (*news, replace(change, seen=moment))

        return self._record(facts, events, at)

    def keep_states(self, snapshot: Snapshot, at: float | None = None) -> None:
        """Write down complete states that are due and too large to be written in passing; may take a moment."""
        if self._log is None:
            return
        facts = facts_of(snapshot)
        if not self._owed(facts):
            return
        moment = self._clock() if at is None else at
        try:
            with self._log.exclusive() as descriptor:
                self._catch_up(descriptor)
                made = [whole_line(sight, moment, facts.encoder) for sight in self._owed(facts)]
                lines: list[tuple[Event, bytes]] = [one for one in made if one is not None]
                if lines:
                    self._add(descriptor, lines)
                self._memo.keep(descriptor, self._index, self._offset)
        except OSError as error:
            self._fail(error)

    def _owed(self, facts: Facts) -> list[Sight]:
        footings = self._index.footings
        return [
            sight
            for sight in facts.sights
            if sight.size <= MOST and is_head(self._index, sight) and is_due(footings.get(sight.address, Footing()))
        ]

    def overheard(self) -> tuple[Event, ...]:
        """Give what other monitors have recorded between the last two looks at the log, since this was last asked.

        The first call only begins to listen.
        """
        heard, self._overheard = self._overheard, []
        return () if heard is None else tuple(heard)

    def read(self, start: int = 0, *, outline: bool = False) -> Iterator[tuple[int, Event]]:
        """Read the log from offset `start`, each event with the offset behind it. Raises OSError.

        With `outline` complete states may come without their values.
        """
        if self._log is None:
            return
        for offset, line in self._log.lines(start):
            event = from_line(line, outline=outline)
            if event is not None:
                yield offset, event

    def at_boundary(self, boundary_id: str) -> tuple[Recorded, ...]:
        """Give every recorded transition at boundaries of this id, as (scope, address, transition).

        Like `sightings` it mends nothing, and a log that cannot be read knows nothing.
        """
        from engine.ledger.lookup import at_boundary

        try:
            return at_boundary(self._lines_at((boundary_id,)), boundary_id)
        except OSError:
            return ()

    def transition(self, address: str, revision: int, boundary_id: str) -> Retained | None:
        """Give one recorded transition of the scope at `address`, the one recorded last where its past diverged."""
        found = [t for _, at, t in self.at_boundary(boundary_id) if (at, t.revision) == (address, revision)]
        return found[-1] if found else None

    def sightings(self, wanted: dict[str, tuple[Retained, ...]]) -> dict[tuple[str, int], Sighting]:
        """Say of retained transitions, by address, when they were first seen and whether they were made here.

        The answer has the key (address, revision). Mends nothing; a log that cannot be read knows nothing.
        """
        asked = {
            (address, t.revision, t.hash, t.boundary.id) for address, transitions in wanted.items() for t in transitions
        }
        seen: dict[tuple[str, int], float] = {}
        ours: set[tuple[str, int]] = set()
        try:
            for line in self._lines_at({boundary_id for *_, boundary_id in asked}):
                event = from_line(line, outline=True)
                match event:
                    case TransitionSeen(address=address, transition=t):
                        if (address, t.revision, t.hash, t.boundary.id) in asked:
                            seen.setdefault((address, t.revision), event.seen)
                    case MadeHere(boundary=boundary, changes=changes):
                        for _, address, revision, digest in changes:
                            if (address, revision, digest, boundary.id) in asked:
                                ours.add((address, revision))
                                seen.setdefault((address, revision), event.seen)
        except OSError:
            pass
        return {key: Sighting(seen.get(key), key in ours) for key in seen.keys() | ours}

    def rotate(self) -> str | None:
        """Begin a new log and keep the old one under another name, which is given; None when there is nothing to keep.

        What was known of scopes begins anew as well, with what their tails hold. Raises OSError.
        """
        return None if self._log is None else self._log.rotate()

    def kept(self) -> tuple[str, ...]:
        """Name the logs that were put aside, oldest first. Raises OSError."""
        return () if self._log is None else self._log.kept()

    def has_kept(self) -> bool:
        """Whether there are logs that were put aside: what they hold is not answered any more."""
        try:
            return bool(self.kept())
        except OSError:
            return False

    def behind(self) -> int:
        """How many bytes of a long log have to be folded before it can be asked; 0 for one that is simply read."""
        folds = self._long()
        return 0 if folds is None else folds.behind()

    def close(self) -> None:
        """Let go of what was opened to answer questions; it may be used again afterwards."""
        if self._folds is not None:
            self._folds.close()
            self._folds = None

    def complaint(self) -> str | None:
        """Give, once, why the ledger could not be written; None if it could, or if it was told already."""
        if self._complaint is None or self._complained:
            return None
        self._complained = True
        return self._complaint

    def _news(self, facts: Facts, at: float) -> tuple[Event, ...]:
        events: list[Event] = []
        for sight in facts.sights:
            events += noticed(self._index, sight, at, self._recorded)
        added = frozenset(event.address for event in events if isinstance(event, _OF_A_SCOPE))
        events += noticed_faults(self._index, facts.places, facts.found, at)
        if facts.composed is not None:
            events += noticed_composed(self._index, facts.composed, facts.sights, added, at)
        return tuple(events)

    def _record(
        self, facts: Facts, events_at: Callable[[float], tuple[Event, ...]], at: float | None
    ) -> tuple[Event, ...]:
        moment = self._clock() if at is None else at
        if self._log is None:
            events = events_at(moment)
            for event in events:
                self._index.step(event, 0)
            return events
        state = (self._inode, self._offset)
        expected: tuple[Event, ...] | None = None
        if self._log.mark() == state:
            expected = events_at(moment)
            if not expected:
                # Nobody has added anything and there is nothing to add: no need to hold up other monitors.
                return ()
        try:
            with self._log.exclusive() as descriptor:
                self._catch_up(descriptor)
                unmoved = expected is not None and state == (self._inode, self._offset)
                events = expected if unmoved and expected is not None else events_at(moment)
                if events:
                    self._append(descriptor, facts, events, moment)
                self._memo.keep(descriptor, self._index, self._offset)
                return events
        except OSError as error:
            self._fail(error)
            return ()

    def _fail(self, error: OSError) -> None:
        self._complaint = f"the ledger cannot be written ({error.strerror or error}): first-seen times are not kept"

    def _append(self, descriptor: int, facts: Facts, events: tuple[Event, ...], at: float) -> None:
        lines = [(event, to_line(event)) for event in events]
        for sight in facts.sights:
            if sight.stream is None or sight.size > IN_PASSING:
                continue
            before = footing = self._index.footings.get(sight.address, Footing())
            for event, line in lines:
                if isinstance(event, _MOVES) and event.address == sight.address:
                    footing = footing.after(event, len(line))
            whole = whole_line(sight, at, facts.encoder) if footing is not before and is_due(footing) else None
            lines += [] if whole is None else [whole]
        # What composed is told once all is there that it can be made of again.
        lines.sort(key=lambda one: isinstance(one[0], Composed))
        self._add(descriptor, lines)

    def _add(self, descriptor: int, lines: list[tuple[Event, bytes]]) -> None:
        assert self._log is not None
        text = b"".join([line for _, line in lines])
        self._log.append(descriptor, text)
        for event, line in lines:
            self._index.step(event, len(line))
        self._offset += len(text)

    def _catch_up(self, descriptor: int) -> None:
        """Fold whatever stands behind the last offset, other monitors' lines included."""
        found = os.fstat(descriptor)
        listening = self._overheard if self._inode == found.st_ino else None
        if found.st_ino != self._inode or found.st_size < self._offset:
            self._index, self._offset = self._memo.read(descriptor)
            self._inode = found.st_ino
        assert self._log is not None
        for offset, line in self._log.lines(self._offset, descriptor):
            event = from_line(line, outline=True)
            if event is not None:
                self._index.step(event, len(line) + 1)
                if listening is not None:
                    listening.append(event)
            self._offset = offset

    def _recorded(self, address: str, transitions: tuple[Retained, ...]) -> bool:
        sought = {identity(address, transition) for transition in transitions}
        try:
            for line in self._lines_at({transition.boundary.id for transition in transitions}):
                event = from_line(line, outline=True)
                if not isinstance(event, TransitionSeen) or event.address != address:
                    continue
                if identity(address, event.transition) in sought:
                    return True
        except OSError:
            pass
        return False

    def _lines_at(self, boundary_ids: Iterable[str]) -> Iterable[bytes]:
        """The lines that record something at these boundaries, and maybe others; of a short log all. Raises OSError."""
        if self._log is None:
            return ()
        folds = self._long()
        found = None if folds is None else folds.lines_at(boundary_ids)
        return (line for _, line in self._log.lines()) if found is None else found

    def _long(self) -> Folds | None:
        """The folds of a log that is too long to be read for each question."""
        mark = None if self._log is None else self._log.mark()
        if self._log is None or mark is None or mark[1] < LONG:
            return None
        if self._folds is None:
            from engine.ledger.folds import Folds

            self._folds = Folds(self._log.directory)
        return self._folds
