"""What monitors record of many writers is what these say that they wrote: nothing lost, doubled or made up."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Baseline, Event, Gap, Ledger, MadeHere, TransitionSeen
from engine.ledger.log import CRASH_NAME, LOG_NAME
from engine.store.layout import locate
from engine.store.snapshot import snapshot
from tests.ledger.building import ROOT, Scribe, seen
from tests.standin.agent import Agent, plan
from tests.standin.soak import CWD, SESSION, Outcome, finish, start

Identity = tuple[str, int, str, str]
"""The address of a scope, a revision, the id of its boundary, the hash of its patch."""


def events(root: str) -> list[Event]:
    return [event for _, event in Ledger.open(root).read()]


def tallied(root: str, told: list[Any]) -> list[Identity]:
    address = locate(root, CWD, SESSION)
    return [(address.scope_address(scope), revision, name, digest) for scope, revision, name, digest in told]


def check(recorded: list[Event], wrote: list[Identity], final: dict[str, int]) -> dict[str, int]:
    """Each revision since the first sight is recorded once, as what was written there, or said to be unseen.

    Gives how many transitions were recorded and how many revisions went by unseen.
    """
    by_place = {identity[:2]: identity for identity in wrote}
    assert len(by_place) == len(wrote), "two writers were given one revision"
    known: dict[str, int] = {}
    counts = {"recorded": 0, "unseen": 0}
    for event in recorded:
        match event:
            case Baseline():
                assert event.address not in known, "a second beginning of a scope that never went back"
                known[event.address] = event.revision
                for one in event.tail:
                    found = (event.address, one.revision, one.boundary.id, one.hash)
                    assert by_place.get(found[:2], found) == found
            case TransitionSeen(address=address, transition=one):
                assert one.revision == known[address] + 1
                assert by_place[address, one.revision] == (address, one.revision, one.boundary.id, one.hash)
                known[address] = one.revision
                counts["recorded"] += 1
            case Gap():
                assert (event.reason, event.first) == ("folded", known[event.address] + 1)
                assert by_place[event.address, event.last][2] == event.boundary.id
                known[event.address] = event.last
                counts["unseen"] += event.last - event.first + 1
            case MadeHere(boundary=boundary, changes=changes):
                for _, address, revision, digest in changes:
                    assert by_place[address, revision] == (address, revision, boundary.id, digest)
    assert known == final
    return counts


def test_two_monitors_and_four_writers_lose_and_double_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root, outcome = str(tmp_path / "store"), Outcome()
    agent = start("agent", root, "--session", SESSION, "--interval", "0.02")
    assert agent.stdout is not None
    assert agent.stdout.readline() == "ready\n"
    monitors = [start("recorder", root, "--session", SESSION) for _ in range(2)]
    for monitor in monitors:
        assert monitor.stdout is not None
        assert monitor.stdout.readline() == "ready\n"
    words = (("--record",), ("--record",), ())
    crowd = [start("writer", root, "--name", f"w{n}", "--pause", "0.05", *more) for n, more in enumerate(words)]
    time.sleep(2.5)
    reports = [finish(f"writer {n}", process, outcome) for n, process in enumerate([*crowd, agent])]
    told = [one for report in reports for one in report["transitions"]]
    for number, monitor in enumerate(monitors):
        assert finish(f"monitor {number}", monitor, outcome)["complaint"] is None
    assert outcome.problems == []
    address = locate(root, CWD, SESSION)
    streams = {reading.address: reading.stream for reading in snapshot(address).scopes.values()}
    final = {at: stream.revision for at, stream in streams.items() if stream is not None}
    recorded = events(root)
    counts = check(recorded, tallied(root, told), final)
    assert counts["recorded"] > 20
    # Who made it is known of what was made by those who said so.
    ours = {(at, revision) for event in recorded if isinstance(event, MadeHere) for _, at, revision, _ in event.changes}
    assert ours == {identity[:2] for report in reports[:2] for identity in tallied(root, report["transitions"])}


@pytest.mark.parametrize("seed", range(3))
def test_what_the_agent_says_it_wrote_is_what_is_recorded_and_what_went_by_is_said(tmp_path: Path, seed: int) -> None:
    root, chance = str(tmp_path / "store"), random.Random(seed)
    os.mkdir(root)
    agent = Agent(root, CWD, SESSION, 4, limit=chance.choice([1, 3, 7]))
    agent.create()
    address = locate(root, CWD, SESSION)
    ledger = Ledger.open(root, directory=str(tmp_path / "ledger"))
    ledger.observe(snapshot(address))
    step = unseen = 0
    for _ in range(12):
        before = dict(agent.report["accepted"])
        for _ in range(chance.randrange(1, 12)):
            step += 1
            agent.patch(plan(step, "tactics"))
        ledger.observe(snapshot(address))
        # A tail holds so many: what came before went by.
        unseen += sum(max(0, agent.report["accepted"][scope] - before[scope] - agent.limit) for scope in before)
    final = {address.scope_address(scope): count for scope, count in agent.report["accepted"].items()}
    found = [event for _, event in ledger.read()]
    counts = check(found, tallied(root, agent.report["transitions"]), final)
    assert counts == {"recorded": sum(final.values()) - unseen, "unseen": unseen}
    assert unseen > 0


# Killed.

KILLED = """
import os, signal, sys
from engine.ledger import Ledger
from tests.ledger.building import ROOT, Scribe, seen
directory, number, when = sys.argv[1], int(sys.argv[2]), sys.argv[3]
real_write, real_sync, appends = os.write, os.fsync, [0]
def is_log(descriptor):
    return os.readlink(f"/proc/self/fd/{descriptor}").endswith("events.jsonl")
