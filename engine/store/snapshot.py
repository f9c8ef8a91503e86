"""One coherent cohort, read without a lock and without a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.memory.cohort import Cohort
from engine.memory.dialect import Dialect
from engine.memory.scope import Scope
from engine.memory.stream import ScopeStream
from engine.store.faults import Fault
from engine.store.files import Capture
from engine.store.format import OperatorConfig, Runtime, ScopeMeta
from engine.store.layout import Address
from engine.store.lock import LockState
from engine.values import Encoder

Status = Literal["healthy", "absent", "fenced"]
Verdict = Literal["ok", "busy", "broken"]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that is not wrong but that a person may want to know (a key given twice, ...)."""

    code: str
    file: str
    line: int
    column: int
    detail: str


@dataclass(frozen=True, slots=True)
class ScopeReading:
    """One scope as it lies on disk.

    "healthy" and "absent" mean what they say; "fenced" that a fault stands in `faults`.  `stream`
    is None whenever the memory itself could not be had; a fenced scope may still have one (the
    fault then blocks only what its `blocks` say).  `tail_lines` are the retained patches' bytes
    without line ends, one for each of `stream.tail`; `captures` holds one entry per file name.
    """

    scope: Scope
    address: str
    status: Status
    stream: ScopeStream | None
    meta: ScopeMeta | None
    dialect: Dialect | None
    faults: tuple[Fault, ...]
    remarks: tuple[Remark, ...]
    captures: Mapping[str, Capture]
    tail_lines: tuple[bytes, ...]
    ends_with_newline: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A cohort at one moment; `previous` for the next call of `snapshot`.

    `faults` are those of the cohort, the session's record, the settings and the lock; each
    reading has its own.  `stale` names the scopes that could not be confirmed beside a live owner
    of the lock and stand as they were last seen.  `cohort` is None when the scopes cannot be
    composed; its streams are cut to the history limit, those of the readings are not.
    """

    address: Address
    present: bool
    scopes: Mapping[Scope, ScopeReading]
    cohort: Cohort | None
    faults: tuple[Fault, ...]
    lock: LockState
    verdict: Verdict
    runtime: Runtime | None
    mode: str | None
    config: OperatorConfig
    dialect: Dialect | None
    stale: frozenset[Scope]
    encoder: Encoder
    captures: Mapping[str, Capture] = field(default_factory=dict)

    @property
    def all_faults(self) -> tuple[Fault, ...]:
        """Every fault of the cohort and of its scopes, broadest first."""
        own = [fault for reading in self.scopes.values() for fault in reading.faults]
        return (*own, *self.faults)


PATIENCE: Final = 2.0
"""Seconds that a reading waits for a live owner of the lock before it says busy."""


def snapshot(
    address: Address,
    previous: Snapshot | None = None,
    *,
    limit: int | None = None,
    patience: float = PATIENCE,
    sliced: bool = False,
) -> Snapshot:
    """Read the cohort at `address`, reusing whatever of `previous` has not changed on disk.

    `limit` overrides the configured history limit; `sliced` parses large files piece by piece, so
    that other threads get their turn.  Never raises for what a store holds: that is in the faults.
    """
    raise NotImplementedError
