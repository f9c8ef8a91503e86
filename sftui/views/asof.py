"""The picture of an earlier moment, made of the live one: whatever was the same then keeps its objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.memory.cohort import Cohort
from engine.memory.dialect import V4
from engine.memory.scope import SCOPES, Scope, initial
from engine.memory.stream import Boundary, ScopeStream
from engine.records import dataclass, replace
from engine.values import JsonObject
from sftui.views.changes import KEPT_LINES, Entry, Line, lines_of
from sftui.views.moments import Moment, MomentPart, came_before
from sftui.views.picture import Picture, look

if TYPE_CHECKING:
    from engine.ledger.events import Retained
    from engine.store.readings import ScopeReading, Snapshot
    from sftui.views.kinds import EntryKey
    from sftui.views.sizes import Sizes


@dataclass(frozen=True, slots=True)
class AsOf:
    """That a picture is of an earlier moment. `unknown` says of scopes why they are not known as they were then.

    `revisions` are those that each scope had, where known; `unknown` may name a scope whose revision is.
    """

    moment: Moment
    revisions: Mapping[Scope, int]
    unknown: Mapping[Scope, str]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one scope stood at a moment: at its transition `part`, made at `boundary`.

    With `boundary` None it had not begun: it is empty. `first` is its first transition, where it stood before that and no
    tail tells how it began. `why` says why it is not known where it stood; `ends`: because nothing older is known of it.
    """

    part: MomentPart | None = None
    boundary: Boundary | None = None
    why: str = ""
    ends: bool = False
    first: tuple[MomentPart, Boundary] | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """A scope's value after one of its recorded transitions, and before it where that is known, with the record."""

    after: JsonObject
    before: JsonObject | None = None
    record: Retained | None = None


Deep: TypeAlias = "Callable[[Scope, MomentPart, Boundary], Earlier | str]"
"""Gives the value after a transition that is not retained any more, or a sentence on why nobody knows it."""


def nothing_deeper(scope: Scope, part: MomentPart, boundary: Boundary) -> str:
    """Know only what is retained."""
    del part, boundary
    return f"what {scope} held then is not retained any more"


def picture_at(
    live: Picture,
    known: Sequence[Moment],
    moment: Moment,
    *,
    sizes: Sizes,
    deep: Deep = nothing_deeper,
    near: Picture | None = None,
) -> Picture:
    """Make the picture of what memory was just after a moment. `known` are all moments, newest first.

    A scope of which nobody knows what it was then is unknown, and then nothing is composed. What is wrong with the
    files is wrong now: faults stay as they are. `near` is a picture whose derived values may be shared.
    """
    snapshot = live.snapshot
    if snapshot is None:
        return live
    found = standings(snapshot, known, moment)
    readings: dict[Scope, ScopeReading] = {}
    unknown: dict[Scope, str] = {}
    revisions: dict[Scope, int] = {}
    entries: list[Entry] = []
    dialect = snapshot.dialect or V4
    for scope, reading in snapshot.scopes.items():
        at = found[scope]
        if at.part is not None:
            revisions[scope] = at.part.revision
        if at.why:
            readings[scope], unknown[scope] = replace(reading, stream=None, tail_lines=()), at.why
            continue
        kept = retained_until(reading, at)
        if kept is not None:
            readings[scope] = kept
            continue
        assert at.part is not None
        assert at.boundary is not None
        earlier = deep(scope, at.part, at.boundary) if at.first is None else _before_all(scope, deep(scope, *at.first))
        if isinstance(earlier, str):
            readings[scope], unknown[scope] = replace(reading, stream=None, tail_lines=()), earlier
            continue
        stream = ScopeStream(at.part.revision, at.boundary, (), (earlier.after,), tidy=False)
        readings[scope] = replace(reading, stream=stream, tail_lines=())
        if earlier.before is not None and earlier.record is not None:
            patch, before, after = earlier.record.patch, earlier.before, earlier.after
            lines = lines_of(reading.dialect or dialect, scope, patch, before=before, after=after, sizes=sizes)
            entries.append(_entry(at.part, at.boundary, lines))
    cohort = _cohort(snapshot, readings, unknown, moment)
    past = replace(snapshot, scopes=readings, cohort=cohort)
    log = _log(live, known, found, entries)
    shared = live if near is None else near
    base = Picture(snapshot, live.feed, live.at, live.pinned, mentions=shared.mentions, log=log, sizes=sizes)
    made = look(base, past, live.feed, live.at, pinned=live.pinned, sightings={})
    # What the moment itself changed is what is new in it.
    arrived = sum(1 for entry in made.log if entry.boundary == moment.boundary)
    return replace(made, aside=live.aside, arrived=arrived, as_of=AsOf(moment, revisions, unknown))


