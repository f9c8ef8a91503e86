"""Troubles: the faults that were found and that went away again, in the order of the log."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import merge
from typing import Final, TypeAlias

from engine.ledger.events import FaultGone, FaultSeen
from engine.ledger.units import Cell, Column, Recorded, Rows, Source, Unit, ViewedUnit, place_of
from engine.records import dataclass

TroublesState: TypeAlias = tuple[int, int, int, int]
"""(where: the offset of the line, place, length, whether it opened)."""


def _apply(_: Rows[TroublesState], recorded: Recorded) -> Iterable[TroublesState]:
    offset, length, event = recorded
    assert isinstance(event, FaultSeen | FaultGone)
    return ((offset, place_of(event.place), length, int(isinstance(event, FaultSeen))),)


TROUBLES: Final[Unit[TroublesState]] = Unit(
    key="troubles",
    version=1,
    columns=(Column("seq", "int"), Column("place", "int"), Column("length", "int"), Column("opened", "int")),
    keyed=1,
    wants=(FaultSeen, FaultGone),
    apply=_apply,
    sound=lambda row: row[0] >= 0 and row[2] > 0 and row[3] in {0, 1},
    grows=True,
    indexes=(("place",),),
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault that was found, or is no longer. `seq` is where it stands among all that is recorded."""

    seq: int
    opened: bool
    seen: float
    place: str
    code: str
    file: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TroublesAsk:
    """The newest of these places, none that was recorded before `since`."""

    places: tuple[str, ...]
    since: int = 0
    limit: int = 200


def _view(source: Source, ask: TroublesAsk) -> tuple[Trouble, ...]:
    where = "place = ? AND seq >= ? ORDER BY seq DESC"
    bounds: list[tuple[Cell, ...]] = [(place_of(place), ask.since) for place in dict.fromkeys(ask.places)]
    each = [source.select(TROUBLES, where, bound, limit=ask.limit) for bound in bounds]
    found: list[Trouble] = []
    for seq, _, length, opened in list(merge(*each, reverse=True))[: ask.limit]:
        event = source.event(seq, length)
        if isinstance(event, FaultSeen) and opened and event.place in ask.places:
            found.append(Trouble(seq, True, event.seen, event.place, event.code, event.file, event.reason))
        elif isinstance(event, FaultGone) and not opened and event.place in ask.places:
            found.append(Trouble(seq, False, event.seen, event.place, event.code, event.file))
    return tuple(found)


TROUBLES_VIEW: Final[ViewedUnit[TroublesState, TroublesAsk, tuple[Trouble, ...]]] = ViewedUnit(
    unit=TROUBLES,
    view=_view,
    is_view=lambda view: isinstance(view, tuple) and all(isinstance(one, Trouble) for one in view),
    says="which faults were found, and which went away, newest first",
)
