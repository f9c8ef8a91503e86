"""A second look reads what changed and nothing else, and says what a first look would have said."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import values
from engine.memory.scope import SCOPES, Scope
from engine.store import files, parsing
from engine.store.layout import Address, locate
from engine.store.readings import ScopeReading, Snapshot
from engine.store.snapshot import snapshot
from tests.store.building import CWD, SESSION, Home, build, dump, merged


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = build(tmp_path / "store", patches=3)
    rest(home)
    return home


def rest(home: Home) -> None:
    """Wait until no file is so new that the clock could hide a further change."""
    newest = max(os.stat(home.root / name).st_ctime_ns for name in home.files())
    while time.time_ns() < newest + files.TICK_NS + 1_000_000:
        time.sleep(0.002)


def whole(home: Home) -> Address:
    return locate(str(home.root), CWD, SESSION)


def replaced(path: Path, data: bytes) -> None:
    """As an agent writes: a temporary beside it, then a rename."""
    temporary = path.with_name(f".{path.name}.1.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def patched(home: Home, scope: str, patch: Any, limit: int = 7) -> None:
    """One more patch in a scope by another writer, folded to `limit`."""
    folder, meta = home.folder(scope), home.meta(scope)
    lines = (folder / "patches.jsonl").read_bytes().splitlines(keepends=True)
    temporal = meta["temporal"]
    last = (temporal["patches"] or [temporal["checkpoint"]])[-1]
    number = temporal["revision"] + 1
    temporal["revision"] = number
    temporal["patches"].append({"id": f"n{number}", "position": last["position"] + 5, "parent": "elsewhere"})
    lines.append(dump(patch))
    checkpoint = json.loads((folder / "checkpoint.json").read_bytes())
    while len(lines) > limit:
        checkpoint = merged(checkpoint, json.loads(lines.pop(0)))
        temporal["checkpoint"] = temporal["patches"].pop(0)
    if (folder / "checkpoint.json").read_bytes() != dump(checkpoint):
        replaced(folder / "checkpoint.json", dump(checkpoint))
    replaced(folder / "patches.jsonl", b"".join(lines))
    replaced(folder / "meta.json", dump(meta))


def opened(monkeypatch: pytest.MonkeyPatch, look: Callable[[], Snapshot]) -> tuple[list[str], Snapshot]:
    """The names of the files that a look opens, in order."""
    names: list[str] = []
    real = files.open

    def counted(name: str, *arguments: Any, **named: Any) -> int:
        descriptor = real(name, *arguments, **named)
        if name.endswith((".json", ".jsonl")):
            names.append(name)
        return descriptor

    with monkeypatch.context() as patch:
        patch.setattr(files, "open", counted)
        return names, look()


def as_read(taken: Snapshot) -> object:
    """Everything that a person could see of a snapshot."""

    def reading(of: ScopeReading) -> object:
        stream = of.stream
        kept = None if stream is None else (stream.revision, stream.through, stream.tail, stream.states)
        return (of.status, of.meta, of.dialect, of.faults, of.remarks, of.tail_lines, kept)

    cohort = taken.cohort
    return (
        {scope: reading(of) for scope, of in taken.scopes.items()},
        None if cohort is None else (cohort.lineage, cohort.adopted, cohort.revisions),
        (taken.faults, taken.verdict, taken.mode, taken.runtime, taken.config, taken.dialect),
    )


def test_nothing_changed_is_the_same_object_and_opens_no_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    first = snapshot(whole(home))
    assert not first.unsettled
    names, second = opened(monkeypatch, lambda: snapshot(whole(home), first))
    assert second is first
    assert names == []


def test_a_change_costs_its_own_files(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    first = snapshot(whole(home))
    patched(home, "cwd", {"lazy": {"n": 9}})
    rest(home)
    names, second = opened(monkeypatch, lambda: snapshot(whole(home), first))
    assert names == ["patches.jsonl", "meta.json"]
    assert second.scopes["global"] is first.scopes["global"]
    assert second.scopes["session"] is first.scopes["session"]
    old, new = first.scopes["cwd"].stream, second.scopes["cwd"].stream
    assert old is not None
    assert new is not None
    assert new.states[: len(old.states)] == old.states
    if values.fast_paths():
        assert all(map(lambda a, b: a is b, old.states, new.states))
    assert new.current["lazy"] == {"n": 9}


def test_a_predicted_fold_keeps_what_is_known(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    first = snapshot(whole(home))
    decoded: list[int] = []
    real = parsing.document

    def counted(data: bytes, slice_bytes: int | None) -> values.Decoded:
        decoded.append(len(data))
        return real(data, slice_bytes)

    monkeypatch.setattr(parsing, "document", counted)
    patched(home, "cwd", {"lazy": {"n": 9}}, limit=3)
    second = snapshot(whole(home), first)
    old, new = first.scopes["cwd"].stream, second.scopes["cwd"].stream
    assert old is not None
    assert new is not None
    if values.fast_paths():
        assert new.checkpoint is old.states[1]
        assert decoded == [len(dump(home.meta("cwd")))]
    assert new.revision == 4
    assert as_read(second) == as_read(snapshot(whole(home)))


def test_a_fold_that_was_not_as_predicted_is_parsed(home: Home) -> None:
    first = snapshot(whole(home))
    patched(home, "cwd", {"lazy": {"n": 9}}, limit=3)
    replaced(home.cwd / "checkpoint.json", dump({"tactics": {"kept": "otherwise"}, "lazy": {"n": 1}}))
    second = snapshot(whole(home), first)
    assert second.scopes["cwd"].stream is not None
    assert second.scopes["cwd"].stream.checkpoint["tactics"] == {"kept": "otherwise"}
    assert as_read(second) == as_read(snapshot(whole(home)))


def test_equal_lines_are_told_apart(home: Home) -> None:
    first = snapshot(whole(home))
    for _ in range(5):
        patched(home, "cwd", {"lazy": {"n": 1}}, limit=4)
        second = snapshot(whole(home), first)
        assert as_read(second) == as_read(snapshot(whole(home)))
        first = second


@pytest.mark.parametrize("name", ["checkpoint.json", "patches.jsonl", "meta.json"])
def test_another_text_of_the_same_size_in_the_same_tick_is_seen(home: Home, name: str) -> None:
    path = home.cwd / name
    before = path.read_bytes()
    after = before.replace(b'"n":0', b'"n":8').replace(b'"n":1', b'"n":7').replace(b'"revision":3', b'"revision":9')
    assert len(before) == len(after)
    assert before != after
    for _ in range(200):  # a busy machine may come back only after the tick
        path.write_bytes(before)
        first = snapshot(whole(home))
        if first.unsettled:
            break
    assert first.unsettled
    stamp = path.stat()
    for _ in range(50):
        with path.open("r+b") as file:
            file.write(after)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        second = snapshot(whole(home), first)
        assert second.scopes["cwd"].stream is not first.scopes["cwd"].stream
        assert as_read(second) == as_read(snapshot(whole(home)))
        first, before, after = second, after, before


def test_a_clock_that_cannot_tell_two_changes_apart_hides_none(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the file system kept whole seconds and both changes fell into one."""
    real_stat, real_fstat = files.stat, files.fstat
    second_of = time.time_ns() // 1_000_000_000 * 1_000_000_000

    class Coarse:
        def __init__(self, found: os.stat_result) -> None:
            self.found = found

        def __getattr__(self, name: str) -> Any:
            return second_of if name in ("st_mtime_ns", "st_ctime_ns") else getattr(self.found, name)

    monkeypatch.setattr(files, "stat", lambda *a, **n: Coarse(real_stat(*a, **n)))
    monkeypatch.setattr(files, "fstat", lambda descriptor: Coarse(real_fstat(descriptor)))
    monkeypatch.setattr(files, "now_ns", lambda: second_of + 900_000_000)
    first = snapshot(whole(home))
    assert first.unsettled
    path = home.cwd / "checkpoint.json"
    data = path.read_bytes().replace(b'"n":0', b'"n":5')
    with path.open("r+b") as file:
        file.write(data)
    second = snapshot(whole(home), first)
    assert second.scopes["cwd"].stream is not None
    assert second.scopes["cwd"].stream.checkpoint["lazy"] == {"n": 5}
    monkeypatch.setattr(files, "now_ns", lambda: second_of + 3_000_000_000)
    third = snapshot(whole(home), second)
    assert not third.unsettled
    assert third.scopes["cwd"].stream is second.scopes["cwd"].stream
    assert snapshot(whole(home), third) is third


