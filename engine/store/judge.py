"""What an agent would make of a cohort: the answers that the existing program gives, from a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from engine.memory.cohort import Contradiction, adopt
from engine.memory.dialect import V4
from engine.memory.scope import SCOPES, SHARED, Scope
from engine.records import dataclass
from engine.store.compose import origin_id
from engine.store.lockstate import LockState
from engine.store.readings import Snapshot

Answer = Literal["ok", "absent", "adopted", "rejects", "waits"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """`scopes`: each read alone, without the lock. `runtime`: the session's record.

    `cohort`: all as they lie there, under the lock; `current`: reopening the session; `passive`: the shared scopes for
    a session without files of its own; `write`: reopening and a small change to the session.
    """

    scopes: Mapping[Scope, Answer]
    runtime: Answer
    cohort: Answer
    current: Answer
    passive: Answer
    write: Answer


def judge(snapshot: Snapshot) -> Judgement:
    """Judge a snapshot of a session's cohort."""
    scopes = {scope: _alone(snapshot, scope) for scope in SCOPES}
    runtime: Answer = "rejects" if snapshot.blocks("runtime") else "ok"
    locked = _locked(snapshot.lock)
    composed = snapshot.cohort
    current: Answer = locked or ("rejects" if composed is None else "adopted" if composed.adopted else "ok")
    complete = current == "ok" and "absent" not in scopes.values()
    write: Answer = locked or ("rejects" if composed is None or snapshot.blocks("write") else "ok")
    return Judgement(
        scopes,
        runtime,
        "ok" if complete else "rejects",
        current,
        "rejects" if locked is not None or not _shared_fit(snapshot) else "ok",
        write,
    )


def _alone(snapshot: Snapshot, scope: Scope) -> Answer:
    reading = snapshot.scopes.get(scope)
    if reading is None or reading.status == "absent":
        return "absent"
    return "rejects" if reading.blocks("scope") else "ok"


def _locked(state: LockState) -> Answer | None:
    if state.kind == "free":
        return None
    return "waits" if state.kind == "held" else "rejects"


def _shared_fit(snapshot: Snapshot) -> bool:
    if snapshot.blocks("passive"):
        return False
    streams = {
        scope: reading.stream
        for scope, reading in snapshot.scopes.items()
        if scope in SHARED and reading.stream is not None
    }
    if not streams:
        return True
    try:
        adopt(snapshot.dialect or V4, streams, origin_id=origin_id(streams), limit=snapshot.config.history_limit)
    except Contradiction:
        return False
    return True
