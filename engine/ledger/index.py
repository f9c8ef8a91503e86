"""The fold of the log: what is known of each scope, and which faults are open.

`step` is the whole meaning of the log for whoever appends to it; an index is a
memo of the steps taken so far and never an authority of its own. It holds no
bodies: its size follows the number of scopes, not the length of the log.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine import values
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
            case Whole():
                self.footings[event.address] = Footing(length, 0, broken=False)
            case Baseline() | TransitionSeen() | Gap():
                footing = self.footings.get(event.address, Footing())
                broken = footing.broken or not isinstance(event, TransitionSeen)
                self.footings[event.address] = Footing(footing.whole, footing.since + length, broken)
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


def to_memo(index: Index) -> values.JsonObject:
    """Write an index down, for `from_memo`."""
    scopes: dict[str, values.Json] = {
        address: [k.scope, k.revision, k.boundary_id, k.written, k.seen, k.turns, k.gone]
        for address, k in index.scopes.items()
    }
    faults: list[values.Json] = [[*key, is_open, seen] for key, (is_open, seen) in index.faults.items()]
    footings: dict[str, values.Json] = {a: [f.whole, f.since, f.broken] for a, f in index.footings.items()}
    composed: dict[str, values.Json] = {address: dict(known) for address, known in index.composed.items()}
    return {"scopes": scopes, "faults": faults, "footings": footings, "composed": composed}


def from_memo(memo: values.Json) -> Index | None:
    """Read an index back; None for anything that `to_memo` did not write. Earlier versions wrote less."""
    if not values.is_object(memo):
        return None
    scopes, faults = memo.get("scopes"), memo.get("faults")
    footings, composed = memo.get("footings", {}), memo.get("composed", {})
    if not values.is_object(scopes) or not values.is_array(faults):
        return None
    if not values.is_object(footings) or not values.is_object(composed):
        return None
    index = Index()
    for address, footing in footings.items():
        match footing if values.is_array(footing) else ():
            case [int(length), int(since), bool(broken)]:
                index.footings[address] = Footing(length, since, broken)
            case _:
                return None
    for address, known in composed.items():
        revisions: dict[str, int] = {}
        for scope_address, revision in known.items() if values.is_object(known) else ():
            if type(revision) is not int:
                return None
            revisions[scope_address] = revision
        index.composed[address] = revisions
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
