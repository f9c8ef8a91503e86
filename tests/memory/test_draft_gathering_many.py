"""Many edits gathered at once come to the same as one after another, and each costs about the same."""

from __future__ import annotations

from time import process_time

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.memory.draft import Draft, Operation, PreImage, Remove
from engine.memory.gathering import add, add_all
from engine.memory.scope import Scope
from tests.memory.drafting import Chance, chances


@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(chances, st.integers(0, 6))
def test_all_at_once_is_one_after_another(chance: Chance, first: int) -> None:
    edits = list(chance.operations(chance.cohort(), 12))
    begun = Draft()
    for edit in edits[:first]:
        begun = add(begun, edit, note="begun")
    expected = begun
    for edit in edits[first:]:
        expected = add(expected, edit, note="more")
    assert add_all(begun, edits[first:], note="more") == expected


def test_ten_times_as_many_cost_about_ten_times_as_much() -> None:
    def taken(count: int) -> float:
        edits: list[Operation] = [removal("cwd", f"k{number}") for number in range(count)]
        began = process_time()
        assert len(add_all(Draft(), edits).steps) == count
        return process_time() - began

    small = min(taken(500) for _ in range(5))
    assert min(taken(5_000) for _ in range(3)) < 40 * small


def removal(scope: Scope, key: str) -> Remove:
    return Remove(scope, ("lazy", key), PreImage(exists=True, value=1))
