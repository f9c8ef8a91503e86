"""Faults as they were found and went away: the fold against the lines themselves, written separately."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.ledger.events import Event, FaultGone, FaultSeen, ScopeGone
from engine.ledger.folds import Folds
from engine.ledger.lines import to_line
from engine.ledger.troubles import TROUBLES_VIEW, Trouble, TroublesAsk

PLACES = ("", "lock", "--work-app--", "cohort --work-app--/s", "\ud800 odd")


def events() -> st.SearchStrategy[list[Event]]:
    places, codes = st.sampled_from(PLACES), st.sampled_from(("torn", "locked", "[/x]\x1b"))
    found = st.builds(FaultSeen, st.floats(0, 9), places, codes, st.none(), st.none(), st.none(), st.text(max_size=5))
    gone = st.builds(FaultGone, st.floats(0, 9), places, codes, st.just("meta.json"))
    other = st.builds(ScopeGone, st.floats(0, 9), st.just("cwd"), places, st.integers(0, 9))
    return st.lists(st.one_of(found, gone, other), max_size=12)


def expected(some: Sequence[Event], ask: TroublesAsk) -> list[Trouble]:
    """What the view gives, taken from the events one by one."""
    at, told = 0, list[Trouble]()
    for event in some:
        if isinstance(event, FaultSeen):
            told.append(Trouble(at, True, event.seen, event.place, event.code, event.file, event.reason))
        elif isinstance(event, FaultGone):
            told.append(Trouble(at, False, event.seen, event.place, event.code, event.file))
        at += len(to_line(event))
    return [one for one in reversed(told) if one.place in ask.places and one.seq >= ask.since][: ask.limit]


def listed(folds: Folds, ask: TroublesAsk) -> list[Trouble]:
    found = folds.view(TROUBLES_VIEW, ask)
    assert found is not None
    return list(found)


@given(
    events(),
    st.lists(st.sampled_from(PLACES), max_size=3),
    st.integers(0, 300),
    st.integers(1, 12),
    st.integers(0, 12),
)
def test_the_newest_faults_of_some_places(
    some: list[Event], places: list[str], since: int, limit: int, cut: int
) -> None:
    ask = TroublesAsk(tuple(places), since, limit)
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory, "events.jsonl")
        log.write_bytes(b"".join(map(to_line, some[:cut])))
        folds = Folds(directory)
        try:
            assert folds.catch_up()
            assert listed(folds, ask) == expected(some[:cut], ask)
            with log.open("ab") as file:
                file.write(b"".join(map(to_line, some[cut:])))
            assert folds.catch_up()
            assert listed(folds, ask) == expected(some, ask)
        finally:
            folds.close()
