"""What was made here: the transitions that this program published, for undoing them and for writing them down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from zlib import crc32

from engine.ledger.events import MadeHere
from engine.ledger.units import Cell, Column, Recorded, Rows, Source, Unit, ViewedUnit, place_of
from engine.memory.stream import Boundary
from engine.records import dataclass

# Rows looked at together.
PAGE: Final = 200

AuthoredState = tuple[int, int, int, int, int, int]
"""(where: offset and number within the line, place, part, length, revision, mark of the boundary)."""


def mark_of(boundary_id: str) -> int:
    """A boundary's id as a number to look up by; who finds something compares the id itself."""
    try:
        return crc32(boundary_id.encode())
    except UnicodeEncodeError:
        return crc32(boundary_id.encode("utf-8", "surrogatepass"))


def _apply(_: Rows[AuthoredState], recorded: Recorded) -> Iterable[AuthoredState]:
    offset, length, event = recorded
    assert isinstance(event, MadeHere)
    mark = mark_of(event.boundary.id)
    return [
        (offset + part, place_of(address), part, length, revision, mark)
        for part, (_scope, address, revision, _hash) in enumerate(event.changes)
    ]


AUTHORED: Final[Unit[AuthoredState]] = Unit(
    key="authored",
    version=1,
    columns=(
        Column("seq", "int"),
        Column("place", "int"),
        Column("part", "int"),
        Column("length", "int"),
        Column("revision", "int"),
        Column("mark", "int"),
    ),
    keyed=1,
    wants=(MadeHere,),
    apply=_apply,
    sound=lambda row: row[0] >= row[2] >= 0 and row[3] > 0,
    grows=True,
    indexes=(("mark",),),
)


@dataclass(frozen=True, slots=True)
class Authored:
    """One publication of this program: its boundary, and (scope, address, revision, patch hash) of what it changed."""

    offset: int
    length: int
    seen: float
    boundary: Boundary
    changes: tuple[tuple[str, str, int, str], ...]


@dataclass(frozen=True, slots=True)
class AuthoredAsk:
    """The newest `last` publications, all when None, none that was seen before `since` (Unix seconds)."""

    last: int | None = None
    since: float | None = None


def made_at(source: Source, address: str, revision: int, boundary: Boundary, digest: str) -> float | None:
    """When this program published the transition (Unix seconds); None where no record says that it did."""
    where = "mark = ? AND place = ? AND revision = ?"
    for offset, _, part, length, *_ in source.select(
        AUTHORED, where, (mark_of(boundary.id), place_of(address), revision)
    ):
        event = source.event(offset - part, length)
        if isinstance(event, MadeHere) and event.boundary == boundary:
            _scope, at, number, known = event.changes[part] if part < len(event.changes) else ("", "", 0, "")
            if (at, number, known) == (address, revision, digest):
                return event.seen
    return None


def _view(source: Source, ask: AuthoredAsk) -> tuple[Authored, ...]:
    found: list[Authored] = []
    below: int | None = None
    while ask.last is None or len(found) < ask.last:
        room = PAGE if ask.last is None else min(PAGE, ask.last - len(found))
        values: tuple[Cell, ...] = () if below is None else (below,)
        where = "part = 0" if below is None else "part = 0 AND seq < ?"
        rows = source.select(AUTHORED, f"{where} ORDER BY seq DESC", values, limit=room)
        for offset, _, _, length, *_ in rows:
            event = source.event(offset, length)
            if not isinstance(event, MadeHere):
                continue
            if ask.since is not None and event.seen < ask.since:
                return tuple(found)
            found.append(Authored(offset, length, event.seen, event.boundary, event.changes))
        if len(rows) < room:
            break
        below = rows[-1][0]
    return tuple(found)


AUTHORED_VIEW: Final[ViewedUnit[AuthoredState, AuthoredAsk, tuple[Authored, ...]]] = ViewedUnit(
    unit=AUTHORED,
    view=_view,
    is_view=lambda view: isinstance(view, tuple) and all(isinstance(one, Authored) for one in view),
    says="what this program published, newest first",
)
