"""Files that are torn, odd or of another: what is written beside them, and what is left exactly as it is."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path

import pytest

from sftui import cli
from tests.cases.at import at, patch
from tests.cli.conftest import Run, fingerprint
from tests.store.building import CWD, KEY, Files, Home, build, dump, ended, in_child

SHARING = ("/a/b-c", "/a-b/c", "--a-b-c--")
"""Two directories that map to one name, and the name."""


def changed(before: Files, after: Files) -> set[str]:
    return {name for name in before | after if before.get(name) != after.get(name)}


@pytest.mark.parametrize("scope", ["global", "cwd", "session"])
def test_a_tail_without_its_last_line_end_gets_a_line_of_its_own(home: Home, run: Run, scope: str) -> None:
    tail = home.folder(scope) / "patches.jsonl"
    torn = tail.read_bytes().removesuffix(b"\n")
    tail.write_bytes(torn)
    at_scope = at(home, session=scope == "session")
    assert run("patch", *at_scope, stdin=patch(**{scope: {"tactics": {"new": 1}}})).code == 0
    assert tail.read_bytes() == torn + b'\n{"tactics":{"new":1}}\n'
    assert run("doctor", *at_scope).code == 0
    assert run("read", "--json", *at_scope, f"{scope}.tactics.new").json == {"value": 1}


def test_one_malformed_line_fences_its_scope_and_no_other(home: Home, run: Run) -> None:
    other = "/work/elsewhere"
    assert run("patch", *at(home, cwd=other), stdin=patch(cwd={"tactics": {"here": 1}})).code == 0
    tail = home.cwd / "patches.jsonl"
    broken = tail.read_bytes() + b'{"lazy": {"n": \n'
    tail.write_bytes(broken)
    report = run("doctor", "--json", *at(home))
    assert report.code == 5
    assert [scope["status"] for scope in report.json["scopes"]] == ["healthy", "fenced"]
    (fault,) = report.json["scopes"][1]["faults"]
    assert (fault["file"], fault["line"], fault["code"]) == ("patches.jsonl", 3, "not-json")
    refused = run("patch", *at(home), stdin=patch(cwd={"tactics": {"new": 1}}))
    assert refused.code == 5
    assert "line 3" in refused.err
    assert run("read", *at(home), "cwd.lazy").code == 5
    # Everything beside it is read and written as ever.
    assert run("read", "--json", *at(home), "global.tactics").json == {"value": {"kept": "global"}}
    assert run("patch", "--scopes", "global", *at(home), stdin=patch(global_={"tactics": {"new": 1}})).code == 0
    assert run("patch", *at(home, cwd=other), stdin=patch(cwd={"tactics": {"here": 2}})).code == 0
    assert run("read", "--json", *at(home, cwd=other), "effective.tactics").json == {
        "value": {"kept": "global", "new": 1, "here": 2}
    }
    assert tail.read_bytes() == broken


def test_five_readers_of_a_broken_store_again_and_again_write_nothing(home: Home) -> None:
    (home.cwd / "checkpoint.json").write_bytes(b"{torn")
    (home.session / "patches.jsonl").write_bytes(b"[]\n")
    before = fingerprint(home.root)
    state = Path(os.environ["XDG_STATE_HOME"])

    def read_on() -> None:
        for _ in range(8):
            for command in ("doctor", "status", "log"):
                silent = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silent, 1)
                os.close(silent)
                with contextlib.suppress(SystemExit):
                    assert cli.main([command, *at(home, session=True)]) == 5

    readers = [in_child(read_on) for _ in range(5)]
    assert [ended(reader) for reader in readers] == [0] * 5
    assert fingerprint(home.root) == before
    assert [path for path in state.rglob("*") if path.is_file()] == []


def test_changing_one_key_leaves_the_bytes_of_everything_else(tmp_path: Path, run: Run) -> None:
    # A full tail, so that the checkpoint is written anew as well.
    home = build(tmp_path / "store", patches=3, limit=3)
    strange = '"later":{"10":[1,{"a":null}],"big":653247040368672768,"text":"é\\u001b\u2028"}'
    intents, strategy = '"intents":{"i":{"goal":"x"}}', '"strategy":{"10":1,"a":"\U0001f600","n":1e-7}'
    meta = home.cwd / "meta.json"
    meta.write_text(meta.read_text("utf-8").replace('"temporal":', f'{strange},"temporal":'), "utf-8")
    checkpoint = home.cwd / "checkpoint.json"
    checkpoint.write_text(f'{{{intents},{strategy},"lazy":{{"n":0}},"tactics":{{"kept":"cwd"}}}}\n', "utf-8")
    before = home.files()
    assert run("patch", *at(home), stdin=patch(cwd={"tactics": {"new": 1}})).code == 0
    after = home.files()
    assert changed(before, after) == {f"{KEY}/{name}" for name in ("checkpoint.json", "patches.jsonl", "meta.json")}
    assert strange in meta.read_text("utf-8")
    for plane in (intents, strategy, '"tactics":{"kept":"cwd"}'):
        assert plane in checkpoint.read_text("utf-8")
    kept = before[f"{KEY}/patches.jsonl"].split(b"\n", 1)[1]
    assert after[f"{KEY}/patches.jsonl"] == kept + b'{"tactics":{"new":1}}\n'
    assert home.meta("cwd")["owner"] == {"cwd": CWD}


def test_a_checkpoint_that_is_a_link_is_neither_followed_nor_replaced(home: Home, run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.json"
    link = home.cwd / "checkpoint.json"
    shutil.move(link, outside)
    link.symlink_to(outside)
    before = fingerprint(tmp_path)
    report = run("doctor", "--json", *at(home))
    assert report.code == 5
    assert [fault["code"] for fault in report.json["scopes"][1]["faults"]] == ["symbolic-link"]
    assert run("read", *at(home), "cwd").code == 5
    assert fingerprint(tmp_path) == before
    refused = run("patch", *at(home), stdin=patch(cwd={"tactics": {"new": 1}}))
    assert refused.code == 5
    assert "symbolic link" in refused.err
    assert os.readlink(link) == str(outside)
    assert json.loads(outside.read_bytes()) == {"tactics": {"kept": "cwd"}, "lazy": {"n": 0}}


def test_a_checkpoint_with_a_byte_order_mark_is_fenced_for_reading_and_writing(home: Home, run: Run) -> None:
    checkpoint = home.cwd / "checkpoint.json"
    marked = b"\xef\xbb\xbf" + checkpoint.read_bytes()
    checkpoint.write_bytes(marked)
    for arguments in (["read", "cwd"], ["patch"]):
        refused = run(*arguments, *at(home), stdin=patch(cwd={"tactics": {"new": 1}}))
        assert refused.code == 5
        assert "byte order mark" in refused.err
        assert "checkpoint.json" in refused.err
    assert checkpoint.read_bytes() == marked


def test_a_checkpoint_of_nul_bytes_is_never_taken_for_empty_memory(home: Home, run: Run) -> None:
    checkpoint = home.cwd / "checkpoint.json"
    nothing = bytes(len(checkpoint.read_bytes()))
    checkpoint.write_bytes(nothing)
    for arguments in (["read", "cwd"], ["read", "effective"], ["patch"]):
        refused = run(*arguments, *at(home), stdin=patch(cwd={"tactics": {"new": 1}}))
        assert (refused.code, refused.out) == (5, "")
        assert "NUL" in refused.err
    assert checkpoint.read_bytes() == nothing


def test_of_two_directories_with_one_name_the_owner_has_it(tmp_path: Path, run: Run) -> None:
    mine, other, key = SHARING
    home = Home(tmp_path / "store")
    assert run("patch", *at(home, cwd=mine), stdin=patch(cwd={"tactics": {"a": 1}})).code == 0
    assert json.loads((home.root / key / "meta.json").read_bytes())["owner"] == {"cwd": mine}
    before = fingerprint(home.root / key)
    for arguments in (["read", "cwd"], ["patch"], ["doctor"]):
        refused = run(*arguments, *at(home, cwd=other), stdin=patch(cwd={"tactics": {"a": 2}}))
        assert refused.code == 5
        said = " ".join((refused.out + refused.err).split())
        assert f"belongs to {mine}" in said
        assert other in said
    assert fingerprint(home.root / key) == before
    assert run("read", "--json", *at(home, cwd=other), "global").code == 0
    assert run("patch", *at(home, cwd=mine), stdin=patch(cwd={"tactics": {"a": 3}})).code == 0
    assert dump({"tactics": {"a": 3}}) in (home.root / key / "patches.jsonl").read_bytes()
