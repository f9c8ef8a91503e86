"""Every way in which a store can be wrong, as one table, and the record of one that was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from engine.memory.scope import Scope

Block = Literal["scope", "runtime", "cohort", "passive", "write"]
Severity = Literal["fault", "warning"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a store.

    `address` is "." for global, the cwd key, or "<cwd key>/<session key>"; `file` is a name within
    that directory; `line` and `column` count from 1; `kept` says what stays usable.
    `blocks`: "scope" - the scope cannot be read alone; "runtime" - the session's own record cannot;
    "cohort" - the three scopes are not composed; "passive" - nor are the shared ones for a reader
    without a session; "write" - nobody may write this cohort.
    """

    code: str
    scope: Scope | None
    address: str
    file: str | None
    line: int | None
    column: int | None
    reason: str
    kept: str
    blocks: frozenset[Block]
    severity: Severity


@dataclass(frozen=True, slots=True)
class Kind:
    """An entry of the table: what a code means to a person."""

    title: str
    explanation: str
    kept: str
    blocks: frozenset[Block]
    severity: Severity = "fault"


FAULTS: Final[dict[str, Kind]] = {}
