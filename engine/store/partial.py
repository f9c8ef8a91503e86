"""Healthy scopes of a cohort that cannot be composed: a fenced scope never hides them."""

from __future__ import annotations

from collections.abc import Collection

from engine.errors import EngineError
from engine.memory.cohort import Cohort, join
from engine.memory.dialect import V4, union
from engine.memory.scope import Scope
from engine.store.compose import origin_id
from engine.store.readings import Snapshot


def cohort_of(snapshot: Snapshot, needed: Collection[Scope]) -> Cohort | None:
    """What a reader who needs nothing but these scopes may read; None where one of them is fenced.

    Where not all scopes can be composed it has no history: the needed ones stand on an origin of their own, and all
    others count as empty.
    """
    if snapshot.cohort is not None:
        return snapshot.cohort
    readings = [snapshot.scopes[scope] for scope in needed if scope in snapshot.scopes]
    if snapshot.verdict == "busy" or any(reading.blocks("scope") for reading in readings):
        return None
    if any(reading.stream is None and reading.status == "fenced" for reading in readings):
        return None
    if any(fault.scope in needed and "cohort" in fault.blocks for fault in snapshot.faults):
        return None
    streams = {reading.scope: reading.stream for reading in readings if reading.stream is not None}
    spoken = [reading.dialect for reading in readings if reading.dialect is not None and reading.stream is not None]
    try:
        dialect = union(spoken) if spoken else snapshot.dialect or V4
        return join(dialect, streams, None, origin_id=origin_id(streams), limit=snapshot.config.history_limit)
    except EngineError:
        # They contradict each other, or speak different dialects.
        return None
