"""Staging: what the contract says, what is refused, what is warned about."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InvalidRequest
from engine.memory.artifacts import Evidence, parse_evidence
from engine.memory.dialect import V2, V4, dialect_for
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.values import MissingDeletion, merge, use_fast_paths
from tests.memory.contract_rows import OWNS_PLAN, ROWS


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
    dialect = dialect_for(
        4, {"notes": {"module": "m", "projection": "hot"}, "vault": {"module": "m", "projection": "lazy"}}
    )
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


def test_an_array_cannot_become_element_keys_in_one_patch() -> None:
    before: Any = {"working": {"list": [1, 2]}}
    with pytest.raises(InvalidRequest) as refusal:
        stage(V2, {"cwd": before}, {"cwd": {"working": {"list": {"[0]": 9, "x": None}}}})
    assert (refusal.value.scope, refusal.value.path) == ("cwd", "working.list")
    # Beside another key it is an object like any other, and its record leads to it.
    staged = stage(V2, {"cwd": before}, {"cwd": {"working": {"list": {"[0]": 9, "x": 1}}}})
    assert merge(before, staged.net["cwd"]).value == staged.after["cwd"] == {"working": {"list": {"[0]": 9, "x": 1}}}


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
