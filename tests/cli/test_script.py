"""Scripts of patches: checked whole, carried out line by line, stopped at the first refusal, and gone on with."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from engine.errors import EngineError
from engine.ledger import Ledger
from engine.memory.dialect import V4
from engine.memory.scope import SCOPES
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from sftui import script
from sftui.cli import main
from tests.app.stores import begin
from tests.cli.conftest import ROOT, Run, Store, Stores, contents, environment, heed_signals
from tests.memory.drafting import Chance, chances

LOCK = ".state-flow-publication.lock"
GOOD = [
    {"cwd": {"lazy": {"plan": {"step": 1}, "other": "x"}}},
    {"cwd": {"intents": {"clean": {"own": {"$ref": "cwd.lazy.plan"}}}}},
    {"cwd": {"intents": {"clean": None}}},
    {"global": {"contract": {"n": [1, 2]}}},
    {"global": {"contract": {"n": {"[0]": 5}}}},
]


def lines(*patches: Any) -> str:
    return "".join(json.dumps(patch) + "\n" for patch in patches)


@pytest.fixture
def store(stores: Stores) -> Store:
    return stores("two-sessions")


def test_each_line_is_a_change_of_its_own(store: Store, run: Run) -> None:
    before = run("status", "--json", *store.at()).json["vector"]
    assert before == "g1 c2"
    done = run("patch", "--script", *store.at(), stdin=lines(*GOOD))
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "5 lines, each changed memory"
    assert "line 3    changed cwd: 1 place, 1 went with intents" in done.out
    assert run("status", "--json", *store.at()).json["vector"] == "g3 c5"
    assert run("read", "--json", *store.at(), "global.contract.n").json == {"value": [5, 2]}
    assert run("read", "--json", *store.at(), "cwd.lazy.other").json == {"value": "x"}
    # A second time nothing but what is deleted and made again is a change.
    again = run("patch", "--script", "--json", *store.at(), stdin=lines(GOOD[3], {}, GOOD[0]).replace("{}", ""))
    told = [json.loads(line) for line in again.out.splitlines()]
    assert [(one["line"], one["changed"]) for one in told] == [(1, ["global"]), (3, ["cwd"])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (lines(*GOOD) + '{"cwd": {"lazy": \n', ":6:18: not JSON"),
        (lines(*GOOD) + '\n{"cwd": {"lazy": {"x": NaN}}}\n', ":7:"),
        (lines(*GOOD) + "[]\n", ":6: A patch is a JSON object, not an array"),
        (lines(*GOOD) + '{"cwd": {"nowhere": {"x": 1}}}\n', ":6: "),
        (lines(*GOOD) + '{"session": {"lazy": {"x": 1}}}\n', ":6: This memory is outside the scopes"),
        ("\n \n", ": there is no patch"),
    ],
)
def test_a_script_is_checked_whole_before_anything_is_written(
    store: Store, run: Run, tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "clean.jsonl"
    file.write_text(text)
    before = contents(store.root)
    done = run("patch", "--script", *store.at(), str(file))
    assert done.code in {2, 3}
    assert f"clean.jsonl{message}" in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert contents(store.root) == before


def test_it_stops_at_a_refusal_and_can_be_gone_on_with(store: Store, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "clean.jsonl"
    file.write_text(lines(GOOD[3], {"global": {"contract": {"n": {"[7]": 5}}}}, GOOD[0], GOOD[1]))
    done = run("patch", "--script", "--json", *store.at(), str(file))
    assert done.code == 3
    told = [json.loads(line) for line in done.out.splitlines()]
    assert told[0]["line"] == 1
    assert told[1] == {
        "line": 2,
        "error": {"code": "patch-rejected", "message": told[1]["error"]["message"]},
        "accepted": [1],
        "left": 3,
        "from_line": 2,
    }
    assert "clean.jsonl:2: " in done.err
    assert (
        "nothing of this line was written, line 1 was carried out; after it 2 more are left; --from-line 2" in done.err
    )
    assert run("status", "--json", *store.at()).json["vector"] == "g2 c2"
    assert run("patch", "--script", "--from-line", "3", *store.at(), str(file)).code == 0
    assert run("status", "--json", *store.at()).json["vector"] == "g2 c4"
    assert run("patch", "--script", "--from-line", "9", *store.at(), str(file)).code == 2


def test_a_dry_run_tells_what_all_lines_come_to_and_writes_nothing(store: Store, run: Run) -> None:
    before = contents(store.root)
    done = run("patch", "--script", "--dry-run", "--json", *store.at(), stdin=lines(*GOOD))
    assert done.code == 0
    told = done.json
    assert contents(store.root) == before
    assert told["net"] == {"cwd": {"lazy": {"other": "x"}}, "global": {"contract": {"n": [5, 2]}}}
    assert told["cascaded"] == {}
    assert [one["line"] for one in told["lines"]] == [1, 2, 3, 4, 5]
    assert told["sessions"]["complete"]
    text = run("patch", "--script", "--dry-run", *store.at(), stdin=lines(*GOOD)).out
    assert "script  5 lines, each a change" in text
    assert "+ lazy.other" in text
    assert told["digest"] in text


def test_what_was_approved_is_what_is_written(store: Store, run: Run) -> None:
    text = lines(*GOOD)
    digest = run("patch", "--script", "--dry-run", "--json", *store.at(), stdin=text).json["digest"]
    assert run("patch", "--script", "--approved", digest, *store.at(), stdin=text[:-60]).code in {3, 6}
    # What another one does elsewhere meanwhile is not in the way, what it does there is.
    assert run("patch", *store.at(), stdin='{"cwd": {"lazy": {"elsewhere": 1}}}').code == 0
    assert run("patch", "--script", "--dry-run", "--approved", digest, *store.at(), stdin=text).code == 0
    assert run("patch", *store.at(), stdin='{"cwd": {"lazy": {"other": "theirs"}}}').code == 0
    before = contents(store.root)
    done = run("patch", "--script", "--approved", digest, *store.at(), stdin=text)
    assert done.code == 6
    assert contents(store.root) == before
    digest = run("patch", "--script", "--dry-run", "--json", *store.at(), stdin=text).json["digest"]
    assert run("patch", "--script", "--approved", digest, *store.at(), stdin=text).code == 0


def test_a_script_for_a_session_asks_as_a_patch_does(store: Store, run: Run) -> None:
    text = lines({"session": {"lazy": {"a": 1}}}, {"session": {"lazy": {"b": 1}}})
    dry = run("patch", "--script", "--dry-run", "--json", *store.at(session=True), stdin=text)
    needs = [one["option"] for one in dry.json["needs"]]
    code = run("patch", "--script", *store.at(session=True), stdin=text).code
    assert (needs, code) in [([], 0), (["--force-session"], 3)]
    assert dry.code == code
    assert run("patch", "--script", "--force-session", *store.at(session=True), stdin=text).code == 0


# Real processes that are held up in the middle.

# Does something to the store once two lines are written, and waits for a word before the third.
MIDDLE = """
import os, sys, time
sys.path.insert(0, {root!r})
import sftui.commands.patch as patch
real, done = patch.publish, [0]
def publish(*arguments, **named):
    if done[0] == 2 and not named.get("dry_run"):
        print("two", flush=True)
        while not os.path.exists({go!r}):
            time.sleep(0.01)
    found = real(*arguments, **named)
    done[0] += 1
    return found
