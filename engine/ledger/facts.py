"""What a snapshot and a publication say that is the ledger's business."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.ledger.events import MadeHere, patch_hash
from engine.ledger.noticing import Found, Sight
from engine.records import dataclass
from engine.store.layout import CHECKPOINT, LOCK_NAME, PATCHES, SHARED_FILES

if TYPE_CHECKING:
    from engine.memory.stream import Boundary
    from engine.store.faults import Fault
    from engine.store.proposal import Published
    from engine.store.readings import ScopeReading, Snapshot
    from engine.values import Encoder

# Where the faults of the publication lock are recorded; addresses of scopes look otherwise.
LOCK_PLACE: Final = "lock"
# A living writer, ourselves maybe: nothing is wrong, and nothing of it is worth a record.
AT_WORK: Final = "lock-held"


@dataclass(frozen=True, slots=True)
class Facts:
    """What one snapshot says: scopes, the places where faults were looked for, and the faults.

    `composed` names the narrowest scope of a cohort that could be composed, None where it could not. `encoder` knows
    the text of large values.
    """

    sights: tuple[Sight, ...]
    places: frozenset[str]
    found: tuple[Found, ...]
    composed: str | None
    encoder: Encoder


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
    narrowest = snapshot.address.scope_address(snapshot.address.scopes[-1])
    cohort_place = f"cohort {narrowest}"
    session, lineage = _lineage(snapshot)
    for scope, reading in snapshot.scopes.items():
        if scope in snapshot.stale:
            continue
        places.add(reading.address)
        faults += reading.faults
        if reading.status == "absent" or (reading.status == "healthy" and reading.stream is not None):
            stream = None if reading.status == "absent" else reading.stream
            head = (scope, reading.address, stream, _written(reading), _size(reading))
            sights.append(Sight(*head, session, lineage))
    found = [_found(fault.address, fault) for fault in faults]
    if snapshot.verdict != "busy":
        places.add(cohort_place)
    for fault in snapshot.faults:
        if fault.code == AT_WORK:
            continue
        place = LOCK_PLACE if fault.file == LOCK_NAME else cohort_place
        if place in places:
            found.append(_found(place, fault))
    whole = snapshot.verdict == "ok" and snapshot.cohort is not None and len(sights) == len(snapshot.scopes)
    composed = narrowest if whole else None
    return Facts(tuple(sights), frozenset(places), tuple(found), composed, snapshot.encoder)


def _found(place: str, fault: Fault) -> Found:
    return Found(place, fault.code, fault.file, fault.line, fault.column, fault.reason)


def _lineage(snapshot: Snapshot) -> tuple[str | None, frozenset[Boundary]]:
    """The session's address, and the transitions that its own record holds: it began with the first boundary."""
    runtime = snapshot.record.runtime
    if runtime is None or snapshot.record.faults or "session" not in snapshot.scopes:
        return None, frozenset()
    return snapshot.scopes["session"].address, frozenset(runtime.lineage[1:])


def _size(reading: ScopeReading) -> int:
    """What the files that hold a scope's memory take."""
    found = [reading.captures[name].identity for name in (CHECKPOINT, PATCHES) if name in reading.captures]
    return sum(identity.size for identity in found if identity is not None)


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
