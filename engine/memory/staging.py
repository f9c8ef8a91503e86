"""An authored patch taken to the point of writing: what memory would be, what would be recorded, what went along.

The order within a scope: intents first; then what the deleted intents owned is cleared; then the other planes. So what
a patch writes itself survives its own cascade.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from engine.errors import InvalidRequest
from engine.memory.artifacts import Evidence, compiled
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect, check_contents, check_touched
from engine.memory.layering import is_selection
from engine.memory.ownership import INTENTS, Cascade, cascade
from engine.memory.request import shape, within
from engine.memory.scope import SCOPES, Scope
from engine.memory.surprises import element_surprises
from engine.records import dataclass, replace
from engine.values import (
    Json,
    JsonObject,
    KeyTrie,
    MissingDeletion,
    Surprise,
    fast_paths,
    has,
    is_array,
    is_object,
    join_tries,
    merge,
    net_patch,
    parse_pointer,
    prune,
    prune_along,
)

_NOTHING: Final[JsonObject] = {}


@dataclass(frozen=True, slots=True)
class Staged:
    """What a patch would do.

    `after` holds every scope; scopes that the patch did not name are the same objects. `net` has the record of each
    changed scope and no other: empty means that nothing would be written. `cascaded` holds scoped read paths of what
    deleted intents took along, even where the patch wrote there again. Pointers in `missed` and `warnings` start with
    the scope. `touched` says where a named scope may differ (None: anywhere), `tidied` which scopes were pruned whole.
    """

    after: Mapping[Scope, JsonObject]
    net: Mapping[Scope, JsonObject]
    cascaded: Mapping[Scope, tuple[str, ...]]
    missed: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]
    provenance_updates: Mapping[Scope, Mapping[str, JsonObject]]
    touched: Mapping[Scope, KeyTrie | None]
    tidied: frozenset[Scope]

    @property
    def changed(self) -> tuple[Scope, ...]:
        return tuple(scope for scope in SCOPES if scope in self.net)


@dataclass(frozen=True, slots=True)
class _Outcome:
    after: JsonObject
    touched: KeyTrie | None
    cascaded: tuple[str, ...]
    missed: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]


def stage(
    dialect: Dialect,
    states: Mapping[Scope, JsonObject],
    patches: Json,
    *,
    tidy: frozenset[Scope] = frozenset(),
    valid: frozenset[Scope] = frozenset(),
    reads: Iterable[Evidence] = (),
    response: str | None = None,
) -> Staged:
    """Stage `patches` (scope -> plane -> patch) on the current values; raises InvalidRequest and changes nothing.

    `valid` scopes are known to hold what may be stored, `tidy` ones also no empty object: there only what the patch
    touches is looked at. All other scopes are checked whole, the ones that the patch does not name, too. `reads` are
    sources that the patch vouches for, `response` an accepted answer, which only the runtime records.
    """
    authored = shape(dialect, patches)
    vouched = compiled(reads, authored)
    known = (tidy | valid) if fast_paths() else frozenset[Scope]()
    pruned = tidy if fast_paths() else frozenset[Scope]()
    named = [scope for scope in SCOPES if scope in authored or (scope == "session" and response is not None)]
    outcomes: dict[Scope, _Outcome] = {}
    for scope in named:
        rebuilt = [read.path for read in vouched if read.scope == scope]
        outcome = _one_scope(dialect, scope, states.get(scope, _NOTHING), authored.get(scope, _NOTHING), rebuilt,
                             tidy=scope in pruned)  # fmt: skip
        outcomes[scope] = outcome if scope != "session" or response is None else _answered(outcome, response)
    after = {scope: outcomes[scope].after if scope in outcomes else states.get(scope, _NOTHING) for scope in SCOPES}
    for scope in SCOPES:
        if scope not in known:
            within(scope, partial(check_contents, dialect, after[scope]))
        elif scope in authored:
            within(scope, partial(check_touched, dialect, scope, authored[scope], after[scope]))
    nets = {scope: _net(dialect, states.get(scope, _NOTHING), outcome) for scope, outcome in outcomes.items()}
    for scope, net in nets.items():
        _refuse_unrecordable(scope, states.get(scope, _NOTHING), net)
    return Staged(
        after=after,
        net={scope: net for scope, net in nets.items() if net},
        cascaded={scope: outcome.cascaded for scope, outcome in outcomes.items() if outcome.cascaded},
        missed=tuple(missing for outcome in outcomes.values() for missing in outcome.missed),
        warnings=tuple(
            warning
            for scope, outcome in outcomes.items()
            for warning in (*outcome.warnings, *element_surprises(states, scope, authored.get(scope, _NOTHING)))
        ),
        provenance_updates={
            scope: {read.path: read.provenance() for read in vouched if read.scope == scope}
            for scope in SCOPES
            if any(read.scope == scope for read in vouched)
        },
        touched={scope: outcome.touched for scope, outcome in outcomes.items()},
        tidied=frozenset(named),
    )


def _one_scope(
    dialect: Dialect, scope: Scope, before: JsonObject, patch: JsonObject, rebuilt: Iterable[str], *, tidy: bool
) -> _Outcome:
    missed: list[MissingDeletion] = []
    warnings: list[Surprise] = []
    touched: KeyTrie | None = {}

    def apply(state: JsonObject, change: JsonObject, *, quietly: bool = False) -> JsonObject:
        nonlocal touched
        merged = within(scope, partial(merge, state, change))
        touched = join_tries(touched, merged.touched)
        if not quietly:
            missed.extend(merged.missing)
            warnings.extend(merged.warnings)
        return merged.value

    state, gone = before, Cascade(scope, ())
    if INTENTS in patch:
        state = apply(state, {INTENTS: patch[INTENTS]})
        intents = patch[INTENTS]
        among = intents if tidy and is_object(intents) else None
        # What pruning will drop is gone already: an emptied intent, and an empty target.
        gone = cascade(dialect, scope, before, _pruned(state, touched if tidy else None), among=among)
    basis = state
    if gone.targets:
        state = apply(state, gone.patch, quietly=True)
    stale: dict[str, Json] = {source: None for source in rebuilt if has(state, (ARTIFACTS, source))}
    if stale:
        # What is vouched for is described anew: nothing of the old card may pass for it.
        state = apply(state, {ARTIFACTS: stale}, quietly=True)
    rest = {plane: change for plane, change in patch.items() if plane != INTENTS}
    if rest:
        if state is not basis:
            _refuse_lost_slots(scope, rest, basis, state)
        state = apply(state, rest)
    if not tidy:
        touched = None
    return _Outcome(
        _pruned(state, touched),
        touched,
        gone.paths,
        tuple(
            _scoped(scope, missing) for missing in _in_order(patch, missed) if not _just_cleared(missing, gone, basis)
        ),
        tuple(replace(warning, path=f"/{scope}{warning.path}") for warning in warnings),
    )


def _answered(outcome: _Outcome, response: str) -> _Outcome:
    return replace(
        outcome,
        after={**outcome.after, RESPONSE: response},
        touched=join_tries(outcome.touched, {RESPONSE: None}),
    )


def _net(dialect: Dialect, before: JsonObject, outcome: _Outcome) -> JsonObject:
    """What would be recorded: members outside the planes are not, and no answer equals an empty one."""
    after = outcome.after
    if outcome.touched is None:
        net = net_patch(_planes(dialect, before), _planes(dialect, after))
    else:
        net = net_patch(before, after, touched=outcome.touched)
    if RESPONSE in net and (before.get(RESPONSE) or "") == (after.get(RESPONSE) or ""):
        return {plane: change for plane, change in net.items() if plane != RESPONSE}
    return net


def _planes(dialect: Dialect, state: JsonObject) -> JsonObject:
    return {plane: state[plane] for plane in dialect.planes if plane in state}


def _pruned(state: JsonObject, touched: KeyTrie | None) -> JsonObject:
    pruned = prune(state) if touched is None else prune_along(state, touched)
    assert is_object(pruned)
    return pruned


def _refuse_lost_slots(scope: Scope, patch: JsonObject, basis: Json, cleared: Json, at: str = "") -> None:
    """Refuse `[N]` keys that address an array of the basis which is no longer there once owned paths are cleared."""
    if not is_object(basis) or basis is cleared:
        return
    for key, change in patch.items():
        if not is_object(change) or not change or key not in basis:
            continue
        old = basis[key]
        new = cleared[key] if is_object(cleared) and key in cleared else None
        where = f"{at}.{key}" if at else key
        if is_array(old) and not is_array(new) and is_selection(change):
            raise InvalidRequest("patch-rejected", "This array goes with an intent that the same patch deletes",
                                 scope=scope, path=where, hint="Write the array as a whole")  # fmt: skip
        _refuse_lost_slots(scope, change, old, new, where)


def _refuse_unrecordable(scope: Scope, before: JsonObject, net: JsonObject, at: str = "") -> None:
    """Refuse to let an object of nothing but `[N]` keys take the place of an array: a record of it would patch the array."""
    for key, change in net.items():
        old = before.get(key)
        where = f"{at}.{key}" if at else key
        if not is_object(change) or not change:
            continue
        if is_array(old) and is_selection(change):
            raise InvalidRequest("patch-rejected", "An object of nothing but [N] keys cannot take the place of an array",
                                 scope=scope, path=where, hint="Delete the array first, in a patch of its own")  # fmt: skip
        if is_object(old):
            _refuse_unrecordable(scope, old, change, where)


def _in_order(patch: JsonObject, missed: Iterable[MissingDeletion]) -> list[MissingDeletion]:
    """As the author wrote the planes, although intents were worked off first."""
    rank = {plane: number for number, plane in enumerate(patch)}
    return sorted(missed, key=lambda missing: rank.get(parse_pointer(missing.path)[0], 0))


def _just_cleared(missing: MissingDeletion, gone: Cascade, basis: JsonObject) -> bool:
    path = parse_pointer(missing.path)
    return gone.covers(path) and has(basis, path)


def _scoped(scope: Scope, missing: MissingDeletion) -> MissingDeletion:
    return MissingDeletion(f"/{scope}{missing.path}", f"/{scope}{missing.unavailable}")
