"""Memory as it was at a moment, also where nothing but the ledger knows it: for threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sftui.ledger_pages import Records
from sftui.views.asof import Deep, Earlier, picture_at, standings
from sftui.views.moments import Moment, MomentPart, moments

if TYPE_CHECKING:
    from engine.ledger.folds import Folds
    from engine.ledger.past import Recall
    from engine.memory.scope import Scope
    from engine.memory.stream import Boundary
    from engine.store.readings import Snapshot
    from sftui.views.picture import Picture

# Pages of the ledger that are read at once for one moment.
MOST_PAGES: Final = 50


def picture_of(folds: Folds, live: Picture, moment: Moment) -> Picture:
    """Make the picture of a moment; the ledger is read back as far as that takes."""
    snapshot = live.snapshot
    if snapshot is None:
        return live
    records = Records(folds)
    held = records.newest(tuple(reading.address for reading in snapshot.scopes.values()))
    for _ in range(MOST_PAGES):
        known = moments(live, held.rows)
        found = standings(snapshot, known, moment)
        there = any(one.boundary == moment.boundary for one in known)
        if not held.more or (there and not any(at.ends for at in found.values())):
            break
        held = records.older()
    return picture_at(live, known, moment, sizes=live.sizes.copy(), deep=deep_of(folds, {}, snapshot))


def deep_of(folds: Folds, recalls: dict[str, Recall], snapshot: Snapshot) -> Deep:
    """What the ledger knows of states that are not retained; what one step came to is near for the next, in `recalls`."""
    from engine.ledger.past import Ended, Recall

    def deep(scope: Scope, part: MomentPart, boundary: Boundary) -> Earlier | str:
        recall = recalls.setdefault(part.address, Recall(folds, part.address))
        found = recall.at(part.revision, boundary, snapshot.scopes[scope].stream)
        if isinstance(found, Ended):
            return f"what {scope} held then is not retained any more, and {found.words}"
        return Earlier(found.after, found.before, found.record)

    return deep
