"""A look at memory that stands in a test, and what a draft makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.health.examine import Memo, examine
from engine.health.findings import Finding, Limits, Report
from engine.health.looking import Disk
from engine.health.subject import Subject
from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Operation, Step
from engine.memory.scope import SCOPES, Scope
from engine.memory.staging import stage

States = Mapping[Scope, Any]


def subject(**states: Any) -> Subject:
    """Scopes by name; a scope that is not named is absent, unless all three are there."""
    named: dict[Scope, Any] = {scope: states[scope] for scope in SCOPES if scope in states}
    return Subject(V4, named, addresses={scope: scope for scope in named})


def report(limits: Any = None, **states: Any) -> Report:
    """What is found in these scopes."""
    return examine(subject(**states), Disk(), limits or Limits())[0]


def found(code: str, limits: Any = None, **states: Any) -> list[Finding]:
    """The findings of one kind."""
    return [one for one in report(limits, **states).findings if one.code == code]


def places(code: str, limits: Any = None, **states: Any) -> list[str]:
    """Where they are."""
    return [one.place for one in found(code, limits, **states)]


def after(states: States, operations: Iterable[Operation]) -> dict[Scope, Any]:
    """What the engine makes of edits: compiled and staged as a publication does."""
    draft = Draft(tuple(Step(one) for one in operations))
    compiled = compile_draft(draft, V4, states)
    assert not compiled.problems, compiled.problems
    if not compiled.patch:
        return dict(states)
    staged = stage(V4, states, compiled.patch)
    return {scope: staged.after[scope] for scope in states}


def look_again(before: Memo | None, step: Callable[[], object] = lambda: None, **states: Any) -> tuple[Report, Memo]:
    """One look after another."""
    return examine(subject(**states), Disk(), Limits(), before, step)
