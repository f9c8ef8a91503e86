"""Every moment of the open cohort that is known: what is retained, and what the ledger recorded. Newest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from engine.memory.scope import SCOPES, Scope, initial, is_scope
from engine.memory.stream import Boundary
from engine.records import dataclass, replace
from engine.values import Json, JsonObject

if TYPE_CHECKING:
    from engine.ledger.timeline import TimelineRow
    from engine.store.readings import Snapshot
    from sftui.views.changes import Entry
    from sftui.views.kinds import EntryKey
    from sftui.views.picture import Picture

Source = Literal["lineage", "tail", "ledger"]
Order = Literal["newest", "lineage", "scope", "position", "seen", "unknown"]
"""How it is known that a moment came before the one above it: both are in the session's lineage; both changed one
scope; the later writer had seen the other's scope, and took a higher position; when each was first seen; or nothing
says so, and they stand in the order of their positions."""


@dataclass(frozen=True, slots=True)
class MomentPart:
    """What one moment is to one scope that it changed.

    `seen` is in Unix seconds; None with `before`: it was there before anybody looked. `ours` is None where no record
    says who made it, `look` when its scope was first looked at, where that is recorded: a look that found it, or came
    before it was `seen`; `session` the address of the session whose lineage holds it, where known. `row` is where the
    ledger has it. A scope that went back has several pasts: of a later one the `era` is greater, 0 is the last.
    """

    scope: Scope
    address: str
    revision: int
    source: Source
    seen: float | None
    ours: bool | None
    session: str | None = None
    before: bool = False
    look: float | None = None
    row: TimelineRow | None = None
    era: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands among all that is known of its scope."""
        return (self.era, self.revision)

    @property
    def short(self) -> str:
        """`s31`: scope and revision."""
        return f"{initial(self.scope)}{self.revision}"

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
    """One accepted transition, with every scope of the open cohort that it is known to have changed.

    `offset` is how many transitions back it lies in the session's lineage; None: outside of it. `order` tells how it
    is known that it came before the moment above it.
    """

    boundary: Boundary
    parts: tuple[MomentPart, ...]
    offset: int | None = None
    order: Order = "newest"

    @property
    def key(self) -> Boundary:
        """Its identity among all moments, with position and parent: an id alone may be used again."""
        return self.boundary

    @property
    def seen(self) -> float | None:
        """When it was first seen; None where nobody saw it come."""
        return min((part.seen for part in self.parts if part.seen is not None), default=None)

    @property
    def scopes(self) -> frozenset[Scope]:
        """The scopes that it changed."""
        return frozenset(part.scope for part in self.parts)

    @property
    def shorts(self) -> str:
        """`g15 s31`: what it made of which scope."""
        return " ".join(part.short for part in self.parts)

    def part(self, scope: Scope) -> MomentPart | None:
        """What it is to a scope; None where it did not change that."""
        return next((part for part in self.parts if part.scope == scope), None)

    def to_json(self) -> JsonObject:
        """The moment as data."""
        parts: list[Json] = [part.to_json() for part in self.parts]
        return {"boundary": self.boundary.to_json(), "offset": self.offset, "order": self.order, "scopes": parts}


def moments(picture: Picture, recorded: Sequence[TimelineRow] = ()) -> tuple[Moment, ...]:
    """Give every known transition of the open cohort, newest first; `recorded` is what of the ledger was read, newest first.

    Each scope's own order always holds. Between scopes it is as each moment's `order` says.
    """
    snapshot = picture.snapshot
    if snapshot is None:
        return ()
    offsets = _offsets(snapshot)
    rows, looks = _rows(recorded)
    log = {entry.key: entry for entry in picture.log}
    chains = [
        _chain(scope, snapshot, offsets, rows.get(reading.address, ()), log, looks=looks)
        for scope, reading in snapshot.scopes.items()
    ]
    return tuple(_merged([chain for chain in chains if chain], offsets))


def beginning(picture: Picture) -> Moment | None:
    """Give the moment that the session's lineage begins with: memory is known there, though not what changed."""
    cohort = None if picture.snapshot is None else picture.snapshot.cohort
    if cohort is None or cohort.adopted or len(cohort.lineage) < 2:
        return None
    return Moment(cohort.lineage[0], (), len(cohort.lineage) - 1, "lineage")


# Which of two came first.


def came_before(one: Moment, other: Moment) -> tuple[bool, Order] | None:
    """Tell whether `one` came before `other`, and what says so; None where nothing does."""
    if one.offset is not None and other.offset is not None:
        return one.offset > other.offset, "lineage"
    if one.offset is not None or other.offset is not None:
        # What the scopes hold and their lineage does not is from before that; only a scope that went back held more.
        outside = one if one.offset is None else other
        if all(part.era == 0 for part in outside.parts):
            return outside is one, "lineage"
    for part in one.parts:
        for counterpart in other.parts:
            if part.address == counterpart.address and part.place != counterpart.place:
                return part.place < counterpart.place, "scope"
    if one.boundary.position < other.boundary.position and _would_have_seen(one, other):
        return True, "position"
    if other.boundary.position < one.boundary.position and _would_have_seen(other, one):
        return False, "position"
    if _was_there(one, other):
        return True, "seen"
    if _was_there(other, one):
        return False, "seen"
    if one.seen is not None and other.seen is not None and one.seen != other.seen:
        return one.seen < other.seen, "seen"
    return None


