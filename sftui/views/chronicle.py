"""All that is known of what happened: tails and ledger put together, and what each transition did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.memory.dialect import V4, Dialect
from engine.records import dataclass, field
from sftui.actions import key_for
from sftui.views.blaming import session_of
from sftui.views.differences import MOST, Difference
from sftui.views.diffs import KEPT_LINES, ScopeDiff
from sftui.views.history import Note, RowKey, Summary, faults_of, keyed, notes_of, summary, when
from sftui.views.history_details import remarks
from sftui.views.moments import Moment, MomentPart, moments
from sftui.views.picture import Picture
from sftui.views.transition import Part, recorded_part, retained_part, transition_diff
from sftui.views.units import human

if TYPE_CHECKING:
    from engine.ledger.events import Retained
    from engine.ledger.timeline import TimelineRow
    from engine.ledger.troubles import Trouble
    from engine.memory.stream import Boundary
    from engine.store.layout import Address

# Larger records are not read for a line of a list; the page that enter opens reads them.
LARGEST_SUMMED: Final = 1 << 20

Body = Callable[["TimelineRow"], "Retained | None"]


@dataclass(frozen=True, slots=True)
class Chronicle:
    """Transitions newest first, by row, with what the ledger notes between them; `more`: the ledger has older ones."""

    picture: Picture = field(default_factory=Picture)
    moments: Mapping[RowKey, Moment] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    more: bool = False

    @property
    def adopted(self) -> bool:
        """Whether the session's history began anew because shared memory had moved on."""
        snapshot = self.picture.snapshot
        return snapshot is not None and snapshot.cohort is not None and snapshot.cohort.adopted

    @property
    def address(self) -> Address | None:
        """Where the cohort lies."""
        return None if self.picture.snapshot is None else self.picture.snapshot.address

    @property
    def session(self) -> str | None:
        """The address of the session in view."""
        return session_of(self.picture)

    @property
    def dialect(self) -> Dialect:
        """The vocabulary of the cohort."""
        return self.picture.dialect or V4


def chronicle(
    picture: Picture, recorded: Sequence[TimelineRow], troubles: Sequence[Trouble], *, more: bool
) -> Chronicle:
    """Put together what a picture retains and what was `recorded`, newest first."""
    notes = (*notes_of(recorded), *faults_of(troubles, _scopes(picture)))
    return Chronicle(picture, keyed(moments(picture, recorded)), notes, more)


def _scopes(picture: Picture) -> dict[str, str]:
    snapshot = picture.snapshot
    return {} if snapshot is None else {reading.address: scope for scope, reading in snapshot.scopes.items()}


def summed(known: Chronicle, moment: Moment, body: Body) -> Summary:
    """Sum a transition up in a line."""
    rows = [part.row for part in moment.parts if _of_tail(known, part, moment.boundary) is None]
    large = sum(row.length for row in rows if row is not None)
    if large > LARGEST_SUMMED:
        return Summary(unknown=f"a large change, {human(large)}; {key_for('list.open')} reads it")
    parts, lacking = parts_of(known, moment, body)
    if lacking and not parts:
        return Summary(unknown=lacking[0])
    try:
        return summary(transition_diff(known.dialect, parts, most=KEPT_LINES))
    except EngineError as error:
        return Summary(unknown=error.message)


def parts_of(known: Chronicle, moment: Moment, body: Body) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """What a transition did to each scope, from the tails or from the ledger, and sentences about what nobody knows."""
    found: list[Part] = []
    lacking: list[str] = []
    for part in moment.parts:
        kept = _of_tail(known, part, moment.boundary)
        if kept is None:
            record = None if part.row is None else body(part.row)
            kept = None if record is None else recorded_part(part.scope, part.address, record)
        if kept is None:
            lacking.append(f"{part.scope}: no record says what it changed")
        else:
            found.append(kept)
    return tuple(found), tuple(lacking)


def diffs_of(
    known: Chronicle, moment: Moment, body: Body, *, most: int = KEPT_LINES
) -> tuple[tuple[ScopeDiff, ...], tuple[str, ...]]:
    """What a transition changed, and sentences about what nobody knows."""
    parts, lacking = parts_of(known, moment, body)
    try:
        return transition_diff(known.dialect, parts, most=most), lacking
    except EngineError as error:
        return (), (*lacking, error.message)


def growths(known: Chronicle, some: Sequence[Moment], body: Body) -> dict[tuple[str, int], Mapping[str, int]]:
    """What transitions added to each plane, by address and revision, as records of those say that no tail holds."""
    found: dict[tuple[str, int], Mapping[str, int]] = {}
    for moment in some:
        for part in moment.parts:
            if part.row is not None and _of_tail(known, part, moment.boundary) is None:
                record = body(part.row)
                if record is not None and record.grew is not None:
                    found[part.address, part.revision] = record.grew
    return found


def whole(known: Chronicle, moment: Moment, body: Body) -> Difference:
    """All that a transition changed, for a page of its own."""
    diffs, lacking = diffs_of(known, moment, body, most=MOST)
    words, _ = when(moment)
    return Difference(f"{moment.shorts}  {words}", diffs, remarks(moment), lacking)


def _of_tail(known: Chronicle, part: MomentPart, boundary: Boundary) -> Part | None:
    snapshot = known.picture.snapshot
    reading = None if snapshot is None else snapshot.scopes.get(part.scope)
    if reading is None or reading.stream is None or reading.address != part.address:
        return None
    stream = reading.stream
    index = part.revision - stream.revision + len(stream.tail) - 1
    if not 0 <= index < len(stream.tail) or stream.tail[index].boundary != boundary:
        return None
    return retained_part(part.scope, part.address, stream, index)
