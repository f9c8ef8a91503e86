"""What single steps come to, what is in their way, what a person is told."""

from __future__ import annotations

from typing import Any

import pytest

from engine.memory.compiling import Compiled, compile_draft
from engine.memory.dialect import V2, V4, Dialect, dialect_for
from engine.memory.draft import Draft, Operation, PreImage, Put, Raw, Remove, Step, Transfer
from engine.memory.patching import parse_request, stage
from engine.memory.scope import SCOPES, Scope
from engine.values import KeyPath

ABSENT = PreImage(exists=False)
PLAN: Any = {"$ref": "cwd.lazy.plan"}
STATES: Any = {
    "global": {"lazy": {"shared": 1}, "artifacts": {"/old": {"description": "d", "hash": "sha256:" + "a" * 64}}},
    "cwd": {
        "intents": {"release": {"why": "cut it", "own": PLAN}, "notes": "see $cwd.lazy.plan.steps[0]"},
        "tactics": {"checks": [1, 2, 3], "store": "half moved"},
        "lazy": {"plan": {"steps": ["a", "b"], "on": True}, "free": "text", "planner": "$cwd.lazy.planner"},
        "artifacts": {"/a.py": {"description": "d", "tags": ["t"]}},
    },
    "session": {"tactics": {"next": "$cwd.lazy.plan"}},
}


def put(path: KeyPath, value: Any, scope: Scope = "cwd") -> Put:
    return Put(scope, path, value, ABSENT)


def remove(path: KeyPath, scope: Scope = "cwd") -> Remove:
    return Remove(scope, path, ABSENT)


def move(path: KeyPath, to: KeyPath, to_scope: Scope = "cwd", scope: Scope = "cwd", **how: Any) -> Transfer:
    return Transfer(scope, path, to_scope, to, ABSENT, ABSENT, **how)


def compiled(*operations: Operation, dialect: Dialect = V4, states: Any = STATES) -> Compiled:
    return compile_draft(Draft(tuple(map(Step, operations))), dialect, states)


def patch_of(*operations: Operation, dialect: Dialect = V4) -> Any:
    made = compiled(*operations, dialect=dialect)
    assert made.problems == ()
    if made.patch:
        parse_request(dialect, SCOPES, made.patch)  # what an agent could send
    return made.patch


def after(*operations: Operation) -> Any:
    return stage(V4, STATES, patch_of(*operations)).after


def told(made: Compiled) -> list[tuple[int, str, str, KeyPath]]:
    return [(one.step, one.code, one.scope, one.path) for one in made.remarks]


def test_nothing_ticked_is_an_empty_patch() -> None:
    assert compile_draft(Draft(), V4, STATES) == Compiled({}, (), ())
    off = Draft((Step(put(("lazy", "free"), "new"), ticked=False),))
    assert compile_draft(off, V4, STATES) == Compiled({}, (), ())
    assert patch_of(put(("lazy", "free"), "text")) == {}


def test_a_patch_says_no_more_than_what_changes() -> None:
    assert patch_of(put(("lazy", "plan", "on"), False)) == {"cwd": {"lazy": {"plan": {"on": False}}}}
    assert patch_of(put(("lazy", "plan"), {"steps": ["a", "b"], "off": 1})) == {
        "cwd": {"lazy": {"plan": {"on": None, "off": 1}}}
    }
    assert patch_of(remove(("tactics", "store")), put(("tactics", "store"), "moved")) == {
        "cwd": {"tactics": {"store": "moved"}}
    }
    assert patch_of(put(("lazy", "g"), 1, "global"), put(("lazy", "s", "deep"), 1, "session")) == {
        "global": {"lazy": {"g": 1}},
        "session": {"lazy": {"s": {"deep": 1}}},
    }
    assert patch_of(remove(("lazy",), "global")) == {"global": {"lazy": {"shared": None}}}


