"""Edits as they join a draft: each names places of stored memory, so that none means another thing without the others.

An element is known by its index, and one that comes or goes gives those behind it another. Edits of one array that
would get in each other's way become one: the array, set as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.errors import InvalidRequest
from engine.memory.carrying import carry_out
from engine.memory.dialect import Dialect
from engine.memory.draft import Draft, Operation, Put, Raw, Remove, Step, Transfer
from engine.memory.gathering import (
    Growing,
    Place,
    States,
    alike,
    array_of,
    ends,
    in_arrays,
    patched_array,
    places,
    pre_image,
)
from engine.memory.renaming import Renaming, rename_everywhere
from engine.memory.scope import SCOPES, Scope
from engine.memory.working import Blocked, Working
from engine.records import replace
from engine.values import Json, JsonObject, KeyPath, dotted, get, is_array, is_object, related


def collect(
    draft: Draft, operations: Iterable[Operation], states: States, dialect: Dialect, *, note: str = ""
) -> Draft:
    """The draft with more edits, one after another, as they are made on what the draft leaves of `states`.

    Raises InvalidRequest where an edit among others of its array cannot be carried out.
    """
    growing = Growing(draft)
    for group in _groups([in_arrays(operation, states) for operation in operations]):
        if not runs_through(group[0]):
            for operation in group:
                growing.add(operation, note=note)
            continue
        # Where it meets nothing of the draft, nothing of that has to be carried out to tell what becomes of the array.
        crowded = any(growing.meets(operation) for operation in group)
        around = growing.draft if crowded else Draft()
        met = _met(around, group, states, dialect)
        if met:
            made = _collapsed(around, group, met, states, dialect, note=note)
            if crowded:
                growing = Growing(made)
            else:
                growing.extend(made)
        else:
            for operation in group:
                growing.add(_as_stored(operation, states), note=note)
    return growing.draft


def ticking(draft: Draft, index: int, ticked: bool) -> tuple[Draft, tuple[int, ...]]:
    """The draft with one step ticked or not, and the steps that it cannot stand beside: those are left out then."""
    mine = draft.steps[index].operation
    out: list[int] = []
    for at, step in enumerate(draft.steps):
        if ticked and step.ticked and at != index and _excludes(step.operation, mine):
            out.append(at)
    draft = draft.ticking(index, ticked)
    for at in out:
        draft = draft.ticking(at, False)
    return draft, tuple(out)


def superseding(draft: Draft, over: Draft) -> tuple[Draft, Draft]:
    """What is left of a draft beside edits that were made without it, and those, saying what they take the place of.

    What they set whole takes the place of what the draft would have changed in it.
    """
    kept: list[Step] = list(draft.steps)
    newer: list[Step] = []
    for step in over.steps:
        lost = [old for old in kept if old.ticked and step.ticked and _covers(step.operation, old.operation)]
        if lost:
            kept = [old for old in kept if not any(old is one for one in lost)]
            named = ", ".join(dict.fromkeys(_name(old.operation) for old in lost))
            told = f"{step.note}; takes the place of the draft's {named}".removeprefix("; ")
            newer.append(replace(step, note=told))
        else:
            newer.append(step)
    return Draft(tuple(kept)), Draft(tuple(newer))


def runs_through(operation: Operation) -> tuple[Place, ...]:
    """The arrays of which an operation names elements, or what is in them: the outermost ones."""
    found: dict[Place, None] = {}
    for scope, path, _ in ends(operation):
        array = patched_array(path) if isinstance(operation, Raw) else array_of(path)
        if array is not None:
            found[(scope, array)] = None
    return tuple(found)


def clash(old: Operation, new: Operation, array: Place) -> bool:
    """Whether what `new` names in an array is another thing without `old`, or the other way round."""
    scope, at = array
    changed = places(old)
    mine = [base for where, base in _bases(new, array) if where == scope]
    for where, path, _ in ends(old):
        if where == scope and at[: len(path)] == path and (where, path) in changed:
            return True
    return any(where == scope and any(related(base, one) for one in mine) for where, base in _bases(old, array))


def _excludes(one: Operation, other: Operation) -> bool:
    return any(clash(one, other, array) for array in runs_through(other)) or any(
        clash(other, one, array) for array in runs_through(one)
    )


def _covers(new: Operation, old: Operation) -> bool:
    """Whether nothing is left of an older edit once the place of a newer one is set."""
    if not isinstance(new, Put | Remove) or not isinstance(old, Put | Remove):
        return False
    return new.scope == old.scope and old.path[: len(new.path)] == new.path


def _groups(operations: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Split edits where they go on to another array: those of one array are taken in at once."""
    group: list[Operation] = []
    here: tuple[Place, ...] = ()
    for operation in operations:
        arrays = runs_through(operation)
        if group and (arrays != here or (arrays and isinstance(operation, Transfer | Raw))):
            yield group
            group = []
        group.append(operation)
        here = arrays
    if group:
        yield group


