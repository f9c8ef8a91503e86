"""A long log is not read for each question; the answers are the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.ledger import Ledger, Retained
from engine.ledger import ledger as ledger_module
from engine.ledger import lines as lines_module
from engine.ledger.lines import from_line
from engine.ledger.log import LOG_NAME, Log
from engine.ledger.noting import noted, noting
from engine.ledger.states import STATE_NAME
from engine.ledger.units import Noted
from engine.memory.stream import Boundary
from engine.values.touched import touched
from tests.ledger.building import ROOT, Scribe, seen
from tests.ledger.fold_reference import ADDRESSES, HASHES, logs, transitions, whole
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


ODD: list[Any] = [
    None,
    True,
    -1,
    2**63,
    -(2**63) - 1,
    2**70,
    10**400,
    1.5,
    1e300,
    "x",
    "\ud800",
    [],
    [1],
    {},
    {"a": 2**70},
    {"a": True},
]
FIELDS = (
    "v",
    "event",
    "seen",
    "written",
    "scope",
    "address",
    "revision",
    "hash",
    "patch",
    "inverse",
    "session",
    "grew",
)


STEP: dict[str, Any] = {
    "revision": 1,
    "boundary": {"id": "b1", "position": 1, "parent": None},
    "hash": "h1",
    "patch": {"a": {"b": 2**70}},
}


@settings(max_examples=300, deadline=None)
@example(STEP, [("seen", 10**400)])
@example(STEP, [("grew", {"a": 2**70})])
@example(STEP, [("inverse", None)])
@example(STEP, [("boundary", "id")])
@given(
    transitions(),
    st.lists(
        st.tuples(st.sampled_from((*FIELDS, "id", "position", "parent", "boundary")), st.sampled_from([..., *ODD])),
        max_size=2,
    ),
)
def test_a_line_is_noted_as_it_is_read(told: dict[str, Any], changes: list[tuple[str, Any]]) -> None:
    """Whatever its members are, or lack: what the fold takes note of is what the whole line says, or nothing."""
    line = {"v": 1, "event": "transition", "seen": 1, "written": 2, "scope": "cwd", "address": ".", **told}
    line["boundary"] = dict(told["boundary"])
    for name, odd in changes:
        holder = line["boundary"] if name in {"id", "position", "parent"} else line
        if not isinstance(holder, dict):
            continue
        if odd is ...:
            holder.pop(name, None)
        else:
            holder[name] = odd
    text = json.dumps(line).encode()
    expected, found = noted(from_line(text)), noting()(text)
    if isinstance(expected, Noted):
        assert isinstance(found, Noted)
        assert (found.address, found.revision, found.boundary_id, found.grew) == (
            expected.address, expected.revision, expected.boundary_id, expected.grew,
        )  # fmt: skip
        assert touched(found.patch, b"", 0) == touched(expected.patch, b"", 0)
    else:
        assert found == expected
