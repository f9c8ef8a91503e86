"""Programs that are asked to end, die or find no room while they change memory: what is said, and what is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Run, Store, Stores, contents, environment, heed_signals

LOCK = ".state-flow-publication.lock"
# Waits at its first fsync inside the store's lock until it is told to go on, or is killed.
HELD = """
import os, sys, time
sys.path.insert(0, {root!r})
from engine.store import files
real = files.fsync
def slow(descriptor):
    if not os.path.exists({lock!r}):
        return real(descriptor)
    files.fsync = real
    print("inside", flush=True)
    while not os.path.exists({go!r}):
        time.sleep(0.01)
    return real(descriptor)
files.fsync = slow
from sftui.cli import main
sys.exit(main(sys.argv[1:]))
"""


def lazy(value: int) -> bytes:
    return json.dumps({"cwd": {"lazy": {"k": value}}}).encode()


def started(command: list[str], stdin: bytes) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=heed_signals,
    )
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.close()
    process.stdin = None
    return process


def inside(store: Store, go: Path, value: int) -> subprocess.Popen[bytes]:
    """A patch that stands inside the lock."""
    code = HELD.format(root=str(ROOT), go=str(go), lock=str(store.root / LOCK))
    process = started([sys.executable, "-c", code, "patch", *store.at()], lazy(value))
    assert process.stdout is not None
    assert process.stdout.readline() == b"inside\n"
    assert (store.root / LOCK).exists()
    return process


def waiting(store: Store, value: int) -> subprocess.Popen[bytes]:
    """A patch that waits for the lock, and has said so."""
    process = started([sys.executable, "-m", "sftui", "patch", *store.at()], lazy(value))
    assert process.stderr is not None
    assert b"waiting" in process.stderr.readline()
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_whoever_is_asked_to_end_inside_the_lock_finishes(
    stores: Stores, run: Run, tmp_path: Path, number: signal.Signals
) -> None:
    store = stores("two-sessions")
    process = inside(store, tmp_path / "go", 7)
    process.send_signal(number)
    time.sleep(0.1)
    (tmp_path / "go").touch()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, b"")
    assert b"changed" in out
    assert not (store.root / LOCK).exists()
    assert run("read", "--json", *store.at(), "cwd.lazy.k").json == {"value": 7}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_whoever_is_asked_to_end_while_waiting_gives_up(stores: Stores, number: signal.Signals) -> None:
    store = stores("two-sessions")
    (store.root / LOCK).write_text(f"{os.getpid()}\n")
    before = contents(store.root)
    process = waiting(store, 1)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 4
    assert err.count(b"\n") == 1
    assert b"cancelled" in err
    assert contents(store.root) == before


def test_a_wish_may_be_made_in_the_middle_of_waiting_for_it() -> None:
    """Signals that arrive at every moment of the wait: with a plain event this stands still sooner or later."""
    code = """
import os, signal, threading, time
from sftui.commands.interrupts import Wish, wish_to_end
for turn in range(120):
    with wish_to_end() as wish:
        threading.Timer(0.0005 * (turn % 7), os.kill, (os.getpid(), signal.SIGTERM)).start()
        while not wish.is_set():
            wish.wait(0.0001)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(), timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_demo_agent_leaves_no_lock_when_it_is_asked_to_end(stores: Stores) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        store = stores("two-sessions")
        agent = subprocess.Popen(
            [sys.executable, "-m", "sftui.demo_agent", str(store.root), store.cwd, store.session, "0", "0.001",
             str(store.root.parent)],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), preexec_fn=heed_signals,
        )  # fmt: skip
        revision = store.root / "patches.jsonl"
        before = revision.stat().st_mtime_ns
        deadline = time.monotonic() + 30
        while revision.stat().st_mtime_ns == before and time.monotonic() < deadline:
            time.sleep(0.01)
        agent.send_signal(number)
        assert agent.wait(30) == 0
        assert not (store.root / LOCK).exists()
        assert (store.root / "meta.json").exists()  # whoever started it still looks at the store
        _, err = agent.communicate(timeout=30)
        assert err == b""
        shutil.rmtree(store.root.parent)


def test_a_signal_that_is_ignored_from_the_start_stays_ignored(stores: Stores) -> None:
    store = stores("two-sessions")
    (store.root / LOCK).write_text(f"{os.getpid()}\n")
    code = f"import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); sys.path.insert(0, {str(ROOT)!r}); "
    code += "from sftui.cli import main; sys.exit(main(sys.argv[1:]))"
    process = started([sys.executable, "-c", code, "patch", *store.at()], lazy(1))
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
    (store.root / LOCK).unlink()
    assert process.wait(30) == 0
    process.communicate()


def test_who_waits_for_one_that_is_killed_puts_right_what_it_left(stores: Stores, run: Run, tmp_path: Path) -> None:
    store = stores("two-sessions")
    dying = inside(store, tmp_path / "go", 7)
    others = [waiting(store, value) for value in (1, 2)]
    dying.kill()
    dying.communicate()
    told = [process.communicate(timeout=30) for process in others]
    assert [process.returncode for process in others] == [0, 0]
    assert sum(b"interrupted in process %d" % dying.pid in out for out, _ in told) == 1
    assert run("read", "--json", *store.at(), "cwd.lazy.k").json["value"] in (1, 2)
    assert [name for name in os.listdir(store.root) if name.startswith(".")] == []
    assert run("doctor", *store.at()).code == 0


