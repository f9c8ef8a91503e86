"""Small memories in which intents own things, and patches that delete, rewrite and supersede them."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.values import Json

KEYS = ("a", "b", "c")
PLANES = ("strategy", "tactics", "lazy")
# Everything that an intent of cwd can own in such a memory, and more that it cannot.
REFS = frozenset(
    f"cwd.{plane}.{path}" for plane in PLANES for path in (*KEYS, *(f"{one}.{two}" for one in KEYS for two in KEYS))
)
STRANGE = (
    "cwd.artifacts.a",
    "session.lazy.a",
    "lazy.a",
    "effective.lazy.a",
    "cwd[0].lazy.a",
    "cwd.lazy.a b",
    "",
    "cwd.intents.a",
)

refs: st.SearchStrategy[Json] = st.sampled_from([*sorted(REFS), *STRANGE]).map(lambda text: {"$ref": text})
leaves: st.SearchStrategy[Json] = st.sampled_from([0, 1, "x", "$cwd.lazy.a", True])


def _bodies(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=2)


intents: st.SearchStrategy[Json] = st.recursive(leaves | refs, _bodies, max_leaves=4)
contents: st.SearchStrategy[Json] = st.recursive(leaves, _bodies, max_leaves=5)
planes = st.dictionaries(st.sampled_from(KEYS), contents, max_size=3)
owning_states = st.fixed_dictionaries(
    {"intents": st.dictionaries(st.sampled_from(KEYS), intents, max_size=3)},
    optional=dict.fromkeys(PLANES, planes),
)


def _changes(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.dictionaries(st.sampled_from((*KEYS, "[0]")), inner, max_size=2)


changes: st.SearchStrategy[Json] = st.recursive(leaves | st.none() | contents, _changes, max_leaves=4)
plane_changes = st.dictionaries(st.sampled_from(KEYS), changes, max_size=2)
intent_changes = st.dictionaries(st.sampled_from(KEYS), st.none() | intents, max_size=3)
intent_patches = st.fixed_dictionaries({"intents": intent_changes}, optional=dict.fromkeys(PLANES, plane_changes))
