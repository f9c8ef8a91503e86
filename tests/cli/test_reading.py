"""status, read, log and doctor on recorded stores: what they print, what they answer, and that they leave no trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from engine.values import Json
from sftui.commands.jsontext import json_text, safe_for_terminal
from tests.cli.conftest import ROOT, Run, Store, Stores, contents, environment, fingerprint, heed_signals

HEALTHY = [
    "artifacts-provenance",
    "cascades-response",
    "folded-twelve",
    "fork",
    "fresh-empty",
    "non-ascii",
    "odd-keys-lazy",
    "seven-exactly",
    "two-directories",
    "two-sessions",
]
CORRUPT = [
    "config-unknown-mode",
    "cwd-checkpoint-missing",
    "cwd-owner-other",
    "global-checkpoint-malformed",
    "global-meta-version-3",
    "lock-dead-process",
    "lock-is-folder",
    "runtime-missing",
    "session-checkpoint-symlink",
    "session-tail-null-in-array",
    "session-tail-line-not-object",
]


@pytest.mark.parametrize("name", HEALTHY)
def test_an_agents_hot_memory_is_read_as_recorded(stores: Stores, run: Run, name: str) -> None:
    store = stores(name)
    before = fingerprint(store.root)
    for recorded in store.expected["sessions"]:
        place = ["--store", str(store.root), "--cwd", recorded["cwd"], "--session", recorded["sessionKey"]]
        result = run("read", *place, "--json", "global.lazy", "effective.lazy")
        assert (result.code, result.err) == (0, "")
        views = recorded["current"]["scopes"]
        assert result.out.count("\n") == 1
        assert result.json["value"][0] == views["global"]["view"].get("lazy")
        assert result.json["value"][1] == recorded["current"]["effective"].get("lazy")
        assert run("status", *place).code == 0
        assert run("log", *place).code == 0
        assert run("doctor", *place, "--json").json["verdict"] == "ok"
    assert fingerprint(store.root) == before


def test_status_tells_revisions_sizes_and_modes(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    result = run("status", "--json", *store.at(session=True))
    recorded = store.expected["sessions"][0]["current"]
    assert result.code == 0
    assert result.out.count("\n") == 1
    status = result.json
    revisions = {entry["scope"]: entry["revision"] for entry in status["scopes"]}
    assert revisions == recorded["revisions"]
    assert status["vector"] == "g{global} c{cwd} s{session}".format(**revisions)
    assert status["mode"]["session"] in {"active", "passive", "off"}
    for entry in status["scopes"]:
        state = recorded["scopes"][entry["scope"]]["state"]
        sizes = {plane: value["bytes"] for plane, value in entry["planes"].items()}
        assert sizes == {
            plane: len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())
            for plane, value in state.items()
        }
    shared = run("status", "--json", *store.at()).json
    assert [entry["scope"] for entry in shared["scopes"]] == ["global", "cwd"]
    assert shared["session"] is None


def test_status_for_people_is_plain_in_a_pipe(stores: Stores, run: Run) -> None:
    result = run("status", *stores("two-sessions").at(session=True))
    assert "\x1b" not in result.out
    assert "verdict    ok" in result.out
    assert "session  healthy" in result.out


def test_what_intents_own_is_counted(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    patch = {"cwd": {"intents": {"i": {"$ref": "cwd.lazy.plan"}}, "lazy": {"plan": "x" * 90, "other": "y" * 200}}}
    assert run("patch", *store.at(), stdin=json.dumps(patch)).code == 0
    cwd = run("status", "--json", *store.at()).json["scopes"][1]
    assert cwd["planes"]["lazy"]["owned"] == 92
    assert cwd["planes"]["lazy"]["hot"] is False


@pytest.mark.parametrize("name", CORRUPT)
def test_a_broken_store_is_judged_again_and_again_without_a_trace(stores: Stores, run: Run, name: str) -> None:
    store = stores(name)
    before = fingerprint(store.root)
    for command in ("doctor", "status", "log", "doctor"):
        result = run(command, "--json", *store.at(session=True))
        assert result.code == (0 if command == "log" and name.startswith("lock") else 5), command
        assert "Traceback" not in result.err
        assert json.loads(result.out)
    assert fingerprint(store.root) == before


def test_doctor_has_exactly_the_promised_shape(stores: Stores, run: Run) -> None:
    store = stores("session-tail-line-not-object")
    result = run("doctor", "--json", *store.at(session=True))
    assert result.code == 5
    report = result.json
    assert set(report) == {"verdict", "lock", "scopes"}
    assert report["verdict"] == "broken"
    assert report["lock"]["state"] == "free"
    assert [(entry["scope"], entry["status"]) for entry in report["scopes"]] == [
        ("global", "healthy"),
        ("cwd", "healthy"),
        ("session", "fenced"),
    ]
    for entry in report["scopes"]:
        assert set(entry) == {"scope", "address", "status", "faults"}
    (fault,) = report["scopes"][2]["faults"]
    assert set(fault) == {"code", "file", "line", "reason", "kept"}
    assert fault["file"] == "patches.jsonl"
    assert isinstance(fault["line"], int)


def test_what_is_odd_but_not_wrong_is_noted(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    cut(store, b'{"lazy":{"a":1,"a":2,"n":653247040368672768}}\n')
    result = run("doctor", *store.at())
    assert result.code == 0
    assert "checkpoint.json:1:16" in result.out
    assert "653247040368672768" in result.out


def test_a_broken_cwd_never_hides_a_healthy_global(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    tail = store.root / "--work-demo-project--" / "patches.jsonl"
    tail.write_bytes(tail.read_bytes() + b'{"working": \n')
    report = run("doctor", "--json", *store.at()).json
    assert [entry["status"] for entry in report["scopes"]] == ["healthy", "fenced"]
    assert report["scopes"][1]["faults"][0]["line"] == 3
    assert run("read", "--scopes", "global", *store.at(), "global.contract").code == 0
    assert run("read", *store.at(), "global.contract").code == 0
    refused = run("read", *store.at(), "global.contract", "effective.contract")
    assert refused.code == 5
    assert refused.err.count("\n") == 1
    assert "patches.jsonl" in refused.err
    log = run("log", "--json", *store.at())
    assert log.code == 5
    assert [len(scope["transitions"]) for scope in log.json["scopes"]] == [1, 0]
    assert tail.read_bytes().endswith(b'{"working": \n')


def test_every_healthy_scope_is_read_beside_a_fenced_one(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    healthy = {
        scope: run("read", *store.at(session=True), f"{scope}.working").json for scope in ("global", "cwd", "session")
    }
    (store.root / "checkpoint.json").write_bytes(b"{oops\n")
    for scope in ("cwd", "session"):
        assert run("read", *store.at(session=True), f"{scope}.working").json == healthy[scope]
        alone = run("read", "--scopes", scope, *store.at(session=True), "effective.working")
        assert alone.json == healthy[scope]
    for path in ("global.working", "effective.working", "working"):
        refused = run("read", *store.at(session=True), path)
        assert (refused.code, refused.out) == (5, "")
        assert "checkpoint.json" in refused.err
    # What came before is not known of scopes that stand alone.
    assert run("read", *store.at(session=True), "cwd[1].working").code == 3


def test_a_session_that_left_its_lineage_is_fenced(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    file = next(store.root.rglob(f"{store.session}/runtime.json"))
    record = json.loads(file.read_bytes())
    record["lineage"] = [{"id": "elsewhere", "position": 0, "parent": None}]
    file.write_text(json.dumps(record))
    report = run("doctor", "--json", *store.at(session=True))
    assert report.code == 5
    assert [entry["status"] for entry in report.json["scopes"]] == ["healthy", "healthy", "fenced"]
    assert [fault["code"] for fault in report.json["scopes"][2]["faults"]] == ["session-diverged"]
    assert run("read", *store.at(session=True), "session.working").code == 5
    assert run("read", *store.at(session=True), "cwd.working").code == 0


def test_scopes_of_two_dialects_are_read_each_for_itself(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    meta = store.root / "meta.json"
    meta.write_bytes(meta.read_bytes().replace(b'"version":2', b'"version":4'))
    assert run("read", *store.at(), "cwd.working").code == 0
    assert run("read", *store.at(), "global.tactics").json == {"value": None}
    assert run("read", *store.at(), "effective.intents").code == 5


def test_five_readers_of_a_broken_store_write_nothing(stores: Stores) -> None:
    store = stores("global-checkpoint-malformed")
    before = fingerprint(store.root)
    command = [sys.executable, "-m", "sftui", "doctor", *store.at(session=True)]
    readers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) for _ in range(5)
    ]
    for reader in readers:
        reader.communicate(timeout=60)
        assert reader.returncode == 5
    assert fingerprint(store.root) == before


def cut(store: Store, data: bytes) -> Path:
    file = store.root / "checkpoint.json"
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x00" * 400, "nul-bytes"),
        (b"\xef\xbb\xbf{}\n", "byte-order-mark"),
        (b'{"lazy":{"n":1e999}}\n', "number-range"),
        (b'{"lazy":{"n":NaN}}\n', None),
        (b'{"lazy":{"n":-Infinity}}\n', None),
        (b'{"lazy":' + b'{"a":' * 3000 + b"1" + b"}" * 3001 + b"\n", "too-deep"),
    ],
    ids=["nul", "mark", "huge", "nan", "infinity", "deep"],
)
def test_bytes_that_are_not_memory_are_fenced_with_their_reason(
    stores: Stores, run: Run, data: bytes, code: str | None
) -> None:
    store = stores("two-sessions")
    file = cut(store, data)
    result = run("doctor", "--json", *store.at())
    assert result.code == 5
    fault = result.json["scopes"][0]["faults"][0]
    assert code is None or fault["code"] == code
    assert fault["file"] == "checkpoint.json"
    assert run("read", *store.at(), "global.lazy").code == 5
    assert file.read_bytes() == data


def test_a_checkpoint_that_is_a_link_is_refused_and_survives(stores: Stores, run: Run) -> None:
    store = stores("session-checkpoint-symlink")
    link = next(path for path in store.root.rglob("checkpoint.json") if path.is_symlink())
    result = run("doctor", "--json", *store.at(session=True))
    assert result.code == 5
    assert any(fault["code"] == "symbolic-link" for scope in result.json["scopes"] for fault in scope["faults"])
    assert link.is_symlink()


def test_a_dead_lock_is_named_at_once_and_reading_goes_on(stores: Stores, run: Run) -> None:
    store = stores("lock-dead-process")
    human = run("doctor", *store.at(session=True))
    assert human.code == 5
    for part in (".state-flow-publication.lock", "9999999", " old"):
        assert part in human.out
    lock = run("doctor", "--json", *store.at(session=True)).json["lock"]
    assert (lock["state"], lock["pid"]) == ("dead", 9999999)
    assert run("read", *store.at(session=True), "effective").code == 0


def test_a_lock_that_was_left_behind_is_explained_once_and_completely(stores: Stores, run: Run) -> None:
    store = stores("lock-dead-process")
    lock = store.root / ".state-flow-publication.lock"
    temporary = store.root / ".checkpoint.json.9999999.0b5e.tmp"
    temporary.write_bytes(b"{}\n")
    then = time.time() - 19.5 * 3600
    os.utime(lock, (then, then))
    said = run("doctor", "--json", *store.at()).json["lock"]
    assert (said["alive"], said["leftovers"]) == (False, [temporary.name])
    (fault,) = said["faults"]
    assert "process 9999999, 19 h old" in fault["reason"]
    assert "can still be read" in fault["kept"]
    for part in ("no agent", "containers", "temporaries", str(lock), "by hand", "no locks but its own"):
        assert part in fault["next"]
    assert "doctor" not in fault["next"]
    human = run("doctor", *store.at())
    assert human.out.count("A lock was left behind") == 1
    assert human.out.count(fault["reason"]) == 1
    assert temporary.name in human.out
    for text in (human.out, run("status", *store.at()).out):
        assert "19 h" in text
        assert "70200" not in text


def test_a_session_at_odds_with_shared_memory_is_blamed_itself(stores: Stores, run: Run) -> None:
    store = stores("cwd-parent-wrong")
    report = run("doctor", "--json", *store.at(session=True)).json
    by_scope = {scope["scope"]: scope for scope in report["scopes"]}
    assert by_scope["global"]["faults"] == by_scope["cwd"]["faults"] == []
    assert by_scope["session"]["status"] == "fenced"
    (fault,) = by_scope["session"]["faults"]
    assert fault["code"] == "boundary-contradiction"
    assert "without this session" in fault["kept"]
    assert run("doctor", *store.at()).code == 0
    assert run("patch", *store.at(), stdin='{"cwd": {"lazy": {"a": 1}}}').code == 0


def test_a_live_lock_is_busy(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    (store.root / ".state-flow-publication.lock").write_text(f"{os.getpid()}\n")
    result = run("doctor", "--json", *store.at())
    assert result.code == 4
    assert result.json["verdict"] == "busy"
    assert result.json["lock"]["pid"] == os.getpid()


def test_there_is_no_store_yet(tmp_path: Path, run: Run) -> None:
    absent = str(tmp_path / "absent")
    assert run("status", "--store", absent).code == 0
    assert run("doctor", "--json", "--store", absent).json["verdict"] == "ok"
    assert json.loads(run("read", "--json", "--store", absent, "effective.lazy").out) == {"value": None}
    assert not (tmp_path / "absent").exists()


def test_a_directory_that_shares_its_key_is_told_why_it_cannot_have_it(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    result = run("doctor", "--json", "--store", str(store.root), "--cwd", "/work-demo/project")
    assert result.code == 5
    (fault,) = result.json["scopes"][1]["faults"]
    assert "/work/demo/project" in fault["reason"]


def test_the_slow_ways_give_the_same_answers(stores: Stores, run: Run) -> None:
    store = stores("odd-keys-lazy")
    for command in (["status"], ["log"], ["doctor"], ["read", "effective", "global.lazy", "cwd.lazy"]):
        arguments = [*command, "--json", *store.at(session=True)]
        assert run(*arguments, SFTUI_FAST_PATHS="off") == run(*arguments)


def test_status_names_the_sessions_there_are(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    keys = {entry["sessionKey"] for entry in store.expected["sessions"]}
    assert set(run("status", "--json", *store.at()).json["sessions"]) == keys
    assert "newest     2026-" in run("status", *store.at()).out


def test_an_interrupt_while_a_writer_is_waited_for(stores: Stores) -> None:
    store = stores("two-sessions")
    (store.root / ".state-flow-publication.lock").write_text(f"{os.getpid()}\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "sftui", "status", *store.at()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=heed_signals,
    )
    time.sleep(1.2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (4, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_may_be_closed(stores: Stores, closed: str) -> None:
    store = stores("two-sessions")
    for command, code in ((["status"], 0), (["patch"], 3), (["read", "nowhere"], 3)):
        line = [sys.executable, "-m", "sftui", *command, *store.at()]
        done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *line], capture_output=True, env=environment())
        assert done.returncode == code
        assert b"Traceback" not in done.stderr
        assert b"internal" not in done.stderr


def test_projections_batches_and_the_sentinel(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    at = [*store.at(session=True), "--json"]
    assert run("read", *at, "--projection", "keys", "cwd.working").json == {
        "meta": {"type": "object", "size": 2},
        "keys": {"b": "boolean", "shared": "number"},
    }
    keys = run("read", *at, "--projection", "keys", "cwd.working").out
    assert keys.index('"meta"') < keys.index('"keys"')
    both = run("read", *at, "global.contract", "session.lazy").json
    assert both == {"value": [{"rule": "b"}, run("read", *at, "session.lazy").json["value"]]}
    assert run("read", *at, "--projection", "patch", "cwd[9].working").code == 3
    assert run("read", *at, "cwd.working.nothing").code == 3
    note = {"session": {"working": {"note": "see $cwd.lazy.gone"}}}
    assert run("patch", *at, stdin=json.dumps(note)).code == 0
    sentinel = run("read", *at, "cwd.lazy.gone")
    assert sentinel.code == 0
    assert sentinel.json["value"] is None
    assert sentinel.json["hint"][0]["type"] == "dangling-reference"
    assert sentinel.json["hint"][0]["paths"] == ["session.working.note"]


def test_memory_that_is_not_wanted_is_not_read(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    refused = run("read", *store.at(), "session.lazy")
    assert refused.code == 3
    assert refused.err.startswith("sftui: ")
    assert refused.err.count("\n") == 1
    assert "outside the scopes that were asked for (scope session); name it with --session KEY" in refused.err
    other = run("read", *store.at(), "--scopes", "cwd", "global.contract")
    assert "(scope global); asked for: cwd" in other.err
    alone = run("read", "--json", "--scopes", "cwd", *store.at(), "working.shared")
    assert alone.json == {"value": 2}


def test_a_moment_that_is_not_kept_is_told_in_plain_words(run: Run, tmp_path: Path) -> None:
    place = ["--store", str(tmp_path / "new"), "--cwd", str(tmp_path)]
    assert run("patch", *place, stdin='{"global": {"lazy": {"k": 1}}}').code == 0
    for back, words in ((1, "1 transition back"), (50, "50 transitions back")):
        gone = run("read", *place, f"effective[{back}].lazy")
        assert gone.code == 3
        assert f"not known what memory was {words}; the oldest moment that can be asked for is 0" in gone.err


def test_the_newest_session_can_be_asked_for(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    result = run("status", "--json", *store.at(), "--session", "newest")
    assert result.json["session"] in {entry["sessionKey"] for entry in store.expected["sessions"]}
    none = run("status", "--store", str(store.root), "--cwd", "/elsewhere", "--session", "newest")
    assert none.code == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["status", "--nonsense"],
        ["read"],
        ["read", "--projection", "other", "lazy"],
        ["patch", "--timeout", "never"],
        ["patch", "--dialect", "3"],
        ["status", "extra"],
        ["--nonsense"],
        ["one", "two"],
        ["status", "--store"],
    ],
)
def test_wrong_usage_is_one_line_and_exit_two(run: Run, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert result.err.startswith("sftui: ")
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_help_and_version(run: Run) -> None:
    assert "doctor" in run("--help").out
    for command in ("status", "read", "patch", "log", "doctor"):
        result = run(command, "--help")
        assert result.code == 0
        assert "--store" in result.out
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert run("--version").out == f"sftui {project['project']['version']}\n"


def test_the_app_says_that_it_needs_a_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "some-store").mkdir()
    result = run("some-store")
    assert result.code == 2
    assert "terminal" in result.err


def test_options_may_stand_before_the_command(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    assert run("--json", "--store", str(store.root), "--cwd", store.cwd, "status").json["vector"] == "g1 c2"


def test_the_agents_own_store_is_the_default(stores: Stores, run: Run, tmp_path: Path) -> None:
    store = stores("two-sessions")
    store.root.rename(tmp_path / "state-flow")
    result = run("status", "--json", "--cwd", store.cwd, PI_CODING_AGENT_DIR=str(tmp_path))
    assert result.json["vector"] == "g1 c2"


def test_a_reader_that_goes_away_is_no_reason_to_complain(stores: Stores) -> None:
    store = stores("two-sessions")
    process = subprocess.Popen(
        [sys.executable, "-m", "sftui", "status", *store.at()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 1
    process.stderr.close()


def test_the_log_of_a_session_follows_its_lineage(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    recorded = store.expected["sessions"][1]
    at = ["--store", str(store.root), "--cwd", store.cwd, "--session", recorded["sessionKey"]]
    log = run("log", "--json", *at).json
    positions = [entry["boundary"]["position"] for entry in log["transitions"]]
    assert positions == sorted(positions, reverse=True)
    offsets = [entry["offset"] for entry in log["transitions"] if entry["offset"] is not None]
    assert offsets == sorted(offsets)
    assert log["adopted"] is recorded["current"]["adopted"]
    assert all(change["seen"] is None and not change["ours"] for e in log["transitions"] for change in e["changes"])


def test_json_text_keeps_order_and_writes_numbers_as_an_agent_does() -> None:
    value: Json = {"b": 1.0, "a": [1e21, 1e-7, -0.0, 10**400, True, None, {}, []], "\ud800": "\x01\u2028\x85é"}
    text = json_text(value)
    assert text.startswith('{"b":1,"a":[1e+21,1e-7,0,1000')
    assert text.endswith('0,true,null,{},[]],"\\ud800":"\\u0001\u2028\x85é"}')
    assert safe_for_terminal(text).endswith('"\\u0001\\u2028\\u0085é"}')
    assert json.loads(json_text(value, indent=2)) == json.loads(text)
    assert json_text({"a": {"b": [1, {}]}}, indent=2) == '{\n  "a": {\n    "b": [\n      1,\n      {}\n    ]\n  }\n}'


def test_warnings_are_not_hidden_behind_a_verdict(stores: Stores, run: Run) -> None:
    store = stores("cwd-pair-missing")
    for command in ("status", "doctor"):
        result = run(command, *store.at())
        assert result.code == 0
        assert "with warnings" in result.out
        assert "Memory was lost" in result.out


def test_one_is_counted_as_one(stores: Stores, run: Run) -> None:
    result = run("doctor", *stores("cwd-boundary-count").at())
    assert "boundaries" in result.out or "1 boundary" in result.out
    assert "1 boundaries" not in result.out
    assert "1 patches" not in result.out


def test_a_mode_is_told_of_a_session_or_the_whole_store(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    assert "not set" not in run("status", *store.at()).out
    assert "mode" in run("status", *store.at(session=True)).out


@pytest.mark.parametrize("words", [["status"], ["read", "session"], ["log"], ["intents"], ["patch"]])
def test_a_session_that_is_not_there_is_not_an_empty_one(stores: Stores, run: Run, words: list[str]) -> None:
    store = stores("two-sessions")
    keys = [entry["sessionKey"] for entry in store.expected["sessions"]]
    before = contents(store.root)
    result = run(*words, *store.at(), "--session", keys[0][:-1] + "x", stdin='{"cwd": {"lazy": {"a": 1}}}')
    assert (result.code, result.out, result.err.count("\n")) == (3, "", 1)
    assert f"there is no session {keys[0][:-1]}x" in result.err
    assert keys[0] in result.err, "the key that is like it is named"
    unlike = run(*words, *store.at(), "--session", "zz", stdin="{}")
    assert unlike.code == 3
    assert "sftui status" in unlike.err
    assert contents(store.root) == before


def test_status_lists_the_keys_that_the_session_option_takes(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    keys = {entry["sessionKey"] for entry in store.expected["sessions"]}
    words = set(run("status", *store.at()).out.split())
    assert keys <= words
    one = store.root / "--work-demo-project--"
    for number in range(6):
        (one / f"2030-01-0{number + 1}T00-00-00-000Z_later").mkdir()
    listed = run("status", *store.at()).out
    newest = sorted((path.stat().st_mtime_ns, path.name) for path in one.iterdir() if path.is_dir())[::-1]
    assert [name for _, name in newest if name in listed] == [name for _, name in newest[:5]]
    assert f"and {len(newest) - 5} older" in listed


def test_a_directory_that_is_not_there_is_told_to_one_who_reads(stores: Stores, run: Run, tmp_path: Path) -> None:
    store = stores("two-sessions")
    for words in (["status"], ["read", "cwd"], ["log"], ["intents"], ["doctor"]):
        typo = run(*words, "--store", str(store.root), "--cwd", str(tmp_path / "typo"))
        assert (typo.code, typo.err.count("\n")) == (0, 1)
        assert f"there is no directory {tmp_path / 'typo'}" in typo.err
        assert run(*words, *store.at()).err == "", "a directory that is gone, but remembered, is as good as any"
        assert run(*words, "--store", str(store.root), "--cwd", str(tmp_path)).err == ""
        if "cwd" not in words:
            assert run(*words, "--scopes", "global", "--store", str(store.root), "--cwd", "/typo").err == ""
