"""`sftui context`: the headless twin of screen 5."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from engine.values import canonical_bytes
from tests.app.stores import Store, begin, write
from tests.cli.conftest import Run, Stores, fingerprint
from tests.cli.test_hostile import check, in_terminal

MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": "terse"}},
    "cwd": {"tactics": {"checks": ["lint", "types"]}, "lazy": {"survey": {"LAZYKEY": "LAZYBODY" * 50}}},
    "session": {"response": "ANSWER", "tactics": {"next": {"step": 1}}},
}


def begun(tmp_path: Path) -> Store:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    store.patch(session={"tactics": {"next": {"step": 2}}, "lazy": {"log": {"LAZYKEY": "LAZYBODY"}}})
    store.patch(session={"lazy": {"log": {"LAZYKEY": "LAZYBODY again"}}})
    store.patch(session={"tactics": {"done": ["step 1"]}})
    return store


def options(store: Store, *, session: bool = True) -> list[str]:
    place = ["--store", store.root, "--cwd", store.cwd]
    return [*place, "--session", str(store.session)] if session else place


def setting(store: Store, mode: str) -> None:
    write(store.address.scope_dir("session"), "config.json", json.dumps({"mode": mode}).encode() + b"\n")


STATE: dict[str, Any] = {
    "strategy": {"style": "terse"},
    "tactics": {"checks": ["lint", "types"], "next": {"step": 2}, "done": ["step 1"]},
}
GIVEN: dict[str, Any] = {
    "state": STATE,
    "lazy_navigation": {"available": True, "path": "effective.lazy", "keys": {"survey": "object", "log": "object"}},
    "recent_transitions": [
        {"offset": 0, "patches": {"session": {"tactics": {"done": ["step 1"]}}}},
        {"offset": 2, "patches": {"session": {"tactics": {"next": {"step": 2}}}}},
    ],
}


def test_what_a_model_gets_and_its_sizes(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    before = fingerprint(tmp_path / "store")
    for mode in ("active", "passive"):
        done = run("context", *options(store), "--json", "--mode", mode)
        assert (done.code, done.err) == (0, "")
        found = done.json
        state = {**STATE, "response": "ANSWER"} if mode == "active" else STATE
        assert found["context"] == {**GIVEN, "state": state}
        assert (found["mode"], found["mode_is"]) == (mode, "chosen")
        assert "LAZYKEY" not in done.out and "LAZYBODY" not in done.out
        assert mode == "active" or "ANSWER" not in done.out
        sizes = found["sizes"]
        assert sizes["bytes"] == len(canonical_bytes(found["context"]))
        assert sizes["tokens"] == -(-sizes["bytes"] // sizes["bytes_per_token"]) and sizes["bytes_per_token"] == 4
        assert {name: part["bytes"] for name, part in sizes["parts"].items()} == {
            name: len(canonical_bytes(part)) for name, part in found["context"].items()
        }
        for key in sizes["keys"]:
            plane, _, name = key["path"].partition(".")
            assert key["bytes"] == len(canonical_bytes(state[plane][name] if name else state[plane]))
        counts = [key["bytes"] for key in sizes["keys"]]
        assert counts == sorted(counts, reverse=True) and len(counts) == (5 if mode == "active" else 4)
        assert {plane["plane"]: plane["bytes"] for plane in sizes["planes"]} == {
            name: len(canonical_bytes(one)) for name, one in state.items()
        }
        assert sizes["grew"] == len(',"done":["step 1"]')
        assert [one["offset"] for one in sizes["transitions"]] == [0, 2] and sizes["untold"] == 1
    assert fingerprint(tmp_path / "store") == before


def test_the_mode_is_the_sessions_own_unless_one_is_asked_for(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    assert run("context", *options(store), "--json").json["mode_is"] == "session"
    setting(store, "passive")
    found = run("context", *options(store), "--json").json
    assert (found["mode"], found["mode_is"], found["context"]) == ("passive", "session", GIVEN)
    setting(store, "off")
    done = run("context", *options(store), "--json")
    assert done.code == 0
    assert (done.json["mode"], done.json["context"], done.json["sizes"]) == ("off", None, None)
    assert "given nothing" in run("context", *options(store)).out
    assert run("context", *options(store), "--json", "--mode", "passive").json["context"] == GIVEN
    without = run("context", *options(store, session=False), "--json").json
    assert (without["mode"], without["mode_is"]) == ("active", "assumed")
    assert without["context"]["recent_transitions"] == []
    assert "only a session has a line of history" in "".join(without["remarks"])
    assert "context" in run("context", *options(store), "--mode", "off").err


def test_in_words(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    done = run("context", *options(store))
    assert done.code == 0 and "LAZY" not in done.out
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines[0] == "mode Active, the session's own"
    assert "a run is unfinished" in lines[1]
    assert any(line.startswith("tactics.checks c 16 B 4 tok █") for line in lines)
    assert "response s 8 B 2 tok █░░░░░░░░░░░ 2 %" in lines
    assert any(line.startswith("tactics 63 B 16 tok") for line in lines)
    size = len(canonical_bytes(GIVEN["recent_transitions"][0]))
    assert f"effective[0] session {size} B {-(-size // 4)} tok" in lines and not any(
        "effective[1]" in line for line in lines
    )
    assert "recent transitions 2 of 3: 1 says nothing that is given" in lines
    assert "folds nothing away: there is still room in every history" in lines
    assert "tokens are estimated: 4 bytes of JSON a token" in lines
    assert lines[-1].startswith("not known from any file: the host's own words")


def test_what_the_next_change_folds_away(run: Run, tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    for number in range(9):
        store.patch(session={"tactics": {"next": {"step": 10 + number}}})
    found = run("context", *options(store), "--json").json["next"]
    assert [(fold["scope"], fold["revision"], fold["paths"], fold["offset"]) for fold in found["folds"]] == [
        ("session", 3, ["tactics.next"], 6)
    ]
    assert (found["leaves"], found["drops"]) == (7, 6)
    text = run("context", *options(store)).out
    assert "s3 tactics.next  folds into the checkpoint of session when that changes next" in text
    assert "effective[7] can no longer be asked for after the next change" in text
    # And so it is.
    before = run("context", *options(store), "--json").json["context"]["recent_transitions"]
    store.patch(session={"tactics": {"next": {"step": 0}}})
    after = run("context", *options(store), "--json").json["context"]["recent_transitions"]
    assert [one["patches"] for one in after[1:]] == [one["patches"] for one in before[:-1]]


def test_some_scopes_alone(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    found = run("context", *options(store), "--scopes", "global,session", "--json").json
    assert "checks" not in found["context"]["state"]["tactics"]
    assert found["sizes"]["bytes"] == len(canonical_bytes(found["context"]))
    flat = run("context", *options(store), "--scopes", "cwd", "--json").json
    assert flat["context"]["state"] == {"tactics": {"checks": ["lint", "types"]}}
    assert flat["sizes"]["bytes"] == len(canonical_bytes(flat["context"]))


def test_memory_that_cannot_be_composed_is_refused(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    with open(os.path.join(store.address.scope_dir("cwd"), "checkpoint.json"), "w") as file:
        file.write("{")
    done = run("context", *options(store), "--json")
    assert done.code == 5 and done.out == "" and done.err.count("\n") == 1
    assert run("context", *options(store), "--json", "--scopes", "global").code == 0
    nothing = run("context", "--store", str(tmp_path / "none"), "--cwd", store.cwd, "--json")
    assert nothing.code == 0
    assert nothing.json["context"] == {
        "state": {},
        "lazy_navigation": {"available": False, "path": "effective.lazy"},
        "recent_transitions": [],
    }


def test_what_the_files_say_of_a_run_is_told_and_nothing_else(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    directory = store.address.scope_dir("session")
    with open(os.path.join(directory, "runtime.json"), encoding="utf-8") as file:
        record = json.load(file)
    del record["specification"]
    for more, words in (
        ({}, []),
        ({"bootstrap": True}, ["bootstrap"]),
        ({"specification": "go on"}, ["a run is unfinished"]),
    ):
        write(directory, "runtime.json", json.dumps({**record, **more}).encode() + b"\n")
        told = run("context", *options(store), "--json").json["remarks"]
        assert len(told) == len(words) and all(word in remark for word, remark in zip(words, told, strict=True))


def test_a_lock_that_somebody_holds_is_waited_for_and_then_told(run: Run, tmp_path: Path) -> None:
    store = begun(tmp_path)
    with open(os.path.join(store.root, ".state-flow-publication.lock"), "w") as file:
        file.write(f"{os.getpid()}\n")
    done = run("context", *options(store), "--json")
    assert done.code == 4 and done.out == "" and f"process {os.getpid()}" in done.err


def test_an_overlay_that_has_no_value_is_refused(run: Run, tmp_path: Path) -> None:
    memory = {"cwd": {"tactics": {"list": [1]}}, "session": {"tactics": {"list": {"[3]": 2}}}}
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), memory)
    done = run("context", *options(store))
    assert done.code == 3 and "tactics.list" in done.err


def test_recorded_stores_are_given_whole(run: Run, stores: Stores) -> None:
    store = stores("two-sessions")
    found = run("context", *store.at(session=True), "--json").json
    read = run("read", *store.at(session=True), "--json", "effective").json["value"]
    assert {**read, **found["context"]["state"]} == read
    assert found["sizes"]["bytes"] == len(canonical_bytes(found["context"]))


def test_hostile_memory_is_shown_safely(tmp_path: Path) -> None:
    evil = "\x1b]0;canary\x07\u202e[/foo]\x9b2J"
    memory = {
        "tactics": {evil: evil, "x": {evil: [evil]}},
        "lazy": {evil: {evil: evil}},
        "artifacts": {evil: {"description": evil}},
    }
    store = begin(
        str(tmp_path / "store"), str(tmp_path / f"app{evil}".replace("/", "")), {"session": memory}, specification=evil
    )
    for number in range(9):
        store.patch(session={"tactics": {evil: f"{number}{evil}"}})
    for arguments in (["context"], ["context", "--json"], ["context", "--mode", "passive"]):
        code, sent = in_terminal(*arguments, *options(store))
        assert code == 0
        assert "canary" in check(sent)