def test_elements_are_named_where_the_array_stays_and_written_whole_where_some_come_or_go() -> None:
    checks = ("tactics", "checks")
    assert patch_of(put((*checks, 1), 9)) == {"cwd": {"tactics": {"checks": {"[1]": 9}}}}
    assert patch_of(put(checks, [1, 2, 4])) == {"cwd": {"tactics": {"checks": {"[2]": 4}}}}
    assert patch_of(put((*checks, 3), 4)) == {"cwd": {"tactics": {"checks": [1, 2, 3, 4]}}}
    assert patch_of(remove((*checks, 0))) == {"cwd": {"tactics": {"checks": [2, 3]}}}
    assert patch_of(remove((*checks, 0)), remove((*checks, 0))) == {"cwd": {"tactics": {"checks": [3]}}}
    assert patch_of(remove((*checks, 0)), put((*checks, 0), 7)) == {"cwd": {"tactics": {"checks": [7, 3]}}}
    # Two elements that became one again: the array has its length, the change is named.
    assert patch_of(remove((*checks, 0)), put((*checks, 2), 8)) == {
        "cwd": {"tactics": {"checks": {"[0]": 2, "[1]": 3, "[2]": 8}}}
    }


def test_an_element_that_would_be_misread_has_its_array_written_whole() -> None:
    states: Any = {"cwd": {"lazy": {"rows": [[1], {"x": [2]}]}}}
    made = compiled(put(("lazy", "rows", 0), {"[0]": 5}), states=states)
    assert made.patch == {"cwd": {"lazy": {"rows": [{"[0]": 5}, {"x": [2]}]}}}
    made = compiled(put(("lazy", "rows", 1, "x"), {"[0]": 5}), states=states)
    assert made.patch == {"cwd": {"lazy": {"rows": [[1], {"x": {"[0]": 5}}]}}}
    assert stage(V4, states, made.patch).after["cwd"] == {"lazy": {"rows": [[1], {"x": {"[0]": 5}}]}}


def test_what_a_step_sets_survives_the_cascade_of_the_same_draft() -> None:
    gone = remove(("intents", "release"))
    assert after(gone)["cwd"]["lazy"] == {"free": "text", "planner": "$cwd.lazy.planner"}
    # A part that is set is all that is left of it, as with a patch; an array is one value.
    assert after(gone, put(("lazy", "plan", "on"), False))["cwd"]["lazy"]["plan"] == {"on": False}
    assert after(gone, put(("lazy", "plan", "steps", 1), "z"))["cwd"]["lazy"]["plan"] == {"steps": ["a", "z"]}
    assert after(put(("lazy", "plan"), STATES["cwd"]["lazy"]["plan"]), gone)["cwd"]["lazy"]["plan"] == {
        "steps": ["a", "b"],
        "on": True,
    }


def test_a_copy_has_a_life_of_its_own() -> None:
    made = after(
        put(("lazy", "plan", "deep", "x"), 1),
        move(("lazy", "plan"), ("lazy", "copy"), keep=True),
        put(("lazy", "copy", "deep", "x"), 2),
        put(("lazy", "plan", "on"), False),
    )["cwd"]["lazy"]
    assert made["plan"] == {"steps": ["a", "b"], "on": False, "deep": {"x": 1}}
    assert made["copy"] == {"steps": ["a", "b"], "on": True, "deep": {"x": 2}}


def test_a_copy_of_what_was_rewritten_on_its_way_has_one_too() -> None:
    why = ("intents", "release", "deep", "why")
    made = after(
        put(why, "first"),
        move(("intents", "release"), ("intents", "release"), "global"),
        move(("intents", "release"), ("intents", "twin"), "global", "global", keep=True),
        put(("intents", "twin", "deep", "why"), "second", "global"),
    )["global"]["intents"]
    assert made["release"]["deep"] == {"why": "first"}
    assert made["twin"]["deep"] == {"why": "second"}