def test_what_was_valid_in_one_dialect_is_judged_anew_in_another(tmp_path: Path) -> None:
    home = build(tmp_path / "store", version=2, patches=0)
    (home.root / "checkpoint.json").write_bytes(dump({"working": {}, "tactics": {"n": None}}))
    first = snapshot(locate(str(home.root)))
    assert first.verdict == "ok"
    replaced(home.root / "meta.json", dump({**home.meta("global"), "version": 4}))
    second = snapshot(locate(str(home.root)), first)
    assert [fault.code for fault in second.all_faults] == ["null-stored"]
    assert as_read(second) == as_read(snapshot(locate(str(home.root))))


def test_large_files_are_let_go_and_still_reused(tmp_path: Path) -> None:
    home = build(tmp_path / "store")
    (home.cwd / "checkpoint.json").write_bytes(dump({"lazy": {"n": 0, "big": ["x" * 100] * 5000}}))
    rest(home)
    first = snapshot(whole(home))
    assert first.scopes["cwd"].captures["checkpoint.json"].data is None
    good = (home.cwd / "meta.json").read_bytes()
    replaced(home.cwd / "meta.json", b"{")
    broken = snapshot(whole(home), first)
    assert broken.scopes["cwd"].status == "fenced"
    replaced(home.cwd / "meta.json", good)
    mended = snapshot(whole(home), broken)
    assert as_read(mended) == as_read(snapshot(whole(home)))
    assert mended.scopes["cwd"].status == "healthy"
    patched(home, "cwd", {"lazy": {"more": 1}}, limit=2)
    assert as_read(snapshot(whole(home), mended)) == as_read(snapshot(whole(home)))


