"""Our engine and an agent of another make at one store, in turn: what one writes, the other reads as the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from engine.memory.scope import SCOPES
from engine.store.layout import Address, locate
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from tests.standin import disk
from tests.standin.agent import Agent
from tests.standin.values import Refused, text

CWD = "/work/demo/app"
SESSION = "2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"


class Pair:
    """One store, an agent with its cached cohort, and our warm snapshot."""

    def __init__(self, root: str, dialect: int) -> None:
        self.agent = Agent(root, CWD, SESSION, dialect)
        self.agent.create()
        self.address: Address = locate(root, CWD, SESSION)
        self.warm: Snapshot | None = None
        self.plane = "tactics" if dialect == 4 else "working"

    def ours(self, authored: dict[str, Any], *, force_session: bool = False) -> None:
        done = publish(self.address, authored, wanted=SCOPES, previous=self.warm, force_session=force_session)
        self.warm = done.snapshot

    def agree(self) -> None:
        """Both read the same values and revisions, and neither finds anything wrong."""
        theirs = disk.read_cohort(self.agent.root, CWD, SESSION)
        seen = snapshot(self.address, self.warm)
        cold = snapshot(self.address)
        assert seen.verdict == cold.verdict == "ok", cold.all_faults
        assert cold.cohort is not None
        assert cold.cohort.adopted == theirs.adopted
        for scope in SCOPES:
            for one in (seen, cold):
                stream = one.scopes[scope].stream
                assert stream is not None
                assert text(stream.current) == text(theirs.scopes[scope].now)
                assert stream.revision == theirs.scopes[scope].revision
                assert [boundary.id for boundary in stream.boundaries()] == [
                    boundary["id"] for boundary in theirs.scopes[scope].boundaries
                ]


@pytest.fixture(params=[2, 4])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    return Pair(str(tmp_path / "store"), request.param)


def test_the_agent_adopts_what_a_person_does_to_shared_scopes(pair: Pair) -> None:
    pair.agent.patch({"session": {pair.plane: {"a": 1}}, "cwd": {pair.plane: {"a": 1}}})
    pair.ours({"cwd": {pair.plane: {"b": 2}}, "global": {pair.plane: {"c": 3}}})
    pair.agree()
    pair.agent.patch({"session": {pair.plane: {"a": 2}}})
    pair.agree()
    assert pair.agent.report["adopted"] == 1
    assert disk.read_cohort(pair.agent.root, CWD, SESSION).scopes["cwd"].now[pair.plane] == {"a": 1, "b": 2}


def test_a_change_of_its_session_is_refused_once_and_then_accepted(pair: Pair) -> None:
    pair.agent.patch({"session": {pair.plane: {"a": 1}}})
    pair.ours({"session": {pair.plane: {"ours": 2}}}, force_session=True)
    pair.agree()
    with pytest.raises(Refused, match="changed under"):
        pair.agent.patch({"session": {pair.plane: {"a": 2}}})
    pair.agree()
    pair.agent.select()
    pair.agent.patch({"session": {pair.plane: {"a": 2}}})
    pair.agree()
    now = disk.read_cohort(pair.agent.root, CWD, SESSION).scopes["session"].now
    assert now[pair.plane] == {"a": 2, "ours": 2}


def test_a_preview_touches_nothing(pair: Pair) -> None:
    pair.agent.patch({"session": {pair.plane: {"a": 1}}})
    before = pair.agent.cached
    publish(pair.address, {"session": {pair.plane: {"a": 9}}}, wanted=SCOPES, dry_run=True)
    assert disk.session_hashes(pair.agent.folder("session")) == before
    pair.agent.patch({"session": {pair.plane: {"a": 2}}})


def patch(chance: random.Random, plane: str, writer: str) -> dict[str, Any]:
    """A patch of one to three scopes: members set, nested, deleted, lists, elements by index, odd strings."""
    authored: dict[str, Any] = {}
    for scope in chance.sample(["global", "cwd"], chance.randint(1, 2)):
        part = chance.choice([plane, "lazy"])
        key = f"{writer}{chance.randint(0, 4)}"
        value = chance.choice(
            [
                None,
                chance.randint(-5, 2**40),
                chance.choice(["x", "\u00e9\u4e16\U0001f600", 'a\tb"\\', "\u2028"]),
                [1, {"a": [True, "b"]}, []],
                {"in": {f"d{chance.randint(0, 2)}": chance.choice([None, 1, {"e": "f"}])}},
                round(chance.uniform(-1e6, 1e6), 3),
                {"10": 1, "9": {"\uffee": 1, "\U0001f600": 2}},
            ]
        )
        authored[scope] = {part: {key: value}}
    return authored


@pytest.mark.parametrize("seed", range(4))
def test_random_turns(pair: Pair, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        if chance.random() < 0.5:
            pair.ours(patch(chance, pair.plane, "o"))
        else:
            shared = patch(chance, pair.plane, "a")
            pair.agent.wrote = {scope: {} for scope in SCOPES}  # here it may delete what it wrote
            pair.agent.patch({**shared, "session": {pair.plane: {"n": chance.randint(0, 10**6)}}})
        pair.agree()
    assert not pair.agent.report["refused"]
