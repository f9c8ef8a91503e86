"""read_state: what is answered, what is refused, and who may read what."""

from __future__ import annotations

from typing import Any

import pytest

from engine.memory.cohort import advance
from engine.memory.dialect import V4, dialect_for
from engine.memory.reading import View, read_state
from engine.memory.scope import SCOPES
from engine.values import merge
from tests.memory.reads import CWD, change, cohort, refused, value

MEMORY = cohort(
    {"cwd": {"lazy": {"memory": {"[1]": "B"}}}},
    {"session": {"working": {"next": None, "now": {"step": 2}}}},
    {"global": {"contract": {"rule": "kinder"}}, "cwd": {"lazy": {"notes": ["n"]}}},
    {"cwd": {"lazy": {"notes": None}}},
    states={
        "global": {"contract": {"rule": "kind"}, "response": "g"},
        "cwd": {
            "lazy": {"memory": ["a", "b", "c"], "rules": {"x": 1}},
            "artifacts": {"/p": {"description": "d", "hint": "h"}},
        },
        "session": {"working": {"next": "test", "now": {"step": 1}}, "response": ""},
    },
)

# --- values, keys, patches --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("effective", {"contract": {"rule": "kinder"}, "working": {"now": {"step": 2}}, "artifacts": {"/p": {"description": "d"}}, "response": "g"}),
        ("session", {"working": {"now": {"step": 2}}}),
        ("lazy", {"memory": ["a", "B", "c"], "rules": {"x": 1}}),
        ("effective.lazy.memory[1]", "B"),
        ("cwd.lazy.memory[0:2]", ["a", "B"]),
        ("cwd.lazy.memory[0..2]", ["a", "B"]),
        ("cwd.lazy.memory[3:3]", []),
        ("cwd.lazy.memory[1:3][1]", "c"),
        ("cwd[4].lazy.memory", ["a", "b", "c"]),
        ("cwd[1].lazy.notes", ["n"]),
        ("effective[3].working", {"next": "test", "now": {"step": 1}}),
        ("global[2].contract.rule", "kind"),
        ("session[4].working.next", "test"),
        # An absent documented plane is null, at any moment; so is an empty answer.
        ("session.contract", None),
        ("session.response", None),
        ("cwd[4].working", None),
        ("global.lazy", None),
        ("effective.response", "g"),
    ],
)  # fmt: skip
def test_a_value_is_exactly_what_is_selected(path: str, wanted: Any) -> None:
    assert read_state(View(MEMORY, SCOPES), {"path": path}) == {"value": wanted}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("effective.lazy", {"meta": {"type": "object", "size": 2}, "keys": {"memory": "array", "rules": "object"}}),
        ("lazy.memory", {"meta": {"type": "array", "length": 3}, "keys": []}),
        ("lazy.rules.x", {"meta": {"type": "number"}, "keys": []}),
        ("global.contract.rule", {"meta": {"type": "string", "length": 6}, "keys": []}),
    ],
)
def test_keys_come_after_the_narrowest_facts(path: str, wanted: Any) -> None:
    found = read_state(View(MEMORY, SCOPES), {"path": path, "projection": "keys"})
    assert found == wanted
    assert list(found) == ["meta", "keys"]


def test_length_of_a_text_is_in_utf_16_units() -> None:
    found = read_state(
        View(cohort(cwd={"working": {"t": "a\U0001f600"}}), SCOPES), {"path": "working.t", "projection": "keys"}
    )
    assert found["meta"] == {"type": "string", "length": 3}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("cwd.lazy", {"notes": None}),
        ("cwd.lazy.notes", None),
        ("cwd.lazy.memory", {}),
        ("cwd[1].lazy", {"notes": ["n"]}),
        ("cwd[1].lazy.notes[0]", "n"),
        ("global[1]", {"contract": {"rule": "kinder"}}),
        ("session[1]", {}),
        ("session[2].working", {"next": None, "now": {"step": 2}}),
        ("session[2].working.next", None),
        ("cwd[3].lazy.memory", ["a", "B", "c"]),
        ("effective[3]", {"lazy": {"memory": ["a", "B", "c"]}}),
        ("effective[1]", {"contract": {"rule": "kinder"}, "lazy": {"notes": ["n"]}}),
        ("effective", {"lazy": {"notes": None}}),
        ("effective[4]", {}),  # the origin: nothing is known to have changed there
    ],
)
def test_a_patch_is_what_that_moment_changed(path: str, wanted: Any) -> None:
    assert change(MEMORY, path) == wanted