def test_a_rename_takes_references_along_and_leaves_what_only_looks_like_them() -> None:
    made = compiled(move(("lazy", "plan"), ("lazy", "plans")))
    assert made.patch == {
        "cwd": {
            "intents": {"release": {"own": {"$ref": "cwd.lazy.plans"}}, "notes": "see $cwd.lazy.plans.steps[0]"},
            "lazy": {"plan": None, "plans": {"steps": ["a", "b"], "on": True}},
        }
    }
    # A session is not written for a reference, unless the draft changes it anyway.
    assert told(made) == [(0, "references-stay", "session", ("tactics", "next"))]
    both = compiled(move(("lazy", "plan"), ("lazy", "plans")), put(("lazy", "x"), 1, "session"))
    assert both.patch["session"] == {"tactics": {"next": "$cwd.lazy.plans"}, "lazy": {"x": 1}}
    assert both.remarks == ()
    # References to the new name that come later are none of it, and without being asked for nothing is rewritten.
    later = after(move(("lazy", "plan"), ("lazy", "plans")), put(("lazy", "free"), "once $cwd.lazy.plan"))
    assert later["cwd"]["lazy"]["free"] == "once $cwd.lazy.plan"
    left = patch_of(move(("lazy", "plan"), ("lazy", "plans"), rewrite=False))
    assert left == {"cwd": {"lazy": {"plan": None, "plans": {"steps": ["a", "b"], "on": True}}}}


def test_a_reference_that_is_taken_apart_has_followed_before() -> None:
    made = after(
        move(("lazy", "plan"), ("lazy", "plans")),
        move(("intents", "release", "own", "$ref"), ("intents", "release", "was")),
    )["cwd"]
    assert made["intents"]["release"] == {"why": "cut it", "was": "cwd.lazy.plans"}


def test_references_to_effective_memory_follow_where_no_other_scope_stands_there() -> None:
    states: Any = {
        "cwd": {
            "tactics": {"a": 1},
            "lazy": {"see": "$effective.tactics.a, $tactics.a, $tactics.ab", "ref": {"$ref": "tactics.a"}},
        }
    }
    lazily = move(("tactics", "a"), ("lazy", "a"))
    assert compiled(lazily, states=states).patch["cwd"] == {
        "tactics": {"a": None},
        "lazy": {"a": 1, "see": "$effective.lazy.a, $lazy.a, $tactics.ab", "ref": {"$ref": "lazy.a"}},
    }
    # They still name something, or would name something else as well.
    for other in ({"tactics": {"a": 0}}, {"lazy": {"a": 0}}):
        both: Any = {**states, "global": other}
        assert compiled(lazily, states=both).patch == {"cwd": {"tactics": {"a": None}, "lazy": {"a": 1}}}
    # In another scope at the same path they name it as before.
    up = compiled(move(("tactics", "a"), ("tactics", "a"), "global"), states=states)
    assert up.patch == {"cwd": {"tactics": {"a": None}}, "global": {"tactics": {"a": 1}}}


def test_renames_one_after_another_are_followed_in_turn() -> None:
    swapped = after(
        move(("lazy", "plan"), ("lazy", "spare")),
        move(("lazy", "planner"), ("lazy", "plan")),
        move(("lazy", "spare"), ("lazy", "planner")),
    )["cwd"]
    assert swapped["lazy"]["plan"] == "$cwd.lazy.plan"
    assert swapped["intents"]["release"]["own"] == {"$ref": "cwd.lazy.planner"}


def test_an_intent_takes_what_it_owns_to_another_scope() -> None:
    release = ("intents", "release")
    moved = after(move(release, release, "global"), put(("lazy", "x"), 1, "session"))
    assert moved["global"]["intents"] == {"release": {"why": "cut it", "own": {"$ref": "global.lazy.plan"}}}
    assert moved["global"]["lazy"] == {"shared": 1, "plan": {"steps": ["a", "b"], "on": True}}
    assert "plan" not in moved["cwd"]["lazy"]
    assert moved["cwd"]["intents"] == {"notes": "see $global.lazy.plan.steps[0]"}
    assert moved["session"]["tactics"] == {"next": "$global.lazy.plan"}
    alone = after(move(release, release, "global", along=False))
    assert alone["global"]["intents"]["release"]["own"] == PLAN
    assert "plan" not in alone["cwd"]["lazy"]  # it went with the intent that left
    copied = after(move(release, release, "global", keep=True))
    assert copied["cwd"] == STATES["cwd"]
    assert copied["global"] == {**moved["global"], "artifacts": STATES["global"]["artifacts"]}


