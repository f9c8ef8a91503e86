"""Staging, by tables worked out by hand from the order of the contract: intents, cascade, the other planes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.artifacts import Evidence, parse_evidence
from engine.memory.dialect import V2, V4, Dialect, dialect_for
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.values import MissingDeletion, merge, use_fast_paths
from tests.memory import reference
from tests.memory.owning import REFS, intent_patches, owning_states

OWNS_A = {"$ref": "cwd.working.a"}
OWNS_PLAN = {"$ref": "cwd.lazy.plan"}


@dataclass(frozen=True)
class Row:
    """cwd before, the patch of cwd, cwd after, what the cascade says, what is recorded, what was missed."""

    before: Any
    patch: Any
    after: Any
    cascaded: list[str] = field(default_factory=list)
    net: Any = None
    missed: list[tuple[str, str]] = field(default_factory=list)
    dialect: Dialect = V2


ROWS: dict[str, Row] = {
    # A successor takes over in the same patch: nothing is cleared.
    "supersession keeps what the successor names": Row(
        {"intents": {"old": {"do": "x", "own": OWNS_PLAN}}, "lazy": {"plan": {"s": 1}}},
        {"intents": {"old": None, "new": {"do": "y", "own": OWNS_PLAN}}},
        {"intents": {"new": {"do": "y", "own": OWNS_PLAN}}, "lazy": {"plan": {"s": 1}}},
        net={"intents": {"old": None, "new": {"do": "y", "own": OWNS_PLAN}}},
    ),
    "supersession by an existing intent's new reference": Row(
        {"intents": {"old": OWNS_PLAN, "other": {"do": "z"}}, "lazy": {"plan": {"s": 1}}},
        {"intents": {"old": None, "other": {"own": [OWNS_PLAN]}}},
        {"intents": {"other": {"do": "z", "own": [OWNS_PLAN]}}, "lazy": {"plan": {"s": 1}}},
        net={"intents": {"old": None, "other": {"own": [OWNS_PLAN]}}},
    ),
    "a successor that names something above keeps it": Row(
        {"intents": {"old": {"$ref": "cwd.lazy.plan.step"}}, "lazy": {"plan": {"step": 1, "t": 2}}},
        {"intents": {"old": None, "new": OWNS_PLAN}},
        {"intents": {"new": OWNS_PLAN}, "lazy": {"plan": {"step": 1, "t": 2}}},
    ),
    "a successor that names something below keeps it": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": {"step": [1], "t": 2}}},
        {"intents": {"old": None, "new": {"$ref": "cwd.lazy.plan.step[0]"}}},
        {"intents": {"new": {"$ref": "cwd.lazy.plan.step[0]"}}, "lazy": {"plan": {"step": [1], "t": 2}}},
    ),
    "a successor that names the whole plane keeps it": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": 1}},
        {"intents": {"old": None, "new": {"$ref": "cwd.lazy"}}},
        {"intents": {"new": {"$ref": "cwd.lazy"}}, "lazy": {"plan": 1}},
    ),
    "a successor that only mentions it in a text does not": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": 1, "k": 2}},
        {"intents": {"old": None, "new": "see $cwd.lazy.plan"}},
        {"intents": {"new": "see $cwd.lazy.plan"}, "lazy": {"k": 2}},
        ["cwd.lazy.plan"],
        {"intents": {"old": None, "new": "see $cwd.lazy.plan"}, "lazy": {"plan": None}},
    ),
    "a successor in another scope's words does not": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": 1}},
        {"intents": {"old": None, "new": {"$ref": "session.lazy.plan"}}},
        {"intents": {"new": {"$ref": "session.lazy.plan"}}},
        ["cwd.lazy.plan"],
    ),
    # What survives is written again in the deleting patch.
    "rewritten at the same path: fresh, without the old fields": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"old": 1, "both": 1}, "k": 1}},
        {"intents": {"i": None}, "lazy": {"plan": {"both": 2}}},
        {"lazy": {"plan": {"both": 2}, "k": 1}},
        ["cwd.lazy.plan"],
        {"intents": None, "lazy": {"plan": {"old": None, "both": 2}}},
    ),
    "rewritten with the very same value: nothing of it is recorded": Row(
        {"intents": {"i": OWNS_PLAN, "j": 1}, "lazy": {"plan": {"old": 1}}},
        {"intents": {"i": None}, "lazy": {"plan": {"old": 1}}},
        {"intents": {"j": 1}, "lazy": {"plan": {"old": 1}}},
        ["cwd.lazy.plan"],
        {"intents": {"i": None}},
    ),
    "rewritten at a new path": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"old": 1}}},
        {"intents": {"i": None}, "lazy": {"archive": {"plan": "done"}}},
        {"lazy": {"archive": {"plan": "done"}}},
        ["cwd.lazy.plan"],
        {"intents": None, "lazy": {"plan": None, "archive": {"plan": "done"}}},
    ),
    "moved to another plane": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": 1}},
        {"intents": {"i": None}, "contract": {"learnt": 1}},
        {"contract": {"learnt": 1}},
        ["cwd.working.a"],
        {"intents": None, "working": None, "contract": {"learnt": 1}},
    ),
    "a part below a cleared target is fresh knowledge": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"a": {"x": 1}, "b": 1}}},
        {"intents": {"i": None}, "lazy": {"plan": {"a": {"y": 2}}}},
        {"lazy": {"plan": {"a": {"y": 2}}}},
        ["cwd.lazy.plan"],
        {"intents": None, "lazy": {"plan": {"a": {"x": None, "y": 2}, "b": None}}},
    ),
    "a target is what it was before the patch wrote": Row(
        {"intents": {"i": {"$ref": "cwd.working.new"}}},
        {"intents": {"i": None}, "working": {"new": 1}},
        {"working": {"new": 1}},
        net={"intents": None, "working": {"new": 1}},
    ),
    "an array rewritten whole": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": [1, 2]}},
        {"intents": {"i": None}, "working": {"a": [3]}},
        {"working": {"a": [3]}},
        ["cwd.working.a"],
        {"intents": None, "working": {"a": [3]}},
    ),
    # Deletions and the cascade.
    "a null on what was just cleared is not missed": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": 1, "b": 1}},
        {"intents": {"i": None}, "working": {"a": None}},
        {"working": {"b": 1}},
        ["cwd.working.a"],
        {"intents": None, "working": {"a": None}},
    ),
    "nor below it": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"x": {"y": 1}}}},
        {"intents": {"i": None}, "lazy": {"plan": {"x": {"y": None}}}},
        {},
        ["cwd.lazy.plan"],
    ),
    "but what was not there before is missed": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"x": 1}}},
        {"intents": {"i": None}, "lazy": {"plan": {"z": None}}},
        {},
        ["cwd.lazy.plan"],
        missed=[("/cwd/lazy/plan/z", "/cwd/lazy/plan")],
    ),
    "misses are listed as the planes were written": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": 1}},
        {"working": {"none": None}, "intents": {"nobody": None}},
        {"intents": {"i": OWNS_A}, "working": {"a": 1}},
        missed=[("/cwd/working/none", "/cwd/working/none"), ("/cwd/intents/nobody", "/cwd/intents/nobody")],
    ),
    # What counts as deleted.
    "an intent pruned to nothing is deleted": Row(
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": {"own": None}}},
        {},
        ["cwd.working.a"],
        {"intents": None, "working": None},
    ),
    "an intent set to an empty object keeps its fields": Row(
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": {}}},
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
    ),
    "an edited intent is not deleted": Row(
        {"intents": {"i": {"do": "x", "own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": {"own": None}}},
        {"intents": {"i": {"do": "x"}}, "working": {"a": 1}},
        net={"intents": {"i": {"own": None}}},
    ),
    "an intent replaced by a text is not deleted": Row(
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": "done"}},
        {"intents": {"i": "done"}, "working": {"a": 1}},
    ),
    "an intent emptied and another deleted": Row(
        {"intents": {"i": {"x": {"own": OWNS_A}}, "j": OWNS_PLAN}, "working": {"a": 1}, "lazy": {"plan": 1}},
        {"intents": {"i": {"x": {"own": None}}, "j": None}},
        {},
        ["cwd.lazy.plan", "cwd.working.a"],
    ),
    # Targets.
    "nested targets go as one": Row(
        {"intents": {"i": [OWNS_PLAN, {"$ref": "cwd.lazy.plan.x"}]}, "lazy": {"plan": {"x": 1}}},
        {"intents": {"i": None}},
        {},
        ["cwd.lazy.plan"],
    ),
    "a kept target does not keep what lies below it from going with another": Row(
        {
            "intents": {"i": [OWNS_PLAN, {"$ref": "cwd.lazy.plan.x"}], "j": {"$ref": "cwd.lazy.plan.y"}},
            "lazy": {"plan": {"x": 1, "y": 2}},
        },
        {"intents": {"i": None}},
        {"intents": {"j": {"$ref": "cwd.lazy.plan.y"}}, "lazy": {"plan": {"y": 2}}},
        ["cwd.lazy.plan.x"],
    ),
    "what cannot be owned is skipped silently": Row(
        {
            "intents": {"i": [
                {"$ref": "cwd.contract.a"}, {"$ref": "cwd.artifacts.a"}, {"$ref": "cwd.intents.k"}, {"$ref": "cwd.working"},
                {"$ref": "cwd.working.list[0]"}, {"$ref": "working.a"}, {"$ref": "effective.working.a"},
                {"$ref": "session.working.a"}, {"$ref": "cwd[0].working.a"}, {"$ref": "cwd.working.odd key"},
                {"$ref": "cwd.working.none"}, {"$ref": "https://example.org"},
            ], "k": 1},
            "contract": {"a": 1}, "working": {"a": 1, "list": [1], "odd key": 1},
        },
        {"intents": {"i": None}},
        {"intents": {"k": 1}, "contract": {"a": 1}, "working": {"a": 1, "list": [1], "odd key": 1}},
    ),
    # Dialect 4 owns strategy as well.
    "strategy is owned in dialect 4": Row(
        {"intents": {"i": [{"$ref": "cwd.strategy.s"}, {"$ref": "cwd.tactics.t"}, {"$ref": "cwd.lazy.l"}]},
         "strategy": {"s": 1, "keep": 1}, "tactics": {"t": 1}, "lazy": {"l": 1}},
        {"intents": {"i": None}},
        {"strategy": {"keep": 1}},
        ["cwd.lazy.l", "cwd.strategy.s", "cwd.tactics.t"],
        {"intents": None, "strategy": {"s": None}, "tactics": None, "lazy": None},
        dialect=V4,
    ),
    "strategy is no safe haven, unless it is rewritten": Row(
        {"intents": {"i": {"$ref": "cwd.strategy.s"}}, "strategy": {"s": {"old": 1}}},
        {"intents": {"i": None}, "strategy": {"s": {"new": 1}}},
        {"strategy": {"s": {"new": 1}}},
        ["cwd.strategy.s"],
        {"intents": None, "strategy": {"s": {"old": None, "new": 1}}},
        dialect=V4,
    ),
    "contract is not owned in dialect 2": Row(
        {"intents": {"i": {"$ref": "cwd.contract.s"}}, "contract": {"s": 1}},
        {"intents": {"i": None}},
        {"contract": {"s": 1}},
    ),
    # Repeats.
    "a correct repeat changes nothing": Row(
        {"working": {"a": {"b": [1, 2.0]}}}, {"working": {"a": {"b": [1.0, 2]}}}, {"working": {"a": {"b": [1, 2.0]}}}, net={}
    ),
    "a repeated deletion changes nothing and is missed": Row(
        {"working": {"b": 1}},
        {"working": {"a": None}},
        {"working": {"b": 1}},
        net={},
        missed=[("/cwd/working/a", "/cwd/working/a")],
    ),
    "an element becomes a whole array in the record": Row(
        {"lazy": {"m": ["a", "b"]}}, {"lazy": {"m": {"[1]": "c"}}}, {"lazy": {"m": ["a", "c"]}}, net={"lazy": {"m": ["a", "c"]}}
    ),
}  # fmt: skip


@pytest.mark.parametrize("fast", [True, False], ids=["fast", "slow"])
@pytest.mark.parametrize("name", ROWS)
def test_a_patch_comes_to_what_the_contract_says(name: str, fast: bool) -> None:
    row = ROWS[name]
    with use_fast_paths(fast):
        staged = stage(row.dialect, {"cwd": row.before}, {"cwd": row.patch}, tidy=frozenset(SCOPES))
    assert staged.after["cwd"] == row.after
    assert list(staged.cascaded.get("cwd", ())) == row.cascaded
    assert [(one.path, one.unavailable) for one in staged.missed] == row.missed
    if row.net is not None:
        assert staged.net == ({"cwd": row.net} if row.net else {})
    if row.before == row.after:
        assert staged.net == {}
    assert merge(row.before, staged.net.get("cwd", {})).value == row.after


def test_external_roots_are_patched_and_pruned_but_never_owned() -> None:
    dialect = dialect_for(4, {"notes": {"module": "m", "projection": "hot"}, "vault": {"module": "m", "projection": "lazy"}})
    before: Any = {
        "intents": {"i": [{"$ref": "cwd.notes.a"}, {"$ref": "cwd.vault.b"}, {"$ref": "cwd.lazy.c"}]},
        "notes": {"a": 1},
        "vault": {"b": 1, "e": {"x": 1}},
        "lazy": {"c": 1},
    }
    staged = stage(dialect, {"cwd": before}, {"cwd": {"intents": {"i": None}, "vault": {"e": {"x": None}, "f": 2}}})
    assert staged.after["cwd"] == {"notes": {"a": 1}, "vault": {"b": 1, "f": 2}}
    assert staged.cascaded == {"cwd": ("cwd.lazy.c",)}
    assert staged.net == {"cwd": {"intents": None, "vault": {"e": None, "f": 2}, "lazy": None}}
    with pytest.raises(InvalidRequest, match="no plane named 'notes'"):
        stage(V4, {"cwd": {}}, {"cwd": {"notes": {"a": 1}}})


def test_an_array_that_goes_with_the_intent_has_no_elements_to_patch() -> None:
    before: Any = {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"steps": ["a", "b"]}, "other": ["c"]}}
    gone: Any = {"intents": {"i": None}, "lazy": {"plan": {"steps": {"[0]": "z"}}}}
    with pytest.raises(InvalidRequest) as refusal:
        stage(V2, {"cwd": before}, {"cwd": gone})
    assert (refusal.value.scope, refusal.value.path) == ("cwd", "lazy.plan.steps")
    staged = stage(V2, {"cwd": before}, {"cwd": {"intents": {"i": None}, "lazy": {"other": {"[0]": "z"}}}})
    assert staged.after["cwd"] == {"lazy": {"other": ["z"]}}
    # An index beyond the array is refused whether or not the array goes.
    with pytest.raises(InvalidRequest):
        stage(V2, {"cwd": before}, {"cwd": {"intents": {"i": None}, "lazy": {"other": {"[1]": "z"}}}})


def test_scopes_cascade_each_for_itself_and_in_order() -> None:
    states: dict[Scope, Any] = {
        scope: {"intents": {"i": [{"$ref": f"{other}.lazy.x"} for other in SCOPES]}, "lazy": {"x": scope, "y": 1}}
        for scope in SCOPES
    }
    patch: Any = {"session": {"intents": {"i": None}}, "global": {"intents": {"i": None}}}
    staged = stage(V2, states, patch)
    assert list(staged.cascaded.items()) == [("global", ("global.lazy.x",)), ("session", ("session.lazy.x",))]
    assert staged.after["cwd"] is states["cwd"]
    assert staged.changed == ("global", "session")


def test_only_named_scopes_are_pruned_but_all_are_checked() -> None:
    states: dict[Scope, Any] = {"global": {"working": {"e": {}}}, "cwd": {"working": {"e": {}, "x": [{}]}}}
    staged = stage(V2, states, {"cwd": {"working": {"y": 1}}})
    assert staged.after["cwd"] == {"working": {"x": [{}], "y": 1}}
    assert staged.net == {"cwd": {"working": {"e": None, "y": 1}}}
    assert staged.after["global"] is states["global"]
    assert staged.tidied == {"cwd"}
    with pytest.raises(InvalidRequest) as refusal:
        stage(V2, {"global": {"working": {"n": None}}}, {"cwd": {"working": {"y": 1}}})
    assert refusal.value.scope == "global"


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"cwd": {"response": "x"}}, "response-refused"),
        ({"cwd": {"other": {}}}, "unknown-plane"),
        ({"elsewhere": {}}, "unknown-scope"),
        ({"cwd": {"working": None}}, "bad-request"),
        ({"cwd": []}, "bad-request"),
        ("x", "bad-request"),
        ({"cwd": {"working": {"a": [None]}}}, "null-stored"),
        ({"cwd": {"working": {"a": [{"b": [None]}]}}}, "null-stored"),
        ({"cwd": {"working": {"list": {"[0]": None}}}}, "patch-rejected"),
        ({"cwd": {"working": {"list": {"[7]": 1}}}}, "patch-rejected"),
        ({"cwd": {"artifacts": {"/p": {"tags": ["t"]}}}}, "invalid-artifact"),
        ({"cwd": {"artifacts": {"/p": {"description": " \ufeff"}}}}, "invalid-artifact"),
        ({"cwd": {"artifacts": {"/p": {"description": "d", "hash": "h"}}}}, "artifact-provenance"),
        ({"cwd": {"artifacts": {"/q": {"compiler": None}}}}, "artifact-provenance"),
        ({"cwd": {"contract": {"compiled_skills": {"a": 1}}}}, "retired-key"),
    ],
)
@pytest.mark.parametrize("fast", [True, False], ids=["fast", "slow"])
def test_what_may_not_be_stored_is_refused(patch: Any, code: str, fast: bool) -> None:
    states: dict[Scope, Any] = {"cwd": {"working": {"list": [1]}, "artifacts": {"/q": {"description": "d"}}}}
    with use_fast_paths(fast), pytest.raises(InvalidRequest) as refusal:
        stage(V2, states, patch, tidy=frozenset(SCOPES))
    assert refusal.value.code == code
    assert states == {"cwd": {"working": {"list": [1]}, "artifacts": {"/q": {"description": "d"}}}}


def test_warnings_name_what_may_surprise() -> None:
    states: dict[Scope, Any] = {
        "global": {"working": {"list": [1, 2], "w": [1]}},
        "cwd": {"working": {"list": [3, 4], "five": 5}},
        "session": {"working": {"list": "mine"}},
    }

    def warned(patch: Any) -> list[tuple[str, str]]:
        return [(one.code, one.path) for one in stage(V2, states, patch).warnings]

    assert warned({"cwd": {"working": {"list": {"[0]": 1, "x": 2}}}}) == [("array-lost", "/cwd/working/list")]
    assert warned({"cwd": {"working": {"five": {"x": None}}}}) == [("scalar-lost", "/cwd/working/five")]
    assert warned({"cwd": {"working": {"list": {"[0]": 9}}}}) == [("array-masked", "/cwd/working/list")]
    assert warned({"cwd": {"working": {"w": {"[0]": 9}}}}) == [("elements-overlaid", "/cwd/working/w")]
    assert warned({"cwd": {"working": {"w": {"[1]": 9}}}}) == [("effective-unreadable", "/cwd/working/w")]
    assert warned({"cwd": {"working": {"none": {"[0]": 9}}}}) == [("elements-stored", "/cwd/working/none")]
    assert warned({"global": {"working": {"w": {"[0]": 9}}}}) == []


def test_an_answer_is_recorded_for_the_session_alone() -> None:
    staged = stage(V2, {"session": {"working": {"e": {}}}}, {}, response="done")
    assert staged.net == {"session": {"working": None, "response": "done"}}
    assert stage(V2, {"session": {}}, {}, response="").net == {}
    assert stage(V2, {"session": {"response": "x"}}, {}, response="").net == {"session": {"response": ""}}


def test_a_source_vouched_for_is_described_anew() -> None:
    digest = "sha256:" + "a" * 64
    states: dict[Scope, Any] = {"cwd": {"artifacts": {"/p": {"description": "old", "note": "stale", "tags": ["t"]}}}}
    read = Evidence("/p", "cwd", digest)
    staged = stage(V2, states, {"cwd": {"artifacts": {"/p": {"description": "new"}}}}, reads=[read])
    assert staged.after["cwd"] == {"artifacts": {"/p": {"description": "new"}}}
    assert staged.missed == ()
    assert staged.provenance_updates == {"cwd": {"/p": {"sourceHash": digest, "compilerRevision": "artifact-v1"}}}
    with pytest.raises(InvalidRequest, match="described whole"):
        stage(V2, states, {"cwd": {"artifacts": {"/p": {"tags": ["u"]}}}}, reads=[read])
    assert parse_evidence([{"path": "/p"}]) == (Evidence("/p", "global"),)
    with pytest.raises(InvalidRequest):
        parse_evidence([{"path": "/p"}], skill=True)


def test_a_missing_deletion_names_scope_and_gap() -> None:
    staged = stage(V2, {"cwd": {"working": {"a": {}}}}, {"cwd": {"working": {"a": {"b": {"c": None}}}}})
    assert staged.missed == (MissingDeletion("/cwd/working/a/b/c", "/cwd/working/a/b"),)


@given(owning_states, intent_patches)
def test_staging_equals_the_long_way(before: Any, patch: Any) -> None:
    """Against staging by copies: intents, cascade by sets of dotted names, the rest, prune."""
    try:
        wanted = long_way(before, patch)
    except reference.Refused:
        wanted = None
    for tidy in (frozenset[Scope](), frozenset(SCOPES)):
        before_now = reference.pruned(before) if tidy else before
        for fast in (True, False):
            with use_fast_paths(fast):
                try:
                    staged = stage(V4, {"cwd": before_now}, {"cwd": patch}, tidy=tidy)
                except InvalidRequest:
                    assert wanted is None
                    continue
            assert wanted is not None
            after, cascaded = wanted
            assert staged.after["cwd"] == after
            assert set(staged.cascaded.get("cwd", ())) == cascaded
            assert merge(before_now, staged.net.get("cwd", {})).value == after


def long_way(before: Any, patch: Any) -> tuple[Any, set[str]]:
    middle = reference.pruned(reference.patched(before, {"intents": patch.get("intents", {})}))
    intents, left = before.get("intents", {}), middle.get("intents", {})
    deleted = [value for key, value in intents.items() if key not in left]
    kept = {name for value in left.values() for name in names(value)}
    targets = {
        name
        for value in deleted
        for name in names(value)
        if exists(middle, name) and not any(nested(name, other) or nested(other, name) for other in kept)
    }
    top = {name for name in targets if not any(nested(name, other) and name != other for other in targets)}
    cleared = middle
    for name in top:
        keys = name.split(".")[1:]
        nest: Any = None
        for key in reversed(keys):
            nest = {key: nest}
        cleared = reference.patched(cleared, nest)
    rest = {plane: change for plane, change in patch.items() if plane != "intents"}
    if selects_lost_array(middle, cleared, rest):
        raise reference.Refused
    return reference.pruned(reference.patched(cleared, rest)), top


def names(value: Any) -> set[str]:
    """Every structured reference that can be owned in cwd, by a plain walk."""
    found: set[str] = set()
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"] in REFS:
            found.add(value["$ref"])
        for member in value.values():
            found |= names(member)
    if isinstance(value, list):
        for member in value:
            found |= names(member)
    return found


def exists(state: Any, name: str) -> bool:
    return reference.found(state, tuple(name.split(".")[1:]))[0]


def nested(name: str, other: str) -> bool:
    """Whether `name` is `other` or lies below it."""
    return name == other or name.startswith(other + ".")


def selects_lost_array(basis: Any, cleared: Any, patch: Any) -> bool:
    if not isinstance(patch, dict) or not isinstance(basis, dict):
        return False
    for key, change in patch.items():
        if key not in basis or not isinstance(change, dict):
            continue
        there = isinstance(cleared, dict) and key in cleared
        if isinstance(basis[key], list) and not there and change and all(reference.SLOT.fullmatch(one) for one in change):
            return True
        if selects_lost_array(basis[key], cleared[key] if there else None, change):
            return True
    return False


@given(st.data())
def test_a_repeat_is_no_change(data: st.DataObject) -> None:
    before: Any = reference.pruned(data.draw(owning_states))
    patch: Any = data.draw(intent_patches)
    try:
        once = stage(V4, {"cwd": before}, {"cwd": patch})
    except InvalidRequest:
        return
    again = stage(V4, once.after, {"cwd": patch})
    assert again.net == {}
    assert again.after["cwd"] == once.after["cwd"]
    assert again.cascaded == {}
