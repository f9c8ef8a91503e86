"""Compiling a draft against carrying it out by copies."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.values import same, use_fast_paths
from tests.memory.draft_reference import LongWay
from tests.memory.drafting import cohorts, drafts


@given(st.data())
def test_a_draft_comes_to_what_its_steps_come_to(data: st.DataObject) -> None:
    states: Any = data.draw(cohorts)
    draft = data.draw(drafts(states))
    long_way = LongWay(states)
    wanted = long_way.run(draft)
    compiled = compile_draft(draft, V4, states)
    # Arrays that become objects of [N] keys are told of where the patch is authored, not by a step.
    late = [one.step for one in compiled.problems if one.code == "unrecordable"]
    assert sorted({one.step for one in compiled.problems if one.code != "unrecordable"}) == long_way.refused
    for tidy in (frozenset[Scope](), frozenset(SCOPES)):
        for fast in (True, False):
            with use_fast_paths(fast):
                staged = stage(V4, states, compiled.patch, tidy=tidy)
            if not late:
                for scope in SCOPES:
                    assert same(staged.after[scope], wanted[scope]), (scope, staged.after[scope], wanted[scope])
