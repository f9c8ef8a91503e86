"""What history lets go of: retained patches that a publication makes part of the checkpoint."""

from __future__ import annotations

from engine.memory.scope import Scope
from engine.memory.stream import Boundary, ScopeStream
from engine.records import dataclass
from engine.store.readings import Snapshot
from engine.store.writing import Successor
from engine.values import JsonObject


@dataclass(frozen=True, slots=True)
class Fold:
    """A retained patch of a scope that leaves its tail: from then on its moment cannot be read or undone from there."""

    scope: Scope
    revision: int
    boundary: Boundary
    patch: JsonObject


def folds(before: Snapshot, successor: Successor) -> tuple[Fold, ...]:
    """What leaves the tails of the written scopes, oldest first in each."""
    found: list[Fold] = []
    for scope in successor.scopes:
        stream = before.scopes[scope].stream
        if stream is not None:
            found.extend(_left(scope, stream, successor.cohort.streams[scope]))
    return tuple(found)


def _left(scope: Scope, before: ScopeStream, after: ScopeStream) -> list[Fold]:
    """Those that stand at or before the new checkpoint; positions rise along a tail."""
    oldest = before.revision - len(before.tail) + 1
    return [
        Fold(scope, revision, transition.boundary, transition.patch)
        for revision, transition in enumerate(before.tail, oldest)
        if transition.boundary.position <= after.through.position
    ]
