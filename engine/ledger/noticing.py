"""What a snapshot tells that the log does not hold yet: a pure comparison."""

from __future__ import annotations

from collections.abc import Callable

from engine.ledger.events import (
    Baseline,
    Composed,
    Event,
    FaultGone,
    FaultSeen,
    Gap,
    Retained,
    ScopeGone,
    TransitionSeen,
    patch_hash,
)
from engine.ledger.footing import is_head
from engine.ledger.index import Index, Known
from engine.memory.stream import Boundary, ScopeStream
from engine.records import dataclass, replace
from engine.values import inverse_patch, members_grown


@dataclass(frozen=True, slots=True)
class Sight:
    """A scope as one coherent reading showed it; `stream` is None where it was absent. See `Known.written`.

    `size` is what its memory takes on disk, in bytes. `session` is the address of the session that was read with it,
    and `lineage` the transitions that this one's own record holds.
    """

    scope: str
    address: str
    stream: ScopeStream | None
    written: int
    size: int = 0
    session: str | None = None
    lineage: frozenset[Boundary] = frozenset()


@dataclass(frozen=True, slots=True)
class Found:
    """A fault as one reading showed it."""

    place: str
    code: str
    file: str | None
    line: int | None
    column: int | None
    reason: str


Recorded = Callable[[str, tuple[Retained, ...]], bool]
"""Whether the log holds one of these transitions of the scope at this address."""


def noticed(index: Index, sight: Sight, at: float, recorded: Recorded) -> tuple[Event, ...]:
    """Give the events that `sight`, taken at `at` (Unix seconds), adds for its scope.

    A reading that is older than what another monitor recorded adds nothing.
    """
    known = index.scopes.get(sight.address)
    stream = sight.stream
    if stream is None:
        if known is None or known.gone or at <= known.seen:
            return ()
        return (ScopeGone(at, sight.scope, sight.address, known.revision),)
    if known is None:
        return (_baseline(sight, stream, at),)
    if sight.written < known.written and known.turns:
        return ()
    if known.gone:
        return () if sight.written <= known.written else (_baseline(sight, stream, at),)
    if stream.revision == known.revision and stream.head.id == known.boundary_id:
        return ()
    if stream.revision <= known.revision:
        # The clock of files is too coarse to tell two changes of one moment apart: equal is not newer.
        if sight.written <= known.written:
            return ()
        reason = "rewound" if stream.revision < known.revision else "diverged"
        return _turned(sight, stream, known, at, reason)
    return _advanced(sight, stream, known, at, recorded)


def noticed_composed(
    index: Index, address: str, sights: tuple[Sight, ...], news: frozenset[str], at: float
) -> tuple[Event, ...]:
    """Give the event of a cohort that could be composed, where the log does not say so already.

    `news` has the addresses that this very reading has added to. One that is older than the log says nothing.
    """
    revisions: dict[str, int] = {}
    for sight in sights:
        stream = sight.stream
        if stream is None:
            known = index.scopes.get(sight.address)
            if known is not None and not known.gone and sight.address not in news:
                return ()
            continue
        if sight.address not in news and not is_head(index, sight):
            return ()
        revisions[sight.address] = stream.revision
    if not revisions or (not news.intersection(revisions) and index.composed.get(address) == revisions):
        return ()
    return (Composed(at, address, revisions),)


def noticed_faults(index: Index, places: frozenset[str], found: tuple[Found, ...], at: float) -> tuple[Event, ...]:
    """Give the events of faults that opened or closed at `places`, the ones this reading looked at."""
    events: list[Event] = []
    present: set[tuple[str, str, str]] = set()
    for fault in found:
        key = (fault.place, fault.code, fault.file or "")
        if key in present:
            continue
        present.add(key)
        is_open, since = index.faults.get(key, (False, -1.0))
        if not is_open and at > since:
            events.append(FaultSeen(at, fault.place, fault.code, fault.file, fault.line, fault.column, fault.reason))
    for key, (is_open, since) in index.faults.items():
        place, code, file = key
        if is_open and place in places and key not in present and at > since:
            events.append(FaultGone(at, place, code, file or None))
    return tuple(events)


def retained(stream: ScopeStream, after: int) -> tuple[Retained, ...]:
    """Give the transitions of the tail with a revision above `after`, oldest first."""
    floor = stream.revision - len(stream.tail)
    return tuple(
        Retained(revision, entry.boundary, patch_hash(entry.patch), entry.patch)
        for revision, entry in enumerate(stream.tail, floor + 1)
        if revision > after
    )


def _recordable(sight: Sight, stream: ScopeStream, after: int) -> tuple[Retained, ...]:
    """The same, each with what leads back: once it has left the tail, nothing says any more what stood there before."""
    first = stream.revision - len(stream.tail) + 1
    found: list[Retained] = []
    for one in retained(stream, after):
        was, now = stream.states[one.revision - first], stream.states[one.revision - first + 1]
        back, grew = inverse_patch(was, now, one.patch), members_grown(one.patch, was, now)
        session = sight.session if one.boundary in sight.lineage else None
        found.append(replace(one, inverse=back, session=session, grew=grew))
    return tuple(found)


def _advanced(sight: Sight, stream: ScopeStream, known: Known, at: float, recorded: Recorded) -> tuple[Event, ...]:
    floor = stream.revision - len(stream.tail)
    if known.revision >= floor:
        behind = known.revision - floor
        boundary = stream.tail[behind - 1].boundary if behind else stream.through
        if boundary.id != known.boundary_id:
            older = sight.written < known.written
            return () if older else _turned(sight, stream, known, at, "diverged")
    news = _recordable(sight, stream, known.revision)
    # After a turn the scope may go forward again over a past that is recorded already.
    if known.turns and recorded(sight.address, news):
        return _turned(sight, stream, known, at, "diverged")
    head = (at, sight.written, sight.scope, sight.address)
    seen = [TransitionSeen(*head, transition) for transition in news]
    if known.revision >= floor:
        return tuple(seen)
    return (Gap(*head, "folded", known.revision + 1, floor, stream.through), *seen)


def _turned(sight: Sight, stream: ScopeStream, known: Known, at: float, reason: str) -> tuple[Event, ...]:
    gap = Gap(at, sight.written, sight.scope, sight.address, reason, known.revision, stream.revision, stream.head)
    return (gap, _baseline(sight, stream, at))


def _baseline(sight: Sight, stream: ScopeStream, at: float) -> Baseline:
    tail = _recordable(sight, stream, 0)
    return Baseline(at, sight.written, sight.scope, sight.address, stream.revision, stream.head, tail)