def _met(draft: Draft, group: Sequence[Operation], states: States, dialect: Dialect) -> list[Place]:
    """The arrays in which edits meet others of the draft, or each other."""
    found: list[Place] = []
    for array in runs_through(group[0]):
        among = len(group) > 1 and any(_shifts(new, array) for new in group)
        if among or any(_meets(draft, new, array) for new in group):
            found.append(array)
    if found:
        # Of a patch only what it is put on tells whether a key is a position; and an array may be gone by then.
        working = _worked(draft, states, dialect)
        found = [(scope, at) for scope, at in found if is_array(get(working.states[scope], at, None))]
    return found


def _meets(draft: Draft, new: Operation, array: Place) -> bool:
    old = [step.operation for step in draft.steps if step.ticked and clash(step.operation, new, array)]
    return bool(old) and not all(_gives_way(one, new, array) for one in old)


def _gives_way(old: Operation, new: Operation, array: Place) -> bool:
    """Whether a newer edit leaves nothing of an older one, and both mean the same element."""
    if not isinstance(old, Put | Remove) or not isinstance(new, Put | Remove):
        return False
    if isinstance(old, Put) and isinstance(new, Put) and old.path == new.path:
        return True
    return any(base[: len(new.path)] == new.path for _, base in _bases(old, array))


def _bases(operation: Operation, array: Place) -> Iterator[tuple[Scope, KeyPath]]:
    """Where in an array an operation has its say: where elements come or go that is all that holds them."""
    scope, at = array
    for where, path, before in ends(operation):
        if where != scope or path[: len(at)] != at or len(path) <= len(at):
            continue
        if isinstance(operation, Raw):
            yield where, at
            continue
        is_source = isinstance(operation, Transfer) and (where, path) == (operation.scope, operation.path)
        reads = is_source and isinstance(operation, Transfer) and operation.keep
        stays = reads or (isinstance(operation, Put) and before.exists)
        yield where, path[:-1] if isinstance(path[-1], int) and not stays else path


def _shifts(operation: Operation, array: Place) -> bool:
    """Whether elements come or go."""
    paths = {path for _, path, _ in ends(operation)}
    return any(base not in paths for _, base in _bases(operation, array))


def _collapsed(
    draft: Draft, group: Sequence[Operation], arrays: Sequence[Place], states: States, dialect: Dialect, *, note: str
) -> Draft:
    """The draft in which each of these arrays is set as a whole, to what its edits make of it."""
    working, out, first = Working(dialect, states), list[Step](), len(draft.steps)
    notes: dict[str, None] = {}
    seen = {(scope, at): pre_image(states, scope, at) for scope, at in arrays}
    renamings: list[Renaming] = []
    moves = any(_holds(step.operation, array) for step in draft.steps for array in arrays)
    for step in draft.steps:
        if not step.ticked:
            out.append(step)
            continue
        try:
            renamings += _again(working, step.operation)
        except Blocked:
            out.append(step)
            continue
        left = list(_outside(step, arrays, working, states))
        if notes and (copied := _copied(step, arrays, working)) is not None:
            # What was copied is the array as edits before had left it, and they come after this now.
            left = [copied]
        elif left != [step]:
            first = min(first, len(out))
            notes[step.note] = None
            for scope, at, before in step.operation.arrays:
                if (scope, at) in seen and not alike(before, seen[(scope, at)]):
                    # It was made in view of something else: that is not forgotten.
                    seen[(scope, at)] = before
        elif isinstance(step.operation, Transfer):
            # References in the array follow what moves after it is set.
            first = min(first, len(out))
        out += left
    if moves and renamings:
        rename_everywhere(working, renamings, SCOPES)
    for operation in group:
        try:
            carry_out(working, operation)
        except Blocked as blocked:
            raise InvalidRequest(blocked.code, blocked.message) from None
        out += _outside(Step(operation, note=note), arrays, working, states)
    notes[note] = None
    told = "; ".join(one for one in notes if one)
    for array in arrays:
        out = _set_whole(out, array, Put(*array, working.share(working.get(*array)), seen[array]), first, told)
    return Draft(tuple(out))


