"""What intents have to do with the rest of memory."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from engine.memory.dialect import V2, V4
from engine.memory.ownership import INTENTS, cascade, owned
from engine.memory.relations import Relation, alone, relations, unowned
from engine.values import get, has
from tests.memory.owning import owning_states

STATES: dict[Any, Any] = {
    "global": {"strategy": {"style": "terse"}},
    "cwd": {
        "intents": {
            "one": {
                "own": [{"$ref": "cwd.lazy.p"}, {"$ref": "cwd.lazy.mine"}, {"$ref": "cwd.tactics.none"}],
                "see": "look at $cwd.lazy.p, $cwd.lazy.q.x and $HOME, then $global.strategy.style.",
                "far": [
                    {"$ref": "session.tactics.next"},
                    {"$ref": "global.strategy.style"},
                    {"$ref": "effective.lazy.q"},
                ],
            },
            "two": [
                {"$ref": "cwd.lazy.p.x"},
                {"$ref": "https://example.org"},
                {"$ref": "cwd[2].lazy.p"},
                {"$ref": "cwd[0].lazy.p"},
                {"$ref": "lazy.nowhere"},
                "$cwd.lazy.list[0:2] $cwd.lazy.list[1:4] $cwd.lazy.list[2] $cwd.lazy.list[3]",
            ],
        },
        "lazy": {"p": {"x": 1, "y": 2}, "mine": 3, "q": {"x": 4}, "list": [1, 2, 3]},
    },
}
WHOLE: Any = {"strategy": {"style": "terse"}, **{key: STATES["cwd"][key] for key in ("intents", "lazy")}}


def of(intent: str, whole: Any = WHOLE) -> tuple[Relation, ...]:
    claims = [claim for claim in owned(V4, "cwd", STATES["cwd"]) if claim.intent == intent]
    return relations(V4, "cwd", intent, STATES, whole, claims=claims)


def test_everything_that_an_intent_names_is_told_once() -> None:
    assert [(one.kind, one.target) for one in of("one")] == [
        ("owned", "cwd.lazy.mine"),
        ("shared", "cwd.lazy.p"),
        ("used", "cwd.lazy.q.x"),
        ("used", "global.strategy.style"),
        ("used", "session.tactics.next"),
        ("used", "effective.lazy.q"),
        ("dangling", "cwd.tactics.none"),
    ]
    shared = of("one")[1]
    assert shared.shared_with == ("two",) and shared.owning
    assert of("one")[2] == Relation("used", "cwd.lazy.q.x", "cwd", ("lazy", "q", "x"), owning=False)


def test_of_what_is_not_in_view_nobody_says_that_it_is_missing() -> None:
    unseen = {one.target: one.known for one in of("one")}
    assert not unseen["session.tactics.next"], "no session is in view"
    assert unseen["effective.lazy.q"]
    assert not {one.target: one.known for one in of("one", None)}["effective.lazy.q"], "nothing could be composed"


def test_history_resources_ranges_and_flat_references() -> None:
    found = {one.target: one for one in of("two")}
    assert found["https://example.org"] == Relation("used", "https://example.org", None, (), owning=False, known=False)
    assert found["cwd[2].lazy.p"] == Relation("used", "cwd[2].lazy.p", None, (), owning=False, known=False)
    assert found["cwd[0].lazy.p"] == Relation("used", "cwd[0].lazy.p", "cwd", ("lazy", "p"), owning=False)
    assert found["lazy.nowhere"] == Relation("dangling", "lazy.nowhere", "effective", ("lazy", "nowhere"), owning=False)
    assert found["cwd.lazy.list[0:2]"].kind == "used" and found["cwd.lazy.list[0:2]"].path == ("lazy", "list")
    assert found["cwd.lazy.list[1:4]"].kind == "dangling"
    assert found["cwd.lazy.list[2]"].kind == "used" and found["cwd.lazy.list[3]"].kind == "dangling"


def test_an_intent_that_only_says_something() -> None:
    assert relations(V2, "cwd", "a", {"cwd": {"intents": {"a": "just do it"}}}, None, claims=()) == ()


def test_what_no_intent_owns_is_told_at_its_top() -> None:
    state: Any = {
        "intents": {"i": [{"$ref": "cwd.lazy.a.b"}, {"$ref": "cwd.tactics.t"}, {"$ref": "cwd.lazy.gone"}]},
        "artifacts": {"src": {"x": 1}},
        "lazy": {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}},
        "tactics": {"t": {"u": 1}, "v": []},
        "response": "yes",
    }
    found = tuple(unowned(V4, state, owned(V4, "cwd", state)))
    assert found == (("tactics", "v"), ("lazy", "a", "c"), ("lazy", "e"))
    assert tuple(unowned(V4, {"lazy": {}}, ())) == ()


@given(owning_states)
def test_what_goes_with_an_intent_is_what_the_cascade_takes(state: Any) -> None:
    claims = owned(V4, "cwd", state)
    for name in state[INTENTS]:
        after = {**state, INTENTS: {other: value for other, value in state[INTENTS].items() if other != name}}
        mine = [claim for claim in claims if claim.intent == name]
        assert alone("cwd", mine) == cascade(V4, "cwd", state, after)


@given(owning_states)
def test_owned_and_unowned_together_are_all_that_can_be_owned(state: Any) -> None:
    claims = owned(V4, "cwd", state)
    held = {claim.path for claim in claims if claim.exists}
    left = set(unowned(V4, state, claims))
    for path in left:
        assert has(state, path)
        assert not any(path[: len(one)] == one or one[: len(path)] == path for one in held)
    for plane in ("strategy", "tactics", "lazy"):
        for key in get(state, (plane,), {}):  # type: ignore[union-attr]
            here = (plane, key)
            above = here in held or here in left
            below = any(one[:2] == here for one in (*held, *left))
            assert above or below
