"""What compiling and undoing small drafts costs in ten megabytes: values handed out are counted, never seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Operation, PreImage, Put, Remove, Step, Transfer
from engine.memory.gathering import drifted, pre_image, raw
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.memory.undo import Undone, inverse, undo_draft
from engine.values import KeyPath, encode
from tests.memory.reference import paths
from tests.memory.test_cost import TIDY, Tally, big, counted

NOTE: KeyPath = ("lazy", "topic3", "part5", "note7")
ABSENT = PreImage(exists=False)
MOST = 300  # two topics of 20 parts of 20 notes, copied on the way, and what is asked for in them


@pytest.fixture(scope="module")
def plain() -> dict[Scope, Any]:
    states: dict[Scope, Any] = {"global": {}, "cwd": big(V4, "cwd"), "session": {"intents": {"s": "look"}}}
    assert len(encode(states["cwd"])) > 10_000_000
    return states


def put(states: Any, path: KeyPath, value: Any) -> Put:
    return Put("cwd", path, value, pre_image(states, "cwd", path))


DRAFTS: dict[str, Callable[[Any], list[Operation]]] = {
    "a lazy leaf": lambda states: [put(states, (*NOTE, "text"), "new")],
    "an element": lambda states: [put(states, (*NOTE, "tags", 1), "new")],
    "an element goes": lambda states: [Remove("cwd", (*NOTE, "tags", 1), ABSENT)],
    "a deletion": lambda states: [Remove("cwd", NOTE, ABSENT)],
    "a hot key": lambda states: [put(states, ("tactics", "now", "step"), 2)],
    "a card": lambda states: [put(states, ("artifacts", "/src/3.py", "tags"), ["u"])],
    "a patch": lambda states: [raw(states, {"cwd": {"lazy": {"topic3": {"part5": {"fresh": {"x": [1]}}}}}})],
    "an edit taken back": lambda states: [put(states, (*NOTE, "text"), "new"), put(states, (*NOTE, "text"), "x" * 1300)],
}  # fmt: skip


@pytest.mark.parametrize("name", DRAFTS)
def test_a_small_draft_in_ten_megabytes_visits_little(name: str, plain: dict[Scope, Any]) -> None:
    draft = Draft(tuple(map(Step, DRAFTS[name](plain))))
    tally = Tally()
    states: dict[Scope, Any] = {scope: counted(state, tally) for scope, state in plain.items()}
    tally.visits = 0
    compiled = compile_draft(draft, V4, states)
    drifted(draft, states)
    visits = tally.visits
    assert compiled.problems == ()
    assert visits <= MOST, f"{visits} values were handed out"
    assert compile_draft(draft, V4, plain).patch == compiled.patch
    after: Any = stage(V4, plain, compiled.patch, tidy=TIDY).after["cwd"]
    assert after["lazy"]["topic4"] is plain["cwd"]["lazy"]["topic4"]


def test_a_rename_visits_what_it_moves(plain: dict[Scope, Any]) -> None:
    move = Transfer("cwd", ("lazy", "topic3"), "cwd", ("lazy", "other"), ABSENT, ABSENT, rewrite=False)
    tally = Tally()
    states: dict[Scope, Any] = {scope: counted(state, tally) for scope, state in plain.items()}
    tally.visits = 0
    compiled = compile_draft(Draft((Step(move),)), V4, states)
    moved = len(paths(plain["cwd"]["lazy"]["topic3"]))
    assert tally.visits < 2 * moved, (tally.visits, moved)
    assert compiled.patch == {"cwd": {"lazy": {"topic3": None, "other": plain["cwd"]["lazy"]["topic3"]}}}


def test_many_deletions_in_one_object_copy_it_once() -> None:
    states: Any = {"cwd": {"lazy": {"notes": {f"k{n}": n for n in range(2_000)}}}}
    tally = Tally()
    watched: dict[Scope, Any] = {"cwd": counted(states["cwd"], tally)}
    draft = Draft(tuple(Step(Remove("cwd", ("lazy", "notes", f"k{n}"), ABSENT)) for n in range(0, 2_000, 2)))
    tally.visits = 0
    compiled = compile_draft(draft, V4, watched)
    # Each is asked for a few times, and all are copied; a copy for each deletion would be two million.
    assert tally.visits < 20_000
    assert compiled.patch == {"cwd": {"lazy": {"notes": {f"k{n}": None for n in range(0, 2_000, 2)}}}}


def test_an_undo_of_a_small_transition_visits_little(plain: dict[Scope, Any]) -> None:
    staged = stage(V4, plain, {"cwd": {"lazy": {"topic3": {"part5": {"note7": {"text": "new"}}}}}}, tidy=TIDY)
    tally = Tally()
    after: dict[Scope, Any] = {scope: counted(staged.after[scope], tally) for scope in SCOPES}
    before: dict[Scope, Any] = {scope: counted(plain[scope], tally) for scope in SCOPES}
    tally.visits = 0
    back = inverse("cwd", before["cwd"], after["cwd"], staged.net["cwd"])
    undo = undo_draft(V4, [Undone("cwd", "s1", staged.net["cwd"], back)], after)
    visits = tally.visits
    assert [step.operation for step in undo.draft.steps] == [
        Put("cwd", (*NOTE, "text"), "x" * 1300, PreImage(exists=True, value="new"))
    ]
    assert visits <= MOST, f"{visits} values were handed out"