def _set_whole(steps: list[Step], array: Place, put: Put, first: int, note: str) -> list[Step]:
    """Have a step that sets the array: the one that sets it already or what it stands in, else one of its own."""
    at = array[1]
    above = [n for n, step in enumerate(steps) if step.ticked and _holds(step.operation, array)]
    if above and isinstance(old := steps[above[-1]].operation, Put):
        step = steps[above[-1]]
        told = "; ".join(dict.fromkeys(one for one in (step.note, note) if one))
        value = _with(old.value, at[len(old.path) :], put.value)
        if alike(old.before, replace(old.before, exists=True, value=value)):
            return [*steps[: above[-1]], *steps[above[-1] + 1 :]]
        steps[above[-1]] = replace(step, operation=replace(old, value=value), note=told)
    elif above or not alike(put.before, replace(put.before, exists=True, value=put.value)):
        steps.insert(above[-1] + 1 if above else min(first, len(steps)), Step(put, note=note))
    return steps


def _outside(step: Step, arrays: Sequence[Place], working: Working, states: States) -> Iterator[Step]:
    """What a step that has just been carried out does outside of arrays that are set as a whole."""
    operation = step.operation
    through = [array for array in arrays if any(True for _ in _bases(operation, array))]
    if not through:
        yield step
    elif isinstance(operation, Raw):
        patch = operation.patch
        for scope, at in through:
            patch = without(patch, (scope, *at))
        before = tuple(one for one in operation.before if not any(_is_in(one[0], one[1], array) for array in through))
        if patch and before:
            kept = tuple(one for one in operation.arrays if (one[0], one[1]) not in through)
            yield replace(step, operation=Raw(patch, before, kept))
    elif isinstance(operation, Transfer):
        # It is told apart: what goes, and what comes. References to an element are not followed so.
        note = "; ".join(one for one in (step.note, f"part of the move from {_name(operation)}") if one)
        source, target = (operation.scope, operation.path), (operation.to_scope, operation.to_path)
        if not operation.keep and not any(_is_in(*source, array) for array in through):
            gone = in_arrays(Remove(*source, operation.before), states)
            yield replace(step, operation=gone, note=note)
        if not any(_is_in(*target, array) for array in through):
            value = working.share(working.get(*target))
            yield replace(step, operation=in_arrays(Put(*target, value, operation.there), states), note=note)


def _copied(step: Step, arrays: Sequence[Place], working: Working) -> Step | None:
    """A copy that has just been made of what one of the arrays stands in, as what it has set; None for anything else."""
    copy = step.operation
    if not isinstance(copy, Transfer) or not copy.keep:
        return None
    if not any(scope == copy.scope and at[: len(copy.path)] == copy.path for scope, at in arrays):
        return None
    value = working.share(working.get(copy.to_scope, copy.to_path))
    note = "; ".join(one for one in (step.note, f"copy of {_name(copy)}") if one)
    return replace(step, operation=Put(copy.to_scope, copy.to_path, value, copy.there, copy.arrays), note=note)


def _is_in(scope: Scope, path: KeyPath, array: Place) -> bool:
    return scope == array[0] and path[: len(array[1])] == array[1] and len(path) > len(array[1])


def _holds(operation: Operation, array: Place) -> bool:
    """Whether an operation is about a place that the array is, or stands in."""
    scope, at = array
    return any(where == scope and at[: len(path)] == path for where, path, _ in ends(operation))


def _as_stored(operation: Operation, states: States) -> Operation:
    """The operation with what stands in stored memory at its element."""
    if isinstance(operation, Put | Remove):
        return replace(operation, before=pre_image(states, operation.scope, operation.path))
    return operation


def _again(working: Working, operation: Operation) -> list[Renaming]:
    """Carry out a step of the draft: what it sets is looked through when the draft is compiled, not with each edit."""
    if not isinstance(operation, Put):
        return carry_out(working, operation)
    working.put(operation.scope, operation.path, operation.value)
    return []


def _worked(draft: Draft, states: States, dialect: Dialect) -> Working:
    working = Working(dialect, states)
    for step in draft.steps:
        if step.ticked:
            try:
                _again(working, step.operation)
            except Blocked:
                continue
    return working


def _with(value: Json, path: KeyPath, member: Json) -> Json:
    """A value with something else at a path of keys in it."""
    if not path:
        return member
    held: JsonObject = value if is_object(value) else {}
    return {**held, str(path[0]): _with(held.get(str(path[0])), path[1:], member)}


def without(patch: JsonObject, path: KeyPath) -> JsonObject:
    """A patch without what it says at a path; positions of an array are keys of the form `[N]`."""
    name = f"[{path[0]}]" if isinstance(path[0], int) else path[0]
    below = patch.get(name)
    if len(path) > 1 and is_object(below):
        inner = without(below, path[1:])
        if inner:
            return {key: inner if key == name else value for key, value in patch.items()}
    return {key: value for key, value in patch.items() if key != name}


def _name(operation: Operation) -> str:
    if isinstance(operation, Raw):
        return "patch"
    return dotted(operation.scope, operation.path)
