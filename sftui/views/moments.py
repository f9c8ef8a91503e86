"""The moments that memory went through: transitions of all scopes in view in one order, from tails and ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.memory.scope import SCOPES, Scope, is_scope
from engine.memory.stream import Boundary
from engine.records import dataclass, replace
from engine.values import Json, JsonObject
from sftui.views.picture import Picture

if TYPE_CHECKING:
    from engine.ledger.timeline import TimelineRow

Source = Literal["lineage", "tail", "ledger"]

# Of what is not recorded: later than all that is.
_LATEST: Final = float("inf")


@dataclass(frozen=True, slots=True)
class MomentPart:
    """What a transition made of one scope.

    `source`: a tail holds it and the session's lineage vouches for it, a tail alone holds it, or only the ledger does.
    `seen` is when it was first seen, None where nobody saw it come: it was there `before` anybody looked, or nothing is
    known. `ours` is None where no record says who made it, `session` where none says whose lineage held it.
    """

    scope: Scope
    address: str
    revision: int
    source: Source
    seen: float | None = None
    ours: bool | None = None
    session: str | None = None
    before: bool = False

    def to_json(self) -> JsonObject:
        """The part as data."""
        return {
            "scope": self.scope,
            "address": self.address,
            "revision": self.revision,
            "source": self.source,
            "seen": self.seen,
            "ours": self.ours,
            "session": self.session,
        }


@dataclass(frozen=True, slots=True)
class Moment:
    """One transition, with its parts broadest first.

    `offset` is how many transitions back it lies in the session's lineage; None: outside of it. Not `placed`: whether
    it came before or after the one that stands above it, which changed other scopes, is not known.
    """

    boundary: Boundary
    parts: tuple[MomentPart, ...]
    offset: int | None = None
    placed: bool = True

    @property
    def seen(self) -> float | None:
        """When it was first seen."""
        return min((part.seen for part in self.parts if part.seen is not None), default=None)

    def to_json(self) -> JsonObject:
        """The moment as data."""
        parts: list[Json] = [part.to_json() for part in self.parts]
        return {"boundary": self.boundary.to_json(), "offset": self.offset, "placed": self.placed, "parts": parts}


_Key: TypeAlias = tuple[str, int, Boundary]


def moments(picture: Picture, recorded: Sequence[TimelineRow] = ()) -> tuple[Moment, ...]:
    """Put what tails retain and what was `recorded` into one order, newest first.

    Within a scope it is the order in which transitions came. Between scopes the lineage decides where it vouches for
    both, else when they were first seen, else nothing: then by their positions, which is said by `placed`.
    """
    offsets = _offsets(picture)
    parts: dict[_Key, MomentPart] = {}
    order: dict[_Key, tuple[float, int]] = {}
    for key, part in _retained(picture, offsets):
        parts[key], order[key] = part, (_LATEST, key[1])
    for row in recorded:
        if row.kind not in {"transition", "retained"} or row.boundary is None or not is_scope(row.scope):
            continue
        key = (row.address, row.revision, row.boundary)
        known = parts.get(key)
        if known is None:
            known = MomentPart(row.scope, row.address, row.revision, "ledger")
        parts[key] = _told(known, row)
        order[key] = (row.seq, row.revision)
    return _merged(parts, order, offsets)


def _offsets(picture: Picture) -> dict[Boundary, int]:
    cohort = None if picture.snapshot is None else picture.snapshot.cohort
    return {} if cohort is None else {boundary: number for number, boundary in enumerate(reversed(cohort.lineage))}


def _retained(picture: Picture, offsets: dict[Boundary, int]) -> Iterable[tuple[_Key, MomentPart]]:
    snapshot = picture.snapshot
    entries = {(entry.address, entry.revision, entry.boundary): entry for entry in picture.log}
    for scope, reading in {} if snapshot is None else snapshot.scopes.items():
        stream = reading.stream
        if stream is None:
            continue
        first = stream.revision - len(stream.tail) + 1
        for number, transition in enumerate(stream.tail, first):
            key = (reading.address, number, transition.boundary)
            source: Source = "lineage" if transition.boundary in offsets else "tail"
            entry = entries.get(key)
            seen, ours = (None, None) if entry is None else (entry.seen, entry.ours)
            yield key, MomentPart(scope, reading.address, number, source, seen, ours, before=seen is None)


def _told(part: MomentPart, row: TimelineRow) -> MomentPart:
    """The part with what a record says of it."""
    seen = row.seen if part.seen is None else part.seen
    ours = row.ours if part.ours is None else part.ours
    before = seen is None and row.kind == "retained"
    return replace(part, seen=seen, ours=ours, session=row.session or part.session, before=before)


def _merged(
    parts: dict[_Key, MomentPart], order: dict[_Key, tuple[float, int]], offsets: dict[Boundary, int]
) -> tuple[Moment, ...]:
    together: dict[Boundary, list[MomentPart]] = {}
    for (_, _, boundary), part in parts.items():
        together.setdefault(boundary, []).append(part)
    made = {
        boundary: Moment(
            boundary,
            tuple(sorted(some, key=lambda part: (SCOPES.index(part.scope), -part.revision))),
            offsets.get(boundary),
        )
        for boundary, some in together.items()
    }
    queues: dict[str, list[Boundary]] = {}
    for key in sorted(parts, key=order.__getitem__):
        queues.setdefault(key[0], []).append(key[2])
    found: list[Moment] = []
    done: set[Boundary] = set()
    while queues:
        heads = {address: made[queue[-1]] for address, queue in queues.items()}
        ready = [one for one in dict.fromkeys(heads.values()) if _is_first(one, heads, queues)]
        best = _newest(ready or list(heads.values()))
        if best.boundary not in done:
            done.add(best.boundary)
            found.append(replace(best, placed=False) if found and not _is_sure(found[-1], best) else best)
        for address in list(queues):
            if queues[address][-1] == best.boundary:
                queues[address].pop()
                if not queues[address]:
                    del queues[address]
    return tuple(found)


def _is_first(moment: Moment, heads: dict[str, Moment], queues: dict[str, list[Boundary]]) -> bool:
    """Whether nothing newer is left of any scope that a moment changed."""
    return all(heads[part.address].boundary == moment.boundary for part in moment.parts if part.address in queues)


def _newest(some: Sequence[Moment]) -> Moment:
    """The one that no other is newer than."""
    best = some[0]
    for one in some[1:]:
        if _is_newer(one, best):
            best = one
    return best


def _is_newer(one: Moment, other: Moment) -> bool:
    if one.offset is not None and other.offset is not None:
        return one.offset < other.offset
    if one.seen is not None and other.seen is not None and one.seen != other.seen:
        return one.seen > other.seen
    return one.boundary.position > other.boundary.position


def _is_sure(above: Moment, below: Moment) -> bool:
    """Whether it is known that one came after the other."""
    if above.offset is not None and below.offset is not None:
        return True
    if {part.address for part in above.parts} & {part.address for part in below.parts}:
        return True
    return above.seen is not None and below.seen is not None and above.seen != below.seen