# Where each scope stood.


def standings(snapshot: Snapshot, known: Sequence[Moment], moment: Moment) -> Mapping[Scope, Standing]:
    """Tell where every scope stood just after a moment."""
    return {scope: _standing(scope, reading, known, moment) for scope, reading in snapshot.scopes.items()}


def _standing(scope: Scope, reading: ScopeReading, known: Sequence[Moment], moment: Moment) -> Standing:
    stream = reading.stream
    if stream is None and reading.status != "absent":
        return Standing(why=f"{scope} is fenced: nothing is read of it")
    own = moment.part(scope)
    if own is not None:
        return Standing(own, moment.boundary)
    if moment.offset is not None and stream is not None:
        return _in_lineage(scope, reading, stream, moment)
    above: MomentPart | None = None
    newer: Moment | None = None
    doubtful: list[MomentPart] = []
    last: MomentPart | None = None
    for one in _chain(scope, reading, known):
        part = one.part(scope)
        assert part is not None
        said = (True,) if one.boundary == moment.boundary else came_before(one, moment)
        if said is None:
            doubtful.append(part)
        elif said[0]:
            if doubtful:
                return Standing(why=_doubt(scope, doubtful))
            if part.era < (0 if above is None else above.era):
                return Standing(why=f"{scope} went back to an earlier past about then, and nothing says when")
            if above is not None and above.revision != part.revision + 1:
                return Standing(why=_unseen(scope, part.revision + 1, above.revision - 1))
            return Standing(part, one.boundary)
        else:
            above, newer, doubtful = part, one, []
        last = part
    if doubtful:
        return Standing(why=_doubt(scope, doubtful))
    if above is None and last is None:
        # Nothing ever happened to it that anybody knows of: it is as it is.
        return _begun(scope, reading, moment, None)
    if newer is not None and above is not None and above.revision == 1 and above.era == _first_era(scope, known):
        return _begun(scope, reading, moment, (above, newer.boundary))
    return Standing(why=f"what {scope} held then is not retained any more, and no record goes back so far", ends=True)


def _in_lineage(scope: Scope, reading: ScopeReading, stream: ScopeStream, moment: Moment) -> Standing:
    """Where the lineage says that a scope stood: at the last of its transitions that is not later."""
    revision = stream.revision - len(stream.tail)
    boundary = stream.through
    for transition in stream.tail:
        if transition.boundary.position > moment.boundary.position:
            break
        revision, boundary = revision + 1, transition.boundary
    return Standing(MomentPart(scope, reading.address, revision, "lineage", None, None), boundary)


def _chain(scope: Scope, reading: ScopeReading, known: Sequence[Moment]) -> Iterator[Moment]:
    """Give what is known of a scope, newest first; among it the checkpoint of its tail, where no record has that."""
    own = [(one, part) for one in known if (part := one.part(scope)) is not None]
    stream = reading.stream
    if stream is None or stream.revision == len(stream.tail):
        return (one for one, _ in own)
    through = stream.revision - len(stream.tail)
    first = next((part for one, part in own if stream.tail and one.boundary == stream.tail[0].boundary), None)
    place = (first.era if first is not None else 0, through)
    start = Moment(stream.through, (MomentPart(scope, reading.address, through, "tail", None, None, era=place[0]),))
    newer = [one for one, part in own if part.place > place]
    older = [one for one, part in own if part.place <= place]
    return iter([*newer, *([] if older and older[0].boundary == stream.through else [start]), *older])


def _begun(scope: Scope, reading: ScopeReading, moment: Moment, first: tuple[MomentPart, Boundary] | None) -> Standing:
    """Where a scope stood before its first transition: at its beginning, if that came before."""
    stream = reading.stream
    if stream is None or reading.status == "absent":
        return Standing()
    if stream.revision != len(stream.tail):
        if first is None:
            return Standing(why=f"what {scope} held then is not retained any more", ends=True)
        return Standing(MomentPart(scope, reading.address, 0, "ledger", None, None), _NOWHERE, first=first)
    start = Moment(stream.through, (MomentPart(scope, reading.address, 0, "tail", None, None),))
    if start.boundary == moment.boundary or start.boundary.position == 0:
        return Standing(start.parts[0], start.boundary)
    if moment.offset is not None or start.boundary.position <= moment.boundary.position:
        return Standing(start.parts[0], start.boundary)
    return Standing(why=f"nothing says whether {scope} was there yet")


