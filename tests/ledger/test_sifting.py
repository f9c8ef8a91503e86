"""Lines of all logs that may hold a text, the newest first: compared with reading every line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ledger import sifting
from engine.ledger.log import Log
from engine.ledger.sifting import Sifted, sift
from engine.store import files
from engine.values.needle import needle

NAMES = ("events.jsonl", "events-20260101T000000Z-10.jsonl", "events-20260101T000000Z-2.jsonl")
LOGS = st.lists(
    st.tuples(st.lists(st.text("abn", max_size=30), max_size=6), st.sampled_from(["", "ab", "ab" * 20])),
    min_size=3,
    max_size=3,
)


def found(directory: Path, text: str) -> list[tuple[str, int, bytes]]:
    return [(one.log, one.offset, one.line) for one in sift(str(directory), needle(text)) if isinstance(one, Sifted)]


@given(LOGS, st.sampled_from([1, 3, 7, 20, 1_000]), st.sets(st.sampled_from(NAMES)))
def test_every_line_once_the_newest_first(
    tmp_path_factory: pytest.TempPathFactory, logs: list[tuple[list[str], str]], block: int, there: set[str]
) -> None:
    directory = tmp_path_factory.mktemp("ledger")
    expected: list[tuple[str, int, bytes]] = []
    for name, (lines, torn) in zip(NAMES, logs, strict=True):
        if name not in there:
            continue
        (directory / name).write_text("".join(f"{line}\n" for line in lines) + torn)
        starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
        holding = [(name, at, line.encode()) for at, line in zip(starts, lines, strict=True) if "ab" in line]
        expected += reversed(holding)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sifting, "BLOCK", block)
        assert found(directory, "ab") == expected


def test_a_log_that_was_put_aside_is_looked_at(tmp_path: Path) -> None:
    log = Log(str(tmp_path))
    with log.exclusive() as descriptor:
        log.append(descriptor, b'{"n":"needle 1"}\n')
    name = log.rotate()
    with log.exclusive() as descriptor:
        log.append(descriptor, b'{"n":"needle 2"}\n')
    assert [(one[0], one[2]) for one in found(tmp_path, "needle")] == [
        ("events.jsonl", b'{"n":"needle 2"}'),
        (name, b'{"n":"needle 1"}'),
    ]


def test_a_log_that_is_put_aside_meanwhile_hides_nothing(tmp_path: Path) -> None:
    log = Log(str(tmp_path))
    with log.exclusive() as descriptor:
        log.append(descriptor, b'{"n":"needle 1"}\n{"n":"needle 2"}\n')
    looking = sift(str(tmp_path), needle("needle"))
    first = next(looking)
    log.rotate()
    assert [one.line for one in (first, *looking) if isinstance(one, Sifted)] == [
        b'{"n":"needle 2"}',
        b'{"n":"needle 1"}',
    ]


def test_it_is_said_how_far_it_is_and_no_more_is_held_than_a_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sifting, "BLOCK", 4_096)
    (tmp_path / "events.jsonl").write_bytes(b'{"n":"nothing here, line after line"}\n' * 10_000)
    asked: list[int] = []

    def pread(descriptor: int, size: int, at: int) -> bytes:
        asked.append(size)
        return os.pread(descriptor, size, at)

    monkeypatch.setattr(files, "pread", pread)
    shares = [one for one in sift(str(tmp_path), needle("needle")) if isinstance(one, float)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert max(asked) == 4_096
    assert len(asked) == len(shares)


def test_nothing_is_made_where_there_is_no_log(tmp_path: Path) -> None:
    assert list(sift(str(tmp_path / "none"), needle("x"))) == []
    assert not (tmp_path / "none").exists()


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "events.jsonl")
    with pytest.raises(OSError, match="regular"):
        list(sift(str(tmp_path), needle("x")))