def test_slices_read_the_same(home: Home) -> None:
    (home.cwd / "checkpoint.json").write_bytes(dump({"lazy": {f"k{n}": ["x" * 1000] * 10 for n in range(300)}}))
    assert as_read(snapshot(whole(home), sliced=True)) == as_read(snapshot(whole(home)))


def test_another_session_shares_what_is_known(home: Home) -> None:
    first = snapshot(whole(home))
    other = snapshot(locate(str(home.root), CWD, "another"), first)
    assert other.scopes["global"] is first.scopes["global"]
    assert other.scopes["cwd"] is first.scopes["cwd"]
    assert other.scopes["session"].status == "absent"
    elsewhere = snapshot(locate(str(home.root), "/elsewhere"), first)
    assert elsewhere.scopes["global"] is first.scopes["global"]
    assert elsewhere.scopes["cwd"].status == "absent"
    moved = snapshot(locate(str(home.root.parent / "no"), CWD), first)
    assert not moved.present


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(SCOPES),
            st.sampled_from(
                [
                    {"lazy": {"n": 1}},
                    {"lazy": {"n": None}},
                    {"tactics": {"a": [1]}},
                    {"tactics": {"a": {"[0]": 2}}},
                    {"tactics": {}},
                ]
            ),
            st.integers(0, 4),
        ),
        st.tuples(
            st.sampled_from(SCOPES), st.sampled_from(["checkpoint.json", "patches.jsonl", "meta.json"]), st.just("bad")
        ),
        st.tuples(
            st.sampled_from(SCOPES), st.sampled_from(["checkpoint.json", "patches.jsonl", "meta.json"]), st.just("gone")
        ),
        st.tuples(st.sampled_from(SCOPES), st.none(), st.just("mend")),
    ),
    min_size=1,
    max_size=8,
)


@given(STEPS)
def test_a_warm_look_says_what_a_cold_one_says(tmp_path_factory: pytest.TempPathFactory, steps: list[Any]) -> None:
    home = build(tmp_path_factory.mktemp("warm") / "store", patches=3)
    fresh = home.files()
    taken = snapshot(whole(home))
    for scope, what, how in steps:
        disturb(home, scope, what, how, fresh)
        taken = snapshot(whole(home), taken)
        assert as_read(taken) == as_read(snapshot(whole(home)))


def disturb(home: Home, scope: Scope, what: Any, how: Any, fresh: dict[str, bytes]) -> None:
    if how == "mend":
        for name, data in fresh.items():
            replaced(home.root / name, data)
    elif how == "bad":
        replaced(home.folder(scope) / what, b'{"a":')
    elif how == "gone":
        (home.folder(scope) / what).unlink(missing_ok=True)
    else:
        try:
            patched(home, scope, what, how)
        except (OSError, ValueError, KeyError, TypeError):
            pass  # the scope is broken: no writer would go on there