def test_a_recorded_change_of_elements_keeps_its_indexes() -> None:
    memory = cohort(cwd={"lazy": {"m": ["a", "b", "c"]}})
    record: Any = {"lazy": {"m": {"[1]": "B", "[2]": "C"}}}
    memory = advance(memory, "t1", {"cwd": record}, {"cwd": merge(memory.states["cwd"], record).value})
    assert change(memory, "cwd.lazy.m") == {"[1]": "B", "[2]": "C"}
    assert change(memory, "cwd.lazy.m[1]") == "B"
    assert change(memory, "cwd.lazy.m[0]") == {}
    assert change(memory, "cwd.lazy.m[2:3]") == {"[2]": "C"}
    assert change(memory, "cwd.lazy.m[0:1]") == {}
    assert change(memory, "cwd.lazy.m[1:3][1]") == "C"


def test_a_batch_is_positional_and_all_or_nothing() -> None:
    view = View(MEMORY, SCOPES)
    paths = ["working.now", "cwd.lazy.memory[0]", "working.now"]
    assert read_state(view, {"paths": paths}) == {"value": [{"step": 2}, "a", {"step": 2}]}
    assert read_state(view, {"paths": ["lazy.memory", "lazy.rules"], "projection": "keys"}) == {
        "meta": [{"type": "array", "length": 3}, {"type": "object", "size": 1}],
        "keys": [[], {"x": "number"}],
    }
    assert read_state(view, {"paths": ["cwd.lazy", "session"], "projection": "patch"}) == {
        "patch": [{"notes": None}, {}]
    }
    assert refused(MEMORY, {"paths": [*paths, "working.gone"]}) == "no-such-path"
    assert refused(MEMORY, {"paths": [*paths, "working..now"]}) == "bad-path"


# --- refusals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({}, "bad-request"),
        ([], "bad-request"),
        ({"path": "working", "paths": ["working"]}, "bad-request"),
        ({"paths": []}, "bad-request"),
        ({"paths": "working"}, "bad-request"),
        ({"path": 5}, "bad-request"),
        ({"path": "working", "offset": 1}, "bad-request"),
        ({"path": "working", "scope": "cwd"}, "bad-request"),
        ({"path": "working", "projection": "values"}, "bad-request"),
        ({"path": "working", "projection": None}, "bad-request"),
        ({"path": "cwd.working.a.b"}, "no-such-path"),
        ({"path": "cwd.lazy.memory[3]"}, "no-such-path"),
        ({"path": "cwd.lazy.memory[0:4]"}, "no-such-path"),
        ({"path": "cwd.lazy.memory[2:1]"}, "no-such-path"),
        ({"path": "cwd.lazy.memory[4:4]"}, "no-such-path"),
        ({"path": "cwd.lazy.memory.length"}, "no-such-path"),
        ({"path": "cwd.lazy[0]"}, "no-such-path"),
        ({"path": "session.contract", "projection": "keys"}, "no-such-path"),
        ({"path": "session.patches"}, "no-such-path"),
        ({"path": "session.working.now.step.x", "projection": "keys"}, "no-such-path"),
        ({"path": "cwd[4].lazy.memory[0].x", "projection": "keys"}, "no-such-path"),
        ({"path": "effective[5]"}, "history-unavailable"),
        ({"path": "effective[99999999999999999999999]"}, "history-unavailable"),
        ({"path": "effective[5]", "projection": "patch"}, "history-unavailable"),
    ],
)
def test_what_cannot_be_answered_exactly_is_refused(request_: Any, code: str) -> None:
    assert refused(MEMORY, request_) == code


@pytest.mark.parametrize(
    "path",
    [
        "", " ", ".", "working.", ".working", "working..a", "working ", " working", "Working", "extra", "patches", "patches[0]",
        "working[-1]", "working[a]", "working.list[0:]", "working.list[:2]", "working.list[0...2]", "working.list[0:2:1]",
        "working.list[]", "working.list[*]", "working.*", "working.list[0,1]", "working.list[?(@.x)]", "working['a']",
        "working.1", "working.a b", "working.é", "working\n", "effective\n", "effective[0][0]x", "effective[-1]", "effective[1.0]",
        "effective[0:1]", "effective[0]working", "effective[0][0]", "$working", "/working", "working/a",
    ],
)  # fmt: skip
def test_what_is_outside_the_grammar_is_refused(path: str) -> None:
    for projection in ("value", "keys", "patch"):
        assert refused(MEMORY, {"path": path, "projection": projection}) == "bad-path"


def test_history_ends_at_the_origin_and_at_the_limit() -> None:
    patches: list[Any] = [{"cwd": {"working": {"n": n}}} for n in range(1, 6)]
    memory = cohort(*patches, limit=3)
    assert value(memory, "cwd[3].working.n") == 2
    assert refused(memory, {"path": "cwd[4].working.n"}) == "history-unavailable"
    assert refused(cohort(limit=3), {"path": "effective[1]"}) == "history-unavailable"


def test_effective_memory_that_cannot_be_composed_is_no_partial_answer() -> None:
    memory = cohort(
        states={"global": {"working": {"a": [1]}}, "session": {"working": {"a": {"[3]": 1}}, "lazy": {"x": 1}}}
    )
    assert refused(memory, {"path": "effective.lazy.x"}) == "index-unavailable"
    assert value(memory, "session.lazy.x") == 1


