"""What an undo puts into the draft, what it leaves unticked, what it says cannot be had back."""

from __future__ import annotations

from typing import Any

from engine.memory.compiling import compile_draft
from engine.memory.dialect import V4, dialect_for
from engine.memory.draft import PreImage, Put, Remove, Step
from engine.memory.patching import stage
from engine.memory.scope import SCOPES, Scope
from engine.memory.undo import Undo, Undone, inverse, undo_draft

OWNED: Any = {"$ref": "cwd.lazy.plan"}
ABSENT = PreImage(exists=False)


def there(value: Any) -> PreImage:
    return PreImage(exists=True, value=value)


def transition(before: Any, patch: Any, label: str = "c8", **more: Any) -> tuple[list[Undone], dict[Scope, Any]]:
    """The parts of a transition, newest state first asked for, and memory after it."""
    states: dict[Scope, Any] = {scope: before.get(scope, {}) for scope in SCOPES}
    staged = stage(V4, states, patch, **more)
    parts = [
        Undone(scope, label, net, inverse(scope, states[scope], staged.after[scope], net))
        for scope, net in staged.net.items()
    ]
    return parts, dict(staged.after)


def steps(undo: Undo) -> list[tuple[Any, ...]]:
    return [
        (
            type(one.operation).__name__,
            one.operation.scope,
            ".".join(map(str, one.operation.path)),
            one.ticked,
            one.note,
        )
        for one in undo.draft.steps
        if isinstance(one.operation, Put | Remove)
    ]


def test_an_inverse_leads_back_at_the_places_of_the_record() -> None:
    before: Any = {"lazy": {"a": 1, "b": {"x": 1, "y": 2}, "list": [1, 2]}, "response": "old", "tactics": {"t": 1}}
    after: Any = {"lazy": {"b": {"y": 3}, "list": [1], "new": {"deep": 1}}, "response": "new", "tactics": {"t": 1}}
    net: Any = {"lazy": {"a": None, "b": {"x": None, "y": 3}, "list": [1], "new": {"deep": 1}}, "response": "new"}
    back = {"lazy": {"a": 1, "b": {"x": 1, "y": 2}, "list": [1, 2], "new": None}}
    assert inverse("cwd", before, after, net) == back
    assert inverse("session", before, after, net) == {**back, "response": "old"}


def test_the_steps_of_an_undo_are_the_places_of_the_transition() -> None:
    parts, after = transition(
        {"cwd": {"lazy": {"a": 1, "b": {"x": 1}}}, "session": {"tactics": {"t": 1}}},
        {"cwd": {"lazy": {"a": None, "b": {"x": 2}, "c": {"new": 1}}}, "session": {"tactics": {"t": 2}}},
    )
    undo = undo_draft(V4, parts, after)
    note = "undo of c8"
    assert undo.cannot == ()
    assert undo.draft.steps == (
        Step(Put("cwd", ("lazy", "a"), 1, ABSENT), note=note),
        Step(Put("cwd", ("lazy", "b", "x"), 1, there(2)), note=note),
        Step(Remove("cwd", ("lazy", "c"), there({"new": 1})), note=note),
        Step(Put("session", ("tactics", "t"), 1, there(2)), note=note),
    )


def test_a_deleted_intent_comes_back_with_what_went_along() -> None:
    before = {"cwd": {"intents": {"release": {"own": OWNED}}, "lazy": {"plan": {"steps": [1]}}}}
    parts, after = transition(before, {"cwd": {"intents": {"release": None}}})
    undo = undo_draft(V4, parts, after)
    assert steps(undo) == [
        ("Put", "cwd", "intents.release", True, "undo of c8"),
        ("Put", "cwd", "lazy.plan", True, "undo of c8"),
    ]
    back = stage(V4, after, compile_draft(undo.draft, V4, after).patch)
    assert back.after["cwd"] == before["cwd"]


def test_what_an_intent_came_to_own_outlives_the_undo_of_it() -> None:
    before = {"cwd": {"lazy": {"plan": {"steps": [1]}, "x": 1}}}
    parts, after = transition(before, {"cwd": {"intents": {"new": {"own": OWNED}}, "lazy": {"plan": {"steps": [2]}}}})
    undo = undo_draft(V4, parts, after)
    assert steps(undo) == [
        ("Put", "cwd", "lazy.plan.steps", True, "undo of c8"),
        ("Remove", "cwd", "intents.new", True, "undo of c8"),
        ("Put", "cwd", "lazy.plan", True, "undo of c8: stays, although an intent that goes owns it"),
    ]
    staged = stage(V4, after, compile_draft(undo.draft, V4, after).patch)
    assert staged.after["cwd"] == before["cwd"]
    assert staged.cascaded == {"cwd": ("cwd.lazy.plan",)}
    # What came into being with the intent goes with it, and is not written.
    parts, after = transition({}, {"cwd": {"intents": {"new": {"own": OWNED}}, "lazy": {"plan": 1}}})
    assert [one[2] for one in steps(undo_draft(V4, parts, after))] == ["intents.new", "lazy.plan"]


def test_a_plane_is_undone_key_by_key() -> None:
    parts, after = transition({}, {"cwd": {"intents": {"a": 1, "b": 1}}})
    now: Any = {"cwd": {"intents": {**after["cwd"]["intents"], "b": 2, "c": 3}}}
    assert steps(undo_draft(V4, parts, now)) == [
        ("Remove", "cwd", "intents.a", True, "undo of c8"),
        ("Remove", "cwd", "intents.b", False, "undo of c8: changed since"),
    ]


