"""What a reading of a store consists of: plain, immutable records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from engine.memory.cohort import Cohort
from engine.memory.dialect import Dialect
from engine.memory.scope import Scope
from engine.memory.stream import ScopeStream
from engine.records import dataclass
from engine.store.faults import Fault
from engine.store.files import Capture
from engine.store.format import OperatorConfig, Runtime, ScopeMeta
from engine.store.layout import Address
from engine.store.lockstate import LockState
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

    "fenced" means that `faults` holds more than warnings. `stream` is None whenever the memory itself could not be
    had; a fenced scope may still have one (its faults then block only what their `blocks` say). `tail_lines` are the
    retained patches' bytes without line ends, one for each of `stream.tail`; `captures` has an entry per file name.
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

    def blocks(self, what: str) -> bool:
        """Whether a fault of this scope stands in the way of "scope", "cohort", "passive" or "write"."""
        return any(what in fault.blocks for fault in self.faults)


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A session's own two files. `faults` are about them alone."""

    runtime: Runtime | None
    mode: str | None
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """The operator's settings; with a fault the defaults stand in, at the longest history."""

    config: OperatorConfig
    capture: Capture
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A cohort at one moment; also what the next call of `snapshot` may reuse.

    `present` says whether the root exists. `faults` are those of the cohort, the session's record, the settings and
    the lock; each reading has its own. `stale` names the scopes that a live owner of the lock has touched: they stand
    as they were last seen. `cohort` is None when the scopes cannot be composed; its streams are cut to the history
    limit, those of the readings are not. An absent scope counts as empty in it.
    """

    address: Address
    present: bool
    scopes: Mapping[Scope, ScopeReading]
    cohort: Cohort | None
    faults: tuple[Fault, ...]
    lock: LockState
    verdict: Verdict
    record: SessionRecord
    settings: Settings
    dialect: Dialect | None
    stale: frozenset[Scope]
    encoder: Encoder

    @property
    def runtime(self) -> Runtime | None:
        return self.record.runtime

    @property
    def mode(self) -> str | None:
        return self.record.mode

    @property
    def config(self) -> OperatorConfig:
        return self.settings.config

    @property
    def all_faults(self) -> tuple[Fault, ...]:
        """Every fault, those of the scopes first, broadest first."""
        own = [fault for reading in self.scopes.values() for fault in reading.faults]
        return (*own, *self.faults)

    @property
    def unsettled(self) -> bool:
        """Whether a file changed so recently that the clock could hide a further change: look again soon."""
        return self.settings.capture.racy or any(
            capture.racy for reading in self.scopes.values() for capture in reading.captures.values()
        )

    def blocks(self, what: str) -> bool:
        """Whether anything stands in the way of "cohort", "write", ..."""
        return any(what in fault.blocks for fault in self.all_faults)
