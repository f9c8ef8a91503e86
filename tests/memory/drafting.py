"""Drafts that meet in a small memory: places that are there, places that are not, references between scopes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from engine.memory.draft import Draft, Operation, Put, Remove, Step, Transfer
from engine.memory.gathering import pre_image, raw
from engine.memory.scope import SCOPES, Scope
from engine.values import Json, KeyPath
from tests.memory import reference

KEYS = ("a", "b", "c")
PLANES = ("strategy", "tactics", "lazy")
NAMES = [f"{plane}.{one}{two}" for plane in PLANES for one in KEYS for two in ("", ".a", ".b", ".c")]
MENTIONS = ["cwd.intents.a", "cwd.lazy.a[0]", "cwd.lazy", "effective.lazy.a", "lazy.a", "cwd[0].lazy.a", "cwd.lazy.a b"]

targets = st.builds("{}.{}".format, st.sampled_from(SCOPES), st.sampled_from(NAMES)) | st.sampled_from(MENTIONS)
refs: st.SearchStrategy[Json] = targets.map(lambda text: {"$ref": text})
texts: st.SearchStrategy[Json] = st.lists(targets, min_size=1, max_size=2).map(
    lambda found: " ".join(f"see ${text}, {text}$" for text in found)
)
plain: st.SearchStrategy[Json] = st.sampled_from([0, 1, "x", True])
leaves: st.SearchStrategy[Json] = plain | texts | refs


def _bodies(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, min_size=1, max_size=3)


contents: st.SearchStrategy[Json] = st.recursive(leaves, _bodies, max_leaves=5)
members = st.dictionaries(st.sampled_from(KEYS), contents, min_size=1, max_size=3)
states = st.fixed_dictionaries({}, optional=dict.fromkeys(("intents", *PLANES), members))
cohorts: st.SearchStrategy[Any] = st.fixed_dictionaries(dict.fromkeys(SCOPES, states)).map(
    lambda made: {scope: reference.pruned(state) for scope, state in made.items()}
)

changes: st.SearchStrategy[Json] = st.recursive(
    leaves | st.none() | contents,
    lambda inner: st.dictionaries(st.sampled_from((*KEYS, "[0]")), inner, max_size=2),
    max_leaves=4,
)
patches: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        SCOPES,
        st.fixed_dictionaries(
            {},
            optional=dict.fromkeys(("intents", *PLANES), st.dictionaries(st.sampled_from(KEYS), changes, max_size=2)),
        ),
    ),
)


@st.composite
def places(draw: st.DrawFn, cohort: Any) -> tuple[Scope, KeyPath]:
    """Mostly a place that is there, else one beside or below it."""
    scope = draw(st.sampled_from(SCOPES))
    there = [path for path in reference.paths(cohort[scope]) if len(path) > 1]
    odds: int = draw(st.integers(0, 3))
    if there and odds:
        path = draw(st.sampled_from(there))
        others: list[KeyPath] = [path, path, path, (*path, "b"), (*path, 1), (*path[:-1], "c")]
        return scope, draw(st.sampled_from(others))
    keys: list[str | int] = draw(st.lists(st.sampled_from((*KEYS, 0)), min_size=1, max_size=3))
    return scope, (draw(st.sampled_from(("intents", *PLANES))), *keys)


@st.composite
def operations(draw: st.DrawFn, cohort: Any) -> Operation:
    act = draw(st.sampled_from(["put", "remove", "transfer", "transfer", "raw"]))
    scope, path = draw(places(cohort))
    before = pre_image(cohort, scope, path)
    if act == "put":
        return Put(scope, path, draw(contents), before)
    if act == "remove":
        return Remove(scope, path, before)
    if act == "raw":
        return raw(cohort, draw(patches))
    to_scope, to_path = draw(places(cohort))
    if draw(st.booleans()):
        to_path = path
    there = pre_image(cohort, to_scope, to_path)
    keep, along, rewrite = draw(st.booleans()), draw(st.integers(0, 3)) > 0, draw(st.integers(0, 3)) > 0
    return Transfer(scope, path, to_scope, to_path, before, there, keep, along, rewrite)


@st.composite
def drafts(draw: st.DrawFn, cohort: Any) -> Draft:
    made = draw(st.lists(operations(cohort), min_size=1, max_size=5))
    return Draft(tuple(Step(operation, ticked=draw(st.integers(0, 9)) > 0) for operation in made))
