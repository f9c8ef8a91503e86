"""A cohort at a glance: scopes, revisions, modes, sizes, what intents own, the lock, the verdict."""

from __future__ import annotations

from collections.abc import Iterable

from engine.memory.cohort import vector
from engine.memory.dialect import Dialect
from engine.memory.ownership import owned_paths
from engine.memory.scope import Scope, Wanted
from engine.records import dataclass
from engine.store.faults import Fault
from engine.store.listing import SessionEntry
from engine.store.lockstate import LockState
from engine.store.readings import ScopeReading, Snapshot, Verdict
from engine.values import Json, JsonObject, encoded_size, get, is_object
from sftui.views.doctor import ScopeHealth, fault_json, health, lock_json


@dataclass(frozen=True, slots=True)
class PlaneSize:
    """How much a plane of one scope holds, and how much of it goes when its intents do; both in bytes of JSON.

    `keys` counts the immediate members of an object. A plane that is not `hot` stays out of a model's context.
    """

    plane: str
    keys: int | None
    size: int
    owned: int
    hot: bool

    def to_json(self) -> JsonObject:
        return {"keys": self.keys, "bytes": self.size, "owned": self.owned, "hot": self.hot}


@dataclass(frozen=True, slots=True)
class ScopeStatus:
    """One scope; `revision`, `retained` and `planes` are unknown where its memory could not be had."""

    health: ScopeHealth
    revision: int | None
    retained: int | None
    planes: tuple[PlaneSize, ...]
    owner: str | None
    dialect: int | None
    stale: bool

    @property
    def size(self) -> int:
        return sum(plane.size for plane in self.planes)

    def to_json(self) -> JsonObject:
        faults: list[Json] = [fault_json(fault) for fault in self.health.faults]
        return {
            "scope": self.health.scope,
            "address": self.health.address,
            "status": self.health.status,
            "stale": self.stale,
            "revision": self.revision,
            "retained": self.retained,
            "dialect": self.dialect,
            "owner": self.owner,
            "bytes": self.size,
            "planes": {plane.plane: plane.to_json() for plane in self.planes},
            "faults": faults,
        }


@dataclass(frozen=True, slots=True)
class Status:
    """What `sftui status` tells. `mode` is the session's own, `operator_mode` the default of the whole store.

    `sessions` are the keys of those that ran in this directory, the one that changed last first.
    """

    root: str
    present: bool
    cwd: str | None
    session: str | None
    sessions: tuple[str, ...]
    verdict: Verdict
    vector: str
    mode: str | None
    operator_mode: str | None
    history_limit: int
    lineage: int | None
    adopted: bool | None
    specification: str | None
    lock: LockState
    lock_faults: tuple[Fault, ...]
    scopes: tuple[ScopeStatus, ...]

    def to_json(self) -> JsonObject:
        scopes: list[Json] = [scope.to_json() for scope in self.scopes]
        return {
            "store": self.root,
            "present": self.present,
            "cwd": self.cwd,
            "session": self.session,
            "sessions": list(self.sessions),
            "verdict": self.verdict,
            "vector": self.vector,
            "mode": {"session": self.mode, "operator": self.operator_mode},
            "history": {"limit": self.history_limit, "lineage": self.lineage, "adopted": self.adopted},
            "specification": self.specification,
            "lock": lock_json(self.lock),
            "scopes": scopes,
        }


def status(snapshot: Snapshot, wanted: Wanted, sessions: Iterable[SessionEntry] = ()) -> Status:
    """Sum up the wanted scopes of a snapshot; `sessions` are those of its directory, in any order."""
    judged = health(snapshot)
    scopes = tuple(
        _scope(scope, snapshot.scopes[scope], own, snapshot)
        for own in judged.scopes
        for scope in wanted
        if scope == own.scope
    )
    revisions: dict[Scope, int] = {
        scope: entry.revision for scope in wanted for entry in scopes
        if entry.health.scope == scope and entry.revision is not None
    }  # fmt: skip
    cohort = snapshot.cohort
    return Status(
        root=snapshot.address.root,
        present=snapshot.present,
        cwd=snapshot.address.cwd,
        session=snapshot.address.session,
        sessions=tuple(
            entry.key for entry in sorted(sessions, key=lambda entry: (entry.mtime_ns, entry.key), reverse=True)
        ),
        verdict=snapshot.verdict,
        vector=vector(revisions),
        mode=snapshot.mode,
        operator_mode=snapshot.config.mode,
        history_limit=snapshot.config.history_limit,
        lineage=None if cohort is None else len(cohort.lineage),
        adopted=None if cohort is None else cohort.adopted,
        specification=None if snapshot.runtime is None else snapshot.runtime.specification,
        lock=snapshot.lock,
        lock_faults=judged.lock_faults,
        scopes=scopes,
    )


def plane_sizes(dialect: Dialect, scope: Scope, state: JsonObject) -> tuple[PlaneSize, ...]:
    """Measure the planes that a state holds, in reading order, and whatever else stands beside them."""
    owned: dict[str, int] = {}
    for path in owned_paths(dialect, scope, state):
        owned[path[0]] = owned.get(path[0], 0) + encoded_size(get(state, path))
    names = (*dialect.planes, *(key for key in state if key not in dialect.planes))
    return tuple(
        PlaneSize(
            name,
            len(plane) if is_object(plane) else None,
            encoded_size(plane),
            owned.get(name, 0),
            name in dialect.planes and name not in dialect.lazy,
        )
        for name in names
        if name in state
        for plane in (state[name],)
    )


def _scope(scope: Scope, reading: ScopeReading, own: ScopeHealth, snapshot: Snapshot) -> ScopeStatus:
    stream = reading.stream
    dialect = reading.dialect or snapshot.dialect
    known = stream is not None and dialect is not None
    return ScopeStatus(
        health=own,
        revision=0 if reading.status == "absent" else None if stream is None else stream.revision,
        retained=None if stream is None else len(stream.tail),
        planes=plane_sizes(dialect, scope, stream.current) if known and stream and dialect else (),
        owner=None if reading.meta is None else reading.meta.owner_cwd,
        dialect=None if reading.dialect is None else reading.dialect.version,
        stale=scope in snapshot.stale,
    )
