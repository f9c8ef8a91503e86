"""Blame: which recorded transition set a place of a scope last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from engine.ledger.events import Baseline, Gap, Retained, ScopeGone, TransitionSeen
from engine.ledger.timeline import TIMELINE, TRANSITION, TimelineRow, first_record, read_row
from engine.ledger.units import Column, Recorded, Rows, Source, Unit, ViewedUnit, place_of
from engine.records import dataclass
from engine.values import KeyPath
from engine.values.touched import pointer_bytes, touched

BlameState = tuple[int, bytes, int, int]
"""(place, pointer, how, where in the timeline)."""

# A place was set as a whole; something below it was; everything before has another past; revisions went by unseen.
SET, BELOW, TURN, UNSEEN = range(4)


def _apply(_: Rows[BlameState], recorded: Recorded) -> Iterable[BlameState]:
    offset, _length, event = recorded
    if isinstance(event, TransitionSeen):
        return _rows(place_of(event.address), event.transition, offset)
    if isinstance(event, Baseline):
        place = place_of(event.address)
        rows: list[BlameState] = [(place, b"", TURN, offset)]
        for part, transition in enumerate(event.tail):
            rows += _rows(place, transition, offset + part)
        return rows
    if isinstance(event, Gap):
        how = UNSEEN if event.reason == "folded" else TURN
        return ((place_of(event.address), b"", how, offset),)
    assert isinstance(event, ScopeGone)
    return ((place_of(event.address), b"", TURN, offset),)


def _rows(place: int, transition: Retained, seq: int) -> list[BlameState]:
    leaves, above = touched(transition.patch)
    return [(place, path, SET, seq) for path in leaves] + [(place, path, BELOW, seq) for path in above]


BLAME: Final[Unit[BlameState]] = Unit(
    key="blame",
    version=1,
    columns=(Column("place", "int"), Column("path", "bytes"), Column("how", "int"), Column("seq", "int")),
    keyed=3,
    wants=(TransitionSeen, Baseline, Gap, ScopeGone),
    apply=_apply,
    sound=lambda row: SET <= row[2] <= UNSEEN and row[3] >= 0,
)


@dataclass(frozen=True, slots=True)
class Blame:
    """The transition that set a place last: that place itself, one above it, or something below it.

    `row` is its first record. With `unseen` the scope went on without being seen since, so another one may have.
    """

    row: TimelineRow
    where: Literal["exact", "above", "below"]
    unseen: bool


@dataclass(frozen=True, slots=True)
class BlameAsk:
    """A place in one scope; an element of an array is named by its position."""

    address: str
    path: KeyPath


def _view(source: Source, ask: BlameAsk) -> Blame | None:
    place = place_of(ask.address)
    marks = {how: seq for _, _, how, seq in source.select(BLAME, "place = ? AND path = ?", (place, b""))}
    floor, unseen = marks.get(TURN, 0), marks.get(UNSEEN, -1)
    if not ask.path:
        return _whole(source, ask.address, floor, unseen)
    best: tuple[int, Literal["exact", "above", "below"]] | None = None
    own = pointer_bytes(ask.path)
    for length in range(1, len(ask.path) + 1):
        pointer = own if length == len(ask.path) else pointer_bytes(ask.path[:length])
        for _, _, how, seq in source.select(BLAME, "place = ? AND path = ?", (place, pointer)):
            if seq < floor or (best is not None and seq <= best[0]) or (how == BELOW and pointer != own):
                continue
            best = seq, "below" if how == BELOW else "exact" if pointer == own else "above"
    if best is None:
        return None
    row = _row(source, best[0], ask.address)
    return None if row is None else Blame(row, best[1], unseen > best[0])


def _whole(source: Source, address: str, floor: int, unseen: int) -> Blame | None:
    """Of a whole scope it is the newest transition."""
    where = "place = ? AND kind <= ? AND seq >= ? ORDER BY seq DESC"
    for state in source.select(TIMELINE, where, (place_of(address), TRANSITION, floor), limit=1):
        row = _row(source, state[0], address)
        return None if row is None else Blame(row, "below", unseen > state[0])
    return None


def _row(source: Source, seq: int, address: str) -> TimelineRow | None:
    for state in source.select(TIMELINE, "seq = ?", (seq,)):
        found = read_row(source, state)
        if found is not None and found[0].address == address:
            return first_record(source, found[0])
    return None


BLAME_VIEW: Final[ViewedUnit[BlameState, BlameAsk, Blame | None]] = ViewedUnit(
    unit=BLAME,
    view=_view,
    is_view=lambda view: view is None or isinstance(view, Blame),
    says="which transition set a place last",
)