patch.publish = publish
from sftui.cli import main
sys.exit(main(sys.argv[1:]))
"""


def middle(store: Store, tmp_path: Path, *options: str) -> subprocess.Popen[bytes]:
    """A script that has written two lines of four and stands before the third."""
    file = tmp_path / "clean.jsonl"
    file.write_text(lines(*({"cwd": {"lazy": {f"k{n}": n}}} for n in range(1, 5))))
    code = MIDDLE.format(root=str(ROOT), go=str(tmp_path / "go"))
    process = subprocess.Popen(
        [sys.executable, "-c", code, "patch", "--script", *options, *store.at(), str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=heed_signals,
    )
    assert process.stdout is not None
    while process.stdout.readline() != b"two\n":
        assert process.poll() is None
    return process


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, err = process.communicate(timeout=30)
    return process.returncode, err.decode()


def test_interrupted_in_the_middle(store: Store, run: Run, tmp_path: Path) -> None:
    process = middle(store, tmp_path)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    (tmp_path / "go").touch()
    code, err = ended(process)
    # The third was begun: it is finished or given up, never torn. Then nothing more is begun.
    assert code == 4
    written = len([key for key in run("read", "--json", *store.at(), "cwd.lazy").json["value"] if key[:1] == "k"])
    assert written in {2, 3}
    assert f"clean.jsonl:{written + 1}: " in err
    assert f"--from-line {written + 1} goes on from here" in err
    assert not (store.root / LOCK).exists()
    assert (
        run("patch", "--script", "--from-line", str(written + 1), *store.at(), str(tmp_path / "clean.jsonl")).code == 0
    )
    assert run("read", "--json", *store.at(), "cwd.lazy.k4").json == {"value": 4}


def test_locked_in_the_middle(store: Store, run: Run, tmp_path: Path) -> None:
    process = middle(store, tmp_path, "--timeout", "0.3")
    (store.root / LOCK).write_text(f"{os.getpid()}\n")
    (tmp_path / "go").touch()
    code, err = ended(process)
    (store.root / LOCK).unlink()
    assert code == 4
    assert "clean.jsonl:3: the store was still locked" in err
    assert "lines 1 to 2 were carried out; after it 1 more is left; --from-line 3" in err
    assert run("read", "--json", *store.at(), "cwd.lazy.k2").json == {"value": 2}


def test_fenced_in_the_middle(store: Store, tmp_path: Path) -> None:
    process = middle(store, tmp_path)
    directory = locate(str(store.root), store.cwd).scope_dir("cwd")
    with open(f"{directory}/patches.jsonl", "ab") as file:
        file.write(b"{torn\n")
    before = contents(Path(directory))
    (tmp_path / "go").touch()
    code, err = ended(process)
    assert code == 5
    assert "clean.jsonl:3: " in err
    assert "lines 1 to 2 were carried out" in err
    assert contents(Path(directory)) == before


def test_killed_in_the_middle_it_is_gone_on_with(store: Store, run: Run, tmp_path: Path) -> None:
    process = middle(store, tmp_path)
    process.kill()
    process.wait(30)
    # Whoever does not know how far it came begins anew: a line that is carried out twice changes nothing.
    done = run("patch", "--script", *store.at(), str(tmp_path / "clean.jsonl"))
    assert done.code == 0
    assert "4 lines, 2 changed memory" in done.out


# What was made here, from the ledger.


def test_what_was_made_here_is_written_down(store: Store, run: Run, tmp_path: Path) -> None:
    place = str(tmp_path / "copy")
    shutil.copytree(store.root, place)
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    assert run("script", *store.at(), **state).err.endswith("nothing is known to have been made here\n")
    for patch in GOOD:
        assert run("patch", *store.at(), stdin=json.dumps(patch), **state).code == 0
    assert run("patch", "--no-ledger", *store.at(), stdin='{"cwd": {"lazy": {"quiet": 1}}}', **state).code == 0
    out = run("script", *store.at(), **state)
    assert (out.code, out.err) == (0, "")
    assert len(out.out.splitlines()) == len(GOOD)
    assert run("script", "--last", "2", *store.at(), **state).out.splitlines() == out.out.splitlines()[-2:]
    assert run("script", "--since", "2001-01-01", *store.at(), **state).out == out.out
    assert run("script", "--since", "2999-01-01T10:00", *store.at(), **state).out == ""
    assert run("script", "--since", "soon", *store.at(), **state).code == 2
    document = run("script", "--json", *store.at(), **state).json
    assert [one["patch"] for one in document["patches"]] == [json.loads(line) for line in out.out.splitlines()]
    # Made for one directory, it says nothing of another.
    elsewhere = run("script", "--store", str(store.root), "--cwd", str(tmp_path), **state)
    assert [json.loads(line) for line in elsewhere.out.splitlines()] == [
        GOOD[3],
        {"global": {"contract": {"n": [5, 2]}}},
    ]
    assert "3 more were made for other directories or sessions" in elsewhere.err
    file = tmp_path / "made.jsonl"
    assert run("script", "--output", str(file), *store.at(), **state).code == 0
    assert file.read_text() == out.out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run("script", "--output", str(file), *store.at(), **state).code == 2
    assert run("script", "--output", str(file), "--force", "--last", "1", *store.at(), **state).code == 0
    assert file.read_text() == out.out.splitlines()[-1] + "\n"
    assert run("script", "--output", str(store.root / "x"), *store.at(), **state).code == 2
    # Carried out on the store as it was, it makes the same memory of it.
    copy = ["--store", place, "--cwd", store.cwd]
    assert run("patch", "--script", *copy, stdin=out.out, **state).code == 0
    assert run("patch", *copy, stdin='{"cwd": {"lazy": {"quiet": 1}}}', **state).code == 0
    both = [run("read", "--json", *at, "global", "cwd", **state).json for at in (copy, store.at())]
    assert both[0] == both[1]


def memory(root: str, cwd: str, session: str | None) -> Any:
    found = snapshot(locate(root, cwd, session))
    return {scope: reading.stream.current for scope, reading in found.scopes.items() if reading.stream is not None}


@settings(max_examples=25, deadline=None)
@given(chances)
def test_a_script_makes_the_same_memory_of_a_copy(chance: Chance) -> None:
    """Patches by chance, as sent and as the ledger holds them, on two copies of the store as it was."""
    with tempfile.TemporaryDirectory() as home:
        cwd = f"{home}/app"
        store = begin(f"{home}/store", cwd, chance.cohort(), specification=None)
        for name in ("sent", "made"):
            shutil.copytree(store.root, f"{home}/{name}")
        ledger = Ledger.open(store.root, directory=f"{home}/ledger")
        ledger.observe(snapshot(store.address))
        sent: list[Any] = []
        for _ in range(chance.one(2, 3, 4, 5)):
            try:
                published = publish(store.address, chance.patch(memory(store.root, cwd, store.session)), wanted=SCOPES)
            except EngineError:
                continue
            if published.changed:
                sent.append(published.authored)
                ledger.made_here(published)
        made = recorded(f"{home}/ledger")
        whole = memory(store.root, cwd, store.session)
        for name, patches in (("sent", sent), ("made", made)):
            file = Path(home, f"{name}.jsonl")
            file.write_bytes(script.write(patches or ()))
            at = ["--store", f"{home}/{name}", "--cwd", cwd, "--session", str(store.session), "--no-ledger"]
            if patches is None:
                continue
            with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
                assert not patches or main(["patch", "--script", *at, str(file)]) == 0
            assert memory(f"{home}/{name}", cwd, store.session) == whole


def recorded(directory: str) -> list[Any] | None:
    """The patches of the ledger; None where one of them is said to be doubtful."""
    from engine.ledger.authored import AuthoredAsk
    from engine.ledger.folds import Folds
    from engine.ledger.written import WRITTEN_VIEW

    folds = Folds.open("", directory=directory)
    folds.catch_up()
    found = folds.view(WRITTEN_VIEW, AuthoredAsk()) or ()
    folds.close()
    assert all(one.patch is not None for one in found)
    return None if any(one.is_doubtful(V4) for one in found) else [one.patch for one in reversed(found)]


def test_what_was_written_again_as_it_had_been_makes_a_line_doubtful(run: Run, tmp_path: Path) -> None:
    """The record says nothing of it: carried out again, the line would take it along with its intent."""
    at = ["--store", str(tmp_path / "new"), "--cwd", str(tmp_path)]
    owned = {"intents": {"rel": {"plan": {"$ref": "cwd.lazy.notes"}}}, "lazy": {"notes": ["a", "b"]}}
    assert run("patch", *at, "--dialect", "4", stdin=json.dumps({"cwd": owned})).code == 0
    assert run("script", *at).err == ""
    again = {"cwd": {"intents": {"rel": None}, "lazy": {"notes": ["a", "b"]}}}
    assert run("patch", *at, stdin=json.dumps(again)).code == 0
    assert run("read", *at, "--json", "cwd.lazy.notes").json == {"value": ["a", "b"]}
    assert "line 2" in run("script", *at).err
