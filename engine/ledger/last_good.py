"""The last good: of each scope the newest state that was read without fault in a cohort that could be composed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from engine.errors import InvalidRequest
from engine.ledger.events import Baseline, Composed, Gap, TransitionSeen, Whole
from engine.ledger.timeline import GONE, TIMELINE, TRANSITION, TimelineState
from engine.ledger.units import Column, Recorded, Rows, Source, Unit, ViewedUnit, place_of
from engine.ledger.wholes import WHOLES
from engine.memory.stream import Boundary
from engine.records import dataclass
from engine.values import JsonObject, merge

LastGoodState: TypeAlias = tuple[int, int, int, int]
"""(place, where: the offset of the line that names the cohort, its length, the scope's revision)."""


def _apply(_: Rows[LastGoodState], recorded: Recorded) -> Iterable[LastGoodState]:
    offset, length, event = recorded
    assert isinstance(event, Composed)
    return [(place_of(address), offset, length, revision) for address, revision in event.revisions.items()]


LAST_GOOD: Final[Unit[LastGoodState]] = Unit(
    key="last_good",
    version=1,
    columns=(Column("place", "int"), Column("seq", "int"), Column("length", "int"), Column("revision", "int")),
    keyed=1,
    wants=(Composed,),
    apply=_apply,
    sound=lambda row: row[1] >= 0 and row[2] > 0,
)


@dataclass(frozen=True, slots=True)
class LastGood:
    """The newest state of a scope that is known to have been valid, and the cohort that it was valid in.

    `cohort` is the address of that cohort's narrowest scope, `revisions` has all of its scopes, by address. `start` and
    `end` are where in the log all stands that the state can be made of again, a complete state first; both are None
    where the log does not hold that. `value` is that state, where it was asked for and can be had.
    """

    address: str
    revision: int
    boundary: Boundary
    seen: float
    cohort: str
    revisions: Mapping[str, int]
    start: int | None
    end: int | None
    value: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class LastGoodAsk:
    """A scope; `body`: its value is asked for as well."""

    address: str
    body: bool = False


def _view(source: Source, ask: LastGoodAsk) -> LastGood | None:
    place = place_of(ask.address)
    for _, seq, length, revision in source.select(LAST_GOOD, "place = ?", (place,)):
        event = source.event(seq, length)
        if not isinstance(event, Composed) or event.revisions.get(ask.address) != revision:
            return None
        newest = "place = ? AND seq < ? AND kind < ? ORDER BY seq DESC"
        for head in source.select(TIMELINE, newest, (place, seq, GONE), limit=1):
            line = source.event(head[0] - head[2], head[3])
            if head[5] != revision or not isinstance(line, TransitionSeen | Baseline | Gap):
                return None
            boundary = line.transition.boundary if isinstance(line, TransitionSeen) else line.boundary
            found = _stands(source, ask, place, seq, head)
            return LastGood(
                ask.address,
                revision,
                boundary,
                event.seen,
                event.address,
                event.revisions,
                found[0],
                found[1],
                found[2],
            )
    return None


def _stands(
    source: Source, ask: LastGoodAsk, place: int, below: int, head: TimelineState
) -> tuple[int | None, int | None, JsonObject | None]:
    """Where the newest complete state and all that came after it stand, and what they lead to."""
    for at, _, length, revision in source.select(
        WHOLES, "place = ? AND seq < ? ORDER BY seq DESC", (place, below), limit=1
    ):
        rows = source.select(TIMELINE, "place = ? AND seq > ? AND seq <= ? ORDER BY seq", (place, at, head[0]))
        if [(row[4], row[5]) for row in rows] != [(TRANSITION, revision + 1 + n) for n in range(len(rows))]:
            return None, None, None
        if revision + len(rows) != head[5]:
            return None, None, None
        end = rows[-1][0] + rows[-1][3] if rows else at + length
        return at, end, _made(source, ask.address, (at, length), rows) if ask.body else None
    return None, None, None


def _made(source: Source, address: str, whole: tuple[int, int], rows: list[TimelineState]) -> JsonObject | None:
    event = source.event(*whole)
    value = event.value if isinstance(event, Whole) and event.address == address else None
    for row in rows:
        step = source.event(row[0], row[3])
        if value is None or not isinstance(step, TransitionSeen) or step.address != address:
            return None
        try:
            value = merge(value, step.transition.patch).value
        except InvalidRequest:
            return None
    return value


LAST_GOOD_VIEW: Final[ViewedUnit[LastGoodState, LastGoodAsk, LastGood | None]] = ViewedUnit(
    unit=LAST_GOOD,
    view=_view,
    is_view=lambda view: view is None or isinstance(view, LastGood),
    says="the newest state of a scope that is known to have been valid, and the cohort that it was valid in",
)
