"""A draft as it is gathered: what stood where an edit begins, edits of one place made one, what moved since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from engine.memory.draft import Draft, Operation, PreImage, Put, Raw, Remove, Seen, Step, Transfer
from engine.memory.layering import is_selection
from engine.memory.ownership import INTENTS
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, KeyPath, get, has, is_array, is_object, related, same, slot

States: TypeAlias = Mapping[Scope, JsonObject]
Place: TypeAlias = tuple[Scope, KeyPath]

_NOTHING = PreImage(exists=False)


@dataclass(frozen=True, slots=True)
class Drift:
    """A place that holds something else now than when the edit of it was made."""

    step: int
    scope: Scope
    path: KeyPath
    before: PreImage
    now: PreImage


def pre_image(states: States, scope: Scope, path: KeyPath) -> PreImage:
    """What stands at `path` of one scope."""
    state = states.get(scope, {})
    return PreImage(exists=True, value=get(state, path)) if has(state, path) else _NOTHING


def raw(states: States, patch: JsonObject) -> Raw:
    """A patch as a person wrote it, with what stands in the places that it touches."""
    before = tuple((scope, path, pre_image(states, scope, path)) for scope, path in _raw_places(states, patch))
    return Raw(patch, before, _arrays(before, states))


def in_arrays(operation: Operation, states: States) -> Operation:
    """The operation with the arrays that it names elements of, as they stand: where they change, an index drifts."""
    if operation.arrays:
        return operation
    arrays = _arrays(ends(operation), states)
    return replace(operation, arrays=arrays) if arrays else operation


def array_of(path: KeyPath) -> KeyPath | None:
    """The outermost array on the way of a path; None where the way leads through none."""
    return next((path[:depth] for depth, key in enumerate(path) if isinstance(key, int)), None)


def patched_array(path: KeyPath) -> KeyPath | None:
    """The same of a path in a patch: whether a key `[N]` is an index there depends on what the steps before it left."""
    return next((path[:n] for n, key in enumerate(path) if isinstance(key, int) or slot(key) is not None), None)


def _arrays(seen: Seen, states: States) -> Seen:
    found = {(scope, array): None for scope, path, _ in seen if (array := array_of(path)) is not None}
    return tuple((scope, array, pre_image(states, scope, array)) for scope, array in found)


def patched_paths(patch: Json, value: Json, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Where a patch of `value` ends: `[N]` keys over an array are positions of it."""
    if not is_object(patch) or not patch:
        yield path
        return
    over_array = is_array(value) and is_selection(patch)
    for key, change in patch.items():
        index = slot(key) if over_array else None
        step: str | int = key if index is None else index
        yield from patched_paths(change, get(value, (step,), None), (*path, step))


def places(operation: Operation) -> tuple[Place, ...]:
    """The places that an operation changes: of a move both ends, of a copy only where it goes."""
    if isinstance(operation, Transfer):
        target = (operation.to_scope, operation.to_path)
        return (target,) if operation.keep else ((operation.scope, operation.path), target)
    if isinstance(operation, Raw):
        return tuple((scope, path) for scope, path, _ in operation.before) or tuple(_raw_places({}, operation.patch))
    return ((operation.scope, operation.path),)


def pre_images(operation: Operation) -> Seen:
    """Every place that an operation was made in view of, with what stood there: for an element, its whole array."""
    if not operation.arrays:
        return ends(operation)
    arrays = {(scope, path) for scope, path, _ in operation.arrays}
    return (*operation.arrays, *(end for end in ends(operation) if (end[0], array_of(end[1])) not in arrays))


def ends(operation: Operation) -> Seen:
    """The places that an operation names, with what stood there."""
    if isinstance(operation, Raw):
        return operation.before
    source = (operation.scope, operation.path, operation.before)
    if isinstance(operation, Transfer):
        return (source, (operation.to_scope, operation.to_path, operation.there))
    return (source,)


def drifted(draft: Draft, states: States) -> tuple[Drift, ...]:
    """Where the ticked steps no longer find what they were made in view of."""
    return tuple(
        Drift(index, scope, path, before, now)
        for index, step in enumerate(draft.steps)
        if step.ticked
        for scope, path, before in pre_images(step.operation)
        if not alike(before, now := pre_image(states, scope, path))
    )


