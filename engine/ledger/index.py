"""The fold of the log: what is known of each scope, and which faults are open.

`step` is the whole meaning of the log for whoever appends to it; an index is a
memo of the steps taken so far and never an authority of its own. It holds no
bodies: its size follows the number of scopes, not the length of the log.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.ledger.events import (
    Baseline,
    Composed,
    Event,
    FaultGone,
    FaultSeen,
    Gap,
    MadeHere,
    ScopeGone,
    TransitionSeen,
    Whole,
)
from engine.records import dataclass, field, replace

FaultKey = tuple[str, str, str]
"""Place, code and file ("" for none)."""


@dataclass(frozen=True, slots=True)
class Known:
    """The newest that the log holds of a scope.

    `written` is when its files last changed by the file system's clock, in ns, 0 when unknown.
    `turns` counts how often it went back, diverged or went away: from then on an older reading of
    another monitor can no longer be told from news by its revision alone.
    """

    scope: str
    revision: int
    boundary_id: str
    written: int
    seen: float
    turns: int = 0
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Footing:
    """What the log has for giving a scope's state again.

    `whole` is how long the newest line with its complete state is, 0 when there is none, and `since` how long all are
    that came after it; `broken` tells that something between them went by unseen.
    """

    whole: int = 0
    since: int = 0
    broken: bool = True

    def after(self, event: Event, length: int) -> Footing:
        """Give what the log has with one more line of the scope. What began anew stands on nothing from before."""
        match event:
            case Whole():
                return Footing(length, 0, broken=False)
            case Baseline():
                return Footing(0, length)
            case Gap():
                return Footing(self.whole, self.since + length)
            case _:
                return Footing(self.whole, self.since + length, self.broken)


@dataclass(slots=True)
class Index:
    """Known scopes by address, each with its footing; faults with whether they are open and since when.

    `composed` has, by the address of its narrowest scope, the revisions at which each cohort was last known to compose.
    """

    scopes: dict[str, Known] = field(default_factory=dict)
    faults: dict[FaultKey, tuple[bool, float]] = field(default_factory=dict)
    footings: dict[str, Footing] = field(default_factory=dict)
    composed: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def step(self, event: Event, length: int) -> None:
        """Take one event in; `length` is that of its line."""
        match event:
            case Whole() | Baseline() | TransitionSeen() | Gap():
                footing = self.footings.get(event.address, Footing())
                self.footings[event.address] = footing.after(event, length)
        match event:
            case Baseline():
                before = self.scopes.get(event.address)
                turns = 0 if before is None else before.turns
                self.scopes[event.address] = Known(
                    event.scope, event.revision, event.boundary.id, event.written, event.seen, turns
                )
            case TransitionSeen():
                before = self.scopes.get(event.address)
                turns = 0 if before is None else before.turns
                self.scopes[event.address] = Known(
                    event.scope,
                    event.transition.revision,
                    event.transition.boundary.id,
                    event.written,
                    event.seen,
                    turns,
                )
            case Gap(reason="folded"):
                before = self.scopes.get(event.address)
                if before is not None:
                    self.scopes[event.address] = replace(
                        before,
                        revision=event.last,
                        boundary_id=event.boundary.id,
                        written=event.written,
                        seen=event.seen,
                    )
            case Gap():
                before = self.scopes.get(event.address)
                if before is not None:
                    self.scopes[event.address] = replace(before, turns=before.turns + 1, seen=event.seen)
            case ScopeGone():
                before = self.scopes.get(event.address)
                if before is not None:
                    self.scopes[event.address] = replace(before, gone=True, turns=before.turns + 1, seen=event.seen)
            case Composed():
                self.composed[event.address] = event.revisions
            case FaultSeen():
                self.faults[event.place, event.code, event.file or ""] = (True, event.seen)
            case FaultGone():
                self.faults[event.place, event.code, event.file or ""] = (False, event.seen)
            case MadeHere() | Whole():
                # Whose a transition is, and what it led to: the transition itself has an event of its own.
                pass
