"""Drafts of very many steps: what they cost grows as they do, and what they come to is what one after another does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from engine.memory.collecting import collect
from engine.memory.compiling import Compiled, compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Operation, PreImage, Remove, Step, Transfer
from engine.memory.gathering import drifted, pre_image
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.values import use_fast_paths
from tests.memory.drafting import Chance, chances
from tests.memory.test_cost import Tally, counted

ABSENT = PreImage(exists=False)


def crowd(count: int) -> dict[Scope, Any]:
    """Intents that each own a note, and name the next one in passing."""
    ring = [(n, (n + 1) % count) for n in range(count)]
    return {
        "global": {},
        "session": {},
        "cwd": {
            "intents": {
                f"i{n}": {"goal": f"as $cwd.lazy.n{m} says", "own": {"$ref": f"cwd.lazy.n{n}"}} for n, m in ring
            },
            "tactics": {f"t{n}": {"step": n, "see": f"$cwd.tactics.t{m}"} for n, m in ring},
            "lazy": {f"n{n}": {"text": f"see $cwd.intents.i{m}"} for n, m in ring},
        },
    }


def transfers(states: Any, plane: str, letter: str, to: Scope, to_plane: str) -> list[Operation]:
    names = list(states["cwd"][plane])
    return [
        Transfer("cwd", (plane, name), to, (to_plane, name), pre_image(states, "cwd", (plane, name)), ABSENT)
        for name in names
        if name.startswith(letter)
    ]


def removals(states: Any, plane: str) -> list[Operation]:
    return [Remove("cwd", (plane, name), pre_image(states, "cwd", (plane, name))) for name in states["cwd"][plane]]


BULK: dict[str, Callable[[Any], list[Operation]]] = {
    "intents move, with what they own": lambda states: transfers(states, "intents", "i", "global", "intents"),
    "intents go, with what they own": lambda states: removals(states, "intents"),
    "notes move": lambda states: transfers(states, "lazy", "n", "global", "lazy"),
    "tactics go to lazy": lambda states: transfers(states, "tactics", "t", "cwd", "lazy"),
    "notes go": lambda states: removals(states, "lazy"),
}


def visits(name: str, count: int) -> int:
    plain = crowd(count)
    tally = Tally()
    states: dict[Scope, Any] = {scope: counted(state, tally) for scope, state in plain.items()}
    operations = BULK[name](plain)
    tally.visits = 0
    draft = collect(Draft(), operations, states, V4)
    assert len(draft.steps) == count
    assert not drifted(draft, states)
    compiled = compile_draft(draft, V4, states)
    assert compiled.problems == ()
    stage(V4, states, compiled.patch)
    return tally.visits


@pytest.mark.parametrize("name", BULK)
def test_twice_as_many_cost_about_twice_as_much(name: str) -> None:
    with use_fast_paths(True):  # the slow twin follows references for each step by itself
        few, many = visits(name, 250), visits(name, 1_000)
    assert many < 5 * few, (few, many)


def test_many_intents_take_everything_along() -> None:
    states = crowd(300)
    compiled = compile_draft(Draft(tuple(map(Step, BULK["intents move, with what they own"](states)))), V4, states)
    after: Any = stage(V4, states, compiled.patch).after
    assert after["cwd"] == {"tactics": states["cwd"]["tactics"]}
    assert after["global"]["intents"] == {
        f"i{n}": {"goal": f"as $global.lazy.n{(n + 1) % 300} says", "own": {"$ref": f"global.lazy.n{n}"}}
        for n in range(300)
    }
    assert after["global"]["lazy"] == {f"n{n}": {"text": f"see $global.intents.i{(n + 1) % 300}"} for n in range(300)}


def crossing(chance: Chance, cohort: Any) -> list[Operation]:
    """Intents that go from scope to scope under their own names, now and then with something else in between."""
    made: list[Operation] = []
    for _ in range(chance.one(2, 3, 4, 5, 6)):
        scope, to = chance.one(
            ("cwd", "global"), ("cwd", "global"), ("cwd", "global"), ("global", "cwd"), ("cwd", "session")
        )
        path = ("intents", chance.one(*chance.names))
        if chance.of(0.1):
            made.append(chance.move(cohort))
        made.append(Transfer(scope, path, to, path, ABSENT, ABSENT, chance.of(0.1), chance.of(0.9), chance.of(0.9)))
    return made


def outcome(compiled: Compiled) -> Any:
    problems = [(one.step, one.code, one.scope, one.path) for one in compiled.problems]
    told = {(one.code, one.scope, one.path) for one in compiled.remarks if one.code != "references-stay"}
    return compiled.patch, problems, told


@settings(max_examples=300)
@given(chances)
def test_crossing_together_is_crossing_one_by_one(chance: Chance) -> None:
    cohort = chance.cohort()
    draft = Draft(tuple(map(Step, crossing(chance, cohort))))
    together = compile_draft(draft, V4, cohort)
    with use_fast_paths(False):
        alone = compile_draft(draft, V4, cohort)
    assert outcome(together) == outcome(alone)
    for scope in SCOPES:
        assert stage(V4, cohort, together.patch).after[scope] == stage(V4, cohort, alone.patch).after[scope]
