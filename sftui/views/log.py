"""What changed, newest first: the transitions of a session's lineage, or each scope's own tail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.ledger import Retained, Sighting, retained
from engine.memory.cohort import Cohort
from engine.memory.dialect import V4, Dialect
from engine.memory.ownership import INTENTS, cascade
from engine.memory.scope import Scope, Wanted
from engine.memory.stream import Boundary
from engine.records import dataclass
from engine.store.readings import ScopeReading, Snapshot
from engine.values import Json, JsonObject, KeyPath, merge

Sightings = Mapping[tuple[str, int], Sighting]
"""By address and revision: when a transition was first seen, and whether it was made here."""

_UNKNOWN: Final = Sighting(None, ours=False)


@dataclass(frozen=True, slots=True)
class Change:
    """What one transition did to one scope. `before` is the value that it found, `cascaded` what went with intents."""

    scope: Scope
    transition: Retained
    before: JsonObject
    cascaded: tuple[KeyPath, ...]
    seen: float | None
    ours: bool

    def to_json(self) -> JsonObject:
        return {
            "scope": self.scope,
            "revision": self.transition.revision,
            "seen": self.seen,
            "ours": self.ours,
            "patch": self.transition.patch,
        }


@dataclass(frozen=True, slots=True)
class Moment:
    """One accepted transition. `offset` is how many transitions back it lies in the session's lineage; None: outside."""

    boundary: Boundary
    offset: int | None
    changes: tuple[Change, ...]

    def to_json(self) -> JsonObject:
        changes: list[Json] = [change.to_json() for change in self.changes]
        return {"boundary": self.boundary.to_json(), "offset": self.offset, "changes": changes}


@dataclass(frozen=True, slots=True)
class Tail:
    """What one scope retains, newest first; `through` is the boundary before which nothing is retained."""

    scope: Scope
    address: str
    status: str
    revision: int | None
    through: Boundary | None
    entries: tuple[tuple[Boundary, Change], ...]

    def to_json(self) -> JsonObject:
        entries: list[Json] = [
            {"boundary": boundary.to_json(), **{k: v for k, v in change.to_json().items() if k != "scope"}}
            for boundary, change in self.entries
        ]
        return {
            "scope": self.scope,
            "address": self.address,
            "status": self.status,
            "revision": self.revision,
            "through": None if self.through is None else self.through.to_json(),
            "transitions": entries,
        }


@dataclass(frozen=True, slots=True)
class Lineage:
    """A session's transitions, newest first. `adopted`: shared memory moved on, so that earlier moments are gone."""

    adopted: bool
    moments: tuple[Moment, ...]

    def to_json(self) -> JsonObject:
        transitions: list[Json] = [moment.to_json() for moment in self.moments]
        return {"adopted": self.adopted, "transitions": transitions}


@dataclass(frozen=True, slots=True)
class Tails:
    """Each wanted scope's own tail, broadest first."""

    tails: tuple[Tail, ...]

    def to_json(self) -> JsonObject:
        scopes: list[Json] = [tail.to_json() for tail in self.tails]
        return {"scopes": scopes}


def retained_of(snapshot: Snapshot, wanted: Wanted) -> dict[str, tuple[Retained, ...]]:
    """The retained transitions of the wanted scopes that can be read, by address, oldest first."""
    return {
        reading.address: retained(reading.stream, 0)
        for scope, reading in snapshot.scopes.items()
        if scope in wanted and reading.status == "healthy" and reading.stream is not None
    }


def tails(snapshot: Snapshot, wanted: Wanted, sightings: Sightings) -> Tails:
    """Each wanted scope's tail; a fenced scope has none and never hides a healthy one."""
    found: list[Tail] = []
    for scope, reading in snapshot.scopes.items():
        if scope not in wanted:
            continue
        stream = reading.stream if reading.status == "healthy" else None
        made = _changes(scope, reading, snapshot.dialect, sightings) if stream is not None else ()
        entries = tuple((change.transition.boundary, change) for change in reversed(made))
        revision = None if stream is None else stream.revision
        through = None if stream is None else stream.through
        found.append(Tail(scope, reading.address, reading.status, revision, through, entries))
    return Tails(tuple(found))


def lineage(snapshot: Snapshot, cohort: Cohort, wanted: Wanted, sightings: Sightings) -> Lineage:
    """The transitions of the wanted scopes as one history, newest first, those before the lineage included."""
    offsets = {boundary.id: number for number, boundary in enumerate(reversed(cohort.lineage))}
    changes: dict[Boundary, list[Change]] = {}
    for scope, reading in snapshot.scopes.items():
        if scope not in wanted:
            continue
        for change in _changes(scope, reading, snapshot.dialect, sightings):
            changes.setdefault(change.transition.boundary, []).append(change)
    ordered = sorted(changes.items(), key=lambda entry: entry[0].position, reverse=True)
    return Lineage(
        cohort.adopted,
        tuple(Moment(boundary, offsets.get(boundary.id), tuple(changed)) for boundary, changed in ordered),
    )


def _changes(scope: Scope, reading: ScopeReading, common: Dialect | None, sightings: Sightings) -> tuple[Change, ...]:
    """What a scope retains, oldest first."""
    stream, dialect = reading.stream, reading.dialect or common or V4
    if stream is None:
        return ()
    found: list[Change] = []
    for before, transition in zip(stream.states, retained(stream, 0), strict=False):
        sighting = sightings.get((reading.address, transition.revision), _UNKNOWN)
        gone = _cascaded(dialect, scope, before, transition.patch)
        found.append(Change(scope, transition, before, gone, sighting.seen, sighting.ours))
    return tuple(found)


def _cascaded(dialect: Dialect, scope: Scope, before: JsonObject, patch: JsonObject) -> tuple[KeyPath, ...]:
    """What went along with the intents that a recorded patch removed."""
    if INTENTS not in patch:
        return ()
    after = merge(before, {INTENTS: patch[INTENTS]}).value
    return tuple(cascade(dialect, scope, before, after).targets)
