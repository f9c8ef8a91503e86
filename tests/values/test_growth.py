"""Growth is the difference of two lengths, whatever changed, and looks at nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.values import encode, grown, members_grown, merge

VALUES = st.recursive(
    st.integers(-5, 5) | st.sampled_from(["a", "é\u2028", ""]) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("pqrxyz"), VALUES, max_size=4)
PATCHES = st.recursive(
    st.none() | VALUES,
    lambda inner: st.dictionaries(st.sampled_from(["x", "y", "z", "[0]"]), inner, min_size=1, max_size=3),
    max_leaves=6,
)


@given(OBJECTS, st.dictionaries(st.sampled_from("pqrxyz"), PATCHES, max_size=4))
def test_it_is_what_two_encodings_differ_by(before: dict[str, Any], patch: dict[str, Any]) -> None:
    try:
        after = merge(before, patch).value
    except InvalidRequest:
        return
    assert isinstance(after, dict)
    assert grown(patch, before, after) == len(encode(after)) - len(encode(before))
    sizes = [{key: len(encode(value)) for key, value in state.items()} for state in (before, after)]
    expected = {key: sizes[1].get(key, 0) - sizes[0].get(key, 0) for key in sizes[0] | sizes[1]}
    assert members_grown(patch, before, after) == {key: delta for key, delta in expected.items() if delta}


class Untouched(dict[str, Any]):
    """A value that must not be looked at."""

    def __iter__(self) -> Any:
        raise AssertionError("what was not touched was measured")

    items = keys = __iter__


def test_what_a_change_does_not_touch_is_not_measured() -> None:
    beside = Untouched(a=1)
    before: dict[str, Any] = {"lazy": {"beside": beside, "n": 1}, "other": beside}
    after: dict[str, Any] = {"lazy": {"beside": beside, "n": 22}, "other": beside}
    assert members_grown({"lazy": {"n": 22}}, before, after) == {"lazy": 1}
