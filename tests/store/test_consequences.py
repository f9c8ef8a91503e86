"""What a change means for each session beside it: told beforehand, and then as an agent finds it."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.store.consequences import SessionEffect, consequences
from engine.store.layout import Address, locate
from engine.store.publication import Published, publish
from tests.standin import disk
from tests.standin.agent import LOCK, Agent
from tests.standin.values import Refused
from tests.store.building import CWD, KEY, SESSION, Home, build, dump

OTHER_CWD = "/work/other"
OTHER_KEY = "--work-other--"


def session(number: int) -> str:
    return f"2026-11-01T10-00-0{number}-000Z_{number:08d}-1111-4111-8111-111111111111"


def agent(root: Path, number: int, cwd: str = CWD, *, patches: int = 1) -> Agent:
    """A session with an agent of its own, which has written to its own scope only."""
    one = Agent(str(root), cwd, session(number), 4)
    one.create()
    for step in range(patches):
        one.patch({"session": {"tactics": {"step": step}}})
    return one


def address(root: Path, number: int | None = None, cwd: str = CWD) -> Address:
    return locate(str(root), cwd, None if number is None else session(number))


def preview(at: Address, *scopes: str, dry_run: bool = True) -> Published:
    authored: dict[str, Any] = {scope: {"lazy": {"by_hand": "new"}} for scope in scopes}
    return publish(at, authored, wanted=at.scopes, dry_run=dry_run, force_session=True)


def effects(published: Published) -> dict[tuple[str, str], str]:
    return {(told.key, told.session): told.effect for told in consequences(published)}


def only(published: Published) -> SessionEffect:
    (told,) = consequences(published)
    return told


def test_a_shared_change_ends_the_line_of_history_of_the_sessions_that_have_one(tmp_path: Path) -> None:
    first = agent(tmp_path, 1)
    # The second one moves the cwd scope on, which the first has not taken in yet.
    second = agent(tmp_path, 2)
    second.patch({"cwd": {"tactics": {"a": 1}}})
    assert disk.read_cohort(first.root, CWD, first.session).adopted
    told = effects(preview(address(tmp_path), "cwd"))
    assert told == {(KEY, session(1)): "apart", (KEY, session(2)): "loses-history"}


def test_it_is_as_the_agents_find_it(tmp_path: Path) -> None:
    """Every pair of sessions and kinds of change, the forecast against a plain reading of the files before and after."""
    for scopes in (("global",), ("cwd",), ("session",), ("global", "cwd"), ("cwd", "session")):
        root = tmp_path / "-".join(scopes)
        agents = [agent(root, 1), agent(root, 2), agent(root, 3, OTHER_CWD)]
        agents[1].patch({"cwd": {"tactics": {"a": 1}}, "session": {"tactics": {"a": 1}}})
        before = {one.session: disk.read_cohort(one.root, one.cwd, one.session).adopted for one in agents}
        at = address(root, 1 if "session" in scopes else None)
        forecast = {told.session: told.effect for told in consequences(preview(at, *scopes))}
        done = preview(at, *scopes, dry_run=False)
        assert {told.session: told.effect for told in consequences(done)} == forecast
        for one in agents:
            adopted = disk.read_cohort(one.root, one.cwd, one.session).adopted
            expected = None
            if "session" in scopes and one is agents[0]:
                expected = "refuses-once"
            elif "global" in scopes or ("cwd" in scopes and one.cwd == CWD):
                expected = {(False, False): "keeps", (False, True): "loses-history", (True, True): "apart"}[
                    before[one.session], adopted
                ]
            assert forecast.get(one.session) == expected, (scopes, one.session)
        for one in agents:
            if forecast.get(one.session) == "refuses-once":
                with pytest.raises(Refused, match="changed under"):
                    one.patch({"session": {"tactics": {"next": 1}}})
                one.select()
            one.patch({"session": {"tactics": {"next": 1}}})


def test_a_global_change_concerns_every_directory_and_a_cwd_change_its_own(tmp_path: Path) -> None:
    agent(tmp_path, 1)
    agent(tmp_path, 2, OTHER_CWD)
    everywhere = {(KEY, session(1)), (OTHER_KEY, session(2))}
    assert effects(preview(address(tmp_path), "global")).keys() == everywhere
    assert effects(preview(locate(str(tmp_path)), "global")).keys() == everywhere
    assert effects(preview(address(tmp_path), "cwd")).keys() == {(KEY, session(1))}
    assert effects(preview(address(tmp_path, 2, OTHER_CWD), "cwd")).keys() == {(OTHER_KEY, session(2))}


def test_both_shared_scopes_at_once_are_not_mixed_up_with_another_directorys(tmp_path: Path) -> None:
    agent(tmp_path, 1)
    agent(tmp_path, 2, OTHER_CWD)
    assert effects(preview(address(tmp_path), "global", "cwd")) == {
        (KEY, session(1)): "loses-history",
        (OTHER_KEY, session(2)): "loses-history",
    }


def test_a_session_that_is_written_to_is_told_how_its_agent_recovers(tmp_path: Path) -> None:
    agent(tmp_path, 1)
    told = only(preview(address(tmp_path, 1), "session"))
    assert (told.key, told.session, told.cwd, told.effect) == (KEY, session(1), CWD, "refuses-once")
    assert told.reason == (
        "its agent will refuse its next publication once; selecting its mode again accepts the new memory"
    )


def test_a_session_that_is_written_to_after_others_moved_on_starts_anew_as_well(tmp_path: Path) -> None:
    agent(tmp_path, 1)
    agent(tmp_path, 2).patch({"cwd": {"tactics": {"a": 1}}})
    told = only(preview(address(tmp_path, 1), "session"))
    assert told.effect == "refuses-once"
    assert "starts a new line of history" in told.reason


def test_nothing_changed_has_no_consequences(tmp_path: Path) -> None:
    agent(tmp_path, 1).patch({"cwd": {"lazy": {"by_hand": "new"}}})
    assert list(consequences(preview(address(tmp_path), "cwd"))) == []


def test_an_unfinished_run_is_named(tmp_path: Path) -> None:
    one = agent(tmp_path, 1)
    path = Path(one.folder("session"), "runtime.json")
    runtime = json.loads(path.read_bytes())
    path.write_bytes(dump({**runtime, "specification": "cut release 1.4"}))
    assert only(preview(address(tmp_path), "cwd")).name == "cut release 1.4"


def spoilt(home: Home, kind: str) -> None:
    """One thing wrong with the session, or with its directory's memory."""
    runtime = home.runtime()
    meta = home.meta("session")
    match kind:
        case "runtime-gone":
            (home.session / "runtime.json").unlink()
        case "runtime-cut":
            (home.session / "runtime.json").write_bytes(b'{"version":1,')
        case "runtime-odd":
            (home.session / "runtime.json").write_bytes(dump({**runtime, "step": -1}))
        case "runtime-link":
            (home.session / "real.json").write_bytes(dump(runtime))
            (home.session / "runtime.json").unlink()
            (home.session / "runtime.json").symlink_to("real.json")
        case "other-cwd":
            (home.session / "runtime.json").write_bytes(
                dump({**runtime, "identity": {**runtime["identity"], "cwd": "/elsewhere"}})
            )
        case "memory-gone":
            for name in ("checkpoint.json", "patches.jsonl"):
                (home.session / name).unlink()
        case "half":
            (home.session / "checkpoint.json").unlink()
        case "meta-gone":
            (home.session / "meta.json").unlink()
        case "meta-version":
            (home.session / "meta.json").write_bytes(dump({**meta, "version": 3}))
        case "meta-order":
            temporal = meta["temporal"]
            (home.session / "meta.json").write_bytes(
                dump({**meta, "temporal": {**temporal, "patches": list(reversed(temporal["patches"]))}})
            )
        case "dialect":
            (home.session / "meta.json").write_bytes(dump({**meta, "version": 2}))
        case "diverged":
            temporal = meta["temporal"]
            stranger = {"id": "stranger", "position": 9, "parent": "b8"}
            (home.session / "meta.json").write_bytes(
                dump({**meta, "temporal": {**temporal, "patches": [*temporal["patches"][:-1], stranger]}})
            )
        case "contradiction":
            lineage = [{**boundary, "position": boundary["position"] + 1} for boundary in runtime["lineage"]]
            lineage[0]["parent"] = "before"
            (home.session / "runtime.json").write_bytes(dump({**runtime, "lineage": lineage}))


