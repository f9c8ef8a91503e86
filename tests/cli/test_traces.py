"""Every place where a value still stands is found: compared with the bytes of every file, read independently."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Ledger
from engine.ledger.log import Log
from engine.store import files
from engine.store.layout import Address, store_home
from engine.store.snapshot import snapshot
from sftui.cli import main
from sftui.drafts import Drafts
from sftui.traces import store as traces_in_store
from sftui.traces.everywhere import look
from sftui.traces.sought import of_text, of_value
from sftui.views.traces import Trace, Unseen, masked
from tests.app.stores import Store, begin
from tests.cli.conftest import fingerprint

SECRET = 'sk-live-0123456789 "é\U0001f600" abcdef'
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {"lazy": {"old": "nothing"}}})


@pytest.fixture
def ask(store: Store, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """Run `sftui traces` here, and give its exit code and what it printed."""

    def run(*words: str, show: bool = False, plain: bool = False) -> tuple[int, Any]:
        place = ["--store", store.root, "--cwd", store.cwd, "--session", str(store.session)]
        mode = [] if plain else ["--json"]
        code = main(["traces", *words, *place, *mode, *(["--show"] if show else [])])
        out, err = capsysbinary.readouterr()
        if not show:
            assert SECRET.encode() not in out + err
        return code, (out.decode() if plain else json.loads(out or b"null")) or err.decode()

    return run


def home(store: Store) -> Path:
    return Path(store_home(store.root))


def seen(store: Store, *patches: Any) -> None:
    ledger = Ledger.open(store.root)
    ledger.observe(snapshot(store.address))
    for patch in patches:
        store.patch(cwd=patch)
        ledger.observe(snapshot(store.address))


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def holding(*roots: Path | str) -> set[str]:
    """Every file whose bytes hold the secret, however JSON spells it: an own reading of each."""
    found = set()
    for root in roots:
        for folder, names, below in os.walk(root):
            names[:] = [name for name in names if name != ".git"]
            for name in below:
                data = Path(folder, name).read_bytes()
                if data[:2] == b"\x1f\x8b":
                    data = gzip.decompress(data)
                text = data.decode("utf-8", "replace")
                unescaped = re.sub(r'\\(["\\/])', r"\1", text)
                ascii_read = re.sub(r"(?:\\u[0-9a-f]{4})+", lambda match: json.loads(f'"{match[0]}"'), unescaped)
                if SECRET in text or SECRET in unescaped or SECRET in ascii_read:
                    found.add(os.path.join(folder, name))
    return found


def git(root: str, *words: str) -> str:
    done = subprocess.run(["git", *IDENTITY, "-C", root, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def archive(path: Path, **members: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as packed:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    return path


# Everywhere.


def test_every_file_that_holds_it_is_told_and_no_other(store: Store, ask: Ask) -> None:
    seen(store, {"tactics": {"token": SECRET}}, {"tactics": {"next": "x"}})
    Log(str(home(store) / "ledger")).rotate()
    seen(store, {"tactics": {"token": None}}, {"lazy": {"copy": [1, {"deep": f"it was {SECRET}!"}]}})
    spelled = json.dumps({"x": SECRET}).encode()
    put(home(store) / "ledger" / "events.jsonl.crash", b'{"v":1,"patch":' + spelled[:-1] + b"\n")
    put(home(store) / "edits" / "0f" / "value.txt", f"a line\n{SECRET}\n".encode())
    put(home(store) / "archive" / ("0" * 64), spelled)
    put(home(store) / "archive" / ("1" * 64), b"{}")
    put(home(store) / "journal" / "1-2.conflict", b'{"phase":"begun"}\n')
    put(home(store) / "something.new", SECRET.encode())
    archive(home(store) / "archives" / "20261101T100000Z-1.tar.gz", **{"store/a": b"{}", "store/b": spelled})
    drafts = Drafts(store.root)
    put(Path(drafts.directory) / "00ff.json", json.dumps({"draft": {"value": SECRET}}).encode())
    root = Path(store.root)
    put(root / ".checkpoint.json.4711.0a.tmp", spelled)
    put(root / "--somebody-else--" / "checkpoint.json.bak", spelled)
    put(root / "notes.txt", b"nothing")
    before = fingerprint(root), fingerprint(home(store))
    code, told = ask("--value", SECRET)
    assert (fingerprint(root), fingerprint(home(store))) == before, "reading leaves no trace"
    assert code == 7
    (now,) = [trace for trace in told["traces"] if trace["kind"] == "memory"]
    assert (now["path"], now["file"]) == (["lazy", "copy", 1, "deep"], store.address.scope_dir("cwd"))
    assert {trace["file"] for trace in told["traces"] if trace is not now} == holding(root, home(store))
    assert told["unseen"] == []
    kinds = {os.path.basename(trace["file"]): trace["kind"] for trace in told["traces"]}
    assert kinds[".checkpoint.json.4711.0a.tmp"] == "temporary"
    assert kinds["checkpoint.json.bak"] == "stray"
    assert kinds["00ff.json"] == kinds["value.txt"] == kinds["something.new"] == "own"
    assert kinds["20261101T100000Z-1.tar.gz"] == kinds["0" * 64] == "archive"
    assert all(trace["remedy"] for trace in told["traces"])


def test_lines_and_revisions_are_the_right_ones(store: Store, ask: Ask) -> None:
    seen(
        store,
        {"tactics": {"a": "x"}},
        {"tactics": {"token": SECRET}},
        {"tactics": {"b": "x"}},
        {"tactics": {"token": None}},
    )
    _, told = ask("--value", SECRET)
    (patch,) = [trace for trace in told["traces"] if trace["kind"] == "history"]
    assert (patch["revision"], patch["lines"], patch["address"]) == (2, [2], store.address.scope_address("cwd"))
    (log,) = [trace for trace in told["traces"] if trace["kind"] == "ledger"]
    lines = (home(store) / "ledger" / "events.jsonl").read_bytes().split(b"\n")
    expected = [number for number, line in enumerate(lines, 1) if b"sk-live-0123456789" in line]
    assert log["lines"] == expected
    assert len(expected) == 2, "what set it, and in the inverse of what took it away"


@pytest.mark.parametrize("number", [0, 2, 5])
def test_a_retained_patch_leaves_when_it_is_said(store: Store, ask: Ask, number: int) -> None:
    for step in range(6):
        store.patch(cwd={"tactics": {"token": SECRET if step == number else f"step {step}"}})
    store.patch(cwd={"tactics": {"token": "gone"}})

    def patches() -> list[str]:
        return [one["remedy"] for one in ask("--value", SECRET)[1]["traces"] if one["where"].endswith("retained patch")]

    (remedy,) = patches()
    counted = re.search(r"after (one|\d+) more", remedy)
    assert counted is not None
    left = 1 if counted[1] == "one" else int(counted[1])
    for change in range(left):
        assert patches(), f"it is there before {left} changes"
        store.patch(cwd={"tactics": {"other": change}})
    assert patches() == []


def test_the_checkpoint_lets_go_when_it_is_said(store: Store, ask: Ask) -> None:
    store.patch(cwd={"tactics": {"token": SECRET}})
    for step in range(8):
        store.patch(cwd={"tactics": {"other": step}})
    store.patch(cwd={"tactics": {"token": None}})

    def checkpoint() -> list[str]:
        return [one["remedy"] for one in ask("--value", SECRET)[1]["traces"] if one["where"] == "cwd checkpoint"]

    (remedy,) = checkpoint()
    left = int(re.search(r"after (\d+) more", remedy)[1])  # type: ignore[index]
    for change in range(left):
        assert checkpoint()
        store.patch(cwd={"tactics": {"another": change}})
    assert ask("--value", SECRET) == (0, ask("--value", SECRET)[1])


def test_what_another_writer_spelled_with_escapes_is_found(store: Store, ask: Ask) -> None:
    store.patch(cwd={"tactics": {"token": SECRET}})
    store.patch(cwd={"tactics": {"token": None}})
    tail = Path(store.address.scope_dir("cwd"), "patches.jsonl")
    lines = [json.dumps(json.loads(line)).replace("live", "l\\u0069v\\u0065") for line in tail.read_text().splitlines()]
    tail.write_text("\n" + "\n".join(lines) + "\n")
    assert "live" not in tail.read_text()
    code, told = ask("--value", SECRET)
    assert code == 7
    assert [(one["where"], one["lines"]) for one in told["traces"]] == [("c1 retained patch", [2])]


def test_all_directories_and_sessions_are_looked_at(store: Store, tmp_path: Path, ask: Ask) -> None:
    for name in ("one", "two"):
        begin(store.root, str(tmp_path / name), {"session": {"tactics": {"x": SECRET}}}, session=f"2026-01-01_{name}")
    _, told = ask("--value", SECRET)
    keys = {
        Address(store.root, str(tmp_path / name), f"2026-01-01_{name}").scope_address("session")
        for name in ("one", "two")
    }
    assert {(one["address"], one["where"]) for one in told["traces"] if one["kind"] == "memory"} == {
        (key, "session.tactics.x") for key in keys
    }


def test_of_ten_thousand_scopes_each_file_is_opened_once_and_only_what_holds_it_is_read_as_memory(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = Path(store.root, "--many--")
    for number in range(10_000):
        put(key / f"2026-01-01_{number:05d}" / "patches.jsonl", b'{"lazy":{"n":1}}\n')
    store.patch(cwd={"tactics": {"token": SECRET}})
    opened: dict[str, int] = {}
    asked: list[Address] = []

    def opening(name: str, *words: Any, **more: Any) -> int:
        if name.endswith("patches.jsonl") and "dir_fd" not in more:
            opened[name] = opened.get(name, 0) + 1
        return os.open(name, *words, **more)

    def asking(address: Address, *words: Any, **more: Any) -> Any:
        asked.append(address)
        return snapshot(address, *words, **more)

    monkeypatch.setattr(files, "open", opening)
    monkeypatch.setattr(traces_in_store, "snapshot", asking)
    found = [step for step in look(store.root, of_text(SECRET)) if isinstance(step, Trace)]
    assert [trace.where for trace in found] == ["cwd.tactics.token", "c1 retained patch"]
    assert [address.scopes[-1] for address in asked] == ["cwd"]
    assert len(opened) == 10_003
    # The tail of the one that holds it is read once more, for the numbers of its lines.
    assert sorted(opened.values())[-2:] == [1, 2]


# Git.


def test_git_is_looked_through_object_by_object(store: Store, ask: Ask) -> None:
    git(store.root, "init", "-q")
    store.patch(cwd={"tactics": {"token": SECRET}})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "with it")
    tail = Path(store.address.scope_dir("cwd"), "patches.jsonl")
    blob = git(store.root, "hash-object", str(tail))
    store.patch(cwd={"tactics": {"token": None}})
    tail.write_bytes(tail.read_bytes().replace(SECRET.encode()[:7], b"xx-xxxx"))
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", f"said {SECRET}")
    git(store.root, "remote", "add", "origin", "ext::sh -c 'touch pwned'")
    dangling = put(Path(store.root, ".git", "x"), f"x {SECRET}".encode())
    lost = git(store.root, "hash-object", "-w", str(dangling))
    dangling.unlink()
    before = fingerprint(Path(store.root))
    code, told = ask("--value", SECRET)
    assert fingerprint(Path(store.root)) == before
    found = {one["where"]: one["remedy"] for one in told["traces"] if one["kind"] == "git"}
    head = git(store.root, "rev-parse", "HEAD")
    assert code == 7
    assert set(found) == {
        f"blob {blob[:12]} {store.address.scope_address('cwd')}/patches.jsonl",
        f"commit {head[:12]}",
        f"blob {lost[:12]}",
    }
    assert "git gc" in found[f"blob {lost[:12]}"]
    assert "the remote origin and every clone may have it too" in found[f"commit {head[:12]}"]


def test_git_in_a_directory_above_is_looked_through(store: Store, tmp_path: Path, ask: Ask) -> None:
    git(str(tmp_path), "init", "-q")
    put(tmp_path / "elsewhere.txt", SECRET.encode())
    git(str(tmp_path), "add", "elsewhere.txt")
    _, told = ask("--value", SECRET)
    assert [one["where"].split()[-1] for one in told["traces"]] == ["elsewhere.txt"]


def test_nothing_that_a_repository_names_is_run(store: Store, ask: Ask, tmp_path: Path) -> None:
    git(store.root, "init", "-q")
    put(Path(store.root, "a"), SECRET.encode())
    put(Path(store.root, ".gitattributes"), b"* filter=evil diff=evil\n")
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "x")
    mark = tmp_path / "pwned"
    program = put(tmp_path / "evil.sh", f"#!/bin/sh\ntouch {mark}\ncat\n".encode())
    program.chmod(0o755)
    for name in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.gitProxy", "core.alternateRefsCommand",
        "diff.external", "diff.evil.textconv", "filter.evil.smudge", "filter.evil.clean", "filter.evil.process",
        "gpg.program", "credential.helper", "alias.rev-list", "alias.cat-file", "uploadpack.packObjectsHook",
    ):  # fmt: skip
        git(store.root, "config", name, f"!{program}" if name.startswith("alias") else str(program))
    git(store.root, "config", "core.hooksPath", str(tmp_path))
    git(store.root, "config", "log.showSignature", "true")
    git(store.root, "config", "extensions.partialClone", "origin")
    git(store.root, "config", "remote.origin.url", f"ext::{program}")
    git(store.root, "config", "protocol.ext.allow", "always")
    mark.unlink(missing_ok=True)
    os.remove(Path(store.root, ".git", "objects", *_loose(store, "HEAD^{tree}")))
    _, told = ask("--value", SECRET)
    assert [one["kind"] for one in told["traces"] if one["file"].endswith(".git")] == ["git"]
    assert not mark.exists()


def _loose(store: Store, name: str) -> tuple[str, str]:
    found = git(store.root, "rev-parse", name)
    return found[:2], found[2:]


def test_without_git_that_is_said(store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    git(store.root, "init", "-q")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    code, told = ask("--value", "nowhere to be found")
    assert (code, told["traces"]) == (1, [])
    assert told["unseen"] == [{"place": os.path.join(store.root, ".git"), "reason": "git is not there to read it"}]


def test_a_repository_that_is_broken_hides_nothing_else(store: Store, ask: Ask) -> None:
    put(Path(store.root, ".git", "HEAD"), b"\x00\xff")
    store.patch(cwd={"tactics": {"token": SECRET}})
    code, told = ask("--value", SECRET)
    assert code == 7
    assert [one["place"] for one in told["unseen"]] == [os.path.join(store.root, ".git")]


# What cannot be read.


def test_what_cannot_be_read_is_said(store: Store, ask: Ask) -> None:
    packed = archive(home(store) / "archives" / "a.tar.gz", member=os.urandom(50_000))
    packed.write_bytes(packed.read_bytes()[:20_000])
    put(home(store) / "archives" / "b.tar.gz", b"no archive")
    os.mkfifo(home(store) / "pipe")
    os.symlink("/etc/passwd", Path(store.root, "link"))
    code, told = ask("--value", "nowhere to be found")
    assert code == 1
    assert [os.path.basename(one["place"]) for one in told["unseen"]] == ["link", "pipe", "a.tar.gz", "b.tar.gz"]
    assert [one["reason"].split(":")[0] for one in told["unseen"]] == [
        "a symbolic link is not followed",
        "a FIFO is not read",
        "it cannot be unpacked to its end",
        "it cannot be unpacked to its end",
    ]


def test_a_scope_that_is_fenced_is_told_by_its_bytes(store: Store, ask: Ask) -> None:
    store.patch(cwd={"tactics": {"token": SECRET}})
    Path(store.address.scope_dir("cwd"), "meta.json").write_text("{")
    code, told = ask("--value", SECRET)
    assert code == 7
    (trace,) = told["traces"]
    assert trace["file"].endswith("patches.jsonl")
    assert "sftui doctor" in trace["remedy"]


def test_a_long_value_in_a_database_is_found_though_pages_tear_it(store: Store, ask: Ask) -> None:
    path = home(store) / "ledger" / "folds.sqlite"
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA page_size = 512")
    connection.execute("CREATE TABLE rows (key TEXT, value BLOB)")
    text = "-".join(f"{number:04d}" for number in range(400))
    connection.execute("INSERT INTO rows VALUES ('k', ?)", (f'{{"x":"{text}"}}'.encode(),))
    connection.commit()
    connection.close()
    assert text[:1_500].encode() not in path.read_bytes()
    before = fingerprint(home(store))
    _, told = ask("--value", text[300:1_500])
    assert [(one["kind"], one["where"]) for one in told["traces"]] == [("ledger", "ledger/folds.sqlite")]
    assert fingerprint(home(store)) == before


# Which value.


def test_the_value_at_a_path_that_stands_that_stood_and_that_only_the_ledger_knows(store: Store, ask: Ask) -> None:
    seen(store, {"tactics": {"token": SECRET}})
    code, told = ask("cwd.tactics.token")
    assert (code, told["told"]) == (7, "the value of cwd.tactics.token, as it stands now")
    seen(store, {"tactics": {"token": None}})
    assert (
        ask("tactics.token")[1]["told"] == "the value that effective.tactics.token had last: in c1, which is retained"
    )
    seen(store, *({"tactics": {"other": number}} for number in range(9)))
    code, told = ask("cwd.tactics.token")
    assert (code, told["told"]) == (
        7,
        "the value that cwd.tactics.token had last: taken away by c2, as the ledger has it",
    )
    assert [one["kind"] for one in told["traces"]] == ["ledger"]
    code, told = ask("cwd.tactics.never")
    assert code == 3
    assert "no value that stood there is known" in told
    for words in ([], ["cwd.tactics.token", "--value", "x"], ["cwd"], ["--value", ""]):
        assert ask(*words)[0] == 3


def test_short_texts_and_numbers_are_found_where_they_are_whole_values(store: Store, ask: Ask) -> None:
    store.patch(cwd={"tactics": {"n": 1234, "t": "yes", "other": 12345, "text": "yes, it is"}})
    for path, where in (("cwd.tactics.n", "cwd.tactics.n"), ("cwd.tactics.t", "cwd.tactics.t")):
        _, told = ask(path)
        assert told["whole"] is True
        assert [one["where"] for one in told["traces"] if one["kind"] == "memory"] == [where]
    assert ask("cwd.tactics")[0] == 7
    store.patch(cwd={"tactics": {"flag": True}})
    assert ask("cwd.tactics.flag")[0] == 3


def test_a_structure_is_looked_for_by_its_texts() -> None:
    many = {f"k{number}": "x" * number for number in range(4, 40)}
    sought = of_value(many)
    assert sought.texts[0] == "x" * 39
    assert (len(sought.texts), sought.left_out) == (20, 16)
    assert of_value(["same", {"a": "same"}]).texts == ("same",)


# What is printed.


def test_the_value_is_masked_wherever_it_would_show(store: Store, ask: Ask) -> None:
    store.patch(cwd={"tactics": {SECRET: {"inner": "x"}, "text": SECRET}})
    code, out = ask("--value", SECRET, plain=True)
    assert code == 7
    assert masked(SECRET) in out
    assert "sk-live" not in out
    assert "0123456789" not in out
    assert "sk-live-0123456789" in ask("--value", SECRET, show=True, plain=True)[1]
    assert "not looked at" in out.lower()


def test_masks_give_nothing_of_short_texts_away() -> None:
    assert masked("hunter2") == "… (7 characters)"
    assert masked("x") == "… (1 character)"
    assert masked("correct horse") == "c…e (13 characters)"
    assert masked("a\x1b[2J" + "x" * 20) == "a␛[…xxx (25 characters)"


def test_the_value_may_come_from_standard_input(store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    store.patch(cwd={"tactics": {"token": SECRET}})
    for data, code in ((f"{SECRET}\n".encode(), 7), (f"{SECRET}\r\n".encode(), 7), (b"\xff", 3), (b"\n", 3)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert ask("--value", "-")[0] == code


def test_hostile_names_and_texts_are_made_visible(store: Store, ask: Ask) -> None:
    evil = "\x1b]0;evil\x07\u202e[bold]"
    put(Path(store.root, f"a{evil}", f"b{evil}"), f"{evil} is here".encode())
    store.patch(cwd={"tactics": {evil: f"{evil} is here"}})
    code, out = ask("--value", f"{evil} is here", plain=True, show=True)
    assert code == 7
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert out.count("[bold]") >= 4


def test_a_look_can_be_left_at_any_step(store: Store) -> None:
    git(store.root, "init", "-q")
    seen(store, {"tactics": {"token": SECRET}})
    git(store.root, "add", "-A")
    whole = list(look(store.root, of_text(SECRET)))
    assert not [step for step in whole if isinstance(step, Unseen)]
    for left in range(0, len(whole), 3):
        looking = look(store.root, of_text(SECRET))
        for _ in range(left):
            next(looking)
        looking.close()  # type: ignore[attr-defined]