def test_what_changed_since_is_flagged_and_not_ticked() -> None:
    parts, _ = transition(
        {"cwd": {"lazy": {"a": 1, "b": 1, "c": 1, "d": {"x": 1, "y": 1}}}},
        {"cwd": {"lazy": {"a": 2, "b": None, "c": 2, "d": {"x": None}, "e": 1}}},
    )
    now: Any = {"cwd": {"lazy": {"a": 3, "b": "new", "c": 1, "z": 1}}}
    undo = undo_draft(V4, parts, now)
    flagged = "undo of c8: changed since"
    assert steps(undo) == [
        ("Put", "cwd", "lazy.a", False, flagged),
        ("Put", "cwd", "lazy.b", False, flagged),
        # `c` holds again what it held, `e` is gone already; what held `x` is not there to hold it.
        ("Put", "cwd", "lazy.d.x", False, flagged),
    ]
    assert undo.cannot == ()
    assert compile_draft(undo.draft, V4, now).patch == {}


def test_a_step_that_is_ticked_after_all_is_carried_out() -> None:
    parts, _ = transition({"cwd": {"lazy": {"a": 1}}}, {"cwd": {"lazy": {"a": 2}}})
    now: Any = {"cwd": {"lazy": {"a": 3}}}
    draft = undo_draft(V4, parts, now).draft.ticking(0, ticked=True)
    assert compile_draft(draft, V4, now).patch == {"cwd": {"lazy": {"a": 1}}}


def test_an_answer_is_not_brought_back() -> None:
    parts, after = transition({"session": {"response": "old"}}, {}, "s31", response="new")
    assert parts[0].inverse == {"response": "old"}
    assert undo_draft(V4, parts, after) == Undo(
        undo_draft(V4, [], after).draft, ("s31: session.response belongs to the agent and is not written by hand",)
    )


def test_where_a_card_came_from_is_not_brought_back() -> None:
    digest = "sha256:" + "a" * 64
    card = {"description": "d", "hash": digest}
    parts, after = transition({"cwd": {"artifacts": {"/a": card}}}, {"cwd": {"artifacts": {"/a": None}}})
    undo = undo_draft(V4, parts, after)
    assert undo.draft.steps[0].operation == Put("cwd", ("artifacts", "/a"), {"description": "d"}, ABSENT)
    assert undo.cannot == ('c8: what is recorded of where cwd.artifacts["/a"] came from is not brought back',)
    # A member of it alone, as when an agent describes the source anew.
    net: Any = {"artifacts": {"/a": {"hash": None, "description": "new"}}}
    after = {"cwd": {"artifacts": {"/a": {"description": "new"}}}}
    back = inverse("cwd", {"artifacts": {"/a": card}}, after["cwd"], net)
    undo = undo_draft(V4, [Undone("cwd", "c9", net, back)], after)
    assert steps(undo) == [("Put", "cwd", "artifacts./a.description", True, "undo of c9")]
    assert undo.cannot == ('c9: what is recorded of where cwd.artifacts["/a"] came from is not brought back',)
    assert compile_draft(undo.draft, V4, after).problems == ()


def test_element_keys_cannot_take_the_place_of_an_array_again() -> None:
    parts, after = transition({"cwd": {"lazy": {"rows": {"[0]": 1}, "x": 1}}}, {"cwd": {"lazy": {"rows": [5], "x": 2}}})
    undo = undo_draft(V4, parts, after)
    assert [one[2] for one in steps(undo)] == ["lazy.x"]
    assert undo.cannot == ("c8: cwd.lazy.rows was an object of [N] keys, which cannot take the place of an array",)
    # The other way round there is nothing in the way.
    parts, after = transition({"cwd": {"lazy": {"rows": [5]}}}, {"cwd": {"lazy": {"rows": {"[0]": 1, "x": 1}}}})
    undo = undo_draft(V4, parts, after)
    assert stage(V4, after, compile_draft(undo.draft, V4, after).patch).after["cwd"] == {"lazy": {"rows": [5]}}


def test_an_empty_object_is_not_brought_back() -> None:
    parts, after = transition({"cwd": {"lazy": {"e": {}, "a": 1}}}, {"cwd": {"lazy": {"a": 2}}})
    assert parts[0].inverse == {"lazy": {"e": {}, "a": 1}}
    assert [one[2] for one in steps(undo_draft(V4, parts, after))] == ["lazy.a"]


def test_a_plane_that_is_no_longer_declared_is_told_of() -> None:
    declared = dialect_for(4, {"vault": {"module": "m", "projection": "lazy"}})
    part = Undone("cwd", "c8", {"vault": {"a": None}}, {"vault": {"a": 1}})
    assert steps(undo_draft(declared, [part], {"cwd": {}})) == [("Put", "cwd", "vault.a", True, "undo of c8")]
    assert undo_draft(V4, [part], {"cwd": {}}).cannot == ("c8: cwd.vault.a is in no plane that may be written",)


def test_several_transitions_are_undone_from_the_newest_back() -> None:
    first, middle = transition({"cwd": {"lazy": {"a": 1}}}, {"cwd": {"lazy": {"a": 2, "b": 1}}}, "c8")
    second, after = transition(middle, {"cwd": {"lazy": {"a": 3, "b": None}}}, "c9")
    undo = undo_draft(V4, [*second, *first], after)
    assert steps(undo) == [
        ("Put", "cwd", "lazy.a", True, "undo of c9"),
        ("Put", "cwd", "lazy.b", True, "undo of c9"),
        ("Put", "cwd", "lazy.a", True, "undo of c8"),
        ("Remove", "cwd", "lazy.b", True, "undo of c8"),
    ]
    assert compile_draft(undo.draft, V4, after).patch == {"cwd": {"lazy": {"a": 1}}}
    # In the wrong order nothing fits.
    assert not any(one[3] for one in steps(undo_draft(V4, first, after)))