def test_what_another_intent_keeps_is_copied_along_and_stays() -> None:
    states: Any = {"cwd": {"intents": {"a": PLAN, "b": {"$ref": "cwd.lazy.plan.on"}}, "lazy": {"plan": {"on": 1}}}}
    made = compiled(move(("intents", "a"), ("intents", "a"), "session"), states=states)
    assert told(made) == [(0, "copied-along", "cwd", ("lazy", "plan"))]
    assert stage(V4, states, made.patch).after == {
        "global": {},
        "cwd": {"intents": {"b": {"$ref": "cwd.lazy.plan.on"}}, "lazy": {"plan": {"on": 1}}},
        "session": {"intents": {"a": {"$ref": "session.lazy.plan"}}, "lazy": {"plan": {"on": 1}}},
    }


def test_an_intent_that_becomes_something_else_leaves_what_it_owned() -> None:
    kept = after(move(("intents", "release"), ("lazy", "done")))["cwd"]
    assert kept["lazy"]["plan"] == {"steps": ["a", "b"], "on": True}
    assert kept["lazy"]["done"] == {"why": "cut it", "own": PLAN}
    taken = after(move(("intents", "release"), ("lazy", "done"), along=False))["cwd"]
    assert "plan" not in taken["lazy"]


@pytest.mark.parametrize(
    ("operation", "code", "path"),
    [
        (put(("response",), "x"), "response-refused", ("response",)),
        (put(("working", "a"), 1), "unknown-plane", ("working", "a")),
        (put((), {}), "unknown-plane", ()),
        (put((0,), {}), "unknown-plane", (0,)),
        (put(("lazy",), [1]), "plane-type", ("lazy",)),
        (put(("lazy", "a"), None), "null-stored", ("lazy", "a")),
        (put(("lazy", "a"), {"b": [1, {"c": None}]}), "null-stored", ("lazy", "a", "b", 1, "c")),
        (put(("lazy", "a"), [float("inf")]), "number-range", ("lazy", "a", 0)),
        (put(("lazy", "free", "x"), 1), "in-the-way", ("lazy", "free")),
        (put(("tactics", "checks", "x"), 1), "in-the-way", ("tactics", "checks")),
        (put(("lazy", "plan", 0), 1), "in-the-way", ("lazy", "plan")),
        (put(("tactics", "checks", 4), 1), "index-out-of-range", ("tactics", "checks", 4)),
        (put(("tactics", "checks", 3, "x"), 1), "index-out-of-range", ("tactics", "checks", 3)),
        (put(("lazy", "none", 0), 1), "no-array", ("lazy", "none")),
        (put(("tactics", "checks"), {"[0]": 1}), "unrecordable", ("tactics", "checks")),
        (put(("artifacts", "/a.py"), {"tags": []}), "invalid-artifact", ("artifacts", "/a.py")),
        (put(("artifacts", "/a.py", "hash"), "x"), "artifact-provenance", ("artifacts", "/a.py", "hash")),
        (put(("artifacts",), {"/n": {"description": "d", "compiledAt": 1}}), "artifact-provenance", ("artifacts", "/n", "compiledAt")),
        (remove(("artifacts", "/a.py", "description")), "invalid-artifact", ("artifacts", "/a.py")),
        (remove(("artifacts", "/old", "hash"), "global"), "artifact-provenance", ("artifacts", "/old", "hash")),
        (remove(("tactics", "checks", 3)), "source-gone", ("tactics", "checks", 3)),
        (remove(("response",)), "response-refused", ("response",)),
        (move(("lazy", "none"), ("lazy", "b")), "source-gone", ("lazy", "none")),
        (move(("lazy", "free"), ("lazy", "free")), "same-place", ("lazy", "free")),
        (move(("lazy", "free"), ("lazy", "plan")), "target-occupied", ("lazy", "plan")),
        (move(("lazy", "plan"), ("lazy", "plan", "old")), "into-itself", ("lazy", "plan", "old")),
        (move(("lazy", "free"), ("response",), "session"), "response-refused", ("response",)),
        (move(("lazy", "free"), ("tactics", "checks", "x")), "in-the-way", ("tactics", "checks")),
        (move(("artifacts", "/old", "hash"), ("lazy", "h"), "global", "global"), "artifact-provenance", ("artifacts", "/old", "hash")),
        (Raw({"cwd": {"nowhere": {}}}, ()), "unknown-plane", ()),
        (Raw({"cwd": {"tactics": {"checks": {"[5]": 1}}}}, ()), "patch-rejected", ("tactics", "checks", "[5]")),
        (Raw({"cwd": {"tactics": {"checks": [None]}}}, ()), "null-stored", ("tactics.checks[0]",)),
        (Raw({"cwd": {"artifacts": {"/a.py": {"hash": "x"}}}}, ()), "artifact-provenance", ('artifacts["/a.py"].hash',)),
    ],
)  # fmt: skip
def test_what_is_in_the_way_of_a_step_is_told_and_the_others_are_carried_out(
    operation: Operation, code: str, path: KeyPath
) -> None:
    made = compiled(put(("lazy", "first"), 1), operation, put(("lazy", "last"), 2))
    assert [(one.step, one.code, one.path) for one in made.problems] == [(1, code, path)]
    assert made.problems[0].message
    assert made.patch == {"cwd": {"lazy": {"first": 1, "last": 2}}}
    stage(V4, STATES, made.patch)