def rebased(draft: Draft, states: States) -> Draft:
    """The draft with its pre-images taken anew: the person has seen what moved."""
    steps: list[Step] = []
    changed: set[tuple[Scope, KeyPath]] = set()
    for step in draft.steps:
        arrays = {(scope, path) for scope, path, _ in step.operation.arrays}
        # An element behind another change of its array is not the one that stands at its index in memory.
        operation = _rebased(step.operation, states, fresh=not arrays & changed)
        changed |= arrays
        steps.append(replace(step, operation=operation))
    return Draft(tuple(steps))


def add(draft: Draft, operation: Operation, *, note: str = "") -> Draft:
    """The draft with one more edit.

    A later edit of the same place takes the place of the earlier one and keeps its `before`; edits below a place that
    is set or deleted as a whole go; renames in a row become one. What brings back what stood there is no edit.
    """
    if isinstance(operation, Raw):
        return _appended(draft, operation, note)
    steps = list(draft.steps)
    if isinstance(operation, Transfer):
        return _joined(steps, operation, note) or _appended(draft, operation, note)
    here = (operation.scope, operation.path)
    kept: list[Step] = []
    at: int | None = None
    # From the newest on: what stands behind a step that has to stay may depend on it.
    while steps:
        step = steps.pop()
        old = step.operation
        if not any(_related(one, here) for one in _reach(old)):
            kept.append(step)
        elif at is None and isinstance(old, Put | Remove) and _swallows(here, old, operation, steps):
            at = len(kept) if (old.scope, old.path) == here else None
            if at is not None:
                operation = replace(operation, before=old.before, arrays=old.arrays)
        else:
            steps.append(step)
            break
    return _settled(steps, kept[::-1], operation, note, None if at is None else len(kept) - at)


class Growing:
    """A draft that takes in many edits, one after another. One that meets no other costs the same however many there are."""

    def __init__(self, draft: Draft) -> None:
        self._steps: list[Step] = []
        self._crowd = _Crowd()
        self.extend(draft)

    @property
    def draft(self) -> Draft:
        """All that was taken in."""
        return Draft(tuple(self._steps))

    def meets(self, operation: Operation) -> bool:
        """Whether an edit may have to do with one that is in it already."""
        return self._crowd.meets(operation)

    def extend(self, draft: Draft) -> None:
        """Take in steps as they are."""
        for step in draft.steps:
            self._steps.append(step)
            self._crowd.take(step.operation)

    def add(self, operation: Operation, *, note: str = "") -> None:
        """Take in one more edit, as `add` does."""
        if self.meets(operation):
            self._steps = list(add(self.draft, operation, note=note).steps)
        elif isinstance(operation, Put | Remove) and _brings_back(operation):
            return
        else:
            self._steps.append(Step(operation, note=note))
        # What is in it no more still counts as met: then it is only looked at more closely.
        self._crowd.take(operation)


def add_all(draft: Draft, operations: Iterable[Operation], *, note: str = "") -> Draft:
    """The draft with more edits, one after another."""
    growing = Growing(draft)
    for operation in operations:
        growing.add(operation, note=note)
    return growing.draft


def meeting(one: Draft, other: Draft) -> Place | None:
    """A place, or array, that both of two drafts change, or one in what the other does."""
    crowd = _Crowd()
    for step in one.steps:
        crowd.take(step.operation)
    return next(
        (place for step in other.steps for place in places(step.operation) if crowd.meets(step.operation)), None
    )


class _Crowd:
    """The places that many operations reach, to ask whether one more meets any of them."""

    def __init__(self) -> None:
        self._places: set[Place] = set()
        self._above: set[Place] = set()

    def take(self, operation: Operation) -> None:
        for scope, path in _reach(operation):
            if (scope, path) not in self._places:
                self._places.add((scope, path))
                self._above.update((scope, path[:length]) for length in range(len(path)))

    def meets(self, operation: Operation) -> bool:
        return any(
            (scope, path) in self._above
            or any((scope, path[:length]) in self._places for length in range(len(path) + 1))
            for scope, path in (*_reach(operation), *places(operation))
        )