# Where a scope began that had no transition yet is of no interest to anybody.
_NOWHERE: Final = Boundary("", 0, None)


def _before_all(scope: Scope, first: Earlier | str) -> Earlier | str:
    """Give what a scope held before its first transition. Where that is nothing, it is the same as not being there."""
    if isinstance(first, str):
        return first
    if first.before is None:
        return f"no record says what {scope} held before its first change"
    return Earlier(first.before) if not first.before else f"nothing says whether {scope} was there yet"


def _first_era(scope: Scope, known: Sequence[Moment]) -> int:
    return min((part.era for one in known if (part := one.part(scope)) is not None), default=0)


def _doubt(scope: Scope, doubtful: Sequence[MomentPart]) -> str:
    names = f"{initial(scope)}{doubtful[-1].revision}"
    if len(doubtful) > 1:
        names = f"{names} to {initial(scope)}{doubtful[0].revision}"
    return f"nothing says whether {names} came before this or after it"


def _unseen(scope: Scope, first: int, last: int) -> str:
    names = f"{initial(scope)}{first}" if first == last else f"{initial(scope)}{first} to {initial(scope)}{last}"
    return f"{names} {'was' if first == last else 'were'} never seen, so nobody knows when it came to be as it was next"


# What it held.


def retained_until(reading: ScopeReading, at: Standing) -> ScopeReading | None:
    """Give a scope as it was at a place that its tail still knows; None where it does not."""
    stream = reading.stream
    if at.part is None or at.boundary is None:
        return reading
    if stream is None:
        return None
    index = at.part.revision - (stream.revision - len(stream.tail))
    if not 0 <= index <= len(stream.tail):
        return None
    boundary = stream.through if index == 0 else stream.tail[index - 1].boundary
    if boundary != at.boundary:
        return None
    if index == len(stream.tail):
        return reading
    until = ScopeStream(
        at.part.revision, stream.through, stream.tail[:index], stream.states[: index + 1], tidy=False, ordered=stream.ordered
    )  # fmt: skip
    return replace(reading, stream=until, tail_lines=reading.tail_lines[:index])


def _cohort(
    snapshot: Snapshot, readings: Mapping[Scope, ScopeReading], unknown: Mapping[Scope, str], moment: Moment
) -> Cohort | None:
    """Put the scopes together, if all of them are known and are one memory now."""
    live = snapshot.cohort
    if live is None or unknown:
        return None
    streams = {
        scope: (readings[scope].stream if scope in readings else None) or live.streams[scope] for scope in SCOPES
    }
    if moment.offset is not None:
        # What of the tails lies before the lineage is no part of the cohort's history.
        cut = {
            scope: live.streams[scope] if stream is live.streams[scope] else _from(stream, live.streams[scope])
            for scope, stream in streams.items()
        }
        lineage = live.lineage[: len(live.lineage) - moment.offset]
        return Cohort(live.dialect, cut, lineage, adopted=live.adopted, limit=live.limit)
    return Cohort(live.dialect, streams, (moment.boundary,), adopted=True, limit=live.limit)


def _from(stream: ScopeStream, live: ScopeStream) -> ScopeStream:
    """Let a stream begin where the live one does."""
    first = (live.revision - len(live.tail)) - (stream.revision - len(stream.tail))
    if first <= 0:
        return stream
    return replace(stream, through=live.through, tail=stream.tail[first:], states=stream.states[first:])


# What had happened by then.


def _log(
    live: Picture, known: Sequence[Moment], found: Mapping[Scope, Standing], made: Sequence[Entry]
) -> tuple[Entry, ...]:
    """Give what had changed by then, newest first, as far as it is told of at all."""
    order: dict[EntryKey, int] = {}
    for number, one in enumerate(known):
        for part in one.parts:
            at = found.get(part.scope)
            if at is not None and at.part is not None and part.place <= at.part.place:
                order[part.address, part.revision, one.boundary.id] = number
    told = {entry.key: entry for entry in (*made, *live.log) if entry.key in order}
    return tuple(sorted(told.values(), key=lambda entry: order[entry.key]))


def _entry(part: MomentPart, boundary: Boundary, lines: Sequence[Line]) -> Entry:
    more = max(0, len(lines) - KEPT_LINES)
    return Entry(
        part.address, part.scope, part.revision, boundary, part.seen, part.ours, tuple(lines[:KEPT_LINES]), more
    )