# --- wanted owners ----------------------------------------------------------------------------------

OWNED = cohort(
    {"cwd": {"tactics": {"n": 2}}},
    dialect=V4,
    states={
        "global": {"tactics": {"g": 1}, "strategy": {"s": {"$ref": "cwd.lazy.plan"}}},
        "cwd": {
            "intents": {"i": {"own": {"$ref": "cwd.lazy.plan"}, "see": [{"$ref": "effective.lazy.plan"}, {"$ref": "cwd[1].lazy.plan"}]}},
            "tactics": {"n": 1, "text": "$cwd.lazy.plan", "other": {"$ref": "session.lazy.x"}, "odd": {"$ref": "cwd.unknown.x"}},
            "lazy": {"plan": {"a": {"$ref": "cwd.tactics.n"}}},
        },
    },
)  # fmt: skip


def test_one_owner_reads_flat_paths_and_flat_references() -> None:
    assert value(OWNED, "tactics.n", CWD) == 2
    assert value(OWNED, "intents.i", CWD) == {
        "own": {"$ref": "lazy.plan"},
        "see": [{"$ref": "effective.lazy.plan"}, {"$ref": "cwd[1].lazy.plan"}],
    }
    assert value(OWNED, "tactics", CWD) == {
        "n": 2, "text": "$cwd.lazy.plan", "other": {"$ref": "session.lazy.x"}, "odd": {"$ref": "cwd.unknown.x"},
    }  # fmt: skip
    assert value(OWNED, "cwd.lazy", CWD) == value(OWNED, "lazy", CWD) == {"plan": {"a": {"$ref": "tactics.n"}}}
    assert change(OWNED, "tactics", CWD) == {"n": 2}
    assert value(OWNED, "cwd[1].tactics.n", CWD) == 1
    # With more owners nothing is translated.
    assert value(OWNED, "lazy", ("global", "cwd")) == {"plan": {"a": {"$ref": "cwd.tactics.n"}}}


def test_effective_is_composed_of_the_wanted_scopes_alone() -> None:
    assert value(OWNED, "effective.tactics", ("global", "cwd"))["g"] == 1
    assert "g" not in value(OWNED, "effective.tactics", CWD)
    assert value(OWNED, "effective", ("session",)) == {}


@pytest.mark.parametrize("path", ["global", "global.tactics.g", "session[1].lazy", "global[0]"])
def test_an_owner_that_is_not_wanted_cannot_be_read(path: str) -> None:
    for projection in ("value", "keys", "patch"):
        assert refused(OWNED, {"path": path, "projection": projection}, CWD) == "unwanted-scope"
    assert refused(OWNED, {"paths": ["cwd", path]}, CWD) == "unwanted-scope"


def test_external_roots_read_like_planes_and_hide_when_lazy() -> None:
    dialect = dialect_for(
        4, {"notes": {"module": "m", "projection": "hot"}, "vault": {"module": "m", "projection": "lazy"}}
    )
    memory = cohort(
        dialect=dialect,
        states={
            "global": {"notes": {"a": 1}, "vault": {"x": [1, 2]}},
            "cwd": {"notes": {"b": {"$ref": "notes.a"}}, "tactics": {"t": 1}},
        },
    )
    assert value(memory, "effective") == {"tactics": {"t": 1}, "notes": {"a": 1, "b": {"$ref": "notes.a"}}}
    assert list(value(memory, "effective")) == ["tactics", "notes"]
    assert value(memory, "notes.a") == 1
    assert value(memory, "vault.x[0:1]") == [1]
    assert value(memory, "cwd.vault") is None
    assert refused(memory, {"path": "other.a"}) == "bad-path"
    assert refused(cohort(dialect=V4), {"path": "notes.a"}) == "bad-path"


def test_members_come_in_the_order_of_a_javascript_program() -> None:
    memory = cohort(
        {"cwd": {"working": {"10": 1, "9": 2}}}, cwd={"working": {"b": {"z": 1, "0": 2}, "a": [{"y": 1, "3": 1}]}}
    )
    found = value(memory, "cwd.working")
    assert list(found) == ["9", "10", "b", "a"]
    assert list(found["b"]) == ["0", "z"]
    assert list(found["a"][0]) == ["3", "y"]
    keys: Any = read_state(View(memory, SCOPES), {"path": "working", "projection": "keys"})["keys"]
    assert list(keys) == ["9", "10", "b", "a"]


def test_a_read_hands_out_what_is_stored_and_changes_nothing() -> None:
    memory = cohort(cwd={"lazy": {"big": {"a": [1, {"b": 2}]}}})
    stored: Any = memory.states["cwd"]
    assert value(memory, "cwd.lazy.big") is stored["lazy"]["big"]
    assert value(memory, "lazy.big.a") is stored["lazy"]["big"]["a"]