def _was_there(one: Moment, other: Moment) -> bool:
    """Whether the first look at a scope found one, and the other came to a scope after the first look at that, no earlier."""
    found = min((part.look for part in one.parts if part.seen is None and part.look is not None), default=None)
    return found is not None and any(
        part.seen is not None and part.look is not None and found <= part.look < part.seen for part in other.parts
    )


def _would_have_seen(lower: Moment, higher: Moment) -> bool:
    """Whether the writer of the lower position reads a scope that the other changed.

    Who writes reads its own scope and all broader ones, and takes a position above everything there: had the other
    been there already, its own would be the higher one.
    """
    reads = max((SCOPES.index(scope) for scope in lower.scopes), default=-1)
    return any(SCOPES.index(scope) <= reads for scope in higher.scopes)


# Putting them together.

_Chain = list[tuple[Boundary, MomentPart]]


def _offsets(snapshot: Snapshot) -> Mapping[Boundary, int]:
    """Give how far back each boundary lies in the session's lineage; a fresh origin is no transition."""
    cohort = snapshot.cohort
    if cohort is None or cohort.adopted:
        return {}
    return {boundary: offset for offset, boundary in enumerate(reversed(cohort.lineage))}


_Looks = dict[tuple[str, int], float]
"""When a scope was first looked at, by its address and era."""


def _rows(recorded: Iterable[TimelineRow]) -> tuple[dict[str, list[tuple[int, TimelineRow]]], _Looks]:
    """Give what is recorded of each address, with its era, and the first looks."""
    found: dict[str, list[tuple[int, TimelineRow]]] = {}
    looks: _Looks = {}
    eras: dict[str, int] = {}
    for row in recorded:
        if row.kind == "baseline" and row.seen is not None:
            looks[row.address, eras.get(row.address, 0)] = row.seen
        elif row.kind == "gap" and row.reason in _TURNS:
            eras[row.address] = eras.get(row.address, 0) - 1
        elif row.boundary is not None and row.kind in {"transition", "retained"}:
            found.setdefault(row.address, []).append((eras.get(row.address, 0), row))
    return found, looks


_TURNS: Final = frozenset({"rewound", "diverged"})


def _chain(
    scope: Scope,
    snapshot: Snapshot,
    offsets: Mapping[Boundary, int],
    rows: Sequence[tuple[int, TimelineRow]],
    log: Mapping[EntryKey, Entry],
    *,
    looks: _Looks,
) -> _Chain:
    """Give all that is known of one scope, newest first, each once."""
    reading = snapshot.scopes[scope]
    own = snapshot.scopes["session"].address if "session" in snapshot.scopes else None
    found: dict[tuple[int, Boundary], MomentPart] = {}
    for era, row in rows:
        assert row.boundary is not None
        if is_scope(row.scope):
            found[row.revision, row.boundary] = MomentPart(
                row.scope,
                row.address,
                row.revision,
                "ledger",
                row.seen,
                row.ours,
                row.session,
                before=row.seen is None,
                look=looks.get((row.address, era)),
                row=row,
                era=era,
            )
    stream = reading.stream
    if stream is not None:
        for revision, transition in enumerate(stream.tail, stream.revision - len(stream.tail) + 1):
            boundary = transition.boundary
            entry = log.get((reading.address, revision, boundary.id))
            known = found.get((revision, boundary))
            if known is None:
                seen, ours = (None, None) if entry is None else (entry.seen, entry.ours)
                known = MomentPart(scope, reading.address, revision, "tail", seen, ours, before=seen is None)
            elif entry is not None:
                # More may have been heard from another monitor since the ledger was read.
                seen = entry.seen if known.seen is None else known.seen
                known = replace(known, seen=seen, ours=entry.ours or known.ours, before=seen is None)
            within = boundary in offsets
            found[revision, boundary] = replace(
                known, source="lineage" if within else "tail", session=known.session or (own if within else None)
            )
    chain = [(boundary, part) for (_, boundary), part in found.items()]
    chain.sort(key=lambda one: one[1].place, reverse=True)
    return chain


def _merged(chains: list[_Chain], offsets: Mapping[Boundary, int]) -> Iterable[Moment]:
    """Merge the scopes' own orders; what one transition did to several of them becomes one moment."""
    at = [0] * len(chains)
    waiting: dict[Boundary, int] = {}
    for chain in chains:
        for boundary, _ in chain:
            waiting[boundary] = waiting.get(boundary, 0) + 1
    above: Moment | None = None
    while True:
        heads: dict[Boundary, list[int]] = {}
        for number, chain in enumerate(chains):
            if at[number] < len(chain):
                heads.setdefault(chain[at[number]][0], []).append(number)
        if not heads:
            return
        # One that is the next of some of its scopes only waits for the others, unless they all wait for each other.
        ready = [boundary for boundary, numbers in heads.items() if len(numbers) == waiting[boundary]]
        newest = _newest(
            [
                Moment(
                    boundary, tuple(chains[number][at[number]][1] for number in heads[boundary]), offsets.get(boundary)
                )
                for boundary in ready or heads
            ]
        )
        for number in heads[newest.boundary]:
            at[number] += 1
            waiting[newest.boundary] -= 1
        if above is not None:
            said = came_before(newest, above)
            newest = replace(newest, order=said[1] if said is not None and said[0] else "unknown")
        yield newest
        above = newest


def _newest(some: Sequence[Moment]) -> Moment:
    """Give one that none of the others is known to have come after; of several that of the highest position."""
    if len(some) == 1:
        return some[0]
    last = [
        one
        for one in some
        if not any(said[0] for other in some if other is not one and (said := came_before(one, other)) is not None)
    ]
    return max(last or some, key=lambda one: one.boundary.position)
