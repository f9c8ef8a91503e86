"""Blame: which recorded transition set a place of a scope last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from engine.ledger.events import Baseline, Gap, ScopeGone
from engine.ledger.timeline import TIMELINE, TRANSITION, TimelineRow, first_record, read_row
from engine.ledger.units import Column, Noted, Recorded, Rows, Source, Unit, ViewedUnit, Viewer, place_of
from engine.records import dataclass
from engine.values import KeyPath
from engine.values.touched import THROUGH, pointer_bytes, touched

BlameState = tuple[bytes, int]
"""(a place of a scope, or a mark of the scope; where in the timeline)."""

# Marks of a whole scope, which no pointer begins like: everything before has another past; revisions went by unseen.
TURN, UNSEEN = b"!turn", b"!unseen"
# The scope itself, in front of every name.
ROOT: Final = 8


def _apply(_: Rows[BlameState], recorded: Recorded) -> Mapping[bytes, int]:
    offset, _length, event = recorded
    if isinstance(event, Noted):
        return touched(event.patch, _root(event.address), offset)
    if isinstance(event, Baseline):
        root = _root(event.address)
        rows = {root + TURN: offset}
        for part, transition in enumerate(event.tail):
            rows |= touched(transition.patch, root, offset + part)
        return rows
    assert isinstance(event, Gap | ScopeGone)
    mark = UNSEEN if isinstance(event, Gap) and event.reason == "folded" else TURN
    return {_root(event.address) + mark: offset}


@lru_cache(maxsize=4096)
def _root(address: str) -> bytes:
    """What the names of all places of a scope begin with."""
    return place_of(address).to_bytes(ROOT, "big", signed=True)


BLAME: Final[Unit[BlameState]] = Unit(
    key="blame",
    version=1,
    columns=(Column("place", "bytes"), Column("seq", "int")),
    keyed=1,
    wants=(Noted, Baseline, Gap, ScopeGone),
    apply=_apply,
    sound=lambda row: len(row[0]) > ROOT and row[0][ROOT] in b"/!" and row[1] >= 0,
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
    root = _root(ask.address)
    floor, unseen = _at(source, root + TURN, 0), _at(source, root + UNSEEN, -1)
    if not ask.path:
        return _whole(source, ask.address, floor, unseen)
    own = pointer_bytes(ask.path)
    found: list[tuple[int, Literal["exact", "above", "below"]]] = [
        (_at(source, root + own, -1), "exact"),
        (_at(source, root + own + THROUGH, -1), "below"),
    ]
    for length in range(1, len(ask.path)):
        above = root + pointer_bytes(ask.path[:length])
        found += [(_at(source, above, -1), "above")]
    seq, where = max(found)
    if seq < floor:
        return None
    row = _row(source, seq, ask.address)
    return None if row is None else Blame(row, where, unseen > seq)


def _at(source: Source, name: bytes, default: int) -> int:
    for _, seq in source.select(BLAME, "place = ?", (name,)):
        return seq
    return default


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


def blame(folds: Viewer, address: str, path: KeyPath) -> Blame | None:
    """Give the transition that set a place of a scope last; None where no record says."""
    return folds.view(BLAME_VIEW, BlameAsk(address, path))
