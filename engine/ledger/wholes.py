"""Where in the log complete states of scopes stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from engine.ledger.events import Whole
from engine.ledger.units import Column, Recorded, Rows, Unit, place_of

WholesState: TypeAlias = tuple[int, int, int, int]
"""(where: the offset of the line, place, length, revision)."""


def _apply(_: Rows[WholesState], recorded: Recorded) -> Iterable[WholesState]:
    offset, length, event = recorded
    assert isinstance(event, Whole)
    return ((offset, place_of(event.address), length, event.revision),)


WHOLES: Final[Unit[WholesState]] = Unit(
    key="wholes",
    version=1,
    columns=(Column("seq", "int"), Column("place", "int"), Column("length", "int"), Column("revision", "int")),
    keyed=1,
    wants=(Whole,),
    apply=_apply,
    sound=lambda row: row[0] >= 0 and row[2] > 0,
    grows=True,
    indexes=(("place",),),
)
