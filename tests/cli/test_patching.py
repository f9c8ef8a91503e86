"""`sftui patch` on recorded stores: what is written, what is refused, who is waited for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, Store, Stores, contents, environment, heed_signals


def lazy(value: Any) -> str:
    return json.dumps({"cwd": {"lazy": {"k": value}}})


def ledger_lines() -> list[dict[str, Any]]:
    state = Path(os.environ["XDG_STATE_HOME"])
    return [json.loads(line) for log in state.rglob("events.jsonl") for line in log.read_bytes().splitlines()]


def test_a_patch_is_written_and_its_receipt_printed(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    result = run(
        "patch", "--json", *store.at(), stdin='{"cwd": {"working": {"shared": 3}}, "global": {"lazy": {"x": 1}}}'
    )
    assert (result.code, result.err) == (0, "")
    assert result.out.count("\n") == 1
    assert result.json == {
        "state_updates": {
            "effective": [{"path": ["working", "shared"], "value": 3}],
            "lazy_navigation": {"available": True, "path": "effective.lazy", "keys": {"x": "number"}},
        }
    }
    assert run("status", "--json", *store.at()).json["vector"] == "g2 c3"
    assert run("read", "--json", *store.at(), "cwd.working.shared").json == {"value": 3}


def test_a_correct_repeat_succeeds_without_a_new_revision(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    assert run("patch", *store.at(), stdin=lazy(1)).code == 0
    before = contents(store.root)
    again = run("patch", *store.at(), stdin=lazy(1))
    assert again.code == 0
    assert "nothing to change" in again.out
    assert run("patch", "--json", *store.at(), stdin=lazy(1)).json == {}
    assert contents(store.root) == before


def test_a_dry_run_shows_everything_and_writes_nothing(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    setup = {"cwd": {"intents": {"i": {"$ref": "cwd.lazy.plan"}, "j": "x"}, "lazy": {"plan": 1, "list": [1]}}}
    assert run("patch", *store.at(), stdin=json.dumps(setup)).code == 0
    before = contents(store.root)
    patch = {"cwd": {"intents": {"i": None}, "lazy": {"gone": None, "list": {"[0]": 5, "x": 1}}}}
    result = run("patch", "--dry-run", "--json", *store.at(), stdin=json.dumps(patch))
    assert result.code == 0
    preview = result.json
    assert preview["dry_run"] is True
    assert preview["cascaded"] == {"cwd": ["cwd.lazy.plan"]}
    assert preview["missed_deletions"] == [{"path": "/cwd/lazy/gone", "unavailable": "/cwd/lazy/gone"}]
    assert preview["net"]["cwd"]["intents"] == {"i": None}
    assert preview["net"]["cwd"]["lazy"]["plan"] is None
    assert [warning["code"] for warning in preview["warnings"]] == ["array-lost"]
    assert len(preview["digest"]) == 64
    people = run("patch", "--dry-run", *store.at(), stdin=json.dumps(patch))
    for part in ("nothing was written", "× lazy.plan  goes with its intent, 1 B", preview["digest"]):
        assert part in people.out
    assert contents(store.root) == before


def test_a_dry_run_says_of_sessions_only_what_was_found_of_them(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    first = run("patch", "--dry-run", *store.at(), stdin=lazy(1)).out
    assert "1 loses aligned history" in first
    done = run("patch", *store.at(), stdin=lazy(1)).out
    assert "starts a new line of history, unless it had lost it before" in done
    again = run("patch", "--dry-run", *store.at(), stdin=lazy(2)).out
    assert "2 had lost it before" in again
    for printed in (first, again):
        assert "every session beside it" not in printed
    assert "new line of history" not in again


def test_nothing_is_said_of_sessions_where_there_are_none(tmp_path: Path, run: Run) -> None:
    (tmp_path / "app").mkdir()
    place = ("--store", str(tmp_path / "store"), "--cwd", str(tmp_path / "app"))
    assert run("patch", "--create", *place, stdin=lazy(1)).code == 0
    done = run("patch", *place, stdin=lazy(2))
    assert done.code == 0
    assert "session" not in done.out


def test_what_history_lets_go_of_stands_under_its_own_title(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    number = 0
    while "can no longer be read back" not in (out := run("patch", "--dry-run", *store.at(), stdin=lazy(number)).out):
        assert run("patch", *store.at(), stdin=lazy(number)).code == 0
        number += 1
    lines = out.splitlines()
    fold = next(n for n, line in enumerate(lines) if "can no longer be read back" in line)
    assert lines[fold - 1] == "  history folds away"


def test_an_approval_holds_only_while_memory_stands(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    digest = run("patch", "--dry-run", "--json", *store.at(), stdin=lazy(1)).json["digest"]
    assert run("patch", *store.at(), stdin='{"cwd": {"lazy": {"other": 1}}}').code == 0
    assert run("patch", "--approved", digest, *store.at(), stdin=lazy(1)).code == 0
    digest = run("patch", "--dry-run", "--json", *store.at(), stdin=lazy(2)).json["digest"]
    assert run("patch", *store.at(), stdin=lazy("another")).code == 0
    before = contents(store.root)
    moved = run("patch", "--approved", digest, *store.at(), stdin=lazy(2))
    assert moved.code == 6
    assert moved.err.startswith("sftui: ")
    assert moved.err.count("\n") == 1
    assert contents(store.root) == before


def test_with_one_wanted_scope_everything_is_relative(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    patch = {"intents": {"i": {"$ref": "lazy.plan"}}, "lazy": {"plan": 1}}
    assert run("patch", "--scopes", "cwd", *store.at(), stdin=json.dumps(patch)).code == 0
    assert run("read", "--json", *store.at(), "cwd.intents.i").json == {"value": {"$ref": "cwd.lazy.plan"}}
    gone = run("patch", "--scopes", "cwd", "--json", *store.at(), stdin='{"intents": {"i": null}}')
    assert gone.json["state_updates"]["cascaded"] == ["lazy.plan"]


@pytest.mark.parametrize(
    "patch",
    [
        "{}",
        '{"cwd": {}}',
        '{"cwd": {"response": ""}}',
        '{"cwd": {"nonsense": {}}}',
        '{"elsewhere": {"lazy": {}}}',
        "[]",
        '{"session": {"lazy": {"a": 1}}}',
        '{"lazy": {"a": 1}}',
        '{"cwd": {"lazy": {"a": {"[0]": 1}, "b": [null]}}}',
    ],
)
def test_what_is_no_valid_request_is_one_line_and_exit_three(stores: Stores, run: Run, patch: str) -> None:
    store = stores("two-sessions")
    before = contents(store.root)
    result = run("patch", *store.at(), stdin=patch)
    assert result.code == 3
    assert result.err.startswith("sftui: ")
    assert result.err.count("\n") == 1
    assert result.out == ""
    assert contents(store.root) == before


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"cwd":\n  {"lazy": {"a": 1e999}}}', "2:18"),
        ('{"cwd":\n  {"lazy": {"a": NaN}}}', "2:18"),
        ('{"cwd":\n  {"lazy": {"a": -Infinity}}}', "2:18"),
        ('{"cwd":\n  {"lazy": {"a": 1,}}}', "2:"),
        ("", "1:1"),
        ('\ufeff{"cwd": {}}', "1:1"),
        ('{"cwd": {"lazy": {"a": ' + "[" * 3000 + "]" * 3000 + "}}}", "1:"),
    ],
)
def test_text_that_is_not_json_is_named_by_line_and_column(
    stores: Stores, run: Run, tmp_path: Path, text: str, place: str
) -> None:
    store = stores("two-sessions")
    file = tmp_path / "patch.json"
    file.write_text(text)
    before = contents(store.root)
    result = run("patch", *store.at(), str(file))
    assert result.code == 3
    assert result.err.startswith(f"sftui: {file}:{place}")
    assert result.err.count("\n") == 1
    assert run("patch", *store.at(), "-", stdin=text).err.startswith(f"sftui: standard input:{place}")
    assert contents(store.root) == before


def test_a_patch_file_that_is_not_there(stores: Stores, run: Run) -> None:
    result = run("patch", *stores("two-sessions").at(), "nowhere.json")
    assert (result.code, result.err) == (1, "sftui: No such file or directory (nowhere.json)\n")


def test_large_integers_stay_exact_and_a_warning_says_who_rounds_them(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    huge = "9" * 400
    result = run("patch", *store.at(), stdin='{"cwd": {"lazy": {"a": 653247040368672768, "b": N}}}'.replace("N", huge))
    assert result.code == 0
    assert "warning" in result.err
    answer = run("read", "--json", *store.at(), "cwd.lazy")
    assert answer.out == '{"value":{"a":653247040368672768,"b":N}}\n'.replace("N", huge)
    log = run("log", "--json", *store.at()).out
    assert huge in log


def test_a_lone_surrogate_is_stored_and_shown(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    assert run("patch", *store.at(), stdin=r'{"cwd": {"lazy": {"a\ud800": "b\udc00c"}}}').code == 0
    assert run("read", "--json", *store.at(), "cwd.lazy").out == '{"value":{"a\\ud800":"b\\udc00c"}}\n'
    for command in ("log", "status"):
        assert run(command, *store.at()).code == 0
    assert "\\ud800" in run("log", *store.at()).out


def test_line_separators_stay_inside_their_record(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    text = "a\u2028b\u2029c\u0085d"
    for number in range(3):
        value = json.dumps({"cwd": {"lazy": {f"k{number}": text}}}, ensure_ascii=False)
        assert run("patch", *store.at(), stdin=value).code == 0
    assert run("read", "--json", *store.at(), "cwd.lazy.k1").json == {"value": text}
    assert len(run("log", "--json", *store.at()).json["scopes"][1]["transitions"]) == 5
    made = [line for line in ledger_lines() if line["event"] == "transition"]
    assert [line["patch"]["lazy"] for line in made[-2:]] == [{"k1": text}, {"k2": text}]


def test_a_session_is_written_when_it_is_named(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    patch = '{"session": {"lazy": {"k": 1}}}'
    assert run("patch", *store.at(), stdin=patch).code == 3
    assert run("patch", *store.at(session=True), stdin=patch).code == 0
    assert run("read", "--json", *store.at(session=True), "session.lazy.k").json == {"value": 1}


def test_a_session_with_an_unfinished_run_is_written_only_by_force(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    record = next(store.root.rglob(f"{store.session}/runtime.json"))
    runtime = json.loads(record.read_text())
    record.write_text(json.dumps({**runtime, "specification": "cut the release"}))
    patch = '{"session": {"lazy": {"k": 1}}}'
    refused = run("patch", *store.at(session=True), stdin=patch)
    assert refused.code == 3
    assert "--force-session" in refused.err
    assert run("patch", "--force-session", *store.at(session=True), stdin=patch).code == 0


@pytest.mark.parametrize("name", ["cwd-checkpoint-missing", "global-checkpoint-malformed", "global-meta-version-3"])
def test_nothing_is_written_beside_a_fence(stores: Stores, run: Run, name: str) -> None:
    store = stores(name)
    before = contents(store.root)
    result = run("patch", *store.at(), stdin=lazy(1))
    assert result.code == 5
    assert result.err.count("\n") == 1
    assert contents(store.root) == before


def test_a_first_memory_is_made_in_a_directory_of_ones_own(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "new"
    assert run("patch", "--store", str(root), "--cwd", "/work/x", stdin=lazy(1)).code == 0
    assert run("doctor", "--store", str(root), "--cwd", "/work/x").code == 0
    default = run("patch", "--cwd", "/work/x", stdin=lazy(1), PI_CODING_AGENT_DIR=str(tmp_path / "agent"))
    assert default.code == 3
    assert "--dialect" in default.err
    said = run("patch", "--cwd", "/w", "--dialect", "2", stdin=lazy(1), PI_CODING_AGENT_DIR=str(tmp_path / "agent"))
    assert said.code == 0


def test_a_lock_of_a_dead_process_is_an_error_at_once(stores: Stores, run: Run) -> None:
    store = stores("lock-dead-process")
    before = contents(store.root)
    start = time.monotonic()
    result = run("patch", *store.at(), stdin=lazy(1))
    assert time.monotonic() - start < 3
    assert result.code == 5
    for part in (".state-flow-publication.lock", "9999999", " old"):
        assert part in result.err
    assert contents(store.root) == before


@pytest.mark.parametrize(("age", "least", "most"), [(0, 1.0, 8), (3600, 0, 1.9), (-3600, 0, 1.9)])
def test_an_empty_lock_is_busy_while_young_and_then_broken(
    stores: Stores, run: Run, age: float, least: float, most: float
) -> None:
    """Patch and doctor judge alike, also where the file's time lies in the future."""
    store = stores("lock-empty")
    lock = store.root / ".state-flow-publication.lock"

    def stamp() -> None:
        os.utime(lock, (time.time() - age,) * 2)

    stamp()
    start = time.monotonic()
    result = run("patch", *store.at(), stdin=lazy(1))
    assert least < time.monotonic() - start < most
    assert result.code == 5
    assert "will not be released" in result.err
    assert lock.exists()
    stamp()
    report = run("doctor", "--json", *store.at())
    assert (report.code, report.json["verdict"]) == (5, "broken")
    assert [fault["code"] for fault in report.json["lock"]["faults"]] == ["lock-empty"]


