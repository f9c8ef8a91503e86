"""The stand-in is right before it judges others: its rules against hand-worked values, its agent against itself."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.standin import disk
from tests.standin.agent import LOCK, Agent, locked
from tests.standin.values import Refused, difference, merge, number, prune, text

CWD = "/work/demo/app"
SESSION = "2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"


@pytest.fixture(params=[2, 4])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Agent:
    made = Agent(str(tmp_path / "store"), CWD, SESSION, request.param)
    made.create()
    return made


def plane(agent: Agent) -> str:
    return "tactics" if agent.dialect == 4 else "working"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"), (-0.0, "0"), (1.0, "1"), (0.1, "0.1"), (1e21, "1e+21"), (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e300, "1.5e+300"), (2**53 + 1, "9007199254740992"),
    ],
)  # fmt: skip
def test_numbers_as_javascript_writes_them(value: float, written: str) -> None:
    assert number(value) == written


def test_keys_in_canonical_order() -> None:
    assert (
        text({"b": 1, "10": 2, "9": 3, "\uffee": 4, "\U0001f600": 5})
        == '{"9":3,"10":2,"b":1,"\U0001f600":5,"\uffee":4}'
    )


def test_lone_surrogates_are_escaped() -> None:
    assert text("\ud800x") == '"\\ud800x"'


def test_merge_and_prune() -> None:
    assert merge({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": [1]}}) == {"a": {"c": 2, "d": [1]}}
    assert merge({"a": [1, {"x": 1}]}, {"a": {"[1]": {"y": 2}}}) == {"a": [1, {"x": 1, "y": 2}]}
    assert merge({}, {"a": {"b": None}}) == {}
    assert prune({"a": {"b": {}}, "c": [{}]}) == {"c": [{}]}
    with pytest.raises(Refused):
        merge({"a": [1]}, {"a": {"[1]": 2}})


def test_difference_is_undone_by_merge() -> None:
    before: dict[str, Any] = {"a": {"b": 1, "c": [1]}, "d": 2}
    after: dict[str, Any] = {"a": {"c": [1, 2]}, "e": {"f": 3}}
    assert difference(before, after) == {"d": None, "a": {"b": None, "c": [1, 2]}, "e": {"f": 3}}
    assert merge(before, difference(before, after)) == after


def test_a_session_is_made_and_written(agent: Agent) -> None:
    for step in range(10):
        agent.patch({"session": {plane(agent): {"step": step}}})
    agent.patch({"cwd": {plane(agent): {"a": 1}}, "global": {plane(agent): {"a": 1}}})
    cohort = disk.read_cohort(agent.root, CWD, SESSION)
    assert not cohort.adopted
    assert [cohort.scopes[name].revision for name in disk.SCOPES] == [1, 1, 10]
    assert len(cohort.scopes["session"].records) == disk.LIMIT
    assert cohort.scopes["session"].now == {plane(agent): {"step": 9}}
    assert not os.path.exists(os.path.join(agent.root, LOCK))


def test_a_change_of_nothing_is_no_transition(agent: Agent) -> None:
    agent.patch({"session": {plane(agent): {"a": 1}}})
    agent.patch({"session": {plane(agent): {"a": 1}}})
    assert disk.read_cohort(agent.root, CWD, SESSION).scopes["session"].revision == 1


def test_it_refuses_once_when_its_session_changed_under_it(agent: Agent) -> None:
    target = Path(agent.folder("session"), "config.json")
    target.write_bytes(b'{"mode":"passive"}\n')
    with pytest.raises(Refused, match="changed under"):
        agent.patch({"session": {plane(agent): {"a": 1}}})
    agent.select()
    agent.patch({"session": {plane(agent): {"a": 1}}})


def test_it_adopts_what_another_session_did(agent: Agent) -> None:
    agent.patch({"session": {plane(agent): {"a": 1}}})
    other = Agent(agent.root, CWD, "other-session", agent.dialect)
    other.create()
    other.patch({"cwd": {plane(agent): {"b": 2}}})
    agent.patch({"session": {plane(agent): {"a": 2}}})
    assert agent.report["adopted"] == 1
    cohort = disk.read_cohort(agent.root, CWD, SESSION)
    assert not cohort.adopted
    assert cohort.scopes["cwd"].now == {plane(agent): {"b": 2}}


def test_it_notices_a_lost_patch(agent: Agent) -> None:
    agent.patch({"cwd": {plane(agent): {"a": 1}}})
    other = Agent(agent.root, CWD, "other-session", agent.dialect)
    other.create()
    other.patch({"cwd": {plane(agent): {"a": None}}})
    with pytest.raises(Refused, match="gone from cwd"):
        agent.patch({"session": {plane(agent): {"a": 2}}})


@pytest.mark.parametrize("content", [b"", b"0123\n", b"x\n", b"999999999\n"])
def test_it_gives_up_on_a_lock_that_nobody_will_release(
    agent: Agent, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.standin.agent.EMPTY_S", 0.1)
    Path(agent.root, LOCK).write_bytes(content)
    with pytest.raises(Refused), locked(agent.root):
        raise AssertionError("it took a lock that was not free")
    assert Path(agent.root, LOCK).read_bytes() == content


@pytest.mark.parametrize("name", ["checkpoint.json", "patches.jsonl", "meta.json"])
def test_it_refuses_what_is_torn(agent: Agent, name: str) -> None:
    agent.patch({"session": {plane(agent): {"a": 1}}})
    target = Path(agent.folder("session"), name)
    target.write_bytes(target.read_bytes()[:-2])
    with pytest.raises(Refused):
        disk.read_cohort(agent.root, CWD, SESSION)


def test_the_process_uses_nothing_of_the_engine(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.standin.agent",
        "--root",
        str(tmp_path / "s"),
        "--cwd",
        CWD,
        "--session",
        SESSION,
    ]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["foreign"] == []
    assert report["refused"] == []


def recorded() -> list[tuple[str, dict[str, Any]]]:
    with tarfile.open(Path(__file__).parents[1] / "conformance" / "data" / "stores.tar.gz") as archive:
        expected = [
            json.load(archive.extractfile(name) or io.BytesIO())
            for name in archive.getnames()
            if name.endswith("/expected.json")
        ]
    return [(store["name"], session) for store in expected for session in store["sessions"]]


@pytest.mark.parametrize(("name", "session"), recorded(), ids=lambda value: value if isinstance(value, str) else "")
def test_recorded_stores_read_as_recorded(name: str, session: dict[str, Any], tmp_path: Path) -> None:
    with tarfile.open(Path(__file__).parents[1] / "conformance" / "data" / "stores.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    store = next(path for path in tmp_path.rglob(f"{name}/store"))
    cohort = disk.read_cohort(str(store), session["cwd"], session["sessionKey"], {"id": "new"})
    assert cohort.adopted == bool(session["current"].get("adopted"))
    for scope in disk.SCOPES:
        assert text(cohort.scopes[scope].now) == text(session["current"]["scopes"][scope]["state"])
        assert cohort.scopes[scope].revision == session["current"]["revisions"][scope]
