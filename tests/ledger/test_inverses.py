"""What leads back from a transition is recorded with it, and found again long after it has left every tail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import values
from engine.ledger import Baseline, Ledger, Retained, TransitionSeen
from engine.ledger.events import identity
from engine.ledger.lines import from_line, to_line
from engine.memory.stream import Boundary
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import snapshot as read
from engine.values import JsonObject
from tests.ledger.building import ROOT, Scribe, seen
from tests.store.building import CWD, KEY, build


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.open(ROOT, directory=str(tmp_path / "ledger"))


def changed(ledger: Ledger, scribe: Scribe, patch: JsonObject) -> Retained:
    scribe.change(patch)
    (event,) = ledger.observe(seen(scribe))
    assert isinstance(event, TransitionSeen)
    return event.transition


def test_a_transition_is_recorded_with_what_leads_back(ledger: Ledger) -> None:
    scribe = Scribe()
    ledger.observe(seen(scribe))
    assert changed(ledger, scribe, {"lazy": {"a": 1, "b": [1, 2]}}).inverse == {"lazy": None}
    assert changed(ledger, scribe, {"lazy": {"a": 2, "c": {"d": 1}}}).inverse == {"lazy": {"a": 1, "c": None}}
    # One element of an array: the record says which, the way back is the whole array.
    assert changed(ledger, scribe, {"lazy": {"b": {"[0]": 9}}}).inverse == {"lazy": {"b": [1, 2]}}
    assert changed(ledger, scribe, {"lazy": None}).inverse == {"lazy": {"a": 2, "b": [9, 2], "c": {"d": 1}}}


def test_the_first_sight_has_it_for_every_patch_of_the_tail(ledger: Ledger) -> None:
    scribe = Scribe(limit=2)
    for number in range(4):
        scribe.change({"lazy": {"n": number}})
    (event,) = ledger.observe(seen(scribe))
    assert isinstance(event, Baseline)
    assert [(t.revision, t.inverse) for t in event.tail] == [(3, {"lazy": {"n": 1}}), (4, {"lazy": {"n": 2}})]


def test_what_is_read_back_has_it_too(ledger: Ledger) -> None:
    scribe = Scribe()
    ledger.observe(seen(scribe))
    changed(ledger, scribe, {"lazy": {"a": "\ud800\u2028", "n": 10**400}})
    changed(ledger, scribe, {"lazy": {"a": None, "n": None}})
    back = [event.transition.inverse for _, event in ledger.read() if isinstance(event, TransitionSeen)]
    assert back == [{"lazy": None}, {"lazy": {"a": "\ud800\u2028", "n": 10**400}}]


def test_lines_of_earlier_versions_say_nothing_of_it_and_are_the_same_transition() -> None:
    transition = Retained(3, Boundary("b3", 3, "b2"), "hash", {"lazy": {"n": 3}}, {"lazy": {"n": 2}})
    event = TransitionSeen(1.0, 2, "cwd", KEY, transition)
    document = json.loads(to_line(event))
    assert document.pop("inverse") == {"lazy": {"n": 2}}
    old = from_line(values.encode(document))
    assert isinstance(old, TransitionSeen)
    assert old.transition.inverse is None
    assert old == event
    assert identity(KEY, old.transition) == identity(KEY, transition)


def test_a_line_whose_way_back_is_no_patch_is_passed_over() -> None:
    transition = Retained(3, Boundary("b3", 3, "b2"), "hash", {"lazy": {"n": 3}}, {})
    document = json.loads(to_line(TransitionSeen(1.0, 2, "cwd", KEY, transition)))
    assert from_line(values.encode({**document, "inverse": [1]})) is None


def test_it_costs_what_the_change_costs() -> None:
    """Of a wide object in which one key changes, one key is written down."""
    wide = {f"k{number}": {"deep": number} for number in range(5000)}
    scribe = Scribe()
    scribe.change({"lazy": wide})
    scribe.change({"lazy": {"k17": {"deep": 0}}})
    ledger = Ledger.open(ROOT, enabled=False)
    (event,) = ledger.observe(seen(scribe))
    assert isinstance(event, Baseline)
    assert event.tail[-1].inverse == {"lazy": {"k17": {"deep": 17}}}


def test_a_transition_is_found_after_it_has_left_the_tail(ledger: Ledger) -> None:
    scribe = Scribe(limit=1)
    ledger.observe(seen(scribe))
    first = changed(ledger, scribe, {"lazy": {"n": 1}})
    for number in range(5):
        changed(ledger, scribe, {"lazy": {"n": number + 2}})
    found = ledger.transition("--work-app--", 1, "a1")
    assert found == first
    assert found is not None
    assert (found.patch, found.inverse) == ({"lazy": {"n": 1}}, {"lazy": None})
    assert ledger.transition("--work-app--", 2, "a1") is None
    assert ledger.transition(".", 1, "a1") is None
    assert ledger.transition("--work-app--", 1, "a") is None


def test_all_parts_of_one_transition_are_found_by_its_boundary(tmp_path: Path) -> None:
    home = build(tmp_path / "store")
    address = locate(str(home.root), CWD)
    ledger = Ledger.open(str(home.root), directory=str(tmp_path / "ledger"))
    ledger.observe(read(address))
    done = publish(
        address,
        {"global": {"lazy": {"n": 7}}, "cwd": {"tactics": {"kept": None}, "lazy": {"m": 1}}},
        wanted=("global", "cwd"),
    )
    ledger.made_here(done)
    assert done.boundary is not None
    found = ledger.at_boundary(done.boundary.id)
    assert [(scope, at, t.revision, t.patch, t.inverse) for scope, at, t in found] == [
        ("global", ".", 3, {"lazy": {"n": 7}}, {"lazy": {"n": 2}}),
        ("cwd", KEY, 3, {"tactics": None, "lazy": {"m": 1}}, {"tactics": {"kept": "cwd"}, "lazy": {"m": None}}),
    ]
    # The first sight's tail counts as well, of both scopes.
    assert [(scope, t.inverse) for scope, _, t in ledger.at_boundary("b2")] == [
        ("global", {"lazy": {"n": 1}}),
        ("cwd", {"lazy": {"n": 1}}),
    ]


def test_a_record_that_knows_the_way_back_is_preferred(tmp_path: Path) -> None:
    ledger = Ledger.open(ROOT, directory=str(tmp_path))
    scribe = Scribe()
    scribe.change({"lazy": {"n": 1}})
    ledger.observe(seen(scribe))
    path = tmp_path / "events.jsonl"
    line, _ = path.read_bytes().splitlines()
    old = json.loads(line)
    del old["tail"][0]["inverse"]
    bare = values.encode(old)
    for lines in ((bare, line), (line, bare)):
        path.write_bytes(b"".join(one + b"\n" for one in lines))
        ((_, _, found),) = Ledger.open(ROOT, directory=str(tmp_path)).at_boundary("a1")
        assert found.inverse == {"lazy": None}


def test_an_id_that_was_used_again_gives_both_transitions(ledger: Ledger) -> None:
    scribe = Scribe(limit=1)
    ledger.observe(seen(scribe))
    changed(ledger, scribe, {"lazy": {"n": 1}})
    for number in (2, 3):
        changed(ledger, scribe, {"lazy": {"n": number}})
    scribe.name = "again"
    original = scribe.stream
    scribe.change({"lazy": {"n": 4}})
    (last,) = scribe.stream.tail
    reused = last.boundary._replace(id="a1")
    from dataclasses import replace

    scribe.stream = replace(scribe.stream, tail=(replace(last, boundary=reused),))
    assert original.revision + 1 == scribe.stream.revision
    ledger.observe(seen(scribe))
    assert [t.revision for _, _, t in ledger.at_boundary("a1")] == [1, 4]


def test_nothing_is_known_without_a_log_and_nothing_is_made(tmp_path: Path) -> None:
    assert Ledger.open(ROOT, directory=str(tmp_path / "none")).at_boundary("a1") == ()
    assert not (tmp_path / "none").exists()
    assert Ledger.open(ROOT, enabled=False).transition(".", 1, "a1") is None


def test_an_odd_id_is_found_and_no_other(ledger: Ledger) -> None:
    scribe = Scribe(name='q"\u00e9\ud800\\')
    ledger.observe(seen(scribe))
    changed(ledger, scribe, {"lazy": {"a1": "a1"}})
    assert len(ledger.at_boundary('q"\u00e9\ud800\\1')) == 1
    # The id occurs in the line, but as something else.
    assert ledger.at_boundary("a1") == ()


PLAIN = st.recursive(
    st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, min_size=1, max_size=3),
    max_leaves=6,
)
PATCHES = st.dictionaries(
    st.sampled_from("pqr"),
    st.none() | PLAIN | st.dictionaries(st.sampled_from("xyz"), st.none() | PLAIN, min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)


def led_back(value: Any, patch: Any) -> Any:
    """RFC 7396, written anew."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        else:
            result[key] = led_back(result.get(key), change)
    return result


@settings(max_examples=150, deadline=None)
@given(st.lists(PATCHES, min_size=1, max_size=6))
def test_led_back_from_the_value_after_it_is_the_value_before(patches: list[JsonObject]) -> None:
    scribe = Scribe(limit=20)
    for patch in patches:
        scribe.change({"lazy": {"here": 1, **patch}})
    (event,) = Ledger.open(ROOT, enabled=False).observe(seen(scribe))
    assert isinstance(event, Baseline)
    for number, transition in enumerate(event.tail):
        before, after = scribe.stream.states[number], scribe.stream.states[number + 1]
        back = transition.inverse
        assert led_back(after, back) == before
