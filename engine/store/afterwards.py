"""The cohort after a publication, put together from what was written, without reading it again."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from engine.memory.dialect import dialect_for
from engine.memory.scope import Scope
from engine.memory.stream import Boundary, ScopeStream
from engine.records import dataclass, replace
from engine.store import files
from engine.store.compose import compose
from engine.store.files import Capture
from engine.store.layout import PREDECESSOR, files_of
from engine.store.lockstate import LOCK_NAME, LockState
from engine.store.proposal import Proposal, Published, obstacles
from engine.store.readings import ScopeReading, Snapshot
from engine.store.scopes import KEPT_BYTES
from engine.store.snapshot import snapshot
from engine.store.writing import Place, Successor
from engine.values import JsonObject


@dataclass(frozen=True, slots=True)
class Fold:
    """A retained patch of a scope that leaves its tail: from then on its moment cannot be read or undone from there."""

    scope: Scope
    revision: int
    boundary: Boundary
    patch: JsonObject


def written_snapshot(before: Snapshot, successor: Successor, written: Mapping[Place, Capture]) -> Snapshot:
    """`before` with the written scopes as they are now; `written` are the files that were replaced."""
    address = before.address
    if any(before.scopes[scope].faults or before.scopes[scope].remarks for scope in successor.scopes):
        # What was remarkable about the old bytes may be gone or not: that only reading them tells.
        return snapshot(address, before, holding=True)
    readings = dict(before.scopes)
    for scope in successor.scopes:
        readings[scope] = _written(before.scopes[scope], successor, written)
    record = before.record if successor.runtime is None else replace(before.record, runtime=successor.runtime)
    composed, cohort, dialect, found = compose(address, readings, record, before.config.history_limit)
    faults = (*found, *before.settings.faults)
    every = (*faults, *(fault for reading in composed.values() for fault in reading.faults))
    return replace(
        before,
        present=True,
        scopes=composed,
        cohort=cohort,
        faults=faults,
        lock=LockState("free", os.path.join(address.root, LOCK_NAME)),
        verdict="broken" if any(fault.severity == "fault" for fault in every) else "ok",
        record=record,
        dialect=dialect,
        stale=frozenset(),
    )


def _written(before: ScopeReading, successor: Successor, written: Mapping[Place, Capture]) -> ScopeReading:
    scope, meta = before.scope, successor.metas[before.scope]
    captures = {name: before.captures.get(name, files.ABSENT) for name in (*files_of(scope), PREDECESSOR)}
    for name in files_of(scope):
        place = (before.address, name)
        if place in written:
            captures[name] = _with_bytes(written[place], successor.contents[place])
    return replace(
        before,
        status="healthy",
        stream=successor.cohort.streams[scope],
        meta=meta,
        dialect=dialect_for(meta.version, meta.roots),
        captures=captures,
        tail_lines=successor.lines[scope],
    )


def _with_bytes(captured: Capture, chunks: list[bytes]) -> Capture:
    """Small ones keep their bytes, and those that the clock cannot vouch for, which are compared once more."""
    if captured.racy or sum(map(len, chunks)) <= KEPT_BYTES:
        return replace(captured, data=b"".join(chunks))
    return captured


def published(found: Proposal, after: Snapshot, lock_left: LockState | None = None) -> Published:
    """The answer to whoever asked for the change. Without a change, and in a dry run, `after` is what was found."""
    successor = found.successor
    alarms = found.alarms
    if lock_left is not None:
        alarms = (*alarms, f"the publication lock could not be removed: {lock_left.path} is {lock_left.kind}")
    return Published(
        receipt=found.receipt,
        staged=found.staged,
        snapshot=after,
        earlier=found.before,
        boundary=None if successor is None or after is found.before else successor.cohort.head,
        changed=found.staged.changed,
        created=() if successor is None else successor.created,
        digest=found.digest,
        advice=found.advice,
        alarms=alarms,
        before={
            scope: stream.current if (stream := found.before.scopes[scope].stream) is not None else {}
            for scope in found.staged.changed
        },
        authored=dict(found.asked.patches.items()),
        problems=found.asked.problems,
        remarks=found.asked.remarks,
        folds=() if successor is None else _folds(found.before, successor),
        cohort=None if successor is None else successor.cohort,
    )


def previewed(found: Proposal, *, approved: str | None, force_session: bool, allow: Collection[str]) -> Published:
    """The answer to a dry run, with all that a publication would be refused for now."""
    clearing = False
    if found.before.lock.is_broken:
        from engine.store import journal

        clearing = journal.clears_lock(found.before.address.root)
    met = obstacles(found, approved=approved, force_session=force_session, allow=allow, clearing=clearing)
    return replace(published(found, found.before), obstacles=met)


def _folds(before: Snapshot, successor: Successor) -> tuple[Fold, ...]:
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
