"""What the steps of a draft left, settled into the patch of one scope.

What they took from the intents goes first, with what those owned; then stands what the steps set, whatever went.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.errors import InvalidRequest
from engine.memory.artifacts import BOOKKEEPING, check_card
from engine.memory.authoring import author, blend, unrecordable
from engine.memory.dialect import ARTIFACTS
from engine.memory.ownership import INTENTS, Cascade, Keys, cascade, owned
from engine.memory.scope import Scope
from engine.memory.working import Blocked, Marks, Working, mark
from engine.values import Json, JsonObject, KeyPath, dotted, has, is_object, merge, prune_along

_NOTHING: Final[JsonObject] = {}
_FRESH: Final = "No source was read for this: nothing new is recorded of where the card came from"
_STALE: Final = "No source was read for this: what is recorded of when the card was made stays as it is"


def settle(working: Working, scope: Scope, before: JsonObject) -> tuple[JsonObject, list[tuple[int, Blocked]]]:
    """The patch of one scope, and what may not be stored, with the step that was there last. That is left out."""
    wanted, touched = working.states[scope], working.touched[scope]
    for path in working.mended[scope]:
        if path[0] == INTENTS and has(wanted, path):
            mark(touched, path)
    base, gone = _without_intents(working, scope, before)
    covers = gone.coverage()
    for path, step in working.mended[scope].items():
        # What only mentions a new name does not keep itself alive.
        if has(wanted, path) and not covers(path):
            working.marks.append((scope, path, step))
            mark(touched, path)
    if not touched:
        return {}, []
    desired = _pruned(blend(base, wanted, touched), touched)
    desired, refused = _checked(working, scope, before, desired)
    _remark_emptied(working, scope, before, desired, gone)
    patch = author({**base, INTENTS: before.get(INTENTS, _NOTHING)}, desired, touched)
    return patch, [(working.last_step(scope, blocked.path), blocked) for blocked in refused]


def _without_intents(working: Working, scope: Scope, before: JsonObject) -> tuple[JsonObject, Cascade]:
    """The scope with its new intents, and without what the deleted ones owned."""
    touched = working.touched[scope]
    if INTENTS not in touched:
        return before, Cascade(scope, ())
    names = touched[INTENTS]
    only: Marks = {INTENTS: names}
    base = _pruned(blend(before, working.states[scope], only), only)
    among = None if names is None else map(str, names)
    gone = cascade(working.dialect, scope, before, base, among=among)
    return (merge(base, gone.patch).value if gone.targets else base), gone


def _checked(
    working: Working, scope: Scope, before: JsonObject, desired: JsonObject
) -> tuple[JsonObject, list[Blocked]]:
    """`desired` without what may not be stored, and what that is."""
    touched = working.touched[scope]
    refused = [
        Blocked("unrecordable", scope, path, "An object of nothing but [N] keys cannot replace an array in one patch")
        for path in unrecordable(before, desired, touched)
    ]
    refused += [
        Blocked("retired-key", scope, (plane, key), f"The key {key} is no longer stored in {plane}")
        for plane, key in working.dialect.retired
        if plane in touched and has(desired, (plane, key))
    ]
    if ARTIFACTS in touched and ARTIFACTS in desired:
        desired, bad = _cards(working, scope, before, desired)
        refused += bad
    for blocked in refused:
        desired = _restored(desired, before, blocked.path)
    return desired, refused


def _cards(working: Working, scope: Scope, before: JsonObject, desired: JsonObject) -> tuple[JsonObject, list[Blocked]]:
    """The cards with their bookkeeping as it stands, and which of them are none."""
    refused: list[Blocked] = []
    old, new = before.get(ARTIFACTS, _NOTHING), desired[ARTIFACTS]
    assert is_object(old)
    assert is_object(new)
    names = working.touched[scope][ARTIFACTS]
    cards = dict(new)
    for source in new if names is None else map(str, names):
        if source not in new or (source in old and old[source] is new[source]):
            continue
        path = (ARTIFACTS, source)
        cards[source] = _with_bookkeeping(old.get(source), new[source])
        try:
            check_card(source, cards[source])
        except InvalidRequest as refusal:
            refused.append(Blocked(refusal.code, scope, path, refusal.message))
        else:
            message = _STALE if source in old else _FRESH
            working.remark("no-fresh-evidence", scope, path, message, step=working.last_step(scope, path))
    return {**desired, ARTIFACTS: cards}, refused


def _with_bookkeeping(old: Json, new: Json) -> Json:
    """A card with the bookkeeping of the one that stands there, and none of its own."""
    if not is_object(new):
        return new
    kept = {member: value for member, value in old.items() if member in BOOKKEEPING} if is_object(old) else {}
    if not kept and BOOKKEEPING.isdisjoint(new):
        return new
    return {**{member: value for member, value in new.items() if member not in BOOKKEEPING}, **kept}


def _remark_emptied(working: Working, scope: Scope, before: JsonObject, desired: JsonObject, gone: Cascade) -> None:
    """Say which intents are gone because nothing is left in them, and what goes with them."""
    names = working.touched[scope].get(INTENTS, {})
    was, left, now = (_intents(state) for state in (before, working.states[scope], desired))
    among: Iterable[str] = was if names is None else map(str, names)
    emptied = [name for name in among if name in was and name in left and name not in now]
    claims: dict[str, set[Keys]] = {}
    for claim in owned(working.dialect, scope, before) if emptied else ():
        claims.setdefault(claim.intent, set()).add(claim.path)
    rank = {target: number for number, target in enumerate(gone.targets)}
    for name in emptied:
        mine = claims.get(name, set()) & rank.keys()
        along = [dotted(scope, target) for target in sorted(mine, key=rank.__getitem__)]
        message = "Nothing is left in it, so it counts as deleted" + (
            f"; with it go {', '.join(along)}" if along else ""
        )
        path = (INTENTS, name)
        working.remark("emptied-intent", scope, path, message, step=working.last_step(scope, path))


def _intents(state: JsonObject) -> JsonObject:
    intents = state.get(INTENTS)
    return intents if is_object(intents) else _NOTHING


def _restored(desired: JsonObject, before: JsonObject, path: KeyPath) -> JsonObject:
    """`desired` with what stood at `path` before."""
    key, *rest = path
    name = str(key)
    members = dict(desired)
    if rest:
        below, was = desired.get(name, _NOTHING), before.get(name, _NOTHING)
        assert is_object(below)
        assert is_object(was)
        members[name] = _restored(below, was, tuple(rest))
    elif name in before:
        members[name] = before[name]
    else:
        members.pop(name, None)
    return members


def _pruned(state: JsonObject, touched: Marks) -> JsonObject:
    pruned = prune_along(state, touched)
    assert is_object(pruned)
    return pruned