def die():
    os.kill(os.getpid(), signal.SIGKILL)
def write(descriptor, data):
    if not is_log(descriptor):
        return real_write(descriptor, data)
    appends[0] += 1
    if appends[0] == number:
        if when == "before":
            die()
        if when == "within":
            real_write(descriptor, bytes(data)[: len(data) * 2 // 3])
            die()
        if when == "short":
            real_write(descriptor, bytes(data)[:-1])
            die()
    return real_write(descriptor, data)
def sync(descriptor):
    if is_log(descriptor) and appends[0] == number and when == "unsynced":
        die()
    real_sync(descriptor)
    if is_log(descriptor) and appends[0] == number and when == "after":
        die()
os.write, os.fsync = write, sync
ledger, scribe = Ledger.open(ROOT, directory=directory), Scribe(limit=3)
for step in range(4):
    ledger.observe(seen(scribe))
    scribe.change({"lazy": {"n": step, "text": "x" * 500}})
    scribe.change({"lazy": {"m": step}})
sys.exit(9)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("when", ["before", "within", "short", "unsynced", "after"])
def test_a_monitor_killed_at_an_append_loses_no_line_and_doubles_none(tmp_path: Path, number: int, when: str) -> None:
    undisturbed = tmp_path / "undisturbed"
    scribe, ledger = Scribe(limit=3), Ledger.open(ROOT, directory=str(undisturbed))
    shots = []
    for step in range(4):
        shots.append(seen(scribe))
        ledger.observe(shots[-1], at=1.0)
        scribe.change({"lazy": {"n": step, "text": "x" * 500}})
        scribe.change({"lazy": {"m": step}})
    whole = told(undisturbed / LOG_NAME)
    directory = tmp_path / "ledger"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    words = [sys.executable, "-c", KILLED, str(directory), str(number), when]
    assert subprocess.run(words, env=environment, check=False, timeout=60).returncode == -signal.SIGKILL
    left = (directory / LOG_NAME).read_bytes()
    complete = left[: left.rfind(b"\n") + 1]
    other = Ledger.open(ROOT, directory=str(directory))
    for shot in shots[number - 1 :]:
        other.observe(shot)
    after = (directory / LOG_NAME).read_bytes()
    assert after.startswith(complete)
    # Of an append that was cut short its complete lines count: what is left to record is the rest.
    assert told(directory / LOG_NAME) == whole
    torn = left[len(complete) :]
    crash = directory / CRASH_NAME
    assert (crash.read_bytes() if crash.exists() else b"") == (torn + b"\n" if torn else b"")


def told(log: Path) -> list[Any]:
    """What happened, in order, without its times; complete states are a matter of when somebody had the time."""
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    return [{**line, "seen": 0} for line in lines if line["event"] != "whole"]
