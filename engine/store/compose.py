"""From the readings of three scopes and a session's record to one cohort and a verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from engine.errors import DecodeError, EngineError
from engine.memory.cohort import Cohort, Contradiction, join, refuse_contradictions
from engine.memory.dialect import V4, Dialect, union
from engine.memory.scope import SHARED, Scope
from engine.memory.stream import MAX_RETAINED, Boundary, ScopeStream
from engine.records import replace
from engine.store import parsing
from engine.store.captures import Place, unchanged
from engine.store.faults import FAULTS, Fault, make_fault
from engine.store.files import Capture
from engine.store.format import Malformed, OperatorConfig, Runtime, parse_mode, parse_operator, parse_runtime
from engine.store.layout import CONFIG, RUNTIME, Address
from engine.store.lockstate import LockState, duration, next_step, standing
from engine.store.readings import ScopeReading, SessionRecord, Settings, Snapshot

NO_RECORD: Final = SessionRecord(None, None, ())

_TIMED_KEY: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:-\d+)?Z_(.+)")


def read_settings(capture: Capture, previous: Settings | None) -> Settings:
    """The operator's settings. A file that is not understood is a fault, and then nothing is assumed of it."""
    if previous is not None and unchanged(previous.capture, capture):
        return previous if previous.capture is capture else replace(previous, capture=capture)
    if capture.refusal is not None:
        return _unknown_settings(capture, capture.refusal.code, capture.refusal.reason)
    if capture.data is None:
        return Settings(OperatorConfig(), capture, ())
    try:
        return Settings(parse_operator(parsing.document(capture.data, None).value), capture, ())
    except DecodeError as flaw:
        return _unknown_settings(capture, "bad-config", flaw.message, flaw.line, flaw.column)
    except Malformed as flaw:
        return _unknown_settings(capture, flaw.code, flaw.reason)


def _unknown_settings(
    capture: Capture, code: str, reason: str, line: int | None = None, column: int | None = None
) -> Settings:
    fault = make_fault(code, reason, file=CONFIG, line=line, column=column)
    # Nobody can say how much history is wanted, so none is cut away in view and nothing is written.
    fault = replace(fault, blocks=FAULTS["bad-config"].blocks)
    return Settings(OperatorConfig(MAX_RETAINED), capture, (fault,))


def read_record(address: Address, place: Place, reading: ScopeReading, previous: Snapshot | None) -> SessionRecord:
    """A session's runtime record and mode; faults where they are not to be had."""
    captures = place.captures
    if not captures:
        return NO_RECORD
    if previous is not None:
        known = previous.scopes["session"]
        kept = all(unchanged(known.captures.get(name), captures[name]) for name in (RUNTIME, CONFIG))
        if kept and (known.status == "absent") == (reading.status == "absent"):
            return previous.record
    faults: list[Fault] = []
    at = address.scope_address("session")
    runtime: Runtime | None = None
    mode: str | None = None
    for name in (RUNTIME, CONFIG):
        captured = captures[name]
        if captured.refusal is not None:
            fault = make_fault(captured.refusal.code, captured.refusal.reason, scope="session", address=at, file=name)
            faults.append(replace(fault, blocks=FAULTS["bad-runtime"].blocks))
        elif captured.data is not None:
            try:
                document = parsing.document(captured.data, None).value
                if name == RUNTIME:
                    runtime = parse_runtime(document)
                    faults.extend(_identity(address, runtime, at))
                else:
                    mode = parse_mode(document)
            except DecodeError as flaw:
                code = "bad-runtime" if name == RUNTIME else "bad-mode"
                fault = make_fault(code, flaw.message, scope="session", address=at, file=name)
                faults.append(replace(fault, line=flaw.line, column=flaw.column))
            except Malformed as flaw:
                faults.append(make_fault(flaw.code, flaw.reason, scope="session", address=at, file=name))
    there = reading.status != "absent" or captures[CONFIG].identity is not None
    if captures[RUNTIME].identity is None and captures[RUNTIME].refusal is None and there:
        reason = "the session has files here, but no runtime record"
        faults.append(make_fault("runtime-missing", reason, scope="session", address=at, file=RUNTIME))
    return SessionRecord(runtime, mode, tuple(faults))


def _identity(address: Address, runtime: Runtime, at: str) -> list[Fault]:
    found: list[Fault] = []
    if address.cwd is not None and runtime.cwd != address.cwd:
        reason = f"the session belongs to {runtime.cwd}"
        found.append(make_fault("runtime-other-cwd", reason, scope="session", address=at, file=RUNTIME))
    timed = _TIMED_KEY.fullmatch(address.session or "")
    # Only a key made of a time and an id says whose it is; others come from a file's name.
    if timed is not None and timed.group(1) != runtime.session_id:
        reason = f"the record is that of session {runtime.session_id}"
        found.append(make_fault("runtime-other-session", reason, scope="session", address=at, file=RUNTIME))
    return found


