from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from hypothesis import given

from engine.memory.dialect import V2, V4, dialect_for
from engine.memory.ownership import Claim, cascade, named_by, owned, owned_paths, spell, target_of
from engine.values import merge
from tests.memory import reference
from tests.memory.owning import REFS, owning_states
from tests.memory.test_staging_long import exists, names, nested


@pytest.mark.parametrize(
    ("ref", "target"),
    [
        ("cwd.lazy.a", ("lazy", "a")),
        ("cwd.tactics.a.b-c.$d", ("tactics", "a", "b-c", "$d")),
        ("cwd.strategy.a", ("strategy", "a")),
        ("cwd.lazy", None),
        ("cwd", None),
        ("cwd.lazy.a[0]", None),
        ("cwd.lazy.a[0].b", None),
        ("cwd.lazy[0]", None),
        ("cwd[0].lazy.a", None),
        ("global.lazy.a", None),
        ("effective.lazy.a", None),
        ("lazy.a", None),
        ("cwd.intents.a", None),
        ("cwd.artifacts.a", None),
        ("cwd.response", None),
        ("cwd.notes.a", None),
        ("cwd.working.a", None),
        ("cwd.lazy.a b", None),
        ("cwd.lazy.é", None),
        ("cwd.lazy.1", None),
        ("cwd.lazy.a\n", None),
        ("cwd.lazy..a", None),
        ("$cwd.lazy.a", None),
    ],
)
def test_what_a_reference_can_own(ref: str, target: tuple[str, ...] | None) -> None:
    dialect = dialect_for(4, {"notes": {"module": "m", "projection": "lazy"}})
    assert target_of(dialect, "cwd", ref) == target


def test_what_a_reference_keeps_is_more_than_it_can_own() -> None:
    assert named_by(V2, "cwd", "cwd.lazy") == ("lazy",)
    assert named_by(V2, "cwd", "cwd.lazy.a[0].b") == ("lazy", "a")
    assert named_by(V2, "cwd", "cwd[1].lazy.a") is None
    assert named_by(V2, "cwd", "cwd.contract.a") is None
    assert named_by(V4, "cwd", "cwd.strategy.a") == ("strategy", "a")


def test_claims_say_who_shares_them() -> None:
    state: Any = {
        "intents": {
            "one": {
                "own": [{"$ref": "cwd.lazy.p"}, {"$ref": "cwd.lazy.p"}, {"$ref": "cwd.working.none"}],
                "see": "$cwd.lazy.q",
            },
            "two": {"$ref": "cwd.lazy.p.x"},
        },
        "lazy": {"p": {"x": 1}, "q": 1},
    }
    assert owned(V2, "cwd", state) == (
        Claim("one", ("lazy", "p"), exists=True, shared_with=("two",)),
        Claim("one", ("working", "none"), exists=False),
        Claim("two", ("lazy", "p", "x"), exists=True, shared_with=("one",)),
    )
    assert owned_paths(V2, "cwd", state) == (("lazy", "p"),)
    assert owned(V2, "cwd", {"intents": []}) == ()


def test_the_order_of_a_cascade_is_that_of_a_reader() -> None:
    keys = ["b-a", "b_a", "bA", "ba", "Ba", "b$", "b1", "b10", "b2"]
    before: Any = {"intents": {"i": [{"$ref": f"cwd.lazy.{key}"} for key in keys]}, "lazy": dict.fromkeys(keys, 1)}
    found = cascade(V2, "cwd", before, {**before, "intents": {}})
    assert found.paths == tuple(f"cwd.lazy.{key}" for key in ["b_a", "b-a", "b$", "b1", "b10", "b2", "ba", "bA", "Ba"])
    assert found.covers(("lazy", "b1", "below")) and not found.covers(("lazy", "b"))


@given(owning_states, owning_states)
def test_a_cascade_equals_the_long_way(before: Any, after: Any) -> None:
    found = cascade(V4, "cwd", before, after)
    left = after["intents"]
    deleted = [value for key, value in before["intents"].items() if key not in left]
    kept = {name for value in left.values() for name in names(value)}
    wanted = {
        name
        for value in deleted
        for name in names(value)
        if exists(after, name) and not any(nested(name, one) or nested(one, name) for one in kept)
    }
    top = {name for name in wanted if not any(nested(name, one) and name != one for one in wanted)}
    assert set(found.paths) == top <= REFS
    assert len(found.paths) == len(top)
    cleared: Any = merge(after, found.patch).value
    assert not any(exists(cleared, name) for name in top)
    for path in reference.paths(after):
        name = ".".join(("cwd", *map(str, path)))
        if not any(nested(name, one) for one in top):
            assert reference.found(cleared, path)[0]


@given(owning_states)
def test_who_shares_a_claim_equals_the_long_way(state: Any) -> None:
    mentioned = {name: names(value) for name, value in state["intents"].items()}
    for claim in owned(V4, "cwd", state):
        target = spell("cwd", claim.path)
        others = [
            name
            for name, found in mentioned.items()
            if name != claim.intent and any(nested(target, one) or nested(one, target) for one in found)
        ]
        assert list(claim.shared_with) == others


def test_claims_cost_no_more_than_their_number() -> None:
    """Each of 4,000 intents is compared with those on its own line, not with all the others: minutes otherwise."""
    count = 4_000
    state: Any = {
        "intents": {f"i{n}": {"$ref": f"cwd.lazy.x{n}"} for n in range(count)},
        "lazy": {f"x{n}": n for n in range(count)},
    }
    began = perf_counter()
    claims = owned(V4, "cwd", state)
    assert perf_counter() - began < 5.0
    assert len(claims) == count
    assert not any(claim.shared_with for claim in claims)
