"""What an author is told, and what a person approves."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InvalidRequest
from engine.memory.dialect import V2, V4, Dialect, dialect_for
from engine.memory.patching import Receipt, approval, parse_request, receipt, stage
from engine.memory.scope import SCOPES, Scope, Wanted
from engine.values import MAX_DEPTH

CWD: Wanted = ("cwd",)


def told(states: Any, patch: Any, wanted: Wanted = SCOPES, dialect: Dialect = V4) -> Any:
    return made(states, patch, wanted, dialect).to_json()


def made(states: Any, patch: Any, wanted: Wanted = SCOPES, dialect: Dialect = V4) -> Receipt:
    authored: Any = parse_request(dialect, wanted, patch)
    return receipt(dialect, wanted, states, stage(dialect, states, authored))


@pytest.mark.parametrize("array", [False, True])
def test_a_request_is_as_deep_as_a_document_may_be_and_no_deeper(*, array: bool) -> None:
    def nested(levels: int) -> Any:
        value: Any = 1
        for _ in range(levels):
            value = [value] if array else {"a": value}
        return {"cwd": {"lazy": {"deep": value}}}

    assert parse_request(V4, SCOPES, nested(MAX_DEPTH - 3)) == nested(MAX_DEPTH - 3)
    for levels in (MAX_DEPTH - 2, 3_000):
        with pytest.raises(InvalidRequest) as refusal:
            parse_request(V4, SCOPES, nested(levels))
        assert refusal.value.code == "too-deep"


# --- the edge ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "request_", "code"),
    [
        (SCOPES, {}, "empty-request"),
        (SCOPES, {"cwd": {}}, "empty-request"),
        (SCOPES, {"cwd": {"tactics": {"a": 1}}, "session": {}}, "empty-request"),
        (SCOPES, [], "bad-request"),
        (SCOPES, None, "bad-request"),
        (SCOPES, "x", "bad-request"),
        (SCOPES, {"cwd": 1}, "bad-request"),
        (SCOPES, {"cwd": {"tactics": None}}, "bad-request"),
        (SCOPES, {"cwd": {"tactics": []}}, "bad-request"),
        (SCOPES, {"tactics": {"a": 1}}, "bad-request"),
        (SCOPES, {"effective": {"tactics": {"a": 1}}}, "unknown-scope"),
        (SCOPES, {"final": True}, "unknown-scope"),
        (SCOPES, {"cwd": {"response": "x"}}, "response-refused"),
        (SCOPES, {"cwd": {"response": None}}, "response-refused"),
        (SCOPES, {"cwd": {"working": {"a": 1}}}, "unknown-plane"),
        (SCOPES, {"cwd": {"notes": {"a": 1}}}, "unknown-plane"),
        (SCOPES, {"cwd": {"tactics": {"a": [1, None]}}}, "null-stored"),
        (SCOPES, {"cwd": {"tactics": {"a": {"[0]": [None]}}}}, "null-stored"),
        (("global", "cwd"), {"session": {"tactics": {"a": 1}}}, "unwanted-scope"),
        (CWD, {}, "empty-request"),
        (CWD, {"response": "x"}, "response-refused"),
        (CWD, {"tactics": {"a": 1}, "cwd": {"tactics": {"a": 1}}}, "bad-request"),
        (CWD, {"tactics": {"a": 1}, "working": {}}, "unknown-plane"),
        (CWD, {"global": {"tactics": {"a": 1}}}, "unwanted-scope"),
    ],
)
def test_the_edge_refuses(wanted: Wanted, request_: Any, code: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        parse_request(V4, wanted, request_)
    assert refusal.value.code == code


def test_an_empty_plane_says_nothing_but_is_no_mistake() -> None:
    assert parse_request(V4, SCOPES, {"cwd": {"tactics": {}}}) == {"cwd": {"tactics": {}}}


def test_one_owner_is_told_which_plane_there_is_not() -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_request(V4, CWD, {"lazy": {"a": 1}, "nope": {}})
    assert (caught.value.code, caught.value.path) == ("unknown-plane", "nope")
    assert "'nope'" in caught.value.message


def test_one_owner_is_written_to_without_naming_it() -> None:
    flat: Any = {
        "intents": {"release": {"own": [{"$ref": "lazy.plan"}, {"$ref": "strategy.s", "why": {"$ref": "tactics.t[0]"}}]}},
        "tactics": {
            "stay": [
                {"$ref": "effective.lazy.plan"}, {"$ref": "session.lazy.plan"}, {"$ref": "cwd[1].lazy.plan"},
                {"$ref": "https://example.org"}, {"$ref": "README.md"}, {"$ref": "lazy.not a path"}, {"$ref": 5},
                {"ref": "lazy.plan"}, "$lazy.plan", "lazy.plan",
            ],
            "root": {"$ref": "lazy"},
        },
    }  # fmt: skip
    anchored = parse_request(V4, CWD, flat)
    assert anchored == {
        "cwd": {
            "intents": {
                "release": {
                    "own": [{"$ref": "cwd.lazy.plan"}, {"$ref": "cwd.strategy.s", "why": {"$ref": "cwd.tactics.t[0]"}}]
                }
            },
            "tactics": {"stay": flat["tactics"]["stay"], "root": {"$ref": "cwd.lazy"}},
        }
    }
    assert parse_request(V4, CWD, {"cwd": flat}) == anchored
    # With more than one owner the same text means effective memory, and owns nothing.
    several = parse_request(V4, ("global", "cwd"), {"cwd": flat})
    assert several == {"cwd": flat}


def test_one_owner_reaches_external_roots_too() -> None:
    dialect = dialect_for(4, {"notes": {"module": "m", "projection": "hot"}})
    assert parse_request(dialect, CWD, {"notes": {"a": {"$ref": "notes.b"}}}) == {
        "cwd": {"notes": {"a": {"$ref": "cwd.notes.b"}}}
    }


def test_a_flat_reference_of_one_owner_owns() -> None:
    states: Any = {"cwd": {"lazy": {"plan": {"x": 1}}}}
    first: Any = parse_request(V4, CWD, {"intents": {"i": {"own": {"$ref": "lazy.plan"}}}})
    states = {"cwd": stage(V4, states, first).after["cwd"]}
    assert states["cwd"]["intents"] == {"i": {"own": {"$ref": "cwd.lazy.plan"}}}
    assert told(states, {"intents": {"i": None}}, CWD)["state_updates"]["cascaded"] == ["lazy.plan"]


# --- the receipt ------------------------------------------------------------------------------------


def test_what_changed_is_told_at_its_smallest_place() -> None:
    states: Any = {"cwd": {"tactics": {"a": {"x": 1, "y": 2}, "list": [1]}}}
    patch: Any = {
        "cwd": {"tactics": {"a": {"x": 3}, "new": {"deep": {"p": 1, "q": 2}}, "list": {"[0]": 2}}, "strategy": {"s": 1}}
    }
    assert told(states, patch) == {
        "state_updates": {
            "effective": [
                {"path": ["strategy", "s"], "value": 1},
                {"path": ["tactics", "a", "x"], "value": 3},
                {"path": ["tactics", "list"], "value": [2]},
                {"path": ["tactics", "new"], "value": {"deep": {"p": 1, "q": 2}}},
            ]
        }
    }


def test_a_revealed_value_is_told_instead_of_a_deletion() -> None:
    states: Any = {"global": {"tactics": {"a": "broad"}}, "cwd": {"tactics": {"a": "narrow", "b": 1}}}
    assert told(states, {"cwd": {"tactics": {"a": None, "b": None}}})["state_updates"]["effective"] == [
        {"path": ["tactics", "a"], "value": "broad"},
        {"path": ["tactics", "b"], "deleted": True},
    ]
    # Who wants cwd alone sees nothing of global.
    assert told(states, {"tactics": {"a": None}}, CWD)["state_updates"]["effective"] == [
        {"path": ["tactics", "a"], "deleted": True}
    ]


def test_a_change_that_stays_masked_has_no_effect() -> None:
    states: Any = {"global": {"tactics": {"a": 1}}, "cwd": {"tactics": {"a": 2}}}
    assert told(states, {"global": {"tactics": {"a": 3}}}) == {}
    # The narrower scope takes over what the broader one says already.
    assert told(states, {"cwd": {"tactics": {"a": 1}}})["state_updates"]["effective"] == [
        {"path": ["tactics", "a"], "value": 1}
    ]


def test_cascaded_targets_are_listed_even_when_they_were_written_again() -> None:
    states: Any = {
        "cwd": {
            "intents": {"i": [{"$ref": "cwd.lazy.x"}, {"$ref": "cwd.tactics.t"}]},
            "lazy": {"x": 1},
            "tactics": {"t": {"old": 1}},
        },
        "global": {"tactics": {"t": {"broad": 1}}, "lazy": {"x": 0}},
        "session": {"intents": {"s": {"$ref": "session.tactics.d"}}, "tactics": {"d": 1}},
    }
    patch: Any = {"session": {"intents": {"s": None}}, "cwd": {"intents": {"i": None}, "tactics": {"t": {"new": 1}}}}
    assert told(states, patch) == {
        "state_updates": {
            "effective": [
                {"path": ["intents", "i"], "deleted": True},
                {"path": ["intents", "s"], "deleted": True},
                {"path": ["tactics", "d"], "deleted": True},
                {"path": ["tactics", "t", "new"], "value": 1},
                {"path": ["tactics", "t", "old"], "deleted": True},
            ],
            "cascaded": ["cwd.lazy.x", "cwd.tactics.t", "session.tactics.d"],
        }
    }
    assert told({"cwd": states["cwd"]}, {"intents": {"i": None}}, CWD)["state_updates"]["cascaded"] == [
        "lazy.x",
        "tactics.t",
    ]


def test_a_cleared_target_that_a_broader_scope_has_too_reads_as_that() -> None:
    states: Any = {
        "global": {"tactics": {"t": "broad"}},
        "cwd": {"intents": {"i": {"$ref": "cwd.tactics.t"}}, "tactics": {"t": "owned"}},
    }
    assert told(states, {"cwd": {"intents": {"i": None}}})["state_updates"] == {
        "effective": [{"path": ["intents", "i"], "deleted": True}, {"path": ["tactics", "t"], "value": "broad"}],
        "cascaded": ["cwd.tactics.t"],
    }


def test_lazy_bodies_stay_out_and_the_catalog_is_told_when_it_changed() -> None:
    states: Any = {"cwd": {"lazy": {"a": {"body": 1}}}, "global": {"lazy": {"b": 1}}}
    assert told(states, {"cwd": {"lazy": {"a": {"body": 2}}}}) == {}
    assert told(states, {"cwd": {"lazy": {"c": [1]}}}) == {
        "state_updates": {
            "lazy_navigation": {
                "available": True, "path": "effective.lazy", "keys": {"b": "number", "a": "object", "c": "array"},
            }
        }
    }  # fmt: skip
    assert told(states, {"cwd": {"lazy": {"a": None}}})["state_updates"]["lazy_navigation"]["keys"] == {"b": "number"}
    # The cwd key is gone, global still has one of that name and kind: the catalog is as it was.
    shared: Any = {"cwd": {"lazy": {"b": 2}}, "global": {"lazy": {"b": 1}}}
    assert told(shared, {"cwd": {"lazy": {"b": None}}}) == {}


def test_missed_deletions_and_warnings_travel_along() -> None:
    states: Any = {"cwd": {"tactics": {"n": 5}}}
    patch: Any = {"cwd": {"tactics": {"n": {"x": None}, "none": None}}}
    whole = told(states, patch)
    assert whole["missed_deletions"] == [
        {"path": "/cwd/tactics/n/x", "unavailable": "/cwd/tactics/n"},
        {"path": "/cwd/tactics/none", "unavailable": "/cwd/tactics/none"},
    ]
    assert [(one["code"], one["path"]) for one in whole["warnings"]] == [("scalar-lost", "/cwd/tactics/n")]
    alone = told(states, patch["cwd"], CWD)
    assert alone["missed_deletions"][1] == {"path": "/tactics/none", "unavailable": "/tactics/none"}
    assert alone["warnings"][0]["path"] == "/tactics/n"


def test_references_are_shown_flat_to_one_owner() -> None:
    ref: Any = {"tactics": {"see": [{"$ref": "lazy.plan"}, {"$ref": "effective.lazy.plan"}]}}
    (effect,) = told({}, ref, CWD)["state_updates"]["effective"]
    assert effect["value"] == [{"$ref": "lazy.plan"}, {"$ref": "effective.lazy.plan"}]
    (effect,) = told({}, {"cwd": {"tactics": {"see": {"$ref": "cwd.lazy.plan"}}}}, ("global", "cwd"))["state_updates"][
        "effective"
    ]
    assert effect["value"] == {"$ref": "cwd.lazy.plan"}


def test_bookkeeping_of_cards_is_not_told() -> None:
    card = {"description": "d", "hash": "sha256:" + "0" * 64, "hint": "h"}
    states: Any = {"cwd": {"artifacts": {"/p": card}}}
    (effect,) = told(states, {"cwd": {"artifacts": {"/p": {"note": "n"}}}})["state_updates"]["effective"]
    assert effect == {"path": ["artifacts", "/p", "note"], "value": "n"}
    both: Any = {"global": {"artifacts": {"/p": card}}, "cwd": {"artifacts": {"/p": {"description": "e"}}}}
    (effect,) = told(both, {"cwd": {"artifacts": {"/p": None}}})["state_updates"]["effective"]
    assert effect == {"path": ["artifacts", "/p", "description"], "value": "d"}


def test_bookkeeping_of_a_broader_card_is_not_revealed_either() -> None:
    mine: Any = {"description": "mine", "hash": "sha256:" + "1" * 64}
    theirs: Any = {"description": "theirs", "hash": "sha256:" + "0" * 64, "compiledAt": "then"}
    states: Any = {"global": {"artifacts": {"/p": theirs}}, "cwd": {"artifacts": {"/p": mine}}}
    (effect,) = told(states, {"cwd": {"artifacts": {"/p": None}}})["state_updates"]["effective"]
    assert effect == {"path": ["artifacts", "/p", "description"], "value": "theirs"}


def test_a_correct_repeat_is_told_as_nothing() -> None:
    states: Any = {"cwd": {"tactics": {"a": 1}}}
    found = made(states, {"cwd": {"tactics": {"a": 1.0}}})
    assert found.changed == ()
    assert found.to_json() == {}


def test_effective_memory_that_cannot_be_composed_is_said() -> None:
    states: Any = {"global": {"tactics": {"a": [1]}}}
    whole = told(states, {"cwd": {"tactics": {"a": {"[4]": 1}}}})
    assert [(one["code"], one["path"]) for one in whole["warnings"]] == [
        ("effective-unreadable", "/cwd/tactics/a"),
        ("effective-unreadable", "/effective/tactics/a"),
    ]
    assert "state_updates" not in whole


@pytest.mark.parametrize("plane", ["tactics", "lazy"])
def test_an_array_that_becomes_too_short_for_a_narrower_scope_is_said(plane: str) -> None:
    states: Any = {"global": {plane: {"a": [1, 2, 3]}}, "cwd": {plane: {"a": {"[2]": 9}}}}
    whole = told(states, {"global": {plane: {"a": [1]}}})
    assert [(one["code"], one["path"]) for one in whole["warnings"]] == [
        ("effective-unreadable", f"/effective/{plane}/a")
    ]
    assert "warnings" not in told(states, {"global": {plane: {"a": [4, 5, 6]}}})


def test_elements_over_elements_over_an_array_are_overlaid() -> None:
    states: Any = {"global": {"tactics": {"a": [1, 2]}}, "cwd": {"tactics": {"a": {"[1]": 8}}}}
    whole = told(states, {"session": {"tactics": {"a": {"[0]": 7}}}})
    assert [(one["code"], one["path"]) for one in whole["warnings"]] == [("elements-overlaid", "/session/tactics/a")]
    assert whole["state_updates"]["effective"] == [{"path": ["tactics", "a"], "value": [7, 8]}]
    again = told(states, {"cwd": {"tactics": {"a": {"[1]": 9}}}})
    assert again["state_updates"]["effective"] == [{"path": ["tactics", "a"], "value": [1, 9]}]
    without = told(states, {"cwd": {"tactics": {"a": {"[1]": None}}}})
    assert without["state_updates"]["effective"] == [{"path": ["tactics", "a"], "value": [1, 2]}]
    states["session"] = {"tactics": {"a": {"[0]": 7}}}
    revealed = told(states, {"session": {"tactics": {"a": None}}})
    assert revealed["state_updates"]["effective"] == [{"path": ["tactics", "a"], "value": [1, 8]}]


# --- approval ---------------------------------------------------------------------------------------


def approved(states: Any, patch: Any, dialect: Dialect = V2) -> str:
    return approval(states, stage(dialect, states, patch))


def test_approval_holds_while_what_it_is_about_stays() -> None:
    patch: Any = {"cwd": {"working": {"a": 2}}}
    before: dict[Scope, Any] = {"cwd": {"working": {"a": 1, "b": 1}}}
    digest = approved(before, patch)
    assert len(digest) == 64
    assert approved({"cwd": {"working": {"b": 1, "a": 1}}}, patch) == digest
    assert approved({"cwd": {"working": {"a": 1, "b": 9, "c": 1}}, "global": {"working": {"x": 1}}}, patch) == digest


@pytest.mark.parametrize(
    "now",
    [
        {"cwd": {"working": {"a": 5, "b": 1}}},  # the value that would be replaced
        {"cwd": {"working": {"b": 1}}},  # it is gone
        {"cwd": {"working": {"a": 2, "b": 1}}},  # nothing is left to do
    ],
)
def test_approval_falls_when_the_place_moved(now: Any) -> None:
    patch: Any = {"cwd": {"working": {"a": 2}}}
    assert approved(now, patch) != approved({"cwd": {"working": {"a": 1, "b": 1}}}, patch)


def test_approval_falls_when_the_cascade_grew() -> None:
    patch: Any = {"cwd": {"intents": {"i": None}}}
    one: Any = {"cwd": {"intents": {"i": [{"$ref": "cwd.lazy.a"}]}, "lazy": {"a": 1, "b": 1}}}
    two: Any = {"cwd": {"intents": {"i": [{"$ref": "cwd.lazy.a"}, {"$ref": "cwd.lazy.b"}]}, "lazy": {"a": 1, "b": 1}}}
    assert approved(one, patch) != approved(two, patch)


def test_approval_tells_numbers_apart_that_a_double_cannot() -> None:
    patch: Any = {"cwd": {"working": {"a": None}}}
    assert approved({"cwd": {"working": {"a": 2**60}}}, patch) != approved(
        {"cwd": {"working": {"a": 2**60 + 1}}}, patch
    )
