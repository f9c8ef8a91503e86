"""A long log is not read for each question; the answers are the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from engine.ledger import Ledger, Retained
from engine.ledger import ledger as ledger_module
from engine.ledger import lines as lines_module
from engine.ledger.log import LOG_NAME, Log
from engine.ledger.states import STATE_NAME
from engine.memory.stream import Boundary
from tests.ledger.building import ROOT, Scribe, seen
from tests.ledger.fold_reference import ADDRESSES, HASHES, logs, whole
from tests.ledger.fold_reference import Log as Lines
from tests.ledger.test_folds import directory
from tests.ledger.test_log import environment

IDS = ("b1", "b2", "\ud800", "b9")
WANTED = {
    address: tuple(
        Retained(revision, Boundary(name, 1, None), digest, {})
        for revision in range(3)
        for name in IDS
        for digest in HASHES
    )
    for address in ADDRESSES
}


def answers(place: Path) -> list[Any]:
    ledger = Ledger.open(ROOT, directory=str(place))
    found = [
        [ledger.at_boundary(name) for name in IDS],
        [[(t.patch, t.inverse) for _, _, t in ledger.at_boundary(name)] for name in IDS],
        ledger.sightings(WANTED),
        [
            ledger._recorded(address, WANTED[address][start : start + 2])
            for address in ADDRESSES
            for start in range(0, 24, 2)
        ],
    ]
    ledger.close()
    return found


@settings(max_examples=25, deadline=None)
@given(logs(most=15))
def test_a_long_log_and_a_short_one_answer_alike(log: Lines) -> None:
    with directory() as place, pytest.MonkeyPatch.context() as patched:
        (place / LOG_NAME).write_bytes(whole(log))
        short = answers(place)
        assert not (place / STATE_NAME).exists()
        patched.setattr(ledger_module, "LONG", 0)
        assert answers(place) == short
        assert (place / STATE_NAME).exists()


def test_only_the_lines_that_are_asked_about_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.open(ROOT, directory=str(tmp_path))
    scribe = Scribe()
    for _ in range(300):
        scribe.change()
        ledger.observe(seen(scribe))
    monkeypatch.setattr(ledger_module, "LONG", 0)
    assert ledger.behind() == (tmp_path / LOG_NAME).stat().st_size
    ((_, _, found),) = ledger.at_boundary("a150")
    assert ledger.behind() == 0
    read: list[bytes] = []
    real = lines_module.from_line

    def reading(line: bytes, **more: Any) -> Any:
        read.append(line)
        return real(line, **more)

    def whole_log(*_: Any) -> Any:
        pytest.fail("the whole log was read")

    monkeypatch.setattr(ledger_module, "from_line", reading)
    monkeypatch.setattr(Log, "lines", whole_log)
    assert ledger.sightings({"--work-app--": (found,)}).keys() == {("--work-app--", 150)}
    assert ledger._recorded("--work-app--", (found,))
    assert len(read) == 2
    ledger.close()


def test_where_it_cannot_be_folded_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.open(ROOT, directory=str(tmp_path))
    scribe = Scribe()
    ledger.observe(seen(scribe))
    scribe.change()
    ledger.observe(seen(scribe))
    monkeypatch.setattr(ledger_module, "LONG", 0)

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError("refused for the test")

    monkeypatch.setattr("engine.ledger.folds.State", refuse)
    assert len(ledger.at_boundary("a1")) == 1
    ledger.close()


def test_a_process_that_records_one_change_loads_nothing_that_folds(tmp_path: Path) -> None:
    program = """
import sys
from engine.ledger import Ledger
from tests.ledger.building import ROOT, Scribe, seen
ledger, scribe = Ledger.open(ROOT, directory=sys.argv[1]), Scribe()
ledger.observe(seen(scribe))
scribe.change()
ledger.observe(seen(scribe))
assert ledger.at_boundary("a1")
print(sorted({"sqlite3", "engine.ledger.folds", "engine.ledger.units"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout == "[]\n"