def _settled(earlier: list[Step], later: list[Step], operation: Put | Remove, note: str, at: int | None) -> Draft:
    """Put the edit at its place among the later steps, unless nothing comes of it."""
    here = (operation.scope, operation.path)
    if _is_met(earlier, here) or not _brings_back(operation):
        later.insert(len(later) if at is None else at, Step(operation, note=note))
    return Draft((*earlier, *later))


def _joined(steps: list[Step], new: Transfer, note: str) -> Draft | None:
    """The draft where a move goes on from where the one before it ended, None where they are not one."""
    for index in range(len(steps) - 1, -1, -1):
        old = steps[index].operation
        if not any(_related(one, place) for one in _reach(old) for place in _reach(new)):
            continue
        if not isinstance(old, Transfer) or (old.to_scope, old.to_path) != (new.scope, new.path):
            return None
        if not old.path or old.keep or new.keep or (old.along, old.rewrite) != (new.along, new.rewrite):
            return None
        if not all(isinstance(key, str) for key in (*old.path, *old.to_path, *new.to_path)):
            return None  # elements move up when one goes
        if old.path[0] == INTENTS and {old.scope} != {old.to_scope, new.to_scope}:
            return None  # what goes along depends on where it has been
        rest = (*steps[:index], *steps[index + 1 :])
        if (old.scope, old.path) == (new.to_scope, new.to_path):
            return Draft(rest)
        joined = replace(old, to_scope=new.to_scope, to_path=new.to_path, there=new.there)
        return Draft((*steps[:index], Step(joined, note=note), *steps[index + 1 :]))
    return None


def _appended(draft: Draft, operation: Operation, note: str) -> Draft:
    return Draft((*draft.steps, Step(operation, note=note)))


def _swallows(here: Place, old: Put | Remove, new: Put | Remove, earlier: list[Step]) -> bool:
    """Whether an edit of `here` leaves nothing of the older one."""
    scope, path = here
    if scope != old.scope or old.path[: len(path)] != path:
        return False
    if len(path) < len(old.path) or not path or not isinstance(path[-1], int):
        return True
    # An element that is deleted has another one in its place, and one that was set may be a new one at the end.
    return isinstance(old, Put) and (isinstance(new, Put) or not _is_met(earlier, (scope, path[:-1])))


def _brings_back(operation: Put | Remove) -> bool:
    if isinstance(operation, Remove):
        return not operation.before.exists
    return operation.before.exists and same(operation.before.value, operation.value)


def _reach(operation: Operation) -> Iterator[Place]:
    """The places whose meaning an operation depends on or changes: where elements come or go, the array."""
    for scope, path, before in ends(operation):
        if isinstance(operation, Raw):
            array = patched_array(path)
            yield scope, path if array is None else array
        elif path and isinstance(path[-1], int) and not (isinstance(operation, Put) and before.exists):
            yield scope, path[:-1]
        else:
            yield scope, path


def _is_met(steps: Iterable[Step], place: Place) -> bool:
    return any(_related(one, place) for step in steps for one in _reach(step.operation))


def _related(one: Place, other: Place) -> bool:
    return one[0] == other[0] and related(one[1], other[1])


def _rebased(operation: Operation, states: States, *, fresh: bool) -> Operation:
    if isinstance(operation, Raw):
        return raw(states, operation.patch)
    arrays = tuple((scope, path, pre_image(states, scope, path)) for scope, path, _ in operation.arrays)
    before = pre_image(states, operation.scope, operation.path) if fresh else operation.before
    if isinstance(operation, Transfer):
        there = pre_image(states, operation.to_scope, operation.to_path)
        return replace(operation, before=before, there=there, arrays=arrays)
    return replace(operation, before=before, arrays=arrays)


def alike(one: PreImage, other: PreImage) -> bool:
    """Whether the same stood there, or nothing both times."""
    return one.exists == other.exists and (not one.exists or same(one.value, other.value))


def _raw_places(states: States, patch: JsonObject) -> Iterator[Place]:
    for scope in SCOPES:
        change = patch.get(scope)
        if is_object(change):
            yield from ((scope, path) for path in patched_paths(change, states.get(scope, {})) if path)
