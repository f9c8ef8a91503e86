"""A patch becomes files: what is written, what is left alone, and when nothing is written at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.errors import EngineError, Fenced, InvalidRequest, Moved, StoreFailure
from engine.memory.scope import Wanted
from engine.store import files
from engine.store.layout import Address, locate
from engine.store.publication import Published, publish
from engine.store.snapshot import snapshot
from tests.store.building import CWD, KEY, SESSION, Home, build, dump

ALL: Wanted = ("global", "cwd", "session")
SHARED: Wanted = ("global", "cwd")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "store")


def shared(home: Home) -> Address:
    return locate(str(home.root), CWD)


def whole(home: Home) -> Address:
    return locate(str(home.root), CWD, SESSION)


def put(home: Home, scope: str, value: Any, **more: Any) -> Published:
    address = whole(home) if scope == "session" else shared(home)
    wanted = ALL if scope == "session" else SHARED
    return publish(address, {scope: {home.plane: value}}, wanted=wanted, **more)


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {name for name in before | after if before.get(name) != after.get(name)}


def test_a_shared_change_writes_two_of_three_files_and_no_other(home: Home) -> None:
    before = home.files()
    done = put(home, "cwd", {"new": 1})
    assert changed(before, home.files()) == {f"{KEY}/patches.jsonl", f"{KEY}/meta.json"}
    assert home.value("cwd") == {"tactics": {"kept": "cwd", "new": 1}, "lazy": {"n": 2}}
    assert done.changed == ("cwd",)
    assert done.receipt.to_json() == {"state_updates": {"effective": [{"path": ["tactics", "new"], "value": 1}]}}


def test_a_shared_change_stands_on_an_origin_of_its_own(home: Home) -> None:
    put(home, "cwd", {"new": 1}, new_id=iter(["origin", "mine"]).__next__)
    temporal = home.meta("cwd")["temporal"]
    assert temporal["patches"][-1] == {"id": "mine", "position": 4, "parent": "origin"}
    assert temporal["revision"] == 3


def test_the_preview_of_a_shared_change_says_what_it_costs_the_sessions(home: Home, tmp_path: Path) -> None:
    for address in (shared(home), whole(home)):
        done = publish(address, {"cwd": {home.plane: {"new": 1}}}, wanted=SHARED, dry_run=True)
        assert len(done.advice) == 1
        assert "new line of history" in done.advice[0]
    first = locate(str(tmp_path / "nothing"), CWD)
    assert publish(first, {"cwd": {"tactics": {"new": 1}}}, wanted=SHARED, dry_run=True).advice == ()


def test_a_full_tail_folds_its_oldest_patch(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=3, limit=3)
    put(home, "cwd", {"new": 1})
    assert json.loads((home.cwd / "checkpoint.json").read_bytes())["lazy"] == {"n": 1}
    assert home.meta("cwd")["temporal"]["checkpoint"]["id"] == "b1"
    assert [boundary["id"] for boundary in home.meta("cwd")["temporal"]["patches"][:-1]] == ["b2", "b3"]
    assert home.value("cwd")["tactics"] == {"kept": "cwd", "new": 1}
    assert home.meta("cwd")["temporal"]["revision"] == 4


def test_without_history_the_checkpoint_moves(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=2, limit=0)
    put(home, "cwd", {"new": 1}, new_id=iter(["origin", "mine"]).__next__)
    assert (home.cwd / "patches.jsonl").read_bytes() == b""
    assert home.meta("cwd")["temporal"]["checkpoint"]["id"] == "mine"
    assert home.value("cwd") == {"tactics": {"kept": "cwd", "new": 1}, "lazy": {"n": 2}}


def test_without_history_every_further_change_moves_the_checkpoint_too(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=0, limit=0)
    for scope in ("cwd", "session"):
        for n in (1, 2):
            put(home, scope, {"new": n}, new_id=iter([f"{scope}-origin{n}", f"{scope}{n}"]).__next__)
            assert home.value(scope) == {"tactics": {"kept": scope, "new": n}, "lazy": {"n": 0}}
            assert home.meta(scope)["temporal"]["checkpoint"]["id"] == f"{scope}{n}"
            assert home.meta(scope)["temporal"]["revision"] == n


def test_a_shared_change_lies_after_everything_in_the_narrower_scopes(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=5)
    meta = home.meta("global")
    meta["temporal"] = {"revision": 0, "checkpoint": meta["temporal"]["checkpoint"], "patches": []}
    (home.root / "meta.json").write_bytes(dump(meta))
    (home.root / "patches.jsonl").write_bytes(b"")
    # Global alone has only come to position 0; the cwd scope, and the session's history, to 5.
    put(home, "global", {"new": 1}, new_id=iter(["origin", "mine"]).__next__)
    assert home.meta("global")["temporal"]["patches"] == [{"id": "mine", "position": 7, "parent": "origin"}]
    found = snapshot(whole(home)).cohort
    assert found is not None
    assert found.adopted


def test_a_lowered_limit_folds_more_than_one(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=5, limit=2)
    put(home, "cwd", {"new": 1})
    assert [boundary["id"] for boundary in home.meta("cwd")["temporal"]["patches"][:-1]] == ["b5"]
    assert home.value("cwd")["lazy"] == {"n": 5}


def test_the_snapshot_that_comes_back_is_what_is_read(home: Home) -> None:
    done = put(home, "cwd", {"new": 1})
    found = snapshot(shared(home))
    assert found.scopes["cwd"].stream == done.snapshot.scopes["cwd"].stream
    assert found.scopes["cwd"].meta == done.snapshot.scopes["cwd"].meta
    assert found.scopes["cwd"].tail_lines == done.snapshot.scopes["cwd"].tail_lines
    assert (found.verdict, found.cohort, found.lock.kind) == ("ok", done.snapshot.cohort, "free")


def test_a_repeat_writes_nothing(home: Home) -> None:
    put(home, "cwd", {"new": 1})
    before = {name: os.stat(home.root / name).st_mtime_ns for name in home.files()}
    done = put(home, "cwd", {"new": 1})
    assert (done.changed, done.boundary) == ((), None)
    assert {name: os.stat(home.root / name).st_mtime_ns for name in home.files()} == before


def test_a_session_change_writes_its_cohort(home: Home) -> None:
    before = home.files()
    done = put(home, "session", {"new": 1}, new_id=iter(["unused", "mine"]).__next__)
    at = f"{KEY}/{SESSION}"
    assert changed(before, home.files()) == {f"{at}/patches.jsonl", f"{at}/meta.json", f"{at}/runtime.json"}
    runtime = home.runtime()
    assert runtime["lineage"][-1] == {"id": "mine", "position": 3, "parent": "b2"}
    assert (runtime["step"], runtime["validation"]) == (3, {"kept": True})
    assert any("once" in sentence for sentence in done.advice)


def test_a_change_of_all_scopes_is_one_boundary(home: Home) -> None:
    patch: dict[str, Any] = {scope: {"tactics": {"new": 1}} for scope in ALL}
    done = publish(whole(home), patch, wanted=ALL)
    heads = {json.dumps(home.meta(scope)["temporal"]["patches"][-1], sort_keys=True) for scope in ALL}
    assert len(heads) == 1
    assert done.changed == ALL
    assert done.snapshot.cohort is not None
    assert not done.snapshot.cohort.adopted


def test_a_session_write_after_shared_drift_starts_a_new_lineage(home: Home) -> None:
    put(home, "cwd", {"new": 1})
    put(home, "session", {"new": 2}, new_id=iter(["origin", "mine"]).__next__)
    assert [boundary["id"] for boundary in home.runtime()["lineage"]] == ["origin", "mine"]
    assert snapshot(whole(home)).verdict == "ok"


def test_an_unfinished_session_is_not_written_unless_forced(home: Home) -> None:
    path = home.session / "runtime.json"
    path.write_bytes(dump({**json.loads(path.read_bytes()), "specification": "cut a release"}))
    before = home.files()
    with pytest.raises(InvalidRequest) as caught:
        put(home, "session", {"new": 1})
    assert caught.value.code == "session-unfinished"
    assert home.files() == before
    put(home, "session", {"new": 1}, force_session=True)
    assert home.runtime()["specification"] == "cut a release"


def test_a_session_that_is_not_there_cannot_be_written(home: Home) -> None:
    before = home.files()
    with pytest.raises(EngineError):
        publish(locate(str(home.root), CWD, "2026-01-01_none"), {"session": {"tactics": {"a": 1}}}, wanted=ALL)
    assert home.files() == before


def test_a_session_patch_without_a_session_is_refused(home: Home) -> None:
    with pytest.raises(InvalidRequest):
        publish(shared(home), {"session": {"tactics": {"a": 1}}}, wanted=ALL)


def test_unknown_members_keep_their_place(home: Home) -> None:
    path = home.cwd / "meta.json"
    path.write_bytes(dump({**home.meta("cwd"), "later": {"b": [1, {"a": None}]}}))
    put(home, "cwd", {"new": 1})
    assert home.meta("cwd")["later"] == {"b": [1, {"a": None}]}


def test_unknown_members_of_a_runtime_record_stay(home: Home) -> None:
    path = home.session / "runtime.json"
    path.write_bytes(dump({**home.runtime(), "later": 7}))
    put(home, "session", {"new": 1})
    assert home.runtime()["later"] == 7


def test_version_1_becomes_2(tmp_path: Path) -> None:
    home = build(tmp_path / "store", version=2)
    for scope in ALL:
        (home.folder(scope) / "meta.json").write_bytes(dump({**home.meta(scope), "version": 1}))
    put(home, "cwd", {"new": 1})
    assert (home.meta("cwd")["version"], home.meta("global")["version"]) == (2, 1)


def test_a_missing_revision_counts_from_the_tail(home: Home) -> None:
    meta = home.meta("cwd")
    del meta["temporal"]["revision"]
    (home.cwd / "meta.json").write_bytes(dump(meta))
    put(home, "cwd", {"new": 1})
    assert home.meta("cwd")["temporal"]["revision"] == 3


@pytest.mark.parametrize(
    ("tail", "wanted"),
    [
        (b'{"lazy": {"n": 1}}\n{"lazy":{"n":2}}', b'{"lazy": {"n": 1}}\n{"lazy":{"n":2}}\n'),
        (b'{"lazy":{"n":1}}\r\n\r\n\n{"lazy":{"n":2}}\r\n', b'{"lazy":{"n":1}}\n{"lazy":{"n":2}}\n'),
        (
            '{"lazy":{"n":1,"s":"\u2028 \u0085 \\u00e9"}}\n{"lazy":{"n":2e0}}\n'.encode(),
            '{"lazy":{"n":1,"s":"\u2028 \u0085 \\u00e9"}}\n{"lazy":{"n":2e0}}\n'.encode(),
        ),
    ],
    ids=["no last line end", "crlf and blank lines", "line separators, odd spelling"],
)
def test_retained_lines_are_carried_over(home: Home, tail: bytes, wanted: bytes) -> None:
    (home.cwd / "patches.jsonl").write_bytes(tail)
    put(home, "cwd", {"new": 1})
    assert (home.cwd / "patches.jsonl").read_bytes() == wanted + b'{"tactics":{"new":1}}\n'


def test_the_first_scopes_of_a_store(tmp_path: Path) -> None:
    home = Home(tmp_path / "store")
    done = publish(
        shared(home), {"cwd": {"tactics": {"a": 1}}}, wanted=SHARED, new_id=iter(["origin", "mine"]).__next__
    )
    empty = {"id": "origin:empty", "position": 0, "parent": None}
    assert done.created == SHARED
    assert home.files()["checkpoint.json"] == b"{}\n"
    assert home.files()["patches.jsonl"] == b""
    assert home.meta("global") == {
        "version": 4,
        "artifacts": {},
        "temporal": {"revision": 0, "checkpoint": empty, "patches": []},
    }
    assert home.meta("cwd")["owner"] == {"cwd": CWD}
    assert home.meta("cwd")["temporal"] == {
        "revision": 1,
        "checkpoint": empty,
        "patches": [{"id": "mine", "position": 2, "parent": "origin"}],
    }
    assert snapshot(shared(home)).verdict == "ok"
    assert {oct(path.stat().st_mode & 0o777) for path in home.root.rglob("*.json*")} == {"0o600"}


def test_a_new_scope_speaks_as_the_store_does(tmp_path: Path) -> None:
    home = build(tmp_path / "store", version=2, session=False)
    other = locate(str(home.root), "/work/demo/other")
    publish(other, {"cwd": {"working": {"a": 1}}}, wanted=SHARED)
    meta = json.loads((home.root / "--work-demo-other--" / "meta.json").read_bytes())
    assert meta["version"] == 2
    with pytest.raises(InvalidRequest, match="dialect 2"):
        publish(other, {"cwd": {"working": {"a": 2}}}, wanted=SHARED, dialect=4)


def test_the_default_root_needs_its_dialect_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path))
    address = locate(str(tmp_path / "state-flow"), CWD)
    with pytest.raises(InvalidRequest) as caught:
        publish(address, {"cwd": {"working": {"a": 1}}}, wanted=SHARED)
    assert caught.value.code == "dialect-needed"
    assert not (tmp_path / "state-flow").exists()
    publish(address, {"cwd": {"working": {"a": 1}}}, wanted=SHARED, dialect=2)
    assert json.loads((tmp_path / "state-flow" / "meta.json").read_bytes())["version"] == 2


def test_a_dry_run_writes_nothing_and_can_be_approved(home: Home) -> None:
    before = home.files()
    shown = put(home, "cwd", {"new": 1}, dry_run=True)
    assert home.files() == before
    assert (shown.changed, shown.boundary) == (("cwd",), None)
    done = put(home, "cwd", {"new": 1}, approved=shown.digest)
    assert done.changed == ("cwd",)


def test_what_has_moved_since_is_not_written(home: Home) -> None:
    shown = put(home, "cwd", {"kept": "mine"}, dry_run=True)
    put(home, "cwd", {"kept": "another's"})
    before = home.files()
    with pytest.raises(Moved) as caught:
        put(home, "cwd", {"kept": "mine"}, approved=shown.digest)
    assert caught.value.approved == shown.digest
    assert caught.value.found != shown.digest
    assert home.files() == before
    assert not home.lock.exists()


def test_other_keys_do_not_move_an_approval(home: Home) -> None:
    shown = put(home, "cwd", {"kept": "mine"}, dry_run=True)
    put(home, "cwd", {"other": "another's"})
    put(home, "cwd", {"kept": "mine"}, approved=shown.digest)
    assert home.value("cwd")["tactics"] == {"kept": "mine", "other": "another's"}


def test_a_malformed_broader_scope_stops_a_write_and_stays(home: Home) -> None:
    (home.root / "checkpoint.json").write_bytes(b"{nonsense")
    before = home.files()
    with pytest.raises(Fenced) as caught:
        put(home, "cwd", {"new": 1})
    assert caught.value.scope == "global"
    assert home.files() == before


def test_a_malformed_narrower_scope_does_not(home: Home) -> None:
    tail = home.cwd / "patches.jsonl"
    tail.write_bytes(b'{"lazy":{"n":1}}\n{"lazy":{"n":\n')
    publish(shared(home), {"global": {"tactics": {"new": 1}}}, wanted=("global",))
    assert home.value("global")["tactics"]["new"] == 1
    assert tail.read_bytes() == b'{"lazy":{"n":1}}\n{"lazy":{"n":\n'
    other = locate(str(home.root), "/work/other")
    publish(other, {"cwd": {"tactics": {"new": 1}}}, wanted=SHARED)
    with pytest.raises(Fenced) as caught:
        put(home, "cwd", {"new": 1})
    assert (caught.value.scope, caught.value.line) == ("cwd", 2)


def test_a_directory_with_the_same_key_is_told_whose_it_is(home: Home) -> None:
    """Two directories map to one name; the owner record decides."""
    before = home.files()
    with pytest.raises(Fenced) as caught:
        publish(locate(str(home.root), "/work/demo-app"), {"cwd": {"tactics": {"new": 1}}}, wanted=SHARED)
    assert CWD in str(caught.value)
    assert home.files() == before


def test_a_link_is_refused_and_survives(home: Home) -> None:
    path = home.cwd / "checkpoint.json"
    path.rename(home.cwd / "real.json")
    path.symlink_to("real.json")
    with pytest.raises(Fenced):
        put(home, "cwd", {"new": 1})
    assert path.is_symlink()


def test_memory_that_was_lost_asks_first(home: Home) -> None:
    for name in ("checkpoint.json", "patches.jsonl"):
        (home.cwd / name).unlink()
    before = home.files()
    with pytest.raises(Fenced) as caught:
        put(home, "cwd", {"new": 1})
    assert caught.value.code == "memory-lost"
    assert home.files() == before
    put(home, "cwd", {"new": 1}, allow=["memory-lost"])
    assert home.value("cwd") == {"tactics": {"new": 1}}
    assert home.meta("cwd")["owner"] == {"cwd": CWD}


@pytest.mark.parametrize("version", [2, 4])
def test_lost_memory_begins_again_in_the_dialect_of_its_metadata(tmp_path: Path, version: int) -> None:
    home = build(tmp_path / "store", version=version, session=False)
    for folder in (home.root, home.cwd):
        for name in ("checkpoint.json", "patches.jsonl"):
            (folder / name).unlink()
    put(home, "cwd", {"new": 1}, allow=["memory-lost"])
    assert [home.meta(scope)["version"] for scope in ("global", "cwd")] == [version, version]
    assert home.value("cwd") == {home.plane: {"new": 1}}


def test_a_fresh_scope_speaks_like_an_unreadable_one_beside_it(tmp_path: Path) -> None:
    home = build(tmp_path / "store", version=2, session=False)
    for name in ("checkpoint.json", "patches.jsonl", "meta.json"):
        (home.root / name).unlink()
    (home.cwd / "checkpoint.json").write_bytes(b"{oops")
    address = shared(home)
    publish(address, {"global": {"working": {"new": 1}}}, wanted=("global",))
    assert home.meta("global")["version"] == 2


def test_bytes_that_are_not_utf8_ask_before_they_go(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=2, limit=2)
    path = home.cwd / "checkpoint.json"
    path.write_bytes(b'{"lazy":{"n":0,"odd":"\xff\xfe"}}\n')
    old = path.read_bytes()
    with pytest.raises(Fenced) as caught:
        put(home, "cwd", {"new": 1})
    assert caught.value.code == "replacement-characters"
    assert path.read_bytes() == old
    put(home, "cwd", {"new": 1}, allow=["replacement-characters"])
    assert path.read_bytes() != old
    archived = [file.read_bytes() for file in Path(os.environ["XDG_STATE_HOME"]).rglob("archive/*")]
    assert archived == [old]


def test_bytes_that_are_not_utf8_may_stay(home: Home) -> None:
    """With room in the tail the checkpoint is not touched, so nothing is lost and nothing is asked."""
    path = home.cwd / "checkpoint.json"
    path.write_bytes(b'{"lazy":{"n":0,"odd":"\xff\xfe"}}\n')
    old = path.read_bytes()
    put(home, "cwd", {"new": 1})
    assert path.read_bytes() == old


def test_members_that_are_not_understood_are_not_written_over(home: Home) -> None:
    (home.cwd / "checkpoint.json").write_bytes(dump({"lazy": {"n": 0}, "later": {"a": 1}}))
    before = home.files()
    with pytest.raises(Fenced) as caught:
        put(home, "cwd", {"new": 1})
    assert caught.value.code == "unknown-members"
    assert home.files() == before


def test_a_root_that_another_scope_declares_cannot_be_written_here(home: Home) -> None:
    meta = home.meta("global")
    (home.root / "meta.json").write_bytes(dump({**meta, "roots": {"plans": {"module": "m", "projection": "hot"}}}))
    publish(shared(home), {"global": {"plans": {"a": 1}}}, wanted=SHARED)
    assert home.meta("global")["roots"] == {"plans": {"module": "m", "projection": "hot"}}
    with pytest.raises(InvalidRequest) as caught:
        publish(shared(home), {"cwd": {"plans": {"a": 1}}}, wanted=SHARED)
    assert caught.value.code == "root-undeclared"


def test_odd_strings_and_numbers_are_stored_as_the_format_does(home: Home) -> None:
    big = 10**399 + 7
    odd = {"lone": "\ud800", "big": 653247040368672768, "huge": big, "text": "\u2028\x85", "key\udfff": 1}
    put(home, "cwd", odd)
    line = (home.cwd / "patches.jsonl").read_bytes().split(b"\n")[-2]
    assert b'"lone":"\\ud800"' in line
    assert b"653247040368672768" in line
    assert str(big).encode() in line
    stream = snapshot(shared(home)).scopes["cwd"].stream
    assert stream is not None
    found = stream.current["tactics"]
    assert found == {"kept": "cwd", **odd}
    put(home, "cwd", {"after": 1})
    assert home.value("cwd")["tactics"]["after"] == 1


def test_a_file_changed_beside_the_lock_is_kept(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that ignores the lock: its change stands, and ours is taken back as a whole."""
    before = home.files()
    real = files.rename
    calls: list[str] = []

    def rename(source: str, target: str, **where: int) -> None:
        calls.append(target)
        real(source, target, **where)
        if len(calls) == 1:
            (home.cwd / "meta.json").write_bytes(b"theirs")

    monkeypatch.setattr(files, "rename", rename)
    with pytest.raises(StoreFailure) as caught:
        put(home, "cwd", {"new": 1})
    assert caught.value.code == "changed-meanwhile"
    assert home.files() == {**before, f"{KEY}/meta.json": b"theirs"}


def test_a_file_of_another_scope_changed_beside_the_lock_is_noticed(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = home.files()
    real = files.link
    done: list[bool] = []

    def link(*arguments: Any, **where: Any) -> None:
        real(*arguments, **where)
        if not done:
            done.append(True)
            (home.root / "patches.jsonl").write_bytes(b"")

    monkeypatch.setattr(files, "link", link)
    with pytest.raises(StoreFailure):
        put(home, "cwd", {"new": 1})
    assert home.files() == {**before, "patches.jsonl": b""}


def test_without_hard_links_the_old_files_are_copied(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    before = home.files()

    def link(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(files, "link", link)
    put(home, "cwd", {"new": 1})
    assert set(home.files()) == set(before)
    assert home.value("cwd")["tactics"]["new"] == 1


def test_another_users_store_is_not_written(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    before = home.files()
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(home.root).st_uid + 1)
    with pytest.raises(StoreFailure) as caught:
        put(home, "cwd", {"new": 1})
    assert caught.value.code == "not-owner"
    assert home.files() == before


def test_no_trace_is_left_outside_either(home: Home) -> None:
    put(home, "cwd", {"new": 1})
    assert [file for file in Path(os.environ["XDG_STATE_HOME"]).rglob("*") if file.is_file()] == []
