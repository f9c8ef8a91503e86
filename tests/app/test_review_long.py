"""The review of whatever chance makes: nothing that changes is left out, nothing is told that does not change."""

from __future__ import annotations

from hypothesis import assume, given, settings

from engine.errors import InvalidRequest
from engine.memory.dialect import V4
from engine.memory.overlay import effective
from engine.memory.scope import SCOPES, Scope
from engine.memory.staging import Staged, stage
from engine.values import JsonObject, changes, encoded_size, get, same
from sftui.views.diffs import diff
from sftui.views.growth import growth
from sftui.views.showing import showing
from tests.memory.drafting import Chance, chances

States = dict[Scope, JsonObject]


def staged_by(chance: Chance) -> tuple[States, Staged]:
    """A cohort and what a patch makes of it; chances whose patch is refused are passed over."""
    states = chance.cohort()
    try:
        return states, stage(V4, states, chance.patch(states))
    except InvalidRequest:
        assume(False)
    raise AssertionError


def composed(chance: Chance) -> tuple[States, Staged, JsonObject, JsonObject]:
    """The same with the effective memory before and after; chances where it cannot be composed are passed over."""
    states, staged = staged_by(chance)
    try:
        return states, staged, effective(V4, states), effective(V4, staged.after)
    except InvalidRequest:
        assume(False)
    raise AssertionError


@settings(max_examples=300, deadline=None)
@given(chances)
def test_a_diff_tells_every_change_and_no_other(chance: Chance) -> None:
    states, staged = staged_by(chance)
    lines = [line for one in diff(V4, staged.net, states, staged.after, staged.cascaded) for line in one.lines]
    for scope in SCOPES:
        told = [line.path for line in lines if line.scope == scope]
        differing = [change.path for change in changes(states[scope], staged.after[scope])]
        for path in differing:
            assert any(_related(path, other) for other in told), (scope, path, told)
        for path in told:
            assert any(_related(path, other) for other in differing), (scope, path, differing)
    for line in lines:
        was = get(states[line.scope], line.path, None)
        now = get(staged.after[line.scope], line.path, None)
        assert (line.sign in {"+", "→"}) == (was is None and now is not None)
        assert (line.sign in {"-", "×"}) == (now is None and was is not None)
        assert (line.sign == "~") == (was is not None and now is not None and not same(was, now))


def _related(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


@settings(max_examples=300, deadline=None)
@given(chances)
def test_growth_is_the_difference_of_the_whole(chance: Chance) -> None:
    states, staged, before, after = composed(chance)
    grew = growth(V4, states, staged.after, staged.net)
    whole = sum(encoded_size(staged.after[scope]) - encoded_size(states[scope]) for scope in SCOPES)
    assert grew.hot + grew.lazy == whole
    hot_before = encoded_size({plane: value for plane, value in before.items() if plane != "lazy"})
    hot_after = encoded_size({plane: value for plane, value in after.items() if plane != "lazy"})
    assert grew.given == hot_after - hot_before


@settings(max_examples=300, deadline=None)
@given(chances)
def test_what_is_said_to_have_no_effect_has_none(chance: Chance) -> None:
    states, staged, before, after = composed(chance)
    diffs = diff(V4, staged.net, states, staged.after, staged.cascaded)
    silent = {(one.scope, one.path) for one in showing(V4, states, staged.after, diffs) if one.how != "reveals"}
    for one in diffs:
        for line in one.lines:
            # Keys of the form [N] lie over an array, which the effective value shows instead.
            if any(isinstance(key, str) and key.startswith("[") for key in line.path):
                continue
            # A value that goes to another scope under the same key: it is told where it arrives.
            if line.sign == "-" and line.place.partition(".")[2] == line.where:
                continue
            was, now = get(before, line.path, None), get(after, line.path, None)
            if (line.scope, line.path) in silent:
                assert same(was, now), line
            elif now is not None:
                assert not same(was, now), line
