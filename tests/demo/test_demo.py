"""The demo's store is what the README says, its agent behaves, and nothing of either is left behind."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import values
from engine.ledger import Ledger, TransitionSeen
from engine.memory import dialect, overlay
from engine.store import layout
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from sftui import demo, demo_agent, survey
from tests.standin import disk


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> demo.DemoStore:
    return demo.make_store(str(tmp_path_factory.mktemp("demo")))


def seen(store: demo.DemoStore, session: str | None = None) -> Snapshot:
    return snapshot(layout.locate(store.root, store.cwd, session or store.session))


def states(found: Snapshot) -> dict[Any, Any]:
    return {scope: reading.stream.current for scope, reading in found.scopes.items() if reading.stream is not None}


def test_an_agent_of_another_make_reads_it(made: demo.DemoStore) -> None:
    cohort = disk.read_cohort(made.root, made.cwd, made.session)
    assert not cohort.adopted
    assert cohort.runtime["specification"] == "cut release 1.4"


def test_two_projects_and_four_sessions_one_of_them_fenced(made: demo.DemoStore) -> None:
    places = survey.list_cwds(made.root)
    assert sorted(os.path.basename(str(place.owner)) for place in places) == ["label-printer", "larder"]
    sessions = [(place, one) for place in places for one in survey.list_sessions(made.root, place.key)]
    assert len(sessions) == 4
    verdicts = [
        snapshot(layout.locate(made.root, place.owner, one.key)).scopes["session"].status for place, one in sessions
    ]
    assert sorted(verdicts) == ["fenced", "healthy", "healthy", "healthy"]


def test_the_open_cohort_is_healthy_with_a_full_history(made: demo.DemoStore) -> None:
    found = seen(made)
    assert found.verdict == "ok"
    assert found.cohort is not None
    assert len(found.cohort.lineage) >= 5
    assert found.scopes["session"].stream is not None
    assert len(found.scopes["session"].stream.tail) >= 5


def test_a_hundred_kilobytes_of_lazy_memory(made: demo.DemoStore) -> None:
    lazy = states(seen(made))["cwd"]["lazy"]
    assert 80_000 < values.encoded_size(lazy) < 160_000


def test_values_mask_each_other_and_intents_own_things(made: demo.DemoStore) -> None:
    now = states(seen(made))
    assert now["global"]["strategy"]["style"]["commits"] != now["cwd"]["strategy"]["style"]["commits"]
    found = overlay.provenance(dialect.V4, now, ("tactics", "checks"))
    assert found.winner == "session"
    assert [masked.scope for masked in found.masked] == ["cwd"]
    assert "$ref" in str(now["session"]["intents"]["release"])


@pytest.mark.parametrize("seed", [0, 1])
def test_every_patch_of_the_agent_is_accepted(seed: int, tmp_path: Path) -> None:
    store = demo.make_store(str(tmp_path))
    before = seen(store)
    found = before
    patches = demo_agent.work(random.Random(seed))
    for _ in range(40):
        found = publish(
            found.address, next(patches), wanted=("global", "cwd", "session"), previous=found, force_session=True
        ).snapshot
    assert found.verdict == "ok"
    for scope in ("global", "cwd", "session"):
        ours, theirs = found.scopes[scope].stream, before.scopes[scope].stream
        assert ours is not None
        assert theirs is not None
        assert ours.revision > theirs.revision
    disk.read_cohort(store.root, store.cwd, store.session)


@pytest.fixture
def working(tmp_path: Path) -> Iterator[tuple[demo.DemoStore, subprocess.Popen[bytes]]]:
    store = demo.make_store(str(tmp_path))
    agent = demo.spawn_agent(store, pause=0.05)
    yield store, agent
    demo.stop_agent(agent)


def test_the_agent_works_and_stops_with_its_input(working: tuple[demo.DemoStore, subprocess.Popen[bytes]]) -> None:
    store, agent = working
    before = disk.read_cohort(store.root, store.cwd, store.session).scopes["session"].revision
    deadline = time.monotonic() + 20
    while seen(store).scopes["session"].stream is None or revision(store) < before + 5:
        assert time.monotonic() < deadline
        assert agent.poll() is None
        time.sleep(0.05)
    demo.stop_agent(agent)
    assert agent.returncode == 0
    assert not [name for _, _, names in os.walk(store.root) for name in names if name.startswith(".")]


def revision(store: demo.DemoStore) -> int:
    stream = seen(store).scopes["session"].stream
    assert stream is not None
    return stream.revision


def test_the_agent_cleans_up_and_goes_when_its_parent_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom sftui import demo\n"
        "store = demo.make_store(sys.argv[1])\nagent = demo.spawn_agent(store, home=sys.argv[1])\n"
        "print(agent.pid, flush=True)\ntime.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1][:3]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not tmp_path.exists()


def test_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, Any]] = []

    def fake_app(**options: Any) -> int:
        opened.append(options)
        assert snapshot(layout.locate(options["store"], options["cwd"], options["session"])).verdict == "ok"
        recorded = [event for _, event in Ledger.open(options["store"]).read() if isinstance(event, TransitionSeen)]
        assert {event.scope for event in recorded} == {"global", "cwd", "session"}
        return 7

    import sftui.app

    monkeypatch.setattr(sftui.app, "run", fake_app)
    assert demo.run() == 7
    assert "no_ledger" not in opened[0], "its history is looked at as well"
    assert not os.path.exists(os.path.dirname(opened[0]["store"]))
    assert not os.path.exists(layout.store_home(opened[0]["store"]))
