"""Compiling a draft against carrying it out by copies."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from engine.errors import InvalidRequest
from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Step
from engine.memory.gathering import raw
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.values import same, use_fast_paths
from tests.memory.draft_reference import LongWay
from tests.memory.drafting import Chance, chances, odd_chances
from tests.memory.reference import pruned


@settings(max_examples=500)
@given(chances)
def test_a_draft_comes_to_what_its_steps_come_to(chance: Chance) -> None:
    states = chance.cohort()
    compare(states, chance.draft(states))


@settings(max_examples=500)
@given(chances)
def test_moves_and_the_references_to_them_come_to_what_they_come_to(chance: Chance) -> None:
    states = chance.cohort()
    compare(states, Draft(tuple(Step(chance.move(states)) for _ in range(4))))


@settings(max_examples=400)
@given(odd_chances)
def test_names_that_mean_something_elsewhere_are_names(chance: Chance) -> None:
    states = chance.cohort()
    compare(states, chance.draft(states))


@settings(max_examples=300)
@given(chances)
def test_empty_objects_that_others_left_are_in_nobodys_way(chance: Chance) -> None:
    states = {
        scope: {plane: chance.untidy(members) for plane, members in state.items()}
        for scope, state in chance.cohort().items()
    }
    compare(states, chance.draft(states), tidy=False)


@settings(max_examples=500)
@given(chances | odd_chances)
def test_a_patch_in_a_draft_does_what_it_does_by_itself(chance: Chance) -> None:
    states = chance.cohort()
    patch = chance.patch(states)
    try:
        alone = stage(V4, states, patch)
    except InvalidRequest:
        return
    compiled = compile_draft(Draft((Step(raw(states, patch)),)), V4, states)
    assert compiled.problems == ()
    drafted = stage(V4, states, compiled.patch)
    assert all(same(drafted.after[scope], alone.after[scope]) for scope in SCOPES), (states, patch, compiled.patch)
    assert drafted.net == alone.net
    assert drafted.cascaded == alone.cascaded


def compare(states: Any, draft: Draft, *, tidy: bool = True) -> None:
    long_way = LongWay(states)
    wanted = long_way.run(draft)
    compiled = compile_draft(draft, V4, states)
    # Arrays that become objects of [N] keys are told of where the patch is authored, not by a step.
    late = [one.step for one in compiled.problems if one.code == "unrecordable"]
    assert sorted({one.step for one in compiled.problems if one.code != "unrecordable"}) == long_way.refused, draft
    for known in (frozenset[Scope](), frozenset(SCOPES)) if tidy else (frozenset[Scope](),):
        with use_fast_paths(bool(known)):
            staged = stage(V4, states, compiled.patch, tidy=known)
        for scope in SCOPES:
            # What is not named is not pruned either.
            after = staged.after[scope] if scope in compiled.patch else pruned(states[scope])
            assert late or same(after, wanted[scope]), (scope, states, draft, compiled.patch)
