"""What a snapshot and a publication say that is the ledger's business."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.ledger.events import MadeHere, patch_hash
from engine.ledger.noticing import Found, Sight
from engine.records import dataclass
from engine.store.layout import LOCK_NAME, SHARED_FILES

if TYPE_CHECKING:
    from engine.store.faults import Fault
    from engine.store.proposal import Published
    from engine.store.readings import ScopeReading, Snapshot

# Where the faults of the publication lock are recorded; addresses of scopes look otherwise.
LOCK_PLACE: Final = "lock"


@dataclass(frozen=True, slots=True)
class Facts:
    """What one snapshot says: scopes, the places where faults were looked for, and the faults."""

    sights: tuple[Sight, ...]
    places: frozenset[str]
    found: tuple[Found, ...]


def made(published: Published) -> MadeHere | None:
    """What a publication did, without its time; None when it changed nothing."""
    if published.boundary is None or not published.changed:
        return None
    changes: list[tuple[str, str, int, str]] = []
    for scope in published.changed:
        reading = published.snapshot.scopes[scope]
        if reading.stream is not None:
            digest = patch_hash(published.staged.net[scope])
            changes.append((scope, reading.address, reading.stream.revision, digest))
    return MadeHere(0.0, published.boundary, tuple(changes))


def facts_of(snapshot: Snapshot) -> Facts:
    """Take from a snapshot what the log is about; scopes that stand as they were last seen tell nothing."""
    sights: list[Sight] = []
    places = {LOCK_PLACE}
    faults: list[Fault] = []
    cohort_place = f"cohort {snapshot.address.scope_address(snapshot.address.scopes[-1])}"
    for scope, reading in snapshot.scopes.items():
        if scope in snapshot.stale:
            continue
        places.add(reading.address)
        faults += reading.faults
        if reading.status == "absent" or (reading.status == "healthy" and reading.stream is not None):
            stream = None if reading.status == "absent" else reading.stream
            sights.append(Sight(scope, reading.address, stream, _written(reading)))
    found = [_found(fault.address, fault) for fault in faults]
    if snapshot.verdict != "busy":
        places.add(cohort_place)
    for fault in snapshot.faults:
        place = LOCK_PLACE if fault.file == LOCK_NAME else cohort_place
        if place in places:
            found.append(_found(place, fault))
    return Facts(tuple(sights), frozenset(places), tuple(found))


def _found(place: str, fault: Fault) -> Found:
    return Found(place, fault.code, fault.file, fault.line, fault.column, fault.reason)


def _written(reading: ScopeReading) -> int:
    """When the newest of a scope's memory files last changed, by the file system's clock, in ns; 0 when unknown."""
    return max(
        (
            capture.identity.ctime_ns
            for name, capture in reading.captures.items()
            if name in SHARED_FILES and capture.identity is not None
        ),
        default=0,
    )
