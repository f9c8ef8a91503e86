"""What a model would be given, against the same worked out from whole states that were kept aside."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.cohort import Cohort, advance, begin
from engine.memory.context import MODES, Mode, context
from engine.memory.dialect import dialect_for
from engine.memory.reading import View
from engine.memory.scope import SCOPES, Scope
from engine.memory.staging import stage
from engine.values import SAFE_INTEGER
from tests.memory import reference
from tests.memory.strategies import plane_patches, planes, values

ROOTS: Any = {"notes": {"module": "m", "projection": "hot"}, "attic": {"module": "m", "projection": "lazy"}}
DIALECT = dialect_for(4, ROOTS)
LIMIT = 3
MARK = "LAZY-BODY"
ANSWER = "ANSWER"
HASH = "sha256:" + "0" * 64

cards = st.fixed_dictionaries({"description": st.sampled_from("de")}, optional={"hash": st.just(HASH)})
card_patches = st.dictionaries(
    st.sampled_from(["p", "q"]),
    st.none() | st.fixed_dictionaries({"description": st.sampled_from("de")}, optional={"tags": st.just(["t"])}),
)
states = st.fixed_dictionaries(
    {},
    optional={
        "tactics": planes,
        "notes": planes,
        "lazy": planes,
        "attic": planes,
        "artifacts": st.dictionaries(st.sampled_from(["p", "q"]), cards, max_size=2),
        "response": st.sampled_from(["", f"{ANSWER} 0"]),
    },
)
patches = st.fixed_dictionaries(
    {},
    optional={
        "tactics": plane_patches,
        "notes": plane_patches,
        "lazy": plane_patches,
        "attic": plane_patches,
        "artifacts": card_patches,
    },
)
steps = st.tuples(
    st.dictionaries(st.sampled_from(SCOPES), patches, max_size=2),
    st.sampled_from([None, "", f"{ANSWER} 1", f"{ANSWER} 2"]),
)
wishes = st.sampled_from([SCOPES, ("global", "cwd"), ("cwd",), ("session",)])


def marked(value: Any, *, keys: bool) -> Any:
    """The same value with its texts marked, and its keys too; those that select an element stay."""
    if isinstance(value, dict):
        return {
            f"{MARK}{key}" if keys and not key.startswith("[") else key: marked(member, keys=True)
            for key, member in value.items()
        }
    if isinstance(value, list):
        return [marked(item, keys=True) for item in value]
    return f"{MARK}{value}" if isinstance(value, str) else SAFE_INTEGER - 7 if isinstance(value, int) else value


def hidden_marked(state: Any) -> Any:
    """A state, or a patch, in which everything that no model may be given is marked. Keys of the hint stay as they are."""
    found = dict(state)
    for plane in ("lazy", "attic"):
        if plane in found:
            found[plane] = marked(found[plane], keys=plane == "attic")
    return found


class History:
    """A cohort, and beside it every state that memory ever had."""

    def __init__(self, start: Any) -> None:
        self.cohort = begin(DIALECT, start, origin_id="o", limit=LIMIT)
        self.states: list[Any] = [self.copied()]

    def copied(self) -> Any:
        return copy.deepcopy(dict(self.cohort.states))

    def step(self, patch: Any, answer: str | None) -> None:
        try:
            staged = stage(DIALECT, self.cohort.states, patch, response=answer)
        except InvalidRequest:
            return
        after: Cohort = advance(self.cohort, f"b{len(self.states)}", staged.net, staged.after)
        if after is not self.cohort:
            self.cohort = after
            self.states.append(self.copied())


@given(
    st.fixed_dictionaries(dict.fromkeys(SCOPES, states)), st.lists(steps, max_size=6), wishes, st.sampled_from(MODES)
)
@settings(max_examples=80)
def test_a_context_is_what_whole_states_say(start: Any, changes: Any, wanted: tuple[Scope, ...], mode: Mode) -> None:
    history = History({scope: hidden_marked(state) for scope, state in start.items()})
    for patch, answer in changes:
        history.step({scope: hidden_marked(one) for scope, one in patch.items()}, answer)
    try:
        expected = state_of(history.states[-1], wanted, mode)
    except reference.Refused:
        expected = None
    try:
        found: Any = context(View(history.cohort, wanted), mode)
    except InvalidRequest:
        assert expected is None
        return
    assert found["state"] == expected
    told = {one["offset"]: one["patches"] for one in found["recent_transitions"]}
    assert list(told) == sorted(told)
    for offset in range(min(LIMIT, len(history.states) - 1)):
        before, after = history.states[-2 - offset], history.states[-1 - offset]
        seen = {scope: (shown(before[scope], mode), shown(after[scope], mode)) for scope in wanted}
        assert set(told.get(offset, {})) == {scope for scope, (was, now) in seen.items() if was != now}
        for scope, patch in told.get(offset, {}).items():
            was, now = seen[scope]
            assert reference.pruned(reference.patched(was, patch)) == now
    assert max(told, default=-1) < LIMIT
    text = json.dumps(found)
    assert MARK not in text and str(SAFE_INTEGER - 7) not in text
    assert mode == "active" or ANSWER not in text


def state_of(states: Any, wanted: tuple[Scope, ...], mode: Mode) -> Any:
    """Hot memory composed the long way."""
    whole = reference.effective(DIALECT.planes, {scope: states[scope] if scope in wanted else {} for scope in SCOPES})
    return shown(whole, mode)


def shown(state: Any, mode: Mode) -> Any:
    """What of a state a model may see, without empty branches."""
    hot = ["intents", "strategy", "tactics", "artifacts", "notes", *(["response"] if mode == "active" else [])]
    found = {plane: state[plane] for plane in hot if plane in state and state[plane] != ""}
    if "artifacts" in found:
        found["artifacts"] = {
            source: {name: member for name, member in card.items() if name != "hash"}
            for source, card in found["artifacts"].items()
        }
    return reference.pruned(found)


@given(values)
def test_what_is_moved_to_lazy_memory_is_told_as_gone_and_no_more(body: Any) -> None:
    history = History({"cwd": {"tactics": {"a": body}}})
    history.step({"cwd": {"tactics": {"a": None}, "lazy": {"k": {"deep": f"{MARK}"}}}}, None)
    found: Any = context(View(history.cohort, SCOPES), "active")
    hollow = reference.pruned({"a": body}) == {}
    told = [] if hollow else [{"offset": 0, "patches": {"cwd": {"tactics": None}}}]
    assert found["recent_transitions"] == told
    assert found["lazy_navigation"]["keys"] == {"k": "object"} and MARK not in json.dumps(found)
