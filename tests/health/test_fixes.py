"""Fixes: carried out by the real engine each removes its finding, and changes nothing in effect where that is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.health.examine import examine
from engine.health.findings import CODES, Finding, Limits
from engine.health.looking import Looker
from engine.health.subject import subject_of
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Remove, Step
from engine.memory.overlay import effective, effective_at
from engine.memory.scope import SCOPES, Scope
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from engine.values import prune, same
from sftui.views.fixing import fixes
from tests.app.stores import Store, begin
from tests.health.examining import States, after, report
from tests.memory.drafting import Chance

TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
LONG = "the same long text, again and again. " * 10
# Everything that has a fix, once.
MEMORY: Final[dict[str, Any]] = {
    "global": {"strategy": {"style": {"commits": "short"}, "guide": LONG}, "tactics": {"n": 1}},
    "cwd": {
        "intents": {"i": {"goal": "g", "gone": {"$ref": "cwd.lazy.gone"}}},
        "strategy": {"style": {"commits": "short"}},
        "tactics": {
            "token": TOKEN,
            "note": f"the upload takes {TOKEN} as its bearer; look at the dashboard afterwards",
            "two words": 1,
            "big": "y" * 9_000,
            "id": 2**60 + 1,
            "copy": [{"of": LONG}],
            "uses": "$cwd.tactics.big",
        },
        "artifacts": {"/nowhere/at/all.md": {"description": "d"}},
        "lazy": {"hollow": {"x": {}}},
    },
    "session": {"tactics": {"n": 1}},
}


def look(store: Store) -> tuple[Snapshot, list[Finding]]:
    """What is found in a store."""
    seen = snapshot(store.address)
    assert seen.cohort is not None
    subject = subject_of(seen, seen.cohort.states)
    assert subject is not None
    told, _ = examine(subject, Looker().look(subject, Limits()), Limits())
    return seen, [one for one in told.findings if one.code != "orphan"]


def accept(store: Store, findings: list[Finding]) -> None:
    """Write fixes as the app does: staged as a draft, approved, published."""
    made = fixes(findings, Draft())
    draft = Draft(tuple(Step(one) for one in made.operations))
    preview = publish(store.address, draft, wanted=SCOPES, dry_run=True)
    assert not preview.problems
    publish(store.address, draft, wanted=SCOPES, approved=preview.digest, force_session=True)


def test_every_fix_is_carried_out_by_the_engine_and_removes_its_finding(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    _, findings = look(store)
    fixed = {one.code for one in findings if one.fix}
    assert fixed == set(CODES) - {"orphan", "source-changed", "source-unknown"}
    before = {one.key for one in findings}
    while fixable := [one for one in findings if one.fix]:
        one = fixable[0]
        seen, _ = look(store)
        accept(store, [one])
        now, findings = look(store)
        assert one.key not in {other.key for other in findings}, one
        assert {other.key for other in findings} <= before, "a fix makes nothing worse"
        if one.same:
            assert seen.cohort is not None and now.cohort is not None
            was, is_ = (prune(effective(V4, cohort.states)) for cohort in (seen.cohort, now.cohort))
            assert same(was, is_), one
    assert not [one for one in findings if one.code != "dangling"], findings


def test_all_fixes_at_once_are_one_patch(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    seen, findings = look(store)
    accept(store, [one for one in findings if one.fix])
    now, left = look(store)
    assert [one.code for one in left] == []
    revisions = [{s: r.stream.revision for s, r in one.scopes.items() if r.stream is not None} for one in (seen, now)]
    assert {scope: revisions[1][scope] - revisions[0][scope] for scope in SCOPES} == {
        "global": 0,
        "cwd": 1,
        "session": 1,
    }
    state = now.scopes["cwd"].stream.current  # type: ignore[union-attr]
    assert state["lazy"] == {"big": "y" * 9_000}
    assert state["tactics"] == {
        "note": "the upload takes [removed] as its bearer; look at the dashboard afterwards",
        "two-words": 1,
        "id": "1152921504606846977",
        "copy": [{"of": {"$ref": "global.strategy.guide"}}],
        "uses": "$cwd.lazy.big",
    }


# Several at one place.


def test_what_goes_with_a_deletion_needs_no_edit_and_what_clashes_is_left_out() -> None:
    big = f"{TOKEN} {'y' * 9_000}"
    told = report(**{"global": {"tactics": {"x": {"a": {"$ref": "global.lazy.gone"}, "k": 1}}}, "cwd": {"tactics": {"x": {"a": {"$ref": "global.lazy.gone"}, "k": 1}, "big": big}}})  # fmt: skip
    own = [one for one in told.findings if one.scope == "cwd"]
    assert [one.code for one in own] == ["secret", "dangling", "large-hot", "inherited"]
    made = fixes(own, Draft())
    assert [one.code for one in made.taken] == ["secret", "dangling", "inherited"]
    assert [one.code for one in made.clashing] == ["large-hot"], "the worst of two comes first"
    assert [type(one).__name__ for one in made.operations] == ["Put", "Remove"]


def test_what_the_draft_changes_already_is_not_changed_again() -> None:
    states: dict[Scope, Any] = {"cwd": {"tactics": {"e": {"f": {}}, "t": TOKEN}}}
    findings = report(**states).findings
    made = fixes(findings, Draft())
    again = fixes(findings, Draft(tuple(Step(one) for one in made.operations)))
    assert again.operations == () and len(again.staged) == 2
    assert fixes([], Draft()) == fixes((), Draft())


# Memories made by chance.


def memory(seed: int) -> dict[Scope, Any]:
    """Three small scopes in which much is said twice, empty, dangling, odd or rounded."""
    chance = Chance(seed)

    def value(depth: int) -> Any:
        if depth and chance.of(0.5):
            return {key: value(depth - 1) for key in (*chance.keys(0.7), *(["odd key"] if chance.of(0.1) else []))}
        if depth and chance.of(0.15):
            return [value(depth - 1) for _ in range(chance.random.randrange(3))]
        if chance.of(0.1):
            return {"$ref": chance.target()}
        return chance.one(1, 2, "x", LONG, f"see ${chance.target()} there", 2**60 + 1, TOKEN, {})

    return {
        scope: {
            plane: {key: value(2) for key in chance.keys(0.8)}
            for plane in ("intents", "strategy", "tactics", "lazy")
            if chance.of(0.8)
        }
        for scope in SCOPES
    }


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_whatever_is_found_its_fix_removes_it_and_what_is_said_to_stay_stays(seed: int) -> None:
    states = memory(seed)
    try:
        effective(V4, states)
    except InvalidRequest:
        return
    limits = Limits(hot_bytes=300)
    for one in report(limits, **states).findings:
        if not one.fix:
            assert one.unfixed, one
            continue
        now = after(states, one.fix)
        assert one.key not in {other.key for other in report(limits, **now).findings}, (one, states)
        if one.same and isinstance(one.fix[0], Remove):
            assert same(_given(states, one), _given(now, one)), (one, states)


@given(st.integers(0, 2**32))
def test_an_override_is_told_just_where_taking_it_away_changes_nothing(seed: int) -> None:
    """Against what the whole overlay says, worked out for every place with and without it."""
    states = memory(seed)
    try:
        whole = effective(V4, states)
    except InvalidRequest:
        return
    told = {(one.scope, one.path) for one in report(**states).findings if one.code == "inherited"}
    for scope, path in told:
        assert same(effective(V4, _without(states, scope, path)), whole)
    for scope in SCOPES[1:]:
        for plane, held in states[scope].items():
            for key, value in held.items():
                broader = any(key in states[one].get(plane, {}) for one in SCOPES[: SCOPES.index(scope)])
                if not broader or isinstance(value, dict):
                    continue
                below = {one: states[one] for one in SCOPES[: SCOPES.index(scope)]}
                inherits = same(effective_at(V4, below, (plane, key))[1], value)
                assert ((scope, (plane, key)) in told) == inherits, (scope, plane, key, states)


def _given(states: States, finding: Finding) -> Any:
    """What a model is given at the place of a finding: nothing where only empty branches are."""
    there, value = effective_at(V4, states, finding.path)
    return prune({"here": value}) if there else {}


def _without(states: States, scope: Scope, path: tuple[str | int, ...]) -> States:
    def cut(value: Any, rest: tuple[str | int, ...]) -> Any:
        if len(rest) == 1:
            return {key: member for key, member in value.items() if key != rest[0]}
        inner = cut(value[rest[0]], rest[1:])
        return {key: member for key, member in {**value, rest[0]: inner}.items() if key != rest[0] or inner}

    return {**states, scope: cut(states[scope], path)}
