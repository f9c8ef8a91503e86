"""A draft kept as JSON text comes back as it was; anything else is refused with its place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.draft import Draft, PreImage, Put, Raw, Remove, Step, Transfer
from engine.memory.draft_codec import VERSION, from_json, to_json
from engine.memory.scope import SCOPES
from engine.values import decode, encode, same
from engine.values.types import Json

# Lone surrogates, characters beyond the first plane, line ends of all kinds.
characters = st.characters(codec=None)
texts = st.text(characters, max_size=6)
numbers = st.integers() | st.integers(10**399, 10**400 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
paths = st.lists(texts | st.integers(0, 10**6), max_size=4).map(tuple)
images = st.builds(PreImage, st.just(True), values) | st.just(PreImage(exists=False))
scopes = st.sampled_from(SCOPES)
raws = st.builds(
    Raw, st.dictionaries(texts, values, max_size=3), st.lists(st.tuples(scopes, paths, images), max_size=2).map(tuple)
)
seen = st.lists(st.tuples(scopes, paths, images), max_size=2).map(tuple)
flags = st.booleans()
operations = (
    st.builds(Put, scopes, paths, values, images, seen)
    | st.builds(Remove, scopes, paths, images, seen)
    | st.builds(Transfer, scopes, paths, scopes, paths, images, images, flags, flags, flags, seen)
    | raws
)
drafts = st.lists(st.builds(Step, operations, st.booleans(), texts), max_size=4).map(lambda steps: Draft(tuple(steps)))


@given(drafts)
def test_a_draft_comes_back_from_its_text(draft: Draft) -> None:
    back = from_json(decode(encode(to_json(draft))).value)
    # A whole number has one spelling, and may come back as another type of the same value.
    assert same(to_json(back), to_json(draft))
    assert [type(step.operation) for step in back.steps] == [type(step.operation) for step in draft.steps]


def test_what_it_looks_like() -> None:
    put = Put("cwd", ("lazy", "list", 2), "new", PreImage(exists=True, value=1))
    move = Transfer("session", ("intents", "a"), "cwd", ("intents", "a"), PreImage(exists=True, value="x"),
                    PreImage(exists=False), along=False)  # fmt: skip
    assert to_json(Draft((Step(put, ticked=False, note="undo of s31"), Step(move)))) == {
        "version": 1,
        "steps": [
            {"act": "set", "scope": "cwd", "path": ["lazy", "list", 2], "value": "new", "before": {"value": 1},
             "ticked": False, "note": "undo of s31"},
            {"act": "move", "scope": "session", "path": ["intents", "a"], "before": {"value": "x"}, "to_scope": "cwd",
             "to_path": ["intents", "a"], "there": {}, "along": False, "rewrite": True, "ticked": True, "note": ""},
        ],
    }  # fmt: skip


STEP: dict[str, Any] = {
    "act": "set", "scope": "cwd", "path": ["lazy", "a"], "value": 1, "before": {}, "ticked": True, "note": "",
}  # fmt: skip
MOVE: dict[str, Any] = {
    "act": "move", "scope": "cwd", "path": ["lazy", "a"], "before": {}, "to_scope": "global", "to_path": ["lazy", "a"],
    "there": {}, "along": True, "rewrite": True, "ticked": True, "note": "",
}  # fmt: skip
RAW: dict[str, Any] = {"act": "patch", "patch": {}, "before": [], "ticked": True, "note": ""}


@pytest.mark.parametrize(
    ("value", "code", "where"),
    [
        (None, "bad-draft", None),
        ([], "bad-draft", None),
        ({"steps": []}, "bad-draft", None),
        ({"version": VERSION + 1, "steps": []}, "draft-version", None),
        ({"version": True, "steps": []}, "draft-version", None),
        ({"version": VERSION}, "bad-draft", "steps"),
        ({"version": VERSION, "steps": {}}, "bad-draft", "steps"),
        ({"version": VERSION, "steps": [STEP, 1]}, "bad-draft", "steps[1]"),
        ({"version": VERSION, "steps": [{**STEP, "act": "replace"}]}, "bad-draft", "steps[0].act"),
        ({"version": VERSION, "steps": [{**STEP, "act": []}]}, "bad-draft", "steps[0].act"),
        ({"version": VERSION, "steps": [{**STEP, "scope": "project"}]}, "bad-draft", "steps[0].scope"),
        ({"version": VERSION, "steps": [{**STEP, "scope": ["cwd"]}]}, "bad-draft", "steps[0].scope"),
        ({"version": VERSION, "steps": [{**STEP, "path": "lazy.a"}]}, "bad-draft", "steps[0].path"),
        ({"version": VERSION, "steps": [{**STEP, "path": ["lazy", True]}]}, "bad-draft", "steps[0].path[1]"),
        ({"version": VERSION, "steps": [{**STEP, "path": ["lazy", -1]}]}, "bad-draft", "steps[0].path[1]"),
        ({"version": VERSION, "steps": [{**STEP, "before": 1}]}, "bad-draft", "steps[0].before"),
        ({"version": VERSION, "steps": [{**STEP, "ticked": 1}]}, "bad-draft", "steps[0].ticked"),
        ({"version": VERSION, "steps": [{**STEP, "note": None}]}, "bad-draft", "steps[0].note"),
        ({"version": VERSION, "steps": [{**MOVE, "along": "yes"}]}, "bad-draft", "steps[0].along"),
        ({"version": VERSION, "steps": [{**MOVE, "there": None}]}, "bad-draft", "steps[0].there"),
        ({"version": VERSION, "steps": [{**RAW, "patch": []}]}, "bad-draft", "steps[0].patch"),
        ({"version": VERSION, "steps": [{**RAW, "before": [{"scope": "cwd"}]}]}, "bad-draft", "steps[0].before[0]"),
    ],
)
def test_what_is_no_draft_is_refused_with_its_place(value: Any, code: str, where: str | None) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        from_json(value)
    assert (refusal.value.code, refusal.value.path) == (code, where)


@pytest.mark.parametrize("given_step", [STEP, MOVE, RAW], ids=["set", "move", "patch"])
def test_no_member_of_a_step_may_be_missing(given_step: Any) -> None:
    assert from_json({"version": VERSION, "steps": [given_step]}).steps[0].ticked
    for name in given_step:
        left = {member: value for member, value in given_step.items() if member != name}
        with pytest.raises(InvalidRequest) as refusal:
            from_json({"version": VERSION, "steps": [left]})
        assert name in refusal.value.message
