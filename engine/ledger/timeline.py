"""The timeline: what happened to each scope, in the order of the log. Rows say where; the lines say what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from typing import Final, Literal, TypeAlias

from orjson import dumps

from engine.ledger.authored import AUTHORED, PAGE, made_at, mark_of
from engine.ledger.events import Baseline, Gap, Retained, ScopeGone, TransitionSeen
from engine.ledger.units import Column, Noted, Recorded, Rows, Source, Unit, ViewedUnit, Viewer, place_of
from engine.memory.stream import Boundary
from engine.records import dataclass
from engine.values import encode

TimelineState = tuple[int, int, int, int, int, int, int | None, bytes | None]
"""(where: offset and number within the line, place, part, length, kind, revision, mark of the boundary, growth)."""

Told = Literal["retained", "transition", "gap", "baseline", "gone"]
KINDS: Final[tuple[Told, ...]] = ("retained", "transition", "gap", "baseline", "gone")
RETAINED, TRANSITION, GAP, BASELINE, GONE = range(5)


def _apply(_: Rows[TimelineState], recorded: Recorded) -> Iterable[TimelineState]:
    offset, length, event = recorded
    if isinstance(event, Noted):
        address, revision, boundary_id, _patch, grown = event
        grew = None if grown is None else _growth(grown)
        return ((offset, place_of(address), 0, length, TRANSITION, revision, mark_of(boundary_id), grew),)
    if isinstance(event, Baseline):
        place = place_of(event.address)
        rows = [
            (
                offset + part, place, part, length, RETAINED, t.revision, mark_of(t.boundary.id),
                None if t.grew is None else _growth(t.grew),
            )
            for part, t in enumerate(event.tail)
        ]  # fmt: skip
        part = len(rows)
        return [*rows, (offset + part, place, part, length, BASELINE, event.revision, mark_of(event.boundary.id), None)]
    if isinstance(event, Gap):
        return ((offset, place_of(event.address), 0, length, GAP, event.last, mark_of(event.boundary.id), None),)
    assert isinstance(event, ScopeGone)
    return ((offset, place_of(event.address), 0, length, GONE, event.revision, None, None),)


def _growth(grew: Mapping[str, int]) -> bytes:
    try:
        return dumps(grew)
    except TypeError:  # a name that is no proper text
        return encode(dict(grew))


TIMELINE: Final[Unit[TimelineState]] = Unit(
    key="timeline",
    version=2,
    columns=(
        Column("seq", "int"),
        Column("place", "int"),
        Column("part", "int"),
        Column("length", "int"),
        Column("kind", "int"),
        Column("revision", "int"),
        Column("mark", "int", optional=True),
        Column("grew", "bytes", optional=True),
    ),
    keyed=1,
    wants=(Noted, Baseline, Gap, ScopeGone),
    apply=_apply,
    sound=lambda row: row[0] >= row[2] >= 0 and row[3] > row[2] and 0 <= row[4] < len(KINDS),
    grows=True,
    indexes=(("place",), ("mark",)),
)


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """One thing that the log holds of a scope. `seq` is its place in the timeline: later is greater.

    The line stands at `offset`; `part` is the number of a retained transition in its baseline. `seen` is None for
    what was there before the log looked, unless it was made here; `ours` is None where nothing says who made it. A gap has its `reason`, and
    `first` is the first of its revisions.
    """

    seq: int
    offset: int
    length: int
    part: int
    kind: Told
    seen: float | None
    scope: str
    address: str
    revision: int
    boundary: Boundary | None
    hash: str | None = None
    ours: bool | None = None
    session: str | None = None
    reason: str | None = None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class TimelineAsk:
    """Rows of these scopes, of all when None, below `before`; so many at most."""

    addresses: tuple[str, ...] | None = None
    before: int | None = None
    limit: int = PAGE


Read: TypeAlias = "tuple[TimelineRow, Retained | None]"


def read_row(source: Source, state: TimelineState) -> Read | None:
    """Make a row of what the line says, with the transition itself; None where the line does not say it."""
    seq, place, part, length, kind, revision, _, _ = state
    offset = seq - part
    event = source.event(offset, length)
    t: Retained | None = None
    if not isinstance(event, TransitionSeen | Baseline | Gap | ScopeGone) or place_of(event.address) != place:
        return None
    head = (seq, offset, length, part, KINDS[kind])
    scope, address = event.scope, event.address
    if isinstance(event, TransitionSeen) and kind == TRANSITION:
        t = event.transition
        ours = made_at(source, address, t.revision, t.boundary, t.hash) is not None
        row = TimelineRow(*head, event.seen, scope, address, t.revision, t.boundary, t.hash, ours, t.session)
    elif isinstance(event, Baseline) and kind == RETAINED and part < len(event.tail):
        t = event.tail[part]
        # That nobody here made it cannot be said of what was there before; who made it here saw it then.
        made = made_at(source, address, t.revision, t.boundary, t.hash)
        ours_or_unknown = None if made is None else True
        row = TimelineRow(*head, made, scope, address, t.revision, t.boundary, t.hash, ours_or_unknown, t.session)
    elif isinstance(event, Baseline) and kind == BASELINE:
        row = TimelineRow(*head, event.seen, scope, address, event.revision, event.boundary)
    elif isinstance(event, Gap) and kind == GAP:
        row = TimelineRow(
            *head, event.seen, scope, address, event.last, event.boundary, reason=event.reason, first=event.first
        )
    elif isinstance(event, ScopeGone) and kind == GONE:
        row = TimelineRow(*head, event.seen, scope, address, event.revision, None)
    else:
        return None
    return (row, t) if row.revision == revision else None


def records_of(
    source: Source, address: str, revision: int, boundary: Boundary, digest: str, *, below: int | None = None
) -> Iterator[Read]:
    """Give every record of one transition, oldest first: after a turn a scope's past is recorded again."""
    where = "mark = ? AND place = ? AND revision = ? AND kind <= ?"
    values = (mark_of(boundary.id), place_of(address), revision, TRANSITION)
    for state in source.select(TIMELINE, f"{where} ORDER BY seq", values):
        if below is not None and state[0] >= below:
            return
        found = read_row(source, state)
        if found is not None and (found[0].address, found[0].boundary, found[0].hash) == (address, boundary, digest):
            yield found


