"""Undoing a transition: its inverse, and the draft that brings back what stood before it.

An inverse is a merge patch with nulls and whole arrays, as a record is. Read together they say, place by place, what
stood there and what was left there, whatever stands there now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.memory.artifacts import BOOKKEEPING
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect
from engine.memory.draft import Draft, PreImage, Put, Remove, Step
from engine.memory.gathering import States, alike, pre_image
from engine.memory.layering import is_selection
from engine.memory.ownership import INTENTS, cascade
from engine.memory.relocating import without_bookkeeping
from engine.memory.scope import SCOPES, Scope
from engine.memory.working import Blocked, Working
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, dotted, inverse_patch, is_array, is_object, prune

_KEY = 2  # the length of the path of a key right below its plane


@dataclass(frozen=True, slots=True)
class Undone:
    """One scope's part of a transition: its record and the inverse of that. `label` is what a person calls it."""

    scope: Scope
    label: str
    net: JsonObject
    inverse: JsonObject


@dataclass(frozen=True, slots=True)
class Undo:
    """The draft that undoes what can be undone, and sentences about the rest."""

    draft: Draft
    cannot: tuple[str, ...]


def inverse(scope: Scope, before: JsonObject, after: JsonObject, net: JsonObject) -> JsonObject:
    """The patch that leads back from `after`. Only of a session an answer is brought back.

    Read it with `undo_draft`: an object may stand for an array there.
    """
    found = inverse_patch(before, after, net)
    return found if scope == "session" else {plane: change for plane, change in found.items() if plane != RESPONSE}


def undo_draft(dialect: Dialect, transitions: Sequence[Undone], states: States) -> Undo:
    """The draft that undoes `transitions`, the newest first, on the values as they are now.

    Staged on the value right after them it gives the value before. Places that changed since are not ticked. What a
    removed intent would take along, but stood there before, is written explicitly.
    """
    undoing = _Undoing(dialect, states)
    for undone in transitions:
        undoing.take_back(undone)
    for scope in SCOPES:
        labels = [undone.label for undone in transitions if undone.scope == scope]
        if labels:
            undoing.keep_survivors(scope, labels[-1])
    return Undo(Draft(tuple(undoing.steps)), tuple(undoing.cannot))


class _Undoing:
    """One undo as it comes about; `working` is memory as the ticked steps leave it."""

    def __init__(self, dialect: Dialect, states: States) -> None:
        self.dialect = dialect
        self.states = states
        self.working = Working(dialect, states)
        self.steps: list[Step] = []
        self.cannot: dict[str, None] = {}

    def take_back(self, undone: Undone) -> None:
        for path, old, left in _places(undone.inverse, undone.net):
            step = self._step(undone, path, old, left)
            if step is not None:
                self.steps.append(step)

    def keep_survivors(self, scope: Scope, label: str) -> None:
        """Write what goes along with the intents that the undo removes, as it is to be afterwards."""
        before, left = self.states.get(scope, {}), self.working.states[scope]
        intents = prune(left.get(INTENTS, {}))
        gone = cascade(self.dialect, scope, before, {**before, INTENTS: intents})
        for target in gone.targets:
            if self.working.has(scope, target):
                put = Put(scope, target, self.working.get(scope, target), pre_image(self.states, scope, target))
                self.steps.append(Step(put, note=f"undo of {label}: stays, although an intent that goes owns it"))

    def _step(self, undone: Undone, path: KeyPath, old: PreImage, left: PreImage) -> Step | None:
        """The step that brings back one place, None where there is nothing to do or nothing that can be done."""
        scope, where = undone.scope, dotted(undone.scope, path)
        reason: str | None = None
        card = f"what is recorded of where {dotted(scope, path[:_KEY])} came from is not brought back"
        if path[0] == RESPONSE:
            reason = f"{where} belongs to the agent and is not written by hand"
        elif path[0] not in self.dialect.patchable:
            reason = f"{where} is in no plane that may be written"
        elif len(path) > 2 and path[0] == ARTIFACTS and path[2] in BOOKKEEPING:
            reason = card
        if reason is not None:
            self._note(undone, reason)
            return None
        old = _storable(path, old)
        now = pre_image(self.working.states, scope, path)
        if alike(now, old):
            return None
        if old.exists and is_object(old.value) and is_selection(old.value) and is_array(now.value):
            self._note(undone, f"{where} was an object of [N] keys, which cannot take the place of an array")
            return None
        if path[0] == ARTIFACTS:
            self._note(undone, card)
        before = pre_image(self.states, scope, path)
        note = f"undo of {undone.label}"
        operation = Put(scope, path, old.value, before) if old.exists else Remove(scope, path, before)
        # Without what held it, a member alone would come back as a part of nothing.
        lost = len(path) > _KEY and not is_object(pre_image(self.working.states, scope, path[:-1]).value)
        if lost or not alike(now, left):
            return Step(operation, ticked=False, note=f"{note}: changed since")
        try:
            if isinstance(operation, Put):
                self.working.put(scope, path, operation.value)
            else:
                self.working.remove(scope, path)
        except Blocked as blocked:
            return Step(operation, ticked=False, note=f"{note}: {blocked.message}")
        return Step(operation, note=note)

    def _note(self, undone: Undone, reason: str) -> None:
        self.cannot[f"{undone.label}: {reason}"] = None


def _storable(path: KeyPath, old: PreImage) -> PreImage:
    """What can be brought back of a value: no empty object, and no card with its bookkeeping."""
    value = prune(old.value)
    if not old.exists or (is_object(value) and not value):
        return PreImage(exists=False)
    return PreImage(exists=True, value=without_bookkeeping(path, value))


def _places(back: JsonObject, net: JsonObject) -> Iterator[tuple[KeyPath, PreImage, PreImage]]:
    """Every place of a transition, with what stood there and what it left.

    Planes come and go with their keys: each of those is a place of its own.
    """
    for plane, old in back.items():
        left = net.get(plane)
        if old is None and is_object(left):
            yield from (((plane, key), _of(None), _of(value)) for key, value in left.items())
        elif left is None and is_object(old):
            yield from (((plane, key), _of(value), _of(None)) for key, value in old.items())
        else:
            yield from _below(old, left, (plane,))


def _below(back: Json, net: Json, path: KeyPath) -> Iterator[tuple[KeyPath, PreImage, PreImage]]:
    if is_object(back) and is_object(net):
        for key, old in back.items():
            yield from _below(old, net.get(key), (*path, key))
    else:
        yield path, _of(back), _of(net)


def _of(change: Json) -> PreImage:
    return PreImage(exists=False) if change is None else PreImage(exists=True, value=change)