def compose(
    address: Address,
    readings: Mapping[Scope, ScopeReading],
    record: SessionRecord,
    limit: int,
) -> tuple[Mapping[Scope, ScopeReading], Cohort | None, Dialect | None, list[Fault]]:
    """The cohort, where the scopes can be composed; a scope of another vocabulary than the rest gets a fault."""
    faults = list(record.faults)
    readings = _of_one_vocabulary(readings)
    dialect: Dialect | None = None
    try:
        spoken = [
            reading.dialect
            for reading in readings.values()
            if reading.dialect is not None and reading.stream is not None and not _is_odd(reading)
        ]
        dialect = union(spoken) if spoken else None
    except EngineError as flaw:
        faults.append(make_fault(flaw.code, flaw.message))
    session = readings.get("session")
    if record.runtime is not None and session is not None and session.status == "absent":
        reason = "the session's runtime record is there, but checkpoint and tail are gone"
        faults.append(make_fault("session-pair-missing", reason, scope="session", address=session.address))
    cwd = readings.get("cwd")
    if readings["global"].status == "absent" and cwd is not None and cwd.stream is not None:
        reason = "there is memory of a directory, but none of the global scope"
        faults.append(make_fault("cwd-without-global", reason, scope="global", address="."))
    blocked = any("cohort" in fault.blocks for fault in faults)
    if blocked or any(reading.blocks("cohort") for reading in readings.values()):
        return readings, None, dialect, faults
    streams = {scope: reading.stream for scope, reading in readings.items() if reading.stream is not None}
    lineage = None if record.runtime is None else record.runtime.lineage
    try:
        cohort = join(dialect or V4, streams, lineage, origin_id=origin_id(streams), limit=limit)
    except Contradiction as flaw:
        faults.append(_contradiction(address, flaw, streams, lineage))
        return readings, None, dialect, faults
    return readings, cohort, dialect, faults


def _contradiction(
    address: Address,
    flaw: Contradiction,
    streams: Mapping[Scope, ScopeStream],
    lineage: tuple[Boundary, ...] | None,
) -> Fault:
    """What keeps the scopes apart, under whom it belongs to: shared memory that fits together is not to blame."""
    if flaw.code == "session-diverged":
        return make_fault(flaw.code, flaw.message, scope="session", address=address.scope_address("session"))
    shared = {scope: stream for scope, stream in streams.items() if scope in SHARED}
    try:
        if flaw.code != "boundary-contradiction" or (lineage is None and "session" not in streams):
            raise flaw
        refuse_contradictions(shared, ())
    except Contradiction:
        place: Scope = "cwd" if flaw.scope == "cwd" else "global"
        return make_fault(flaw.code, flaw.message, address=address.scope_address(place))
    beside = f" with the {flaw.scope} scope" if flaw.scope in SHARED else ""
    fault = make_fault(
        flaw.code,
        f"{flaw.message}: the session's record does not agree{beside}",
        address=address.scope_address("session"),
    )
    kept = "each scope stays readable on its own; global and cwd memory can be changed without this session"
    return replace(fault, kept=kept)


def origin_id(streams: Mapping[Scope, ScopeStream]) -> str:
    """A name for the origin that a reader without a fitting lineage puts below these streams.

    The same streams give the same name: a reader that looks again sees that nothing has changed.
    """
    heads: list[Boundary] = [stream.head for stream in streams.values()]
    return f"origin:{max(heads, key=lambda head: head.position).id}" if heads else "origin:empty"


def _of_one_vocabulary(readings: Mapping[Scope, ScopeReading]) -> Mapping[Scope, ScopeReading]:
    versions = {
        scope: reading.dialect.version
        for scope, reading in readings.items()
        if reading.dialect is not None and reading.stream is not None
    }
    spoken = list(versions.values())
    # The most spoken one counts, among equals that of the broadest scope.
    common = max(spoken, key=spoken.count) if spoken else None
    result: dict[Scope, ScopeReading] = {}
    for scope, reading in readings.items():
        odd = scope in versions and versions[scope] != common
        if odd != _is_odd(reading):
            rest = tuple(fault for fault in reading.faults if fault.code != "mixed-dialect")
            if odd:
                reason = f"this scope speaks dialect {versions[scope]}, the others dialect {common}"
                rest = (*rest, make_fault("mixed-dialect", reason, scope=scope, address=reading.address))
            wrong = any(fault.severity == "fault" for fault in rest)
            result[scope] = replace(reading, faults=rest, status="fenced" if wrong else "healthy")
        else:
            result[scope] = reading
    return result


def _is_odd(reading: ScopeReading) -> bool:
    return any(fault.code == "mixed-dialect" for fault in reading.faults)


def lock_faults(state: LockState, *, settled: bool) -> tuple[Fault, ...]:
    """What the lock means for a reader; a live owner is a warning, everything else is for a person to mend."""
    if state.kind == "free":
        return ()
    file = state.path.rsplit("/", 1)[-1]
    if state.is_live and not settled:
        who = "a process that has not said its number yet" if state.pid is None else f"process {state.pid}"
        age = "" if state.age_s is None else f" for {duration(state.age_s)}"
        return (make_fault("lock-held", f"locked{age} by {who}", file=file),)
    return (replace(make_fault(f"lock-{state.kind}", standing(state), file=file), hint=next_step(state)),)
