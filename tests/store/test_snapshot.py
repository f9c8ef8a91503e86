"""What is read of a store that is in order, or where nothing is yet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from engine import values
from engine.memory.overlay import effective
from engine.store.faults import Fault
from engine.store.layout import Address, locate
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from tests.conformance.stores import tree
from tests.store.building import CWD, KEY, SESSION, Home, build, dump, ended, in_child


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "store")


def whole(home: Home) -> Address:
    return locate(str(home.root), CWD, SESSION)


def codes(taken: Snapshot) -> set[str]:
    return {fault.code for fault in taken.all_faults}


def test_three_healthy_scopes_are_one_cohort(home: Home) -> None:
    taken = snapshot(whole(home))
    assert (taken.verdict, taken.all_faults, taken.stale, taken.present) == ("ok", (), frozenset(), True)
    assert taken.cohort is not None
    assert not taken.cohort.adopted
    assert [reading.status for reading in taken.scopes.values()] == ["healthy"] * 3
    for scope, stream in taken.cohort.streams.items():
        assert values.same(stream.current, home.value(scope))
    assert taken.mode == "active"
    assert taken.runtime is not None
    assert (taken.runtime.session_id, taken.runtime.step) == (SESSION.split("_")[1], 2)
    assert taken.scopes["cwd"].tail_lines == tuple((home.cwd / "patches.jsonl").read_bytes().splitlines())


def test_a_session_is_not_needed_and_neither_is_a_directory(home: Home) -> None:
    shared = snapshot(locate(str(home.root), CWD))
    assert shared.cohort is not None
    assert shared.cohort.adopted
    assert shared.cohort.head.parent is None
    only = snapshot(locate(str(home.root)))
    assert only.scopes.keys() == {"global"}
    assert only.cohort is not None
    assert effective(only.cohort.dialect, only.cohort.states) == home.value("global")
    by_key = snapshot(Address(os.path.realpath(home.root), key=KEY))
    assert by_key.verdict == "ok"


def test_looking_again_gives_the_same_origin(home: Home) -> None:
    address = locate(str(home.root), CWD)
    one, other = snapshot(address), snapshot(address)
    assert one.cohort is not None
    assert other.cohort is not None
    assert one.cohort.lineage == other.cohort.lineage


def test_an_absent_root_is_empty_memory(tmp_path: Path) -> None:
    taken = snapshot(locate(str(tmp_path / "no"), CWD, SESSION))
    assert (taken.present, taken.verdict, taken.all_faults) == (False, "ok", ())
    assert [reading.status for reading in taken.scopes.values()] == ["absent"] * 3
    assert taken.cohort is not None
    assert effective(taken.cohort.dialect, taken.cohort.states) == {}
    assert not (tmp_path / "no").exists()


def test_an_absent_scope_is_empty_memory_and_the_others_are_there(home: Home) -> None:
    for name in ("checkpoint.json", "patches.jsonl", "meta.json"):
        (home.cwd / name).unlink()
    taken = snapshot(whole(home))
    assert taken.scopes["cwd"].status == "absent"
    assert taken.verdict == "ok"
    assert taken.cohort is not None
    assert taken.cohort.streams["cwd"].current == {}


def test_metadata_beside_nothing_tells_that_memory_was_lost(home: Home) -> None:
    (home.cwd / "checkpoint.json").unlink()
    (home.cwd / "patches.jsonl").unlink()
    taken = snapshot(whole(home))
    (fault,) = taken.scopes["cwd"].faults
    assert (fault.code, fault.severity, fault.file) == ("memory-lost", "warning", "meta.json")
    assert "revision 2" in fault.reason
    assert taken.scopes["cwd"].status == "absent"
    assert taken.cohort is not None


@pytest.mark.parametrize("version", [1, 2, 4])
def test_every_dialect_is_read(tmp_path: Path, version: int) -> None:
    home = build(tmp_path / "store", version=version)
    taken = snapshot(whole(home))
    assert taken.verdict == "ok"
    assert taken.dialect is not None
    assert taken.dialect.version == (4 if version == 4 else 2)


def blocks(fault: Fault) -> set[str]:
    return set(fault.blocks)


def rewrite_meta(home: Home, scope: str, **changes: Any) -> None:
    (home.folder(scope) / "meta.json").write_bytes(dump({**home.meta(scope), **changes}))


def test_the_scope_that_speaks_another_dialect_is_the_odd_one(home: Home) -> None:
    rewrite_meta(home, "cwd", version=2)
    taken = snapshot(whole(home))
    assert {scope: reading.status for scope, reading in taken.scopes.items()} == {
        "global": "healthy",
        "cwd": "fenced",
        "session": "healthy",
    }
    (fault,) = taken.scopes["cwd"].faults
    assert fault.code == "mixed-dialect"
    assert taken.scopes["cwd"].stream is not None
    assert taken.cohort is None
    rewrite_meta(home, "cwd", version=4)
    assert snapshot(whole(home), taken).verdict == "ok"


def test_declared_roots_are_planes(home: Home) -> None:
    roots = {"plans": {"module": "m", "projection": "lazy"}}
    rewrite_meta(home, "cwd", roots=roots)
    (home.cwd / "checkpoint.json").write_bytes(dump({"tactics": {}, "plans": {"a": 1}}))
    taken = snapshot(whole(home))
    assert taken.verdict == "ok"
    assert taken.dialect is not None
    assert taken.dialect.planes[-1] == "plans"


@pytest.mark.parametrize("name", ["lazy", "effective", "cwd", "a b"])
def test_a_root_cannot_have_the_name_of_something_else(home: Home, name: str) -> None:
    rewrite_meta(home, "cwd", roots={name: {"module": "m", "projection": "hot"}})
    taken = snapshot(whole(home))
    assert codes(taken) == {"bad-roots"}
    assert taken.cohort is None
    assert taken.scopes["global"].status == "healthy"


def test_members_of_dialect_4_that_are_not_understood_are_read_but_not_written(home: Home) -> None:
    (home.cwd / "checkpoint.json").write_bytes(dump({"tactics": {}, "novel": {"a": 1}}))
    taken = snapshot(whole(home))
    (fault,) = taken.scopes["cwd"].faults
    assert (fault.code, fault.severity, blocks(fault)) == ("unknown-members", "warning", {"write"})
    assert taken.cohort is not None
    assert taken.blocks("write")


def test_the_history_limit_is_applied_after_reading(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=9)
    taken = snapshot(whole(home))
    assert taken.cohort is not None
    assert taken.scopes["cwd"].stream is not None
    assert len(taken.scopes["cwd"].stream.tail) == 9
    assert len(taken.cohort.streams["cwd"].tail) == 7
    assert len(taken.cohort.lineage) == 8
    (home.root / "config.json").write_bytes(dump({"historyLimit": 3}))
    again = snapshot(whole(home), taken)
    assert again.cohort is not None
    assert len(again.cohort.streams["cwd"].tail) == 3
    assert again.scopes["cwd"].stream is taken.scopes["cwd"].stream
    given = snapshot(whole(home), again, limit=0)
    assert given.cohort is not None
    assert len(given.cohort.streams["cwd"].tail) == 0


def test_settings_that_are_not_understood_stop_writing_and_cut_nothing(tmp_path: Path) -> None:
    home = build(tmp_path / "store", patches=9)
    (home.root / "config.json").write_bytes(b'{"historyLimit": 3, "x": 1}')
    taken = snapshot(whole(home))
    (fault,) = taken.faults
    assert (fault.code, fault.file, blocks(fault)) == ("bad-config", "config.json", {"write"})
    assert "'x'" in fault.reason
    assert taken.cohort is not None
    assert len(taken.cohort.streams["cwd"].tail) == 9
    (home.root / "config.json").write_bytes(b'{"historyLimit": 3\n,}')
    (fault,) = snapshot(whole(home), taken).faults
    assert (fault.code, fault.line) == ("bad-config", 2)


def test_a_key_that_two_directories_share_belongs_to_its_owner(tmp_path: Path) -> None:
    home = build(tmp_path / "store", session=False)
    os.rename(home.cwd, home.root / "--a-b-c--")
    meta = {**home.meta("global"), "owner": {"cwd": "/a/b-c"}}
    (home.root / "--a-b-c--" / "meta.json").write_bytes(dump(meta))
    owner, other = snapshot(locate(str(home.root), "/a/b-c")), snapshot(locate(str(home.root), "/a-b/c"))
    assert owner.verdict == "ok"
    assert owner.cohort is not None
    (fault,) = other.scopes["cwd"].faults
    assert fault.code == "wrong-owner"
    assert "/a/b-c" in fault.reason
    assert "/a-b/c" in fault.reason
    assert other.scopes["global"].status == "healthy"
    # What was read for one directory says nothing about the other.
    assert snapshot(locate(str(home.root), "/a-b/c"), owner).scopes["cwd"].status == "fenced"
    assert snapshot(locate(str(home.root), "/a/b-c"), other).scopes["cwd"].status == "healthy"


def test_a_session_of_a_transcripts_name_may_have_any_id(home: Home) -> None:
    os.rename(home.session, home.cwd / "review")
    assert snapshot(locate(str(home.root), CWD, "review")).verdict == "ok"
    os.rename(home.cwd / "review", home.cwd / "2026-11-01T10-00-00-000Z_other")
    assert codes(snapshot(locate(str(home.root), CWD, "2026-11-01T10-00-00-000Z_other"))) == {"runtime-other-session"}


def test_an_unfinished_run_is_told(home: Home) -> None:
    (home.session / "runtime.json").write_bytes(dump({**home.runtime(), "specification": "mend it"}))
    runtime = snapshot(whole(home)).runtime
    assert runtime is not None
    assert runtime.specification == "mend it"


def test_a_session_without_files_is_a_reader_of_the_shared_scopes(home: Home) -> None:
    taken = snapshot(locate(str(home.root), CWD, "another"))
    assert taken.verdict == "ok"
    assert taken.scopes["session"].status == "absent"
    assert taken.cohort is not None
    assert taken.cohort.adopted


@pytest.mark.skipif(os.name != "posix", reason="uids are a POSIX thing")
def test_a_tree_that_cannot_be_written_is_read_without_a_trace(home: Home) -> None:
    for folder, _, names in os.walk(home.root):
        os.chmod(folder, 0o555)
        for name in names:
            os.chmod(os.path.join(folder, name), 0o444)
    os.chmod(home.root.parent, 0o755)
    for above in home.root.parents:
        if above.stat().st_uid == os.geteuid() and above != Path("/tmp"):
            os.chmod(above, os.stat(above).st_mode | 0o055)
    before = tree(home.root)

    def look() -> None:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        assert not os.access(home.root, os.W_OK)
        taken = None
        for _ in range(3):
            taken = snapshot(whole(home), taken)
            assert taken.verdict == "ok", taken.all_faults

    assert ended(in_child(look)) == 0
    assert tree(home.root) == before


def test_what_this_user_may_not_read_is_said(home: Home) -> None:
    for above in home.root.parents:
        if above.stat().st_uid == os.geteuid() and above != Path("/tmp"):
            os.chmod(above, os.stat(above).st_mode | 0o055)
    os.chmod(home.cwd / "checkpoint.json", 0)
    for folder in (home.root, home.cwd, home.session):
        os.chmod(folder, 0o755)

    def look() -> None:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        taken = snapshot(whole(home))
        assert codes(taken) == {"no-permission"}, taken.all_faults
        assert taken.scopes["session"].status == "healthy"
        assert taken.scopes["global"].status == "healthy"

    assert ended(in_child(look)) == 0
