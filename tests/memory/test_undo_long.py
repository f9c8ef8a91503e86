"""Undoing random transitions: what comes of it is what stood before, and what came later stays."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.compiling import compile_draft
from engine.memory.dialect import V2, V4, Dialect
from engine.memory.draft import Draft
from engine.memory.patching import Staged, stage
from engine.memory.scope import SCOPES, Scope
from engine.memory.undo import Undone, inverse, undo_draft
from engine.values import merge, same, use_fast_paths
from tests.memory import reference
from tests.memory.draft_reference import ends
from tests.memory.drafting import Chance, chances, odd_chances

both = st.sampled_from([V2, V4])


def spoken(dialect: Dialect, value: Any) -> Any:
    """A memory or a patch of dialect 4 in the words of `dialect`."""
    text = json.dumps(value)
    return json.loads(text if dialect is V4 else text.replace("strategy", "contract").replace("tactics", "working"))


def staged_or_none(dialect: Dialect, states: Any, patch: Any) -> Staged | None:
    try:
        return stage(dialect, states, patch)
    except InvalidRequest:
        return None


def two(dialect: Dialect, chance: Chance) -> tuple[Any, Staged | None, Staged | None]:
    """Memory, and two transitions in a row."""
    cohort = chance.cohort()
    before = spoken(dialect, cohort)
    first = staged_or_none(dialect, before, spoken(dialect, chance.patch(cohort)))
    second = None if first is None else staged_or_none(dialect, first.after, spoken(dialect, chance.patch(cohort)))
    return before, first, second


def undone(label: str, before: Any, staged: Staged) -> list[Undone]:
    return [
        Undone(scope, label, net, inverse(scope, before[scope], staged.after[scope], net))
        for scope, net in staged.net.items()
    ]


def published(dialect: Dialect, draft: Draft, states: Any) -> dict[Scope, Any]:
    compiled = compile_draft(draft, dialect, states)
    assert compiled.problems == ()
    tidy: frozenset[Scope] = frozenset(SCOPES)
    with use_fast_paths(False):
        slow = stage(dialect, states, compiled.patch).after
    fast = stage(dialect, states, compiled.patch, tidy=tidy).after
    assert fast == slow
    return dict(fast)


@settings(max_examples=500)
@given(both, chances)
def test_undone_at_once_memory_is_as_before(dialect: Dialect, chance: Chance) -> None:
    cohort = chance.cohort()
    before = spoken(dialect, cohort)
    staged = staged_or_none(dialect, before, spoken(dialect, chance.patch(cohort)))
    if staged is None:
        return
    parts = undone("s1", before, staged)
    for part in parts:
        assert same(merge(staged.after[part.scope], part.inverse).value, before[part.scope])
    undo = undo_draft(dialect, parts, staged.after)
    assert undo.cannot == ()
    assert all(step.ticked for step in undo.draft.steps)
    after = published(dialect, undo.draft, staged.after)
    for scope in SCOPES:
        assert same(after[scope], before[scope])


@settings(max_examples=300)
@given(both, odd_chances)
def test_names_that_mean_something_elsewhere_come_back_too(dialect: Dialect, chance: Chance) -> None:
    cohort = chance.cohort()
    before = spoken(dialect, cohort)
    staged = staged_or_none(dialect, before, spoken(dialect, chance.patch(cohort)))
    if staged is None:
        return
    undo = undo_draft(dialect, undone("s1", before, staged), staged.after)
    assert all("an object of [N] keys" in reason for reason in undo.cannot)
    after = published(dialect, undo.draft, staged.after)
    for scope in SCOPES:
        assert undo.cannot or same(after[scope], before[scope])


@settings(max_examples=300)
@given(both, chances)
def test_two_undone_newest_first_give_what_was_before_both(dialect: Dialect, chance: Chance) -> None:
    before, first, second = two(dialect, chance)
    if first is None or second is None:
        return
    parts = undone("s2", first.after, second) + undone("s1", before, first)
    undo = undo_draft(dialect, parts, second.after)
    after = published(dialect, undo.draft, second.after)
    for scope in SCOPES:
        assert undo.cannot or same(after[scope], before[scope])


@settings(max_examples=300)
@given(both, chances)
def test_what_came_later_stays(dialect: Dialect, chance: Chance) -> None:
    before, first, second = two(dialect, chance)
    if first is None or second is None:
        return
    undo = undo_draft(dialect, undone("s1", before, first), second.after)
    assert all(step.ticked or "changed since" in step.note for step in undo.draft.steps)
    after = published(dialect, undo.draft, second.after)
    for scope, net in second.net.items():
        for path in ends(net, {}):
            if len(path) > 1:
                assert reference.found(after[scope], path) == reference.found(second.after[scope], path)
            else:  # a plane that was emptied holds again what the first transition took from it, and no more
                had: Any = first.after[scope]
                assert not set(after[scope].get(path[0], {})) & set(had[path[0]])
