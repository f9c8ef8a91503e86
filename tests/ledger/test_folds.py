"""Folds of the log: incremental, from the first line, and a reference that shares no step with them are the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ledger import folding
from engine.ledger.authored import AUTHORED_VIEW, AuthoredAsk
from engine.ledger.blame import blame
from engine.ledger.folds import Folds
from engine.ledger.lines import from_line
from engine.ledger.log import LOG_NAME
from engine.ledger.noting import noted
from engine.ledger.registry import UNITS, AnyUnit
from engine.ledger.timeline import TimelineRow, page
from engine.ledger.units import Recorded
from engine.values import use_fast_paths
from tests.ledger import fold_reference as reference
from tests.ledger.fold_reference import ADDRESSES, KEYS, Log, logs, whole

PATHS: tuple[tuple[str, ...], ...] = (
    (),
    *((key,) for key in KEYS),
    *(("a", key) for key in KEYS),
    ("a", "b", "a"),
    ("[0]", "b"),
)


@contextmanager
def directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def kept(folds: Folds) -> dict[str, list[Any]]:
    """Every row of every unit's state."""
    state = folds._ready()
    return {key: list(table.all()) for key, table in state.tables.items()}


def fresh(log: Path) -> dict[str, list[Any]]:
    with directory() as other:
        (other / LOG_NAME).write_bytes(log.read_bytes())
        folds = Folds(str(other))
        assert folds.catch_up()
        rows = kept(folds)
        folds.close()
        return rows


def over_a_dict(unit: AnyUnit, log: Log) -> list[Any]:
    """The same pure step over a dict."""
    rows: dict[Any, Any] = {row[: unit.keyed]: row for row in unit.initial}
    for offset, line, _ in log:
        event = noted(from_line(line))
        if event is not None and type(event) in unit.wants:
            changes = unit.apply(rows, Recorded(offset, len(line), event))
            pairs = list(changes.items()) if hasattr(changes, "items") else list(changes)
            for row in pairs:
                assert unit.is_row(row), (unit.key, row)
                rows[row[: unit.keyed]] = row
    return sorted(rows.values(), key=lambda row: row[: unit.keyed])


def told(row: TimelineRow) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in ("offset", "length", "address", "kind", "seen", "revision")}
    found["boundary"] = None if row.boundary is None else tuple(row.boundary)
    if row.kind in {"transition", "retained"}:
        found |= {"hash": row.hash, "ours": row.ours}
    if row.kind == "gap":
        found["reason"] = row.reason
    return found


def plain(one: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in {"patch", "inverse"}}


def check(folds: Folds, log: Log) -> None:
    """All views against the reference."""
    for addresses in (None, ADDRESSES[:1], ADDRESSES):
        expected = [plain(one) for one in reference.timeline(log, addresses)]
        assert [told(row) for row in page(folds, addresses)] == expected
    for address in ADDRESSES:
        for path in PATHS:
            expected_blame = reference.blame(log, address, path)
            found = blame(folds, address, path)
            if expected_blame is None:
                assert found is None, (address, path, found)
                continue
            one, how, unseen = expected_blame
            assert found is not None, (address, path, one)
            assert (found.where, found.unseen) == (how, unseen)
            assert {**told(found.row), "ours": 0} == {**plain(one), "ours": 0}
    made = folds.view(AUTHORED_VIEW, AuthoredAsk())
    published = [
        event for _, _, event in log if event is not None and event["event"] == "made-here" and event["changes"]
    ]
    assert [one.seen for one in made or ()] == [event["seen"] for event in reversed(published)]


@settings(max_examples=60, deadline=None)
@given(logs(), st.booleans())
def test_the_views_say_what_the_reference_says(log: Log, fast: bool) -> None:
    with directory() as place, use_fast_paths(fast):
        (place / LOG_NAME).write_bytes(whole(log))
        folds = Folds(str(place))
        assert folds.catch_up()
        assert (folds.events, folds.offset) == (len(log), len(whole(log)))
        check(folds, log)
        rows = kept(folds)
        for unit in UNITS:
            assert rows[unit.key] == over_a_dict(unit, log), unit.key
        for row in page(folds, None):
            body = folds.body(row)
            assert (body is not None) == (row.kind in {"transition", "retained"})
        assert folds.complaint() is None
        folds.close()


@settings(max_examples=12, deadline=None)
@given(logs(most=4))
def test_cut_at_every_byte_it_is_the_fold_of_the_complete_lines(log: Log) -> None:
    text = whole(log)
    with directory() as place:
        path = place / LOG_NAME
        path.write_bytes(b"")
        folds = Folds(str(place))
        lines = -1
        for cut in range(len(text) + 1):
            with path.open("ab") as file:
                file.write(text[cut - 1 : cut] if cut else b"")
            assert folds.catch_up()
            complete = text[: text.rfind(b"\n", 0, cut) + 1]
            assert folds.offset == len(complete)
            if complete.count(b"\n") != lines:
                lines = complete.count(b"\n")
                assert folds.events == lines
                check(folds, log[:lines])
                assert kept(folds) == fresh(path)
        folds.close()


