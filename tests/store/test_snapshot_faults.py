"""Every way in which a file can be wrong is named with its place, changes nothing and hides nothing else."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import values
from engine.errors import StoreFailure
from engine.memory.scope import Scope
from engine.store import files
from engine.store.faults import FAULTS, Fault
from engine.store.layout import Address, locate
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from tests.conformance.stores import tree
from tests.store.building import CWD, SESSION, Home, build, dump


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "store")


def whole(home: Home) -> Address:
    return locate(str(home.root), CWD, SESSION)


def look(home: Home) -> Snapshot:
    """Read cold and warm; both say the same, and nothing is touched."""
    before = tree(home.root)
    cold = snapshot(whole(home))
    warm = snapshot(whole(home), cold)
    assert [reading.faults for reading in warm.scopes.values()] == [reading.faults for reading in cold.scopes.values()]
    assert warm.faults == cold.faults
    assert tree(home.root) == before
    return cold


def blocks(fault: Fault) -> set[str]:
    return set(fault.blocks)


def the_fault(home: Home, scope: Scope = "cwd") -> Fault:
    """The one fault of the store, which is in `scope`; the other scopes are healthy."""
    taken = look(home)
    (fault,) = taken.all_faults
    assert fault.scope == scope
    assert taken.scopes[scope].status == "fenced"
    assert taken.scopes[scope].stream is None
    assert [reading.status for name, reading in taken.scopes.items() if name != scope] == ["healthy", "healthy"]
    assert taken.verdict == "broken"
    assert taken.cohort is None
    assert fault.kept
    return fault


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"\0" * 44, "nul-bytes", None, None),
        (b"\xef\xbb\xbf" + dump({"tactics": {}}), "byte-order-mark", None, None),
        (b'{"tactics":{"a":1}', "not-json", 1, None),
        (b'{"tactics":\n{"a":x}}\n', "not-json", 2, 6),
        (b"", "not-json", None, None),
        (b'{"lazy":{"a":1e999}}\n', "number-range", 1, None),
        (b'{"lazy":{"a":NaN}}\n', "number-range", 1, None),
        (b'{"lazy":{"a":-Infinity}}\n', "number-range", 1, None),
        (b'{"lazy":{"a":"\x01"}}\n', "control-character", 1, None),
        (b'{"lazy":' + b'{"a":' * 3000 + b"1" + b"}" * 3000 + b"}\n", "too-deep", 1, None),
        (b"[1]\n", "not-an-object", 1, 1),
        (b'"text"\n', "not-an-object", 1, 1),
        (b'{"lazy":{"a":null}}\n', "null-stored", None, None),
        (b'{"lazy":[]}\n', "plane-type", None, None),
        (b'{"response":3}\n', "plane-type", None, None),
        (b'{"artifacts":{"/x":{}}}\n', "invalid-artifact", None, None),
    ],
)
def test_a_checkpoint_that_is_no_memory(
    home: Home, data: bytes, code: str, line: int | None, column: int | None
) -> None:
    (home.cwd / "checkpoint.json").write_bytes(data)
    fault = the_fault(home)
    assert (fault.code, fault.file) == (code, "checkpoint.json")
    assert line is None or fault.line == line
    assert column is None or fault.column == column
    assert (home.cwd / "checkpoint.json").read_bytes() == data


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b'{"lazy":{"n":1}}\n{"lazy":\n', "not-json", 2),
        (b'{"lazy":{"n":1}}\r\n\r\n[]\n', "not-an-object", 3),
        (b'\n\n{"lazy":{"n":1}}\n{"lazy":{"n":[null]}}\n', "null-stored", 4),
        (b'{"lazy":{"n":1}}\n\n{"lazy":3}\n', "plane-type", 3),
        (b'{"lazy":{"n":1}}\n{"response":"x"}\n', "shared-response", 2),
        (b'{"lazy":{"n":1}}\n', "count-mismatch", None),
        (b"", "count-mismatch", None),
        (b'{"lazy":{"n":1}}\n{"lazy":{"n":2}}\n{"lazy":{"n":3}}\n', "count-mismatch", None),
        (b'{"lazy":{"n":[1]}}\n{"lazy":{"n":{"[3]":1}}}\n', None, 2),
        (b'{"lazy":{"n":1}}\n{"lazy":{"n":1e999}}\n', "number-range", 2),
        (b'\xef\xbb\xbf{"lazy":{"n":1}}\n{"lazy":{"n":2}}\n', "byte-order-mark", 1),
        (b'{"lazy":{"n":1}}\n\0\0\0\0\n', "nul-bytes", 2),
    ],
)
def test_a_tail_with_a_bad_line_names_it(home: Home, data: bytes, code: str | None, line: int | None) -> None:
    (home.cwd / "patches.jsonl").write_bytes(data)
    fault = the_fault(home)
    assert fault.file == "patches.jsonl"
    assert code is None or fault.code == code
    assert fault.line == line
    assert (home.cwd / "patches.jsonl").read_bytes() == data


@pytest.mark.parametrize("name", ["checkpoint.json", "patches.jsonl", "meta.json"])
def test_a_missing_file_is_never_read_as_empty(home: Home, name: str) -> None:
    (home.cwd / name).unlink()
    fault = the_fault(home)
    assert fault.code == ("meta-missing" if name == "meta.json" else "half-pair")
    assert fault.file == name


@pytest.mark.parametrize("scope", ["global", "cwd", "session"])
def test_each_scope_can_be_the_broken_one(home: Home, scope: Scope) -> None:
    (home.folder(scope) / "checkpoint.json").write_bytes(b"{")
    fault = the_fault(home, scope)
    assert fault.address == whole(home).scope_address(fault.scope or "global")
    assert ("passive" in blocks(fault)) == (scope != "session")


def test_every_scope_broken_is_still_an_answer(home: Home) -> None:
    for scope in ("global", "cwd", "session"):
        (home.folder(scope) / "patches.jsonl").write_bytes(b"{")
    taken = look(home)
    assert [reading.status for reading in taken.scopes.values()] == ["fenced"] * 3
    assert taken.runtime is not None


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def link(path: Path) -> None:
    path.with_name("good.json").write_bytes(dump({"lazy": {"n": 0}}))
    path.symlink_to("good.json")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def listening(path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)  # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (fifo, "not-a-regular-file"),
        (device, "symbolic-link"),
        (folder, "not-a-regular-file"),
        (link, "symbolic-link"),
        (dangling, "symbolic-link"),
        (listening, "not-a-regular-file"),
    ],
)
@pytest.mark.parametrize("name", ["checkpoint.json", "patches.jsonl", "meta.json"])
def test_what_is_no_file_is_refused_and_survives(
    home: Home, make: Callable[[Path], None], code: str, name: str
) -> None:
    path = home.cwd / name
    path.unlink()
    make(path)
    kind = path.lstat().st_mode
    fault = the_fault(home)
    assert (fault.code, fault.file) == (code, name)
    assert path.lstat().st_mode == kind


@pytest.mark.parametrize("name", ["runtime.json", "config.json"])
def test_a_link_in_a_sessions_own_record_leaves_its_memory(home: Home, name: str) -> None:
    path = home.session / name
    os.rename(path, path.with_name("elsewhere"))
    path.symlink_to("elsewhere")
    taken = look(home)
    (fault,) = taken.all_faults
    assert (fault.code, fault.file, blocks(fault)) == ("symbolic-link", name, {"runtime", "cohort", "write"})
    assert taken.scopes["session"].status == "healthy"


def test_a_directory_that_is_a_link_is_not_entered(home: Home) -> None:
    os.rename(home.cwd, home.root / "elsewhere")
    home.cwd.symlink_to("elsewhere")
    taken = look(home)
    assert [(fault.code, fault.scope) for fault in taken.all_faults] == [
        ("symbolic-link", "cwd"),
        ("symbolic-link", "session"),
    ]
    assert taken.scopes["global"].status == "healthy"


def test_a_root_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "store").write_bytes(b"")
    taken = snapshot(locate(str(tmp_path / "store"), CWD))
    assert {fault.code for fault in taken.all_faults} == {"not-a-directory"}
    assert taken.verdict == "broken"


def test_an_error_of_the_system_is_a_fault_of_its_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    read = files.read
    bad = os.stat(home.cwd / "patches.jsonl").st_ino

    def broken(descriptor: int, size: int) -> bytes:
        if os.fstat(descriptor).st_ino == bad:
            raise OSError(5, "Input/output error")
        return read(descriptor, size)

    monkeypatch.setattr(files, "read", broken)
    fault = the_fault(home)
    assert (fault.code, fault.file) == ("unreadable", "patches.jsonl")
    assert "Input/output error" in fault.reason


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_being_short_of_means_ourselves_is_no_fault_of_the_store(
    home: Home, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    real = files.open

    def short(name: str, *arguments: Any, **named: Any) -> int:
        if name == "meta.json":
            raise OSError(number, os.strerror(number))
        return real(name, *arguments, **named)

    monkeypatch.setattr(files, "open", short)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(StoreFailure, match=os.strerror(number)):
        snapshot(whole(home))
    assert len(os.listdir("/dev/fd")) == before


def test_a_file_too_large_for_any_memory_is_not_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1000)
    (home.cwd / "checkpoint.json").write_bytes(dump({"lazy": {"n": "x" * 2000}}))
    assert the_fault(home).code == "too-large"


def test_memory_of_an_older_format_is_left_alone(home: Home) -> None:
    (home.cwd / "state.json").write_bytes(b"anything")
    taken = look(home)
    (fault,) = taken.all_faults
    assert (fault.code, blocks(fault)) == ("predecessor", {"scope", "write"})
    assert taken.scopes["cwd"].status == "fenced"
    assert taken.scopes["cwd"].stream is not None
    assert taken.cohort is not None


def test_odd_bytes_that_an_agent_reads_are_read_and_told(home: Home) -> None:
    text = b'{"lazy":{"n":0,"n":1,"bad":"\xff","big":653247040368672768,"huge":%s,"lone":"\\ud800"}}' % (b"9" * 400)
    (home.cwd / "checkpoint.json").write_bytes(text)
    taken = look(home)
    reading = taken.scopes["cwd"]
    assert reading.status == "healthy"
    assert {remark.code for remark in reading.remarks} == {"duplicate-key", "replacement-characters", "big-integer"}
    assert [(fault.code, fault.severity) for fault in reading.faults] == [("replacement-characters", "warning")]
    assert reading.stream is not None
    lazy = reading.stream.checkpoint["lazy"]
    assert values.is_object(lazy)
    assert lazy["big"] == 653247040368672768
    assert lazy["huge"] == int("9" * 400)
    assert lazy["lone"] == "\ud800"
    assert lazy["bad"] == "\ufffd"


def test_only_a_line_feed_ends_a_record(home: Home) -> None:
    one = '{"lazy":{"a":"x\u2028y\u0085z"}}'.encode()
    (home.cwd / "patches.jsonl").write_bytes(b"\r\n" + one + b'\r\n\n  \n{"lazy":{"n":9}}')
    reading = look(home).scopes["cwd"]
    assert reading.status == "healthy"
    assert reading.tail_lines == (one, b'{"lazy":{"n":9}}')
    assert reading.stream is not None
    assert reading.stream.current["lazy"] == {"n": 9, "a": "x\u2028y\u0085z"}


def test_nesting_as_deep_as_is_allowed_is_read(home: Home) -> None:
    deep = values.MAX_DEPTH - 3
    (home.cwd / "checkpoint.json").write_bytes(b'{"lazy":' + b'{"a":' * deep + b"1" + b"}" * deep + b"}\n")
    taken = look(home)
    assert taken.verdict == "ok"


def test_the_table_explains_every_fault() -> None:
    for code, kind in FAULTS.items():
        assert kind.title, code
        assert kind.explanation.endswith("."), code
        assert kind.kept, code