def test_a_live_lock_is_waited_for(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    lock = store.root / ".state-flow-publication.lock"
    lock.write_text(f"{os.getpid()}\n")
    process = waiting(store)
    assert process.stderr is not None
    assert f"locked by pid {os.getpid()}" in process.stderr.readline().decode()
    lock.unlink()
    assert process.wait(20) == 0
    process.stderr.close()
    assert run("read", "--json", *store.at(), "cwd.lazy.k").json == {"value": 1}


def test_an_interrupt_ends_the_wait_and_nothing_is_written(stores: Stores) -> None:
    store = stores("two-sessions")
    lock = store.root / ".state-flow-publication.lock"
    lock.write_text(f"{os.getpid()}\n")
    before = contents(store.root)
    process = waiting(store)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 4
    told = process.stderr.read().decode()
    process.stderr.close()
    assert told.count("\n") == 1
    assert "Traceback" not in told
    assert contents(store.root) == before


def test_the_wait_can_be_bounded(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    (store.root / ".state-flow-publication.lock").write_text(f"{os.getpid()}\n")
    result = run("patch", "--timeout", "0.2", *store.at(), stdin=lazy(1))
    assert result.code == 4
    assert f"locked by pid {os.getpid()} after 0.2 s" in result.err
    assert result.err.count("\n") == 1


def waiting(store: Store) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "sftui", "patch", *store.at()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=heed_signals,
    )
    assert process.stdin is not None
    process.stdin.write(lazy(1).encode())
    process.stdin.close()
    return process


def test_two_writers_lose_nothing(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    loop = 'for i in 1 2 3 4 5 6 7 8; do echo "{\\"cwd\\": {\\"lazy\\": {\\"$0$i\\": $i}}}" | "$@" || exit 1; done'
    command = [sys.executable, "-m", "sftui", "patch", *store.at()]
    writers = [
        subprocess.Popen(["sh", "-c", loop, name, *command], stdout=subprocess.DEVNULL, env=environment())
        for name in ("a", "b")
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    keys = run("read", "--json", *store.at(), "--projection", "keys", "cwd.lazy").json
    assert keys["meta"]["size"] == 16
    assert run("status", "--json", *store.at()).json["vector"] == "g1 c18"
    made = [line for line in ledger_lines() if line["event"] == "made-here"]
    seen = [line["revision"] for line in ledger_lines() if line["event"] == "transition"]
    assert sorted(line["changes"][0]["revision"] for line in made) == list(range(3, 19))
    assert len(set(seen)) == len(seen)


def test_a_change_made_here_is_known_as_such(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    assert run("patch", *store.at(), stdin=lazy(1)).code == 0
    assert run("patch", *store.at(), stdin=lazy(2)).code == 0
    newest, older, *_ = run("log", "--json", *store.at()).json["scopes"][1]["transitions"]
    assert newest["ours"] is True
    assert abs(newest["seen"] - time.time()) < 60
    assert older["ours"] is True
    assert ", ours" in run("log", *store.at()).out


def test_without_a_ledger_nothing_is_recorded(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    assert run("patch", "--no-ledger", *store.at(), stdin=lazy(1)).code == 0
    assert ledger_lines() == []


def test_a_home_that_cannot_be_written_stops_no_change(stores: Stores, run: Run, tmp_path: Path) -> None:
    store = stores("two-sessions")
    state = Path(os.environ["XDG_STATE_HOME"]) / "sftui"
    assert run("patch", *store.at(), stdin=lazy(1)).code == 0
    log = next(state.rglob("events.jsonl"))
    log.unlink()
    log.mkdir()
    result = run("patch", *store.at(), stdin=lazy(2))
    assert result.code == 0
    assert "ledger" in result.err
    assert result.err.count("\n") == 1


def test_other_members_keep_their_bytes(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    meta = store.root / "--work-demo-project--" / "meta.json"
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "unknown": {"b": 1, "a": 2}}))
    others = {path: path.read_bytes() for path in store.root.rglob("*.json*") if path.parent != meta.parent}
    assert run("patch", *store.at(), stdin=lazy(1)).code == 0
    assert json.loads(meta.read_text())["unknown"] == {"b": 1, "a": 2}
    assert {path: path.read_bytes() for path in others} == others


@pytest.mark.parametrize(
    ("name", "code", "option"),
    [
        ("lock-dead-process", "lock-dead", None),
        ("lock-leading-zero", "lock-malformed", None),
        ("lock-is-folder", "lock-not-a-file", None),
        ("cwd-pair-missing", "memory-lost", "--allow memory-lost"),
        ("cwd-checkpoint-missing", "half-pair", None),
    ],
)
def test_a_dry_run_ends_as_the_patch_would(stores: Stores, run: Run, name: str, code: str, option: str | None) -> None:
    store = stores(name)
    before = contents(store.root)
    tried = run("patch", "--dry-run", "--json", *store.at(), stdin=lazy(1))
    human = run("patch", "--dry-run", *store.at(), stdin=lazy(1))
    refused = run("patch", *store.at(), stdin=lazy(1))
    assert tried.code == human.code == refused.code == 5
    (met,) = tried.json["needs" if option else "blocked"]
    assert (met["code"], met.get("option"), met["exit"]) == (code, option, 5)
    assert tried.json["blocked" if option else "needs"] == []
    if name != "cwd-checkpoint-missing":
        assert tried.json["net"] == {"cwd": {"lazy": {"k": 1}}}
        assert f"needs    {option}" in human.out if option else "blocked  " in human.out
        assert "+ lazy.k  1" in human.out
    assert contents(store.root) == before


def test_a_dry_run_beside_settings_that_nobody_understands(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    (store.root / "config.json").write_text('{"historyLimit": "many"}')
    tried = run("patch", "--dry-run", "--json", *store.at(), stdin=lazy(1))
    assert tried.code == run("patch", *store.at(), stdin=lazy(1)).code == 5
    assert [met["code"] for met in tried.json["blocked"]] == ["bad-config"]
    assert tried.json["net"] == {"cwd": {"lazy": {"k": 1}}}


def test_a_dry_run_asks_for_consent_once_it_is_needed(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    record = next(store.root.rglob(f"{store.session}/runtime.json"))
    record.write_text(json.dumps({**json.loads(record.read_text()), "specification": "cut the release"}))
    patch = '{"session": {"lazy": {"k": 1}}}'
    tried = run("patch", "--dry-run", "--json", *store.at(session=True), stdin=patch)
    assert tried.code == 3
    assert [need["option"] for need in tried.json["needs"]] == ["--force-session"]
    assert run("patch", "--dry-run", "--force-session", *store.at(session=True), stdin=patch).code == 0
    lost = stores("cwd-pair-missing")
    assert run("patch", "--dry-run", "--allow", "memory-lost", *lost.at(), stdin=lazy(1)).code == 0
    moved = run("patch", "--dry-run", "--approved", "0" * 64, *store.at(), stdin=lazy(1))
    assert moved.code == 6


def test_a_dry_run_beside_a_running_writer_is_busy(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    (store.root / ".state-flow-publication.lock").write_text(f"{os.getpid()}\n")
    tried = run("patch", "--dry-run", *store.at(), stdin=lazy(1))
    assert tried.code == 4
    assert f"locked by process {os.getpid()}" in tried.err


def test_a_replacement_is_no_addition_and_a_note_no_alarm(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    setup = {"cwd": {"lazy": {"k": 1, "plan": 2}, "intents": {"i": {"$ref": "cwd.lazy.plan"}}}}
    first = run("patch", *store.at(), stdin=json.dumps(setup))
    assert "+ lazy.k  1" in first.out
    assert "  i every session beside it" in first.out
    assert "!" not in first.out
    changed = json.dumps({"cwd": {"lazy": {"k": "two", "gone": None}, "intents": {"i": None}}})
    second = run("patch", *store.at(), stdin=changed)
    assert '~ lazy.k  1 → "two"' in second.out
    assert "! /cwd/lazy/gone" in second.out
    log = run("log", *store.at()).out
    assert '~ lazy.k  1 → "two"' in log
    assert "× lazy.plan" in log
    assert "+ lazy.k  1" in log
    assert "time unknown, ours" not in log


def test_a_session_scope_without_a_session_says_how_to_name_one(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    for result in (
        run("patch", *store.at(), stdin='{"session": {"lazy": {"k": 1}}}'),
        run("read", *store.at(), "session.lazy"),
        run("read", "--scopes", "session", *store.at(), "lazy"),
    ):
        assert result.code == 3
        assert "--session KEY" in result.err
        assert "--session newest" in result.err


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_mistyped_place_is_told(stores: Stores, run: Run, tmp_path: Path, dry: list[str]) -> None:
    store = stores("two-sessions")
    nowhere = tmp_path / "typo"
    far = ["--store", str(nowhere / "store"), "--cwd", str(tmp_path)]
    refused = run("patch", *dry, *far, stdin=lazy(1))
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert str(nowhere / "store") in refused.err
    assert "--create" in refused.err
    assert not nowhere.exists()
    place = ["--store", str(store.root), "--cwd", str(nowhere)]
    assert run("patch", *dry, *place, stdin='{"global": {"lazy": {"k": 1}}}').err == "", "it needs no directory"
    did = "would begin" if dry else "has begun"
    told = run("patch", *dry, *place, stdin=lazy(1))
    assert (told.code, told.err) == (
        0,
        f"sftui: there is no directory {nowhere}: the patch {did} a memory for it all the same\n",
    )
    made = run("patch", *dry, "--create", *far, stdin=lazy(1))
    assert (made.code, made.err) == (0, f"sftui: there was no store at {nowhere / 'store'}: the patch {did} one\n")
    assert nowhere.exists() is not bool(dry)


def test_a_new_store_beside_others_is_begun_and_told_once(run: Run, tmp_path: Path) -> None:
    place = ["--store", str(tmp_path / "new"), "--cwd", str(tmp_path)]
    made = run("patch", *place, stdin=lazy(1))
    assert (made.code, made.err) == (0, f"sftui: there was no store at {tmp_path / 'new'}: the patch has begun one\n")
    assert run("patch", *place, stdin=lazy(2)).err == ""