WRONG = (
    "runtime-gone",
    "runtime-cut",
    "runtime-odd",
    "runtime-link",
    "other-cwd",
    "memory-gone",
    "half",
    "meta-gone",
    "meta-version",
    "meta-order",
    "dialect",
    "diverged",
    "contradiction",
)


@pytest.mark.parametrize("kind", WRONG)
def test_a_session_that_its_agent_refuses_already_is_said_to_be_so(tmp_path: Path, kind: str) -> None:
    home = build(tmp_path / "store")
    spoilt(home, kind)
    told = only(preview(address(home.root), "cwd"))
    assert (told.session, told.effect) == (SESSION, "unreadable")
    assert told.reason.startswith("its agent refuses it already: ")
    # From another directory, too, whose memory is then read from its records.
    other = only(preview(address(home.root, cwd=OTHER_CWD), "global"))
    assert (other.key, other.effect) == (KEY, "unreadable")


def test_a_fenced_directory_fences_its_sessions(tmp_path: Path) -> None:
    home = build(tmp_path / "store")
    (home.cwd / "meta.json").write_bytes(b"\0" * 40)
    told = only(preview(address(home.root, cwd=OTHER_CWD), "global"))
    assert told.effect == "unreadable"
    assert "the memory of its directory" in told.reason