def first_record(source: Source, row: TimelineRow) -> TimelineRow:
    """Give the first record of a transition: the one that knows when it was first seen."""
    if row.hash is None or row.boundary is None:
        return row
    for found, _ in records_of(source, row.address, row.revision, row.boundary, row.hash, below=row.seq):
        return found
    return row


def lines_at(source: Source, boundary_ids: Iterable[str]) -> list[tuple[int, int]]:
    """Say where the lines stand that record something at boundaries of these ids, in the order of the log."""
    found: set[tuple[int, int]] = set()
    for mark in {mark_of(boundary_id) for boundary_id in boundary_ids}:
        found.update((seq - part, length) for seq, _, part, length, *_ in source.select(TIMELINE, "mark = ?", (mark,)))
        found.update((seq - part, length) for seq, _, part, length, *_ in source.select(AUTHORED, "mark = ?", (mark,)))
    return sorted(found)


def _states(source: Source, ask: TimelineAsk, below: int | None, count: int) -> list[TimelineState]:
    """The newest states below, of each scope by its own index."""
    under, bound = ("", ()) if below is None else ("seq < ?", (below,))
    if ask.addresses is None:
        return source.select(TIMELINE, f"{under or 'seq >= 0'} ORDER BY seq DESC", bound, limit=count)
    where = f"place = ?{' AND ' if under else ''}{under} ORDER BY seq DESC"
    each = [
        source.select(TIMELINE, where, (place_of(address), *bound), limit=count)
        for address in dict.fromkeys(ask.addresses)
    ]
    return list(merge(*each, reverse=True))[:count]


def _view(source: Source, ask: TimelineAsk) -> tuple[TimelineRow, ...]:
    found: list[TimelineRow] = []
    below = ask.before
    while len(found) < ask.limit:
        count = ask.limit - len(found)
        states = _states(source, ask, below, count)
        for state in states:
            read = read_row(source, state)
            if read is None or (ask.addresses is not None and read[0].address not in ask.addresses):
                continue
            # What is recorded again after a turn is the same transition: its first record stands for it.
            if read[1] is None or first_record(source, read[0]) is read[0]:
                found.append(read[0])
        if len(states) < count:
            break
        below = states[-1][0]
    return tuple(found)


TIMELINE_VIEW: Final[ViewedUnit[TimelineState, TimelineAsk, tuple[TimelineRow, ...]]] = ViewedUnit(
    unit=TIMELINE,
    view=_view,
    is_view=lambda view: isinstance(view, tuple) and all(isinstance(one, TimelineRow) for one in view),
    says="what happened to each scope, newest first",
)


def page(
    folds: Viewer, addresses: Iterable[str] | None, before: int | None = None, limit: int = PAGE
) -> tuple[TimelineRow, ...]:
    """Give the newest rows of these scopes (None: of all), below the one with the `seq` `before`; newest first."""
    ask = TimelineAsk(None if addresses is None else tuple(addresses), before, limit)
    return folds.view(TIMELINE_VIEW, ask) or ()
