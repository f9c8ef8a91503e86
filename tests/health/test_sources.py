"""Sources of artifacts and directories of scopes: proven to be gone or changed, or said to be unknown."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from engine.health.examine import examine
from engine.health.findings import Finding, Limits
from engine.health.looking import Looker, orphans
from engine.records import replace
from tests.app.stores import begin
from tests.health.examining import subject


def sha(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def mark(path: Path) -> dict[str, Any]:
    status = path.stat()
    return {"size": status.st_size, "mtimeNs": str(status.st_mtime_ns)}


def findings(
    name: str, recorded: Any, *, base: Path | None = None, limits: Limits | None = None, looker: Looker | None = None
) -> list[Finding]:
    """What is found of one artifact whose source has this name."""
    limits = limits or Limits()
    one = replace(
        subject(cwd={"artifacts": {name: {"description": "d"}}}),
        root="/nowhere",
        recorded={"cwd": {name: recorded}},
        bases={} if base is None else {"cwd": str(base)},
    )
    disk = (looker or Looker()).look(one, limits)
    return list(examine(one, disk, limits)[0].findings)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_bytes(b"what was read")
    return path


def codes(told: list[Finding]) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in told]


def test_a_source_as_it_was_is_no_finding(source: Path) -> None:
    data = source.read_bytes()
    for recorded in ({"sourceFingerprint": mark(source)}, {"sourceHash": sha(data)}, {}, None, {"sourceHash": 5}, "x"):
        assert findings(str(source), recorded) == []
    both = {"sourceFingerprint": mark(source), "sourceHash": sha(data)}
    assert findings("notes.md", both, base=source.parent) == [], "relative to the directory of its scope"


def test_a_source_that_is_gone_has_its_card_deleted(tmp_path: Path, source: Path) -> None:
    (one,) = findings(str(tmp_path / "gone.md"), {})
    assert codes([one]) == [("source-gone", "medium")]
    assert one.fix and "now" in one.reason
    assert codes(findings(str(source / "below-a-file"), {})) == [("source-gone", "medium")]
    assert codes(findings("gone.md", {}, base=tmp_path)) == [("source-gone", "medium")]


def test_a_source_of_another_length_or_hash_has_changed(source: Path) -> None:
    recorded = {"sourceFingerprint": mark(source), "sourceHash": sha(source.read_bytes())}
    source.write_bytes(b"longer than what was read")
    (one,) = findings(str(source), recorded)
    assert codes([one]) == [("source-changed", "medium")] and not one.fix
    assert one.evidence == ("13 bytes then, 25 now",)
    source.write_bytes(b"what was rEad")
    assert codes(findings(str(source), recorded)) == [("source-changed", "medium")]
    assert codes(findings(str(source), {"sourceHash": recorded["sourceHash"]})) == [("source-changed", "medium")]


def test_a_source_that_was_only_written_again_is_told_from_a_changed_one(source: Path) -> None:
    recorded = {"sourceFingerprint": mark(source)}
    os.utime(source, ns=(1, 1))
    assert codes(findings(str(source), recorded)) == [("source-changed", "low")], "nobody knows what was in it"
    assert findings(str(source), {**recorded, "sourceHash": sha(source.read_bytes())}) == [], "its hash does"


def test_a_source_too_long_to_be_compared_is_unknown(source: Path) -> None:
    limits = Limits(source_bytes=5)
    assert codes(findings(str(source), {"sourceHash": sha(b"x")}, limits=limits)) == [("source-unknown", "low")]


def test_a_hash_is_worked_out_once_for_a_file_that_stays(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looker, recorded = Looker(), {"sourceHash": sha(b"another")}
    opened: list[str] = []
    real = os.open

    def counted(path: str, *rest: Any) -> int:
        opened.append(path)
        return real(path, *rest)

    monkeypatch.setattr(os, "open", counted)
    for _ in range(3):
        assert codes(findings(str(source), recorded, looker=looker)) == [("source-changed", "medium")]
    assert opened == [str(source)]
    source.write_bytes(b"another")
    assert findings(str(source), recorded, looker=looker) == []
    assert len(opened) == 2


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EIO, errno.ELOOP, errno.ENAMETOOLONG])
def test_what_cannot_be_looked_at_is_unknown_and_not_gone(
    source: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *rest: object, **named: object) -> os.stat_result:
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(os, "lstat", refuse)
    (one,) = findings(str(source), {})
    assert codes([one]) == [("source-unknown", "low")] and not one.fix
    assert one.evidence == (os.strerror(number),)


def test_links_pipes_sockets_and_directories_are_never_opened(tmp_path: Path, source: Path) -> None:
    link, pipe, plug = tmp_path / "link", tmp_path / "pipe", tmp_path / "plug"
    link.symlink_to(source)
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(plug))
        for path in (link, pipe, plug, tmp_path, Path("/dev/zero")):
            told = findings(str(path), {"sourceHash": sha(b"x")})
            assert codes(told) == [("source-unknown", "low")], path
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert codes(findings(str(tmp_path / "dangling"), {})) == [("source-unknown", "low")]


@pytest.mark.parametrize(
    "name", ["https://example.org/x", "skill:review", "~/notes.md", "a\0b", "\ud800", "relative.md"]
)
def test_what_is_no_path_or_relative_to_nothing_is_not_looked_for(name: str) -> None:
    assert findings(name, {"sourceHash": sha(b"x")}) == []


def test_a_lone_surrogate_in_an_absolute_path_is_unknown() -> None:
    assert codes(findings("/tmp/\ud800", {})) == [("source-unknown", "low")]


def test_directories_that_are_plainly_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(tmp_path / "store")
    (tmp_path / "here").mkdir()
    for name in ("here", "gone", "hidden"):
        begin(root, str(tmp_path / name), {})
    real = os.stat

    def guarded(path: Any, *rest: Any, **named: Any) -> os.stat_result:
        if str(path).endswith("hidden"):
            raise PermissionError(errno.EACCES, "no", str(path))
        return real(path, *rest, **named)

    monkeypatch.setattr(os, "stat", guarded)
    assert [one.directory for one in orphans(root)] == [str(tmp_path / "gone")]
