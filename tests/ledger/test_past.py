"""What a scope held before all that it retains is given back exactly, or it is said why nobody knows it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ledger import Ledger
from engine.ledger import ledger as ledger_module
from engine.ledger.folds import Folds
from engine.ledger.log import LOG_NAME
from engine.ledger.past import Ended, Reached, Recall
from engine.memory.stream import Boundary, ScopeStream
from engine.values import JsonObject, encode
from tests.ledger.building import ADDRESS, ROOT, Scribe, seen
from tests.ledger.test_inverses import PATCHES

AT = ADDRESS.scope_address("cwd")


@dataclass
class Told:
    """A scope and its ledger; every state that the scope ever had, and whether the log saw each transition in time."""

    directory: Path
    scribe: Scribe
    was: dict[tuple[int, Boundary], JsonObject] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ledger = Ledger.open(ROOT, directory=str(self.directory))
        self.note()

    def note(self) -> None:
        self.was[self.scribe.stream.revision, self.scribe.stream.head] = self.scribe.stream.current

    def change(self, patch: JsonObject | None = None) -> None:
        self.scribe.change(patch)
        self.note()

    def look(self) -> None:
        self.ledger.observe(seen(self.scribe))

    def turn(self, to: ScopeStream, name: str) -> None:
        """The scope goes back to what it was, or takes up another past; from now on its transitions have other names."""
        self.scribe.stream, self.scribe.name = to, name
        self.scribe.written += 1_000
        self.note()

    def recall(self, *, tail: bool = True) -> Callable[[int, Boundary], Reached | Ended]:
        recall = Recall(Folds.open(ROOT, directory=str(self.directory)), AT)
        return lambda revision, boundary: recall.at(revision, boundary, self.scribe.stream if tail else None)


@pytest.fixture
def told(tmp_path: Path) -> Told:
    made = Told(tmp_path, Scribe(limit=2))
    made.look()
    return made


def values(told: Told, recall: Callable[[int, Boundary], Reached | Ended]) -> dict[int, Any]:
    """What is known of each revision, or the reason why nothing is."""
    found: dict[int, Any] = {}
    for (revision, boundary), value in told.was.items():
        reached = recall(revision, boundary)
        if isinstance(reached, Ended):
            found[revision] = reached.reason
        else:
            assert encode(reached.after) == encode(value)
            found[revision] = reached.after
    return found


def test_every_state_that_was_seen_is_given_back(told: Told) -> None:
    for number in range(9):
        told.change({"lazy": {"n": number, f"k{number}": {"x": [number]}}})
        told.look()
    found = values(told, told.recall())
    assert found[0] == "not-recorded"  # no transition led to it
    assert all(isinstance(found[revision], dict) for revision in range(1, 10))
    reached = told.recall()(*next(iter(list(told.was)[3:])))
    assert isinstance(reached, Reached)
    assert reached.record.patch == {"lazy": {"n": 2, "k2": {"x": [2]}}}
    assert reached.before == list(told.was.values())[2]


def test_without_a_tail_complete_states_are_what_it_stands_on(told: Told) -> None:
    for _ in range(5):
        told.change()
        told.look()
    assert all(isinstance(found, dict) for revision, found in values(told, told.recall(tail=False)).items() if revision)


def test_what_nobody_saw_is_not_bridged_and_said(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "IN_PASSING", -1)
    told.change()
    told.look()
    for _ in range(4):
        told.change()
    told.look()
    # Of what came before, the tail tells nothing, and no complete state is there.
    (tmp := told.directory / LOG_NAME).write_bytes(
        b"".join(line + b"\n" for line in tmp.read_bytes().splitlines() if b'"event":"whole"' not in line)
    )
    found = values(told, told.recall())
    assert {revision: found[revision] for revision in (1, 2, 3)} == {1: "gap", 2: "not-recorded", 3: "not-recorded"}
    assert isinstance(found[4], dict)
    why = told.recall()(1, list(told.was)[1][1])
    assert isinstance(why, Ended)
    assert why.words == "revisions 2 to 3 were never seen"


def test_beyond_a_gap_a_complete_state_is_a_new_foothold(told: Told) -> None:
    told.change()
    told.look()
    for _ in range(4):
        told.change()
    told.look()
    assert isinstance(values(told, told.recall())[1], dict)


def test_another_past_ends_it(told: Told) -> None:
    for _ in range(3):
        told.change()
        told.look()
    older = told.scribe.stream
    for _ in range(3):
        told.change()
        told.look()
    told.turn(older, "b")
    told.look()
    for _ in range(4):
        told.change()
        told.look()
    path = told.directory / LOG_NAME
    lines = path.read_bytes().splitlines()
    wholes = [line for line in lines if b'"event":"whole"' in line]
    assert len(wholes) == 2  # the first one, and one of the past that was taken up
    path.write_bytes(b"".join(line + b"\n" for line in lines if line != wholes[0]))
    recall = told.recall()
    reasons = {(boundary.id, r): recall(r, boundary) for r, boundary in told.was}
    # What came before the turn hangs on nothing, once the complete state there is gone.
    told_of = {key: one.reason if isinstance(one, Ended) else "known" for key, one in reasons.items()}
    assert told_of == {
        ("origin", 0): "not-recorded",
        ("a1", 1): "turn",
        ("a2", 2): "known",  # in the tail that was there when the scope went back
        ("a3", 3): "known",
        ("a4", 4): "turn",
        ("a5", 5): "turn",
        ("a6", 6): "turn",
        ("b4", 4): "known",
        ("b5", 5): "known",
        ("b6", 6): "known",
        ("b7", 7): "known",
    }


def test_a_record_that_leads_nowhere_is_said(told: Told) -> None:
    for _ in range(4):
        told.change()
        told.look()
    path = told.directory / LOG_NAME
    lines = []
    for line in path.read_bytes().splitlines():
        document = json.loads(line)
        if document["event"] == "transition" and document["revision"] == 2:
            del document["inverse"]
        if document["event"] != "whole":
            lines.append(json.dumps(document).encode() + b"\n")
    path.write_bytes(b"".join(lines))
    found = values(told, told.recall(tail=True))
    assert found[1] == "no-way-back"
    assert isinstance(found[2], dict)  # it is retained


def test_nothing_is_known_without_a_log(tmp_path: Path) -> None:
    recall = Recall(Folds.open(ROOT, directory=str(tmp_path / "none")), AT)
    found = recall.at(1, Boundary("a", 1, None), None)
    assert isinstance(found, Ended)
    assert not (tmp_path / "none").exists()


def test_an_array_that_became_an_object_of_slots_comes_back(told: Told) -> None:
    told.change({"lazy": {"a": {"x": 1}}})
    told.look()
    told.change({"lazy": {"a": [1, 2]}})
    told.look()
    told.change({"lazy": {"a": {"[0]": 5, "x": 1}}})
    told.look()
    told.change({"lazy": {"a": None}})
    told.look()
    values(told, told.recall())
    values(told, told.recall(tail=False))


STEPS = st.lists(
    st.one_of(
        PATCHES.map(lambda patch: ("change", patch)),
        PATCHES.map(lambda patch: ("change", patch)),
        st.just(("look", None)),
        st.just(("look", None)),
        st.tuples(st.sampled_from(["rewind", "diverge"]), st.integers(0, 5)),
    ),
    max_size=24,
)


def carry_out(told: Told, steps: list[tuple[str, Any]]) -> Iterator[tuple[int, Boundary]]:
    """Give the identities of all transitions that the log must know as long as nothing turns."""
    pasts = [told.scribe.stream]
    name = "a"
    for number, (what, argument) in enumerate(steps):
        if what == "change":
            told.change({"lazy": {"here": number, **argument}})
        elif what == "look":
            told.look()
            pasts.append(told.scribe.stream)
        else:
            name = f"t{number}-"
            told.turn(pasts[max(0, len(pasts) - 1 - argument)], name)
            if what == "diverge":
                told.change()
    told.look()
    yield from told.was


@settings(max_examples=25, deadline=None)
@given(STEPS, st.integers(0, 4), st.booleans(), st.randoms(use_true_random=False))
def test_whatever_happened_what_is_given_back_is_what_was(
    steps: list[tuple[str, Any]], limit: int, tail: bool, chance: Any
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        told = Told(Path(directory), Scribe(limit=limit))
        told.look()
        asked = list(carry_out(told, steps))
        chance.shuffle(asked)
        recall = told.recall(tail=tail)
        turned = any(what in {"rewind", "diverge"} for what, _ in steps)
        recorded = [
            (event["revision"], event["boundary"]["id"])
            for event in map(json.loads, (Path(directory) / LOG_NAME).read_bytes().splitlines())
            if event["event"] == "transition"
        ]
        gaps = b'"event":"gap"' in (Path(directory) / LOG_NAME).read_bytes()
        for revision, boundary in asked:
            found = recall(revision, boundary)
            if isinstance(found, Reached):
                assert encode(found.after) == encode(told.was[revision, boundary])
                assert found.before is not None
            else:
                # Everything that was recorded is known, unless something went by unseen.
                assert turned or gaps or (revision, boundary.id) not in recorded