@settings(max_examples=15, deadline=None)
@given(logs(most=12), st.lists(st.integers(0, 3000), max_size=4))
def test_it_does_not_matter_where_it_was_left_off(log: Log, cuts: list[int]) -> None:
    """Several processes, each going on from what another left, some in small parts."""
    text = whole(log)
    with directory() as place, pytest.MonkeyPatch.context() as patched:
        path = place / LOG_NAME
        for number, cut in enumerate([*sorted(cuts), len(text)]):
            path.touch()
            done = path.stat().st_size
            with path.open("ab") as file:
                file.write(text[done : max(done, cut)])
            patched.setattr(folding, "PART", 200 if number % 2 else 1 << 20)
            folds = Folds(str(place))
            steps: list[tuple[int, int]] = []
            assert folds.catch_up(lambda at, of, steps=steps: steps.append((at, of)))  # type: ignore[misc]
            assert steps == sorted(steps)
            folds.close()
        folds = Folds(str(place))
        assert kept(folds) == fresh(path)
        assert folds.verify().ok
        folds.close()


def test_pages_follow_one_another_and_miss_nothing() -> None:
    log = sample()
    with directory() as place:
        (place / LOG_NAME).write_bytes(whole(log))
        folds = Folds(str(place))
        every = page(folds, None)
        for addresses in (None, ADDRESSES[:2]):
            for limit in (1, 3):
                found: list[TimelineRow] = []
                while part := page(folds, addresses, found[-1].seq if found else None, limit):
                    assert len(part) <= limit
                    found += part
                assert found == [row for row in every if addresses is None or row.address in addresses]
        folds.close()


def sample() -> Log:
    """A log with a turn: what stood there before is recorded again."""
    import json

    def event(kind: str, **more: Any) -> dict[str, Any]:
        return {"v": 1, "event": kind, "seen": 1.5, "scope": "cwd", "written": 1, **more}

    def step(number: int, **patch: Any) -> dict[str, Any]:
        boundary = {"id": f"b{number}", "position": number, "parent": None}
        return {"revision": number, "boundary": boundary, "hash": f"h{number}", "patch": patch, "inverse": {"a": None}}

    here, there = ADDRESSES[1], ADDRESSES[0]
    told = [
        event("baseline", address=here, revision=2, boundary=step(2)["boundary"], tail=[step(1, a=1), step(2, b=1)]),
        event("baseline", address=there, revision=0, boundary=step(0)["boundary"], tail=[]),
        event("transition", address=here, **step(3, a={"x": 1})),
        event("transition", address=there, **step(3, lazy={"y": [1]})),
        event(
            "made-here",
            boundary=step(3)["boundary"],
            changes=[{"scope": "cwd", "address": here, "revision": 3, "hash": "h3"}],
        ),
        event("gap", address=here, reason="rewound", first=3, last=2, boundary=step(2)["boundary"]),
        event("baseline", address=here, revision=2, boundary=step(2)["boundary"], tail=[step(1, a=1), step(2, b=1)]),
        event("transition", address=here, **step(4, b=None)),
        event("gap", address=here, reason="folded", first=5, last=6, boundary=step(6)["boundary"]),
        event("transition", address=here, **step(7, c=1)),
        event("scope-gone", address=there, revision=3),
    ]
    log: Log = []
    offset = 0
    for one in told:
        line = json.dumps(one).encode()
        log.append((offset, line, one))
        offset += len(line) + 1
    return log


def test_what_a_turn_records_again_is_told_once_and_sets_the_blame() -> None:
    log = sample()
    with directory() as place:
        (place / LOG_NAME).write_bytes(whole(log))
        folds = Folds(str(place))
        check(folds, log)
        here = ADDRESSES[1]
        assert [row.revision for row in page(folds, [here])] == [7, 6, 4, 2, 2, 3, 2, 2, 1]
        # Revision 3 was taken back: what it set is as revision 1 left it.
        found = blame(folds, here, ("a",))
        assert found is not None
        assert (found.row.revision, found.row.seq, found.where, found.unseen) == (1, 0, "exact", True)
        found = blame(folds, here, ("a", "x"))
        assert found is not None
        assert (found.row.revision, found.where) == (1, "above")
        found = blame(folds, here, ("c",))
        assert found is not None
        assert (found.row.revision, found.unseen) == (7, False)
        assert blame(folds, here, ("nothing",)) is None
        assert blame(folds, ADDRESSES[0], ("lazy", "y")) is None
        folds.close()
