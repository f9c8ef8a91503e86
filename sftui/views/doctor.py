"""What is wrong with a cohort, scope by scope: `sftui doctor` and the app print the same."""

from __future__ import annotations

from collections.abc import Iterable

from engine.records import dataclass
from engine.store.faults import Fault
from engine.store.layout import LOCK_NAME
from engine.store.lockstate import LockState
from engine.store.readings import Remark, Snapshot, Status, Verdict
from engine.values import Json, JsonObject


@dataclass(frozen=True, slots=True)
class ScopeHealth:
    """One scope with what is wrong in it; faults that concern its session's record stand here as well.

    `remarks` are about what is odd but not wrong, such as a key that is given twice.
    """

    scope: str
    address: str
    status: Status
    faults: tuple[Fault, ...]
    remarks: tuple[Remark, ...]

    def to_json(self) -> JsonObject:
        faults: list[Json] = [fault_json(fault) for fault in self.faults]
        return {"scope": self.scope, "address": self.address, "status": self.status, "faults": faults}


@dataclass(frozen=True, slots=True)
class Health:
    """The judgement of one snapshot. `lock_faults` say what is wrong with the lock, if anything is.

    `leftovers` are temporaries of publications, looked for where the lock is broken.
    """

    verdict: Verdict
    lock: LockState
    lock_faults: tuple[Fault, ...]
    scopes: tuple[ScopeHealth, ...]
    stale: frozenset[str]
    leftovers: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        scopes: list[Json] = [scope.to_json() for scope in self.scopes]
        faults: list[Json] = [fault_json(fault) for fault in self.lock_faults]
        lock = {**lock_json(self.lock), "faults": faults, "leftovers": list(self.leftovers)}
        return {"verdict": self.verdict, "lock": lock, "scopes": scopes}


def health(snapshot: Snapshot, leftovers: Iterable[str] = ()) -> Health:
    """Judge a snapshot: every fault stands under the scope it is about, the narrowest one if it is about all."""
    faults: dict[str, list[Fault]] = {scope: list(reading.faults) for scope, reading in snapshot.scopes.items()}
    narrowest = snapshot.address.scopes[-1]
    addresses = {reading.address: scope for scope, reading in snapshot.scopes.items()}
    lock_faults: list[Fault] = []
    for fault in snapshot.faults:
        if fault.file == LOCK_NAME:
            lock_faults.append(fault)
            continue
        scope = fault.scope or addresses.get(fault.address, narrowest)
        faults.setdefault(scope, []).append(fault)
    scopes = [
        ScopeHealth(
            scope, reading.address, _status(scope, reading.status, faults[scope]), tuple(faults[scope]), reading.remarks
        )
        for scope, reading in snapshot.scopes.items()
    ]
    stale = frozenset(snapshot.stale)
    return Health(snapshot.verdict, snapshot.lock, tuple(lock_faults), tuple(scopes), stale, tuple(leftovers))


def fault_json(fault: Fault) -> JsonObject:
    """A fault as programs get it."""
    return {
        "code": fault.code,
        "file": fault.file,
        "line": fault.line,
        "reason": fault.reason,
        "kept": fault.kept,
        **({"next": fault.hint} if fault.hint else {}),
    }


def lock_json(lock: LockState) -> JsonObject:
    """The lock as programs get it; `age` in seconds. `alive` is None where no process is named."""
    return {
        "state": lock.kind,
        "file": lock.path,
        "pid": lock.pid,
        "alive": None if lock.pid is None else lock.kind == "held",
        "age": None if lock.age_s is None else round(lock.age_s, 3),
        "reason": lock.reason or None,
    }


def _status(scope: str, own: Status, faults: list[Fault]) -> Status:
    """A scope whose record or settings are broken cannot be used either, whatever its memory says."""
    blocked = any(
        fault.severity == "fault"
        # A session that does not fit its own record is fenced although its files alone can be read.
        and (fault.blocks & {"scope", "runtime"} or (scope == "session" and "cohort" in fault.blocks))
        for fault in faults
    )
    return "fenced" if blocked else own
