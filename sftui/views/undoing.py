"""What is undone by `u`: a transition as the tails hold it, a row's last known change, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.memory.draft import Draft
from engine.memory.scope import SCOPES, Scope, initial
from engine.memory.stream import Boundary
from engine.memory.undo import Undo, Undone, inverse
from engine.records import dataclass, replace
from engine.store.readings import Snapshot
from engine.values import Json, JsonObject, dotted, is_object
from sftui.actions import key_for
from sftui.views.kinds import Path

# So many sentences about what cannot be undone are told at once; the rest is counted.
_MOST_TOLD: Final = 3


@dataclass(frozen=True, slots=True)
class Part:
    """What one transition did to one scope: enough to undo it. `at` is the place that it is confined to, if any."""

    address: str
    boundary: Boundary
    revision: int
    undone: Undone
    at: str = ""

    @property
    def name(self) -> str:
        """`s31`, or `s31 at session.tactics.next`."""
        return f"{self.undone.label} at {self.at}" if self.at else self.undone.label


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a transition, and sentences about what cannot be undone of it."""

    parts: tuple[Part, ...] = ()
    cannot: tuple[str, ...] = ()


def label_of(scope: Scope, revision: int) -> str:
    """`s31`: what a person calls one scope's part of a transition."""
    return f"{initial(scope)}{revision}"


def in_tails(snapshot: Snapshot, boundary: Boundary) -> tuple[Part, ...]:
    """The parts of a transition that the scopes still retain."""
    found: list[Part] = []
    for scope, reading in snapshot.scopes.items():
        stream = reading.stream
        if stream is None:
            continue
        first = stream.revision - len(stream.tail) + 1
        for index, transition in enumerate(stream.tail):
            if transition.boundary == boundary:
                back = inverse(scope, stream.states[index], stream.states[index + 1], transition.patch)
                undone = Undone(scope, label_of(scope, first + index), transition.patch, back)
                found.append(Part(reading.address, boundary, first + index, undone))
    return tuple(found)


def unwritable(snapshot: Snapshot, scope: Scope) -> str:
    """Say why nothing can be undone in a scope; empty where it can."""
    reading = snapshot.scopes.get(scope)
    if reading is None:
        return f"no {scope} memory is in view"
    if reading.status == "fenced":
        return f"the {scope} scope is fenced: its memory cannot be read, so nothing is written there"
    return ""


def narrowed(part: Part, path: Path) -> Part | None:
    """The part as far as it is about a row: where something above the row was replaced as a whole, about that.

    None where the row was neither there before nor after, or stayed as it was.
    """
    net: Json = part.undone.net
    back: Json = part.undone.inverse
    taken: list[str] = []
    for key in path:
        deeper, was_deeper = is_object(net) and bool(net), is_object(back) and bool(back)
        # Of what came or went as a whole, the other side has nothing at all, so nothing further down either.
        if not (deeper and (was_deeper or back is None)) and not (was_deeper and net is None):
            break
        net, back = _member(net, key), _member(back, key)
        if net is None and back is None:
            return None
        taken.append(str(key))
    undone = replace(part.undone, net=_nested(taken, net), inverse=_nested(taken, back))
    return replace(part, undone=undone, at=dotted(undone.scope, taken))


def _member(side: Json, key: str | int) -> Json:
    return side.get(str(key)) if is_object(side) else None


def _nested(keys: Iterable[str], value: Json) -> JsonObject:
    for key in reversed(list(keys)):
        value = {key: value}
    return value if is_object(value) else {}


def newest_first(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts in the order in which they are undone, each once."""
    unique: list[Part] = []
    for part in parts:
        if part not in unique:
            unique.append(part)
    rank = {scope: number for number, scope in enumerate(SCOPES)}
    return tuple(sorted(unique, key=lambda part: (part.boundary.position, rank[part.undone.scope]), reverse=True))


def told(undo: Undo, what: str) -> tuple[str, bool]:
    """Say what went into the draft, and what did not; whether that is a warning."""
    words = f"The undo of {what} is in the draft: {_counted(undo.draft)}; {key_for('app.review')} reviews it"
    flagged = sum(1 for step in undo.draft.steps if not step.ticked)
    if not undo.draft.steps:
        words = f"Nothing of {what} is left to undo: what stood before it stands there now"
        if undo.cannot:
            words = f"{what} cannot be undone"
    elif flagged == len(undo.draft.steps):
        words = f"{what}: everything it touched has changed since; {_counted(undo.draft)} in the draft, none ticked"
    elif flagged:
        words += f". {flagged:,} not ticked: changed since"
    if undo.cannot:
        more = f"; and {len(undo.cannot) - _MOST_TOLD:,} more" if len(undo.cannot) > _MOST_TOLD else ""
        words += f". Not undone: {'; '.join(undo.cannot[:_MOST_TOLD])}{more}"
    return words, bool(undo.cannot or flagged)


def _counted(draft: Draft) -> str:
    count = len(draft.steps)
    return f"{count:,} step{'' if count == 1 else 's'}"