def test_a_value_that_is_nested_too_deep_is_refused_with_its_place() -> None:
    deep: Any = 1
    for _ in range(197):
        deep = [deep]
    fits = compiled(put(("lazy", "a"), deep))
    assert fits.problems == ()
    parse_request(V4, SCOPES, fits.patch)
    stage(V4, STATES, fits.patch)
    made = compiled(put(("lazy", "a"), [deep]), put(("lazy", "b"), deep), move(("lazy", "b"), ("lazy", "c", "d")))
    assert [(one.step, one.code) for one in made.problems] == [(0, "too-deep"), (2, "too-deep")]


def test_a_retired_key_is_refused_in_the_dialect_that_retired_it() -> None:
    made = compiled(put(("contract", "compiled_skills"), {"a": 1}), dialect=V2, states={})
    assert [(one.step, one.code, one.path) for one in made.problems] == [
        (0, "retired-key", ("contract", "compiled_skills"))
    ]
    assert made.patch == {}


def test_what_goes_along_needs_a_place_and_nothing_is_done_by_halves() -> None:
    release = ("intents", "release")
    states: Any = {**STATES, "global": {"lazy": {"plan": "another"}}}
    made = compiled(move(release, release, "global"), states=states)
    assert [(one.code, one.scope, one.path) for one in made.problems] == [
        ("target-occupied", "global", ("lazy", "plan"))
    ]
    assert made.patch == {}
    alike: Any = {**STATES, "global": {"lazy": {"plan": STATES["cwd"]["lazy"]["plan"]}}}
    made = compiled(move(release, release, "global"), states=alike)
    assert made.problems == ()
    assert stage(V4, alike, made.patch).after["global"]["lazy"] == alike["global"]["lazy"]
    made = compiled(move(release, ("lazy", "plan", "why"), "global"))
    assert [(one.code, one.path) for one in made.problems] == [("target-occupied", ("lazy", "plan", "why"))]
    assert made.patch == {}


