"""What scopes held before everything that their tails retain: worked out from recorded transitions and complete states.

From a state that is known it goes back by what each record says leads back, or forward by the patches themselves.
Revisions that nobody saw, a past that was given up and a record that does not lead back are never bridged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NoReturn

from engine.errors import InvalidRequest
from engine.ledger.authored import mark_of
from engine.ledger.events import Baseline, Event, Gap, Retained, ScopeGone, TransitionSeen, Whole
from engine.ledger.timeline import BASELINE, GAP, GONE, RETAINED, TIMELINE, TRANSITION, TimelineState
from engine.ledger.units import Source, ViewedUnit, Viewer, place_of
from engine.ledger.wholes import WHOLES, WholesState
from engine.memory.stream import Boundary
from engine.records import dataclass
from engine.values import JsonObject, is_object, merge
from engine.values.depth import clear_of_depth

if TYPE_CHECKING:
    from engine.memory.stream import ScopeStream

# Rows of the timeline looked up at once.
PAGE: Final = 200
# States that were come to and are kept, so that the next one along the way is near.
KEPT: Final = 256

Reason = Literal["gap", "turn", "gone", "no-way-back", "beginning", "not-recorded", "unreadable"]


@dataclass(frozen=True, slots=True)
class Reached:
    """A scope's value after one of its transitions; the record of that, and the value before where that is known."""

    revision: int
    boundary: Boundary
    after: JsonObject
    record: Retained
    before: JsonObject | None


@dataclass(frozen=True, slots=True)
class Ended:
    """Why nobody knows what a scope held, as a word for programs and a sentence for people."""

    reason: Reason
    words: str


@dataclass(frozen=True, slots=True)
class Foothold:
    """A state that is known: after everything recorded of the scope up to `seq`, at `revision`."""

    seq: int
    revision: int
    value: JsonObject


@dataclass(frozen=True, slots=True)
class PastAsk:
    """The state after one transition of a scope, the newest of several of that identity.

    `retained` are states of its tail, with the boundaries that they stand at, oldest first; `footholds` states that
    this view has come to before.
    """

    address: str
    revision: int
    boundary: Boundary
    retained: tuple[tuple[int, Boundary, JsonObject], ...] = ()
    footholds: tuple[Foothold, ...] = ()


@dataclass(frozen=True, slots=True)
class Past:
    """What was found, and the states that were come to on the way there."""

    found: Reached | Ended
    passed: tuple[Foothold, ...] = ()


class _End(Exception):
    def __init__(self, reason: Reason, words: str) -> None:
        self.ended = Ended(reason, words)


@clear_of_depth
def led_back(value: JsonObject, inverse: JsonObject) -> JsonObject:
    """Give the value before a transition. What leads back takes the place of anything; only objects are gone into."""
    result = dict(value)
    for key, old in inverse.items():
        now = value.get(key)
        if old is None:
            result.pop(key, None)
        else:
            result[key] = led_back(now, old) if is_object(old) and is_object(now) else old
    return result


def _view(source: Source, ask: PastAsk) -> Past:
    walk = _Walk(source, ask.address)
    target = walk.row_of(ask.revision, ask.boundary)
    if target is None:
        return Past(Ended("not-recorded", f"no record has revision {ask.revision}"))
    ended: Ended | None = None
    for begin in walk.footholds(ask, target):
        try:
            passed = deque(walk.way(begin(), target), KEPT)
            return Past(walk.reached(target, passed[-1].value), tuple(passed))
        except _End as end:
            ended = ended or end.ended
        except InvalidRequest as refused:
            ended = ended or Ended("unreadable", f"a record does not fit: {refused.message}")
    return Past(ended or Ended("no-way-back", "no state that it could be worked out from is known"))


