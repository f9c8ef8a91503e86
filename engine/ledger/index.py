"""The fold of the log: what is known of each scope, and which faults are open.

`step` is the whole meaning of the log for whoever appends to it; an index is a
memo of the steps taken so far and never an authority of its own. It holds no
bodies: its size follows the number of scopes, not the length of the log.
"""

from __future__ import annotations

from engine import values
from engine.ledger.events import (
    Baseline,
    Event,
    FaultGone,
    FaultSeen,
    Gap,
    MadeHere,
    ScopeGone,
    TransitionSeen,
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


@dataclass(slots=True)
class Index:
    """Known scopes by address; faults with whether they are open and since when."""

    scopes: dict[str, Known] = field(default_factory=dict)
    faults: dict[FaultKey, tuple[bool, float]] = field(default_factory=dict)

    def step(self, event: Event) -> None:
        """Take one event in."""
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
            case FaultSeen():
                self.faults[event.place, event.code, event.file or ""] = (True, event.seen)
            case FaultGone():
                self.faults[event.place, event.code, event.file or ""] = (False, event.seen)
            case MadeHere():
                # Says whose a transition is; the transition itself has an event of its own.
                pass


def to_memo(index: Index) -> values.JsonObject:
    """Write an index down, for `from_memo`."""
    scopes: dict[str, values.Json] = {
        address: [k.scope, k.revision, k.boundary_id, k.written, k.seen, k.turns, k.gone]
        for address, k in index.scopes.items()
    }
    faults: list[values.Json] = [[*key, is_open, seen] for key, (is_open, seen) in index.faults.items()]
    return {"scopes": scopes, "faults": faults}


def from_memo(memo: values.Json) -> Index | None:
    """Read an index back; None for anything that `to_memo` did not write."""
    if not values.is_object(memo):
        return None
    scopes, faults = memo.get("scopes"), memo.get("faults")
    if not values.is_object(scopes) or not values.is_array(faults):
        return None
    index = Index()
    for address, entry in scopes.items():
        match entry if values.is_array(entry) else ():
            case [
                str(scope),
                int(revision),
                str(boundary_id),
                int(written),
                (int() | float()) as seen,
                int(turns),
                bool(gone),
            ]:
                index.scopes[address] = Known(scope, revision, boundary_id, written, float(seen), turns, gone)
            case _:
                return None
    for fault in faults:
        match fault if values.is_array(fault) else ():
            case [str(place), str(code), str(file), bool(is_open), (int() | float()) as seen]:
                index.faults[place, code, file] = (is_open, float(seen))
            case _:
                return None
    return index