def test_a_person_is_told_what_a_step_means() -> None:
    emptied = compiled(remove(("intents", "release", "why")), remove(("intents", "release", "own")))
    assert told(emptied) == [(1, "emptied-intent", "cwd", ("intents", "release"))]
    assert emptied.remarks[0].message.endswith("with it go cwd.lazy.plan")
    assert told(compiled(put(("intents", "gone", "next"), 1))) == [(0, "recreates-intent", "cwd", ("intents", "gone"))]
    patch: Any = {"cwd": {"intents": {"gone": {"next": 1}}}}
    assert told(compiled(Raw(patch, ()))) == [(0, "recreates-intent", "cwd", ("intents", "gone"))]
    assert told(compiled(put(("intents", "new"), {"next": 1}))) == []
    assert told(compiled(remove(("lazy", "none")))) == [(0, "gone-already", "cwd", ("lazy", "none"))]
    edited = compiled(put(("artifacts", "/a.py", "tags"), []), put(("artifacts", "/b.py"), {"description": "new"}))
    assert told(edited) == [
        (0, "no-fresh-evidence", "cwd", ("artifacts", "/a.py")),
        (1, "no-fresh-evidence", "cwd", ("artifacts", "/b.py")),
    ]
    # Nothing is said of a step that is not carried out.
    assert told(compiled(move(("lazy", "none"), ("intents", "gone", "x")))) == []


def test_what_a_written_patch_deletes_in_vain_is_told_as_an_agent_would_be_told() -> None:
    patch: Any = {
        "global": {"lazy": {"gone": {"deep": None}}},
        "cwd": {"tactics": {"nope": None, "store": None, "checks": {"[1]": {"x": None}}}, "lazy": {"a b": None}},
    }
    made = compiled(Raw(patch, ()))
    assert [one for one in told(made) if one[1] == "gone-already"] == [
        (0, "gone-already", "global", ("lazy", "gone", "deep")),
        (0, "gone-already", "cwd", ("tactics", "nope")),
        (0, "gone-already", "cwd", ("tactics", "checks", 1, "x")),
        (0, "gone-already", "cwd", ("lazy", "a b")),
    ]
    messages = [one.message for one in made.remarks]
    assert "cwd.tactics.nope was not there to delete" in messages
    assert "cwd.tactics.checks[1].x was not there to delete" in messages
    # As many as staging finds in the patch itself.
    assert len(stage(V4, STATES, patch).missed) == 4
    assert told(compiled(Raw({"cwd": {"tactics": {"store": None}}}, ()))) == []
    slip = compiled(Raw({"cwd": {"tactics": {"store": {"x": None}}}}, ()))
    assert [(one.code, one.message) for one in slip.remarks] == [
        ("gone-already", "cwd.tactics.store.x was not there to delete"),
        ("scalar-lost", "cwd.tactics.store: a deletion below this string hits nothing and still removes the string"),
    ]


def test_the_bookkeeping_of_a_card_stays_where_it_is() -> None:
    old: Any = STATES["global"]["artifacts"]["/old"]
    shown = {"description": "better"}
    edit = put(("artifacts", "/old"), shown, "global")
    assert after(edit)["global"]["artifacts"]["/old"] == {**shown, "hash": old["hash"]}
    assert after(put(("artifacts", "/old"), {**old, **shown}, "global")) == after(edit)
    moved = after(move(("artifacts", "/old"), ("artifacts", "/new"), "cwd", "global"))
    assert moved["cwd"]["artifacts"]["/new"] == {"description": "d"}
    assert "artifacts" not in moved["global"]
    again = after(remove(("artifacts", "/old"), "global"), edit)
    assert again == after(edit)


def test_roots_that_metadata_declares_are_planes_like_others() -> None:
    dialect = dialect_for(4, {"vault": {"module": "m", "projection": "lazy"}})
    assert patch_of(put(("vault", "a"), 1), dialect=dialect) == {"cwd": {"vault": {"a": 1}}}
    assert compiled(put(("vault", "a"), 1)).problems[0].code == "unknown-plane"


def test_the_search_for_references_has_an_end_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.memory.renaming.MOST_LOOKED_AT", 3)
    made = compiled(move(("lazy", "shared"), ("lazy", "ours"), "global", "global"))
    assert [(one.code, one.scope) for one in made.remarks] == [("rewrite-stopped", "global")]
    assert "3 values" in made.remarks[0].message