class _Walk:
    """Ways from one state of a scope to another, row by row."""

    def __init__(self, source: Source, address: str) -> None:
        self._source = source
        self._address = address
        self._place = place_of(address)
        self._line: tuple[int, Event | None] = (-1, None)

    def row_of(self, revision: int, boundary: Boundary) -> TimelineState | None:
        """The newest row of a transition."""
        where = "mark = ? AND place = ? AND revision = ? AND kind <= ? ORDER BY seq DESC"
        values = (mark_of(boundary.id), self._place, revision, TRANSITION)
        for row in self._source.select(TIMELINE, where, values):
            record = self._record(row)
            if record is not None and record.boundary == boundary:
                return row
        return None

    def footholds(self, ask: PastAsk, target: TimelineState) -> Iterator[Callable[[], Foothold]]:
        """States that are known, the one first from which the least has to be read."""
        at = target[0]
        found: list[tuple[int, Callable[[], Foothold]]] = []
        retained = self._retained(ask)
        known = [state for state in _nearest(ask.footholds, at) if self._is_there(state)]
        known += [] if retained is None else [retained]
        found += [(abs(state.seq - at), partial(_same, state)) for state in known]
        for order in ("seq > ? ORDER BY seq", "seq <= ? ORDER BY seq DESC"):
            wholes = self._source.select(WHOLES, f"place = ? AND {order}", (self._place, at), limit=1)
            found += [(abs(whole[0] - at) + whole[2], partial(self._complete, whole)) for whole in wholes]
        found.sort(key=lambda one: one[0])
        return (begin for _, begin in found)

    def way(self, state: Foothold, target: TimelineState) -> Iterator[Foothold]:
        """Every state from one that is known to the one after the target's transition."""
        last = state
        for last in self._back(state, target) if state.seq > target[0] else self._forth(state, target):
            yield last
        if (last.seq, last.revision) != (target[0], target[5]):
            raise _End("gap", f"what leads to revision {target[5]} was never seen")

    def reached(self, target: TimelineState, after: JsonObject) -> Reached:
        """What is said of the target."""
        record = self._known(target)
        before = None if record.inverse is None else led_back(after, record.inverse)
        return Reached(record.revision, record.boundary, after, record, before)

    def _back(self, state: Foothold, target: TimelineState) -> Iterator[Foothold]:
        revision, value = state.revision, state.value
        floor = False
        for row in self._rows(state.seq, target[0]):
            seq, _, part, _, kind, own, _, _ = row
            if kind in {GAP, GONE}:
                self._end_at(row)
            if floor:
                raise _End("turn", f"what came before revision {revision + 1} is of another past")
            if own != revision:
                raise _End("gap", _unseen(own + 1, revision))
            if kind == BASELINE:
                floor = part == 0
                continue
            yield Foothold(seq, revision, value)
            inverse = self._known(row).inverse
            if inverse is None:
                raise _End("no-way-back", f"no record says what stood there before revision {revision}")
            revision, value = revision - 1, led_back(value, inverse)
            floor = kind == RETAINED and part == 0
        if floor:
            raise _End("turn", f"what came before revision {revision + 1} is of another past")
        yield Foothold(target[0], revision, value)

    def _forth(self, state: Foothold, target: TimelineState) -> Iterator[Foothold]:
        revision, value = state.revision, state.value
        where = "place = ? AND seq > ? AND seq <= ? ORDER BY seq"
        above = state.seq
        yield state
        while True:
            rows = self._source.select(TIMELINE, where, (self._place, above, target[0]), limit=PAGE)
            for row in rows:
                if row[4] != TRANSITION:
                    self._end_at(row)
                if row[5] != revision + 1:
                    raise _End("gap", _unseen(revision + 1, row[5] - 1))
                revision, value = row[5], merge(value, self._known(row).patch).value
                yield Foothold(row[0], revision, value)
            if len(rows) < PAGE:
                return
            above = rows[-1][0]

    def _rows(self, top: int, bottom: int) -> Iterator[TimelineState]:
        """Rows newest first: from `top` on, above `bottom`."""
        where = "place = ? AND seq <= ? AND seq > ? ORDER BY seq DESC"
        while True:
            rows = self._source.select(TIMELINE, where, (self._place, top, bottom), limit=PAGE)
            yield from rows
            if len(rows) < PAGE:
                return
            top = rows[-1][0] - 1

    def _is_there(self, state: Foothold) -> bool:
        """Whether a state that this view has come to before is one of this log."""
        where = "seq = ? AND place = ? AND revision = ?"
        return bool(self._source.select(TIMELINE, where, (state.seq, self._place, state.revision)))

    def _retained(self, ask: PastAsk) -> Foothold | None:
        """The oldest retained state that a record leads to, if the log has the past that it is of."""
        newest = self._source.select(
            TIMELINE, "place = ? AND kind = ? ORDER BY seq DESC", (self._place, BASELINE), limit=1
        )
        begins = newest[0][0] - newest[0][2] if newest else 0
        for revision, boundary, value in ask.retained:
            row = self.row_of(revision, boundary)
            if row is not None and row[0] >= begins:
                return Foothold(row[0], revision, value)
        return None

    def _complete(self, whole: WholesState) -> Foothold:
        seq, _, length, revision = whole
        event = self._source.event(seq, length)
        if not isinstance(event, Whole) or event.address != self._address or event.value is None:
            raise _End("unreadable", "the line of the log that has a complete state cannot be read")
        return Foothold(seq, revision, event.value)

    def _record(self, row: TimelineState) -> Retained | None:
        seq, _, part, length, _, revision, _, _ = row
        if self._line[0] != seq - part:
            self._line = (seq - part, self._source.event(seq - part, length))
        event = self._line[1]
        found: Retained | None = None
        if isinstance(event, TransitionSeen) and event.address == self._address:
            found = event.transition
        elif isinstance(event, Baseline) and event.address == self._address and part < len(event.tail):
            found = event.tail[part]
        return found if found is not None and found.revision == revision else None

    def _known(self, row: TimelineState) -> Retained:
        record = self._record(row)
        if record is None:
            raise _End("unreadable", f"the line of the log that has revision {row[5]} cannot be read")
        return record

    def _end_at(self, row: TimelineState) -> NoReturn:
        """Say what is in the way."""
        event = self._source.event(row[0] - row[2], row[3])
        if isinstance(event, Gap) and event.reason == "folded":
            raise _End("gap", _unseen(event.first, event.last))
        if isinstance(event, ScopeGone):
            raise _End("gone", f"after revision {event.revision} the scope was not there for a while")
        raise _End(
            "turn", f"after revision {event.first if isinstance(event, Gap) else row[5]} the scope took up another past"
        )