def test_a_directory_that_holds_no_session_files_is_none(tmp_path: Path) -> None:
    home = build(tmp_path / "store", session=False)
    (home.cwd / SESSION).mkdir()
    (home.cwd / SESSION / "notes.txt").write_bytes(b"kept by somebody")
    (home.cwd / "a-file").write_bytes(b"")
    assert list(consequences(preview(address(home.root), "cwd"))) == []


def test_a_first_global_scope_of_another_dialect_fences(tmp_path: Path) -> None:
    """A store whose global memory is gone gets one that the sessions beside it do not speak."""
    home = build(tmp_path / "store", version=2)
    for name in ("checkpoint.json", "patches.jsonl", "meta.json"):
        (home.root / name).unlink()
    at = locate(str(home.root), OTHER_CWD)
    seen = publish(at, {"cwd": {"tactics": {"a": 1}}, "global": {"tactics": {"a": 1}}}, wanted=at.scopes, dry_run=True)
    assert only(seen).effect == "fenced"
    publish(at, {"cwd": {"tactics": {"a": 1}}, "global": {"tactics": {"a": 1}}}, wanted=at.scopes)
    with pytest.raises(Refused, match="different dialects"):
        disk.read_cohort(str(home.root), CWD, SESSION)


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    for number in range(3):
        agent(tmp_path, number)
    seen = preview(address(tmp_path), "global")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    list(consequences(seen))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    for number in range(5):
        agent(tmp_path, number)
    cancel = threading.Event()
    told = consequences(preview(address(tmp_path), "cwd"), cancel)
    assert len(list(itertools.islice(told, 2))) == 2
    cancel.set()
    assert list(told) == []


def test_sessions_are_looked_at_one_after_another(tmp_path: Path) -> None:
    """What is told first does not depend on what is found later: one that has gone meanwhile is left out."""
    for number in range(4):
        agent(tmp_path, number)
    told = consequences(preview(address(tmp_path), "cwd"))
    assert next(told).session == session(0)
    shutil.rmtree(tmp_path / KEY / session(2))
    assert [one.session for one in told] == [session(1), session(3)]


def test_a_session_caught_in_the_middle_of_its_publication_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = agent(tmp_path, 1)
    old = Path(one.folder("session"), "runtime.json").read_bytes()
    one.patch({"session": {"tactics": {"more": 1}}})
    new = Path(one.folder("session"), "runtime.json").read_bytes()
    seen = preview(address(tmp_path), "cwd")
    # Its memory is replaced, its record is not yet, and the lock is held by a process that lives.
    Path(one.folder("session"), "runtime.json").write_bytes(old)
    (tmp_path / LOCK).write_bytes(b"1\n")
    assert only(seen).effect == "unreadable"
    pauses: Iterator[int] = itertools.count()

    def pause(_seconds: float) -> None:
        if next(pauses) == 1:
            Path(one.folder("session"), "runtime.json").write_bytes(new)

    monkeypatch.setattr("engine.store.consequences.time.sleep", pause)
    assert only(seen).effect == "loses-history"


@pytest.mark.parametrize("seed", range(3))
def test_random_turns_of_agents_and_a_person(tmp_path: Path, seed: int) -> None:
    """After any history of writers, each session is told to end up where a plain reader then finds it."""
    chance = random.Random(seed)
    agents = [agent(tmp_path, 1), agent(tmp_path, 2), agent(tmp_path, 3, OTHER_CWD)]
    for turn in range(25):
        one = chance.choice(agents)
        scopes = chance.sample(["global", "cwd", "session"], chance.randint(1, 2))
        if chance.random() < 0.6:
            one.patch({scope: {"tactics": {f"k{turn}": turn}} for scope in scopes})
            continue
        at = locate(str(tmp_path), one.cwd, one.session if "session" in scopes else None)
        authored: dict[str, Any] = {scope: {"tactics": {f"p{turn}": turn}} for scope in scopes}
        was = {a.session: disk.read_cohort(a.root, a.cwd, a.session).adopted for a in agents}
        seen = publish(at, authored, wanted=at.scopes, dry_run=True)
        forecast = {told.session: told.effect for told in consequences(seen)}
        publish(at, authored, wanted=at.scopes)
        for other in agents:
            adopted = disk.read_cohort(other.root, other.cwd, other.session).adopted
            effect = forecast.get(other.session)
            if effect is None:
                assert adopted == was[other.session]
            elif effect == "refuses-once":
                assert not adopted
                with pytest.raises(Refused, match="changed under"):
                    other.patch({"session": {"tactics": {"x": turn}}})
                other.select()
            else:
                assert (was[other.session], adopted) == {
                    "apart": (True, True),
                    "loses-history": (False, True),
                    "keeps": (False, False),
                }[effect]