def test_a_lock_of_another_program_that_dies_is_still_nobodys_to_take(stores: Stores) -> None:
    store = stores("two-sessions")
    owner = subprocess.Popen(["sleep", "60"])
    (store.root / LOCK).write_text(f"{owner.pid}\n")
    process = waiting(store, 1)
    began = time.monotonic()
    owner.kill()
    owner.wait()
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err.count(b"\n")) == (5, 1)
    assert time.monotonic() - began < 5
    assert (store.root / LOCK).read_text() == f"{owner.pid}\n"


def test_a_dry_run_beside_a_writer_says_who_it_is(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    (store.root / LOCK).write_text(f"{os.getpid()}\n")
    result = run("patch", "--dry-run", *store.at(), stdin=lazy(1))
    assert (result.code, result.out) == (4, "")
    assert f"process {os.getpid()}" in result.err


@pytest.mark.parametrize("target", [name for name in ("/dev/full", os.devnull) if os.path.exists(name)])
def test_a_change_is_known_to_be_made_although_nobody_reads_the_receipt(stores: Stores, run: Run, target: str) -> None:
    store = stores("two-sessions")
    if target == os.devnull:  # in its place a pipe that nobody reads
        reader, writer = os.pipe()
        os.close(reader)
    else:
        writer = os.open(target, os.O_WRONLY)
    done = subprocess.run(
        [sys.executable, "-m", "sftui", "patch", *store.at()],
        input=lazy(5), stdout=writer, stderr=subprocess.PIPE, env=environment(), timeout=30,
    )  # fmt: skip
    os.close(writer)
    said = done.stderr.decode()
    assert (done.returncode, said.count("\n")) == (1, 1)
    assert "the change was made (g" in said
    assert "could not be printed" in said
    assert run("read", "--json", *store.at(), "cwd.lazy.k").json == {"value": 5}


def test_without_room_for_the_record_nothing_is_changed(stores: Stores, run: Run, tmp_path: Path) -> None:
    store = stores("two-sessions")
    before = contents(store.root)
    state = tmp_path / "state"
    state.write_text("no directory")
    result = run("patch", *store.at(), stdin=lazy(1), XDG_STATE_HOME=str(state))
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert f"(in {state}/sftui/stores/" in result.err
    assert "state directory" in result.err
    assert "make it writable" in result.err
    assert contents(store.root) == before
    for command in ("status", "log", "doctor"):
        assert run(command, *store.at(), XDG_STATE_HOME=str(state)).code == 0


def test_an_interrupt_while_the_command_is_loaded_ends_quietly(tmp_path: Path) -> None:
    """As if Ctrl-C came while `sftui.cli` is imported."""
    (tmp_path / "argparse.py").write_text("raise KeyboardInterrupt\n")
    variables = {**environment(), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    for code in (
        "import runpy; runpy.run_module('sftui', run_name='__main__')",
        "from sftui.__main__ import main; raise SystemExit(main())",
    ):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env=variables, cwd=tmp_path, timeout=30
        )
        assert (done.returncode, done.stdout, done.stderr) == (4, b"", b"")


@pytest.mark.parametrize("option", ["--store", "--cwd", "--session", "--scopes"])
@pytest.mark.parametrize("command", ["status", "read", "patch", "log", "doctor"])
def test_an_option_that_is_given_nothing_is_no_default(run: Run, command: str, option: str) -> None:
    for arguments in ([option, ""], [f"{option}="]):
        result = run(command, *(["effective"] if command == "read" else []), *arguments, stdin=lazy(1))
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert option in result.err


@pytest.mark.parametrize("text", ["-1", "nan", "1e300", "soon", "inf"])
def test_a_time_that_is_none_is_said_in_words(stores: Stores, run: Run, text: str) -> None:
    result = run("patch", f"--timeout={text}", *stores("two-sessions").at(), stdin=lazy(1))
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert f"{text!r} is not a number of seconds" in result.err


def test_what_is_endless_is_cut_in_messages(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    for path in ("effective" + ".a" * 50_000, "effective.€" + "漢" * 30_000):
        result = run("read", *store.at(), path)
        assert (result.code, result.err.count("\n")) == (3, 1)
        assert path[:60] in result.err
        assert path[-60:] in result.err
        assert "…" in result.err
        assert len(result.err) < 700


def test_a_number_is_answered_as_it_was_asked(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    many = "9" * 26
    assert f" {many} transitions back" in run("read", *store.at(), f"effective[{many}]").err
    for path in (f"cwd.lazy[{many}]", f"cwd.lazy[0:{many}]", f"cwd.lazy[{many}..{many}]", f"effective[{'9' * 601}]"):
        result = run("read", *store.at(), path)
        assert (result.code, result.out, result.err.count("\n")) == (3, "", 1)
        assert "internal" not in result.err
