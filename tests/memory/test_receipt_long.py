"""Receipts against the whole effective memory before and after, composed the long way."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.dialect import V2
from engine.memory.navigation import lazy_navigation
from engine.memory.patching import approval, parse_request, receipt, stage
from engine.memory.scope import SCOPES, Wanted
from engine.values import KeyPath, use_fast_paths
from tests.conformance.case import equal
from tests.memory import reference
from tests.memory.strategies import KEYS, cohort_states, patches

plane_changes = st.dictionaries(st.sampled_from(KEYS), patches, min_size=1, max_size=3)
requests = st.dictionaries(
    st.sampled_from(SCOPES),
    st.dictionaries(st.sampled_from(["working", "lazy"]), plane_changes, min_size=1, max_size=2),
    min_size=1,
    max_size=3,
)
wanted_scopes: st.SearchStrategy[Wanted] = st.sampled_from([SCOPES, ("global", "cwd"), ("cwd", "session")])


@given(cohort_states, requests, wanted_scopes)
def test_a_receipt_tells_every_difference_of_hot_memory_and_nothing_else(
    states: Any, request: Any, wanted: Wanted
) -> None:
    asked = {scope: patch for scope, patch in request.items() if scope in wanted}
    assume(asked)
    try:
        authored: Any = parse_request(V2, wanted, asked)
        staged = stage(V2, states, authored)
        before = composed(states, wanted)
        after = composed(staged.after, wanted)
    except (InvalidRequest, reference.Refused):
        return
    found = receipt(V2, wanted, states, staged)
    told = {effect.path: effect for effect in found.effective}
    for path, effect in told.items():
        exists, value = reference.found(after, path)
        assert effect.exists == exists
        assert equal(effect.value, value if exists else None)
        assert not alike(before, after, path)
    for path in {*reference.paths(before), *reference.paths(after)}:
        if path[0] == "lazy" or alike(before, after, path):
            continue
        assert any(path[: len(one)] == one or one[: len(path)] == path for one in told), path
    changed = lazy_navigation(V2, before) != lazy_navigation(V2, after)
    assert not changed or found.lazy_navigation == lazy_navigation(V2, after)
    with use_fast_paths(False):
        slow = stage(V2, states, authored)
        assert receipt(V2, wanted, states, slow) == found
        assert approval(states, slow) == approval(states, staged)


def alike(before: Any, after: Any, path: KeyPath) -> bool:
    was, now = reference.found(before, path), reference.found(after, path)
    return was[0] == now[0] and equal(was[1], now[1])


def composed(states: Any, wanted: Wanted) -> Any:
    return reference.effective(V2.planes, {scope: states.get(scope, {}) if scope in wanted else {} for scope in SCOPES})
