"""Small memories that collide: few keys, so that scopes and patches meet in the same places."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.memory.scope import SCOPES
from engine.values import Json

KEYS = ("a", "b", "1", "[0]", "[1]", "[01]", "__proto__")

scalars: st.SearchStrategy[Json] = st.sampled_from([0, 1, 1.5, True, False, "", "x", "null"])


def _values(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)


values: st.SearchStrategy[Json] = st.recursive(scalars, _values, max_leaves=6)
"""JSON without a null."""


def _patches(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)


patches: st.SearchStrategy[Json] = st.recursive(values | st.none(), _patches, max_leaves=6)

planes = st.dictionaries(st.sampled_from(KEYS), values, max_size=3)
states = st.fixed_dictionaries(
    {}, optional={"working": planes, "lazy": planes, "response": st.sampled_from(["", "x", "y"])}
)
cohort_states = st.fixed_dictionaries(dict.fromkeys(SCOPES, states))
plane_patches = st.dictionaries(st.sampled_from(KEYS), patches, max_size=3)
scope_patches = st.fixed_dictionaries({}, optional={"working": plane_patches | st.none(), "lazy": plane_patches})