def _nearest(states: Sequence[Foothold], at: int) -> Iterator[Foothold]:
    """The nearest one on either side of a place."""
    above = [state for state in states if state.seq > at]
    below = [state for state in states if state.seq <= at]
    if above:
        yield min(above, key=lambda state: state.seq)
    if below:
        yield max(below, key=lambda state: state.seq)


def _same(state: Foothold) -> Foothold:
    return state


def _unseen(first: int, last: int) -> str:
    return f"revision {first} was never seen" if first == last else f"revisions {first} to {last} were never seen"


PAST_VIEW: Final[ViewedUnit[TimelineState, PastAsk, Past]] = ViewedUnit(
    unit=TIMELINE,
    view=_view,
    is_view=lambda view: isinstance(view, Past),
    says="what a scope held after a transition that is not retained any more",
)


class Recall:
    """What one scope held earlier, asked for step by step: states that were come to are kept for the next step."""

    def __init__(self, folds: Viewer, address: str) -> None:
        self._folds = folds
        self._address = address
        self._kept: dict[int, Foothold] = {}

    def at(self, revision: int, boundary: Boundary, stream: ScopeStream | None) -> Reached | Ended:
        """Give the value after a transition, or why nobody knows it. Reads the log, so it may take a while.

        `stream` is what the scope retains now, where it is known.
        """
        retained = () if stream is None else _states(stream)
        ask = PastAsk(self._address, revision, boundary, retained, tuple(self._kept.values()))
        past = self._folds.view(PAST_VIEW, ask)
        if past is None:
            return Ended("not-recorded", "no ledger is kept, or it cannot be read")
        for state in past.passed:
            self._kept.pop(state.seq, None)
            self._kept[state.seq] = state
        for seq in list(self._kept)[:-KEPT]:
            del self._kept[seq]
        return past.found


def _states(stream: ScopeStream) -> tuple[tuple[int, Boundary, JsonObject], ...]:
    first = stream.revision - len(stream.tail)
    return tuple(
        (first + index, boundary, state)
        for index, (boundary, state) in enumerate(zip(stream.boundaries(), stream.states, strict=True))
    )
