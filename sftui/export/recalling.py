"""What a scope held at a revision that it does not retain any more, as far as the ledger knows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.ledger.folds import Folds
from engine.ledger.past import Ended, Recall
from engine.ledger.timeline import TIMELINE, TRANSITION, TimelineState, read_row
from engine.ledger.units import Source, ViewedUnit, place_of
from engine.memory.scope import Scope
from engine.memory.stream import Boundary
from engine.store.readings import Snapshot
from engine.values import JsonObject

if TYPE_CHECKING:
    from sftui.export.moments import Deep


@contextmanager
def recalled(found: Snapshot, *, ledger: bool) -> Iterator[Deep]:
    """Give what asks the ledger, for the length of a `with` block; it is opened when it is first asked."""
    opened: list[Folds] = []

    def ask(scope: Scope, revision: int) -> JsonObject | str:
        folds = Folds.open(found.address.root, ledger)
        opened.append(folds)
        folds.catch_up()
        reading = found.scopes[scope]
        boundary = folds.view(_MADE, (reading.address, revision))
        if boundary is None:
            return "no record has that one"
        past = Recall(folds, reading.address).at(revision, boundary, reading.stream)
        return past.words if isinstance(past, Ended) else past.after

    try:
        yield ask
    finally:
        for folds in opened:
            folds.close()


def _made(source: Source, ask: tuple[str, int]) -> Boundary | None:
    """The boundary at which a scope was last given a revision: after a turn it may have been given twice."""
    address, revision = ask
    where = "place = ? AND revision = ? AND kind <= ? ORDER BY seq DESC"
    for state in source.select(TIMELINE, where, (place_of(address), revision, TRANSITION)):
        read = read_row(source, state)
        if read is not None and read[0].address == address:
            return read[0].boundary
    return None


_MADE: ViewedUnit[TimelineState, tuple[str, int], Boundary | None] = ViewedUnit(
    unit=TIMELINE,
    view=_made,
    is_view=lambda view: view is None or isinstance(view, Boundary),
    says="at which boundary a scope was given a revision",
)
