"""One coherent cohort, read without a lock and without a trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.memory.cohort import Cohort
from engine.memory.dialect import Dialect
from engine.memory.scope import Scope
from engine.records import replace
from engine.store.captures import Captures, Look, take
from engine.store.compose import NO_RECORD, compose, lock_faults, read_record, read_settings
from engine.store.faults import Fault
from engine.store.layout import CHECKPOINT, PREDECESSOR, Address
from engine.store.readings import Remark, ScopeReading, SessionRecord, Settings, Snapshot, Status, Verdict
from engine.store.scopes import KEPT_BYTES, read_scope, same_files
from engine.values import Encoder

__all__ = [
    "PATIENCE",
    "Remark",
    "ScopeReading",
    "SessionRecord",
    "Settings",
    "Snapshot",
    "Status",
    "Verdict",
    "captured",
    "prepare",
    "snapshot",
]

PATIENCE: Final = 2.0
"""Seconds that a reading waits for a live owner of the lock before it says busy."""
SLICE_BYTES: Final = 1 << 20


def snapshot(
    address: Address,
    previous: Snapshot | None = None,
    *,
    limit: int | None = None,
    patience: float = PATIENCE,
    sliced: bool = False,
    holding: bool = False,
) -> Snapshot:
    """Read the cohort at `address`, reusing whatever of `previous` has not changed on disk.

    `limit` overrides the configured history limit; `sliced` parses large files piece by piece, so that other threads
    get their turn. Never raises for what a store holds, that is in the faults; StoreFailure when the system has no means
    left to read with. `previous` may be of another address;
    where the same root and scope occur in it they are reused. `holding` is for a writer that has the lock itself.
    """
    if previous is not None and previous.address.root != address.root:
        previous = None
    known = {} if previous is None else _reusable(address, previous)
    captures: dict[Scope, Captures] = {scope: _useful(reading) for scope, reading in known.items()}
    settings = None if previous is None else previous.settings.capture
    look = take(address, captures, settings, patience, holding=holding)
    if not look.coherent and previous is not None and previous.address == address:
        return _beside_an_owner(previous, look)
    return _understood(address, look, previous, known, limit, sliced=sliced)


def captured(address: Address, previous: Snapshot | None) -> Snapshot:
    """The cohort for a writer that has the lock. A program that ignores it may be in the way for a moment."""
    seen = snapshot(address, previous, holding=True)
    for _ in range(2):
        if not seen.stale:
            break
        seen = snapshot(address, previous, holding=True)
    return seen


def prepare(taken: Snapshot) -> None:
    """Work ahead while there is time: the next fold of a large checkpoint is then recognised without writing it out."""
    for reading in taken.scopes.values():
        captured = reading.captures.get(CHECKPOINT)
        if reading.stream is None or captured is None or captured.identity is None:
            continue
        if captured.identity.size > KEPT_BYTES and reading.stream.tail:
            taken.encoder.encode_chunks(reading.stream.states[1])


def _reusable(address: Address, previous: Snapshot) -> dict[Scope, ScopeReading]:
    """The readings that are of this address's own scopes; a directory's owner must be the same, too."""
    known: dict[Scope, ScopeReading] = {}
    for scope in address.scopes:
        reading = previous.scopes.get(scope)
        if reading is None or reading.address != address.scope_address(scope):
            break
        if scope != "global" and previous.address.cwd != address.cwd:
            break
        known[scope] = reading
    return known


def _useful(reading: ScopeReading) -> Captures:
    """The captures that need not be made again: not those whose bytes were let go and whose meaning was lost."""
    if reading.stream is not None:
        return reading.captures
    return {
        name: captured
        for name, captured in reading.captures.items()
        if captured.data is not None or captured.identity is None or name == PREDECESSOR
    }


def _understood(
    address: Address,
    look: Look,
    previous: Snapshot | None,
    known: dict[Scope, ScopeReading],
    limit: int | None,
    *,
    sliced: bool,
) -> Snapshot:
    encoder = Encoder() if previous is None else previous.encoder
    slice_bytes = SLICE_BYTES if sliced else None
    readings: dict[Scope, ScopeReading] = {
        scope: read_scope(scope, address, place, known.get(scope), encoder=encoder, slice_bytes=slice_bytes)
        for scope, place in look.places.items()
    }
    settings = read_settings(look.config, None if previous is None else previous.settings)
    record = NO_RECORD
    if "session" in readings:
        record = read_record(
            address, look.places["session"], readings["session"], previous if "session" in known else None
        )
    wanted = settings.config.history_limit if limit is None else limit
    if (
        previous is not None
        and previous.address == address
        and _nothing_new(previous, look, readings, record=record, settings=settings, limit=wanted)
    ):
        return previous
    composed, cohort, dialect, found = _composed(previous, address, readings, record, limit=wanted)
    stale: frozenset[Scope] = frozenset()
    faults = (*found, *settings.faults, *lock_faults(look.lock, settled=look.coherent))
    if not look.coherent:
        # Nothing vouches for these bytes: they may be half of a publication.
        stale = frozenset(scope for scope in composed if composed[scope] is not known.get(scope))
        cohort = None if stale else cohort
    verdict = _verdict(look, (*faults, *(fault for reading in composed.values() for fault in reading.faults)))
    return Snapshot(
        address, look.present, composed, cohort, faults, look.lock, verdict, record, settings, dialect, stale, encoder
    )


def _composed(
    previous: Snapshot | None,
    address: Address,
    readings: dict[Scope, ScopeReading],
    record: SessionRecord,
    *,
    limit: int,
) -> tuple[Mapping[Scope, ScopeReading], Cohort | None, Dialect | None, list[Fault]]:
    """`compose`, or what it said before when it was about the same and nothing was wrong with that."""
    if (
        previous is not None
        and previous.address == address
        and previous.record is record
        and previous.cohort is not None
        and previous.cohort.limit == limit
        and not previous.faults
        and all(
            not reading.faults and reading.stream is not None and previous.scopes[scope].stream is reading.stream
            for scope, reading in readings.items()
        )
    ):
        return readings, previous.cohort, previous.dialect, []
    return compose(address, readings, record, limit)


def _nothing_new(
    previous: Snapshot,
    look: Look,
    readings: dict[Scope, ScopeReading],
    *,
    record: SessionRecord,
    settings: Settings,
    limit: int,
) -> bool:
    return (
        look.coherent
        and previous.verdict != "busy"
        and look.present == previous.present
        and look.lock.kind == previous.lock.kind == "free"
        and record is previous.record
        and settings is previous.settings
        and (previous.cohort is None or previous.cohort.limit == limit)
        and all(previous.scopes[scope] is reading for scope, reading in readings.items())
    )


def _beside_an_owner(previous: Snapshot, look: Look) -> Snapshot:
    """What was seen before, with the scopes marked that a live owner has touched since."""
    stale = frozenset(
        scope
        for scope, place in look.places.items()
        if place.refusal is not None or not same_files(previous.scopes[scope].captures, place.captures)
    )
    kept = tuple(fault for fault in previous.faults if not fault.code.startswith("lock-"))
    faults = (*kept, *lock_faults(look.lock, settled=False))
    return replace(previous, lock=look.lock, verdict="busy", stale=stale, faults=faults)


def _verdict(look: Look, faults: tuple[Fault, ...]) -> Verdict:
    if not look.coherent:
        return "busy"
    return "broken" if any(fault.severity == "fault" for fault in faults) else "ok"
