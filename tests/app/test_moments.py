"""Which moments there are, which came first and what says so, and how the band and the line of time tell of them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ledger import Ledger
from engine.ledger.folds import Folds
from engine.ledger.timeline import TimelineRow, page
from engine.memory.stream import Boundary
from engine.records import replace
from engine.store.layout import locate
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from sftui.cells import cell_len
from sftui.glyphs import in_ascii
from sftui.views.asof import picture_at
from sftui.views.band import Band, band_line, when_words
from sftui.views.moments import Moment, MomentPart, came_before, moments
from sftui.views.picture import Picture, look, measured
from sftui.views.scrubber import back_at, column_of, scrubber
from sftui.views.spans import plain
from tests.app.stores import Store, begin


def read(store: Store) -> Picture:
    return measured(look(Picture(), snapshot(store.address), "live", 0.0, pinned=True, sightings={}))


def boundary(position: int, name: str = "") -> Boundary:
    return Boundary(name or f"b{position}", position, None if position == 0 else f"b{position - 1}")


def moment(position: int, *parts: tuple[Any, int], offset: int | None = None, seen: float | None = None) -> Moment:
    made = tuple(MomentPart(scope, f"at/{scope}", revision, "tail", seen, None) for scope, revision in parts)
    return Moment(boundary(position), made, offset)


def row(seq: int, address: str, revision: int, at: Boundary, **more: Any) -> TimelineRow:
    told: dict[str, Any] = {"kind": "transition", "seen": float(seq), "scope": "cwd", **more}
    return TimelineRow(
        seq, seq, 1, 0, told.pop("kind"), told.pop("seen"), told.pop("scope"), address, revision, at, **told
    )


# Which came first.


def test_a_lineage_vouches_whatever_else_is_said() -> None:
    late, early = moment(9, ("session", 9), offset=0, seen=1.0), moment(4, ("cwd", 4), offset=5, seen=2.0)
    assert came_before(early, late) == (True, "lineage")
    assert came_before(late, early) == (False, "lineage")


def test_within_a_scope_its_revisions_say_it() -> None:
    assert came_before(moment(3, ("cwd", 3), seen=2.0), moment(7, ("cwd", 4), seen=1.0)) == (True, "scope")


def test_a_position_says_it_where_its_writer_had_read_the_other_scope() -> None:
    # Who writes session memory has read global memory: had g8 been there, the position would be above 8.
    assert came_before(moment(5, ("session", 5)), moment(8, ("global", 2))) == (True, "position")
    # Who writes global memory has not read this session's.
    assert came_before(moment(5, ("global", 2)), moment(8, ("session", 5))) is None


def test_else_it_is_when_they_were_first_seen() -> None:
    earlier, later = moment(5, ("global", 2), seen=20.0), moment(8, ("session", 5), seen=10.0)
    assert came_before(earlier, later) == (False, "seen")
    assert came_before(moment(5, ("global", 2), seen=10.0), moment(8, ("session", 5), seen=10.0)) is None
    assert came_before(moment(5, ("global", 2)), moment(8, ("session", 5), seen=10.0)) is None


def test_what_the_first_look_found_came_before_what_was_seen_to_come_since() -> None:
    """Nobody knows when the session made s7; but it was there when c3 was not."""
    found, came = moment(9, ("session", 7)), moment(4, ("cwd", 3), seen=30.0)
    there = replace(found, parts=tuple(replace(part, look=20.0) for part in found.parts))
    since = replace(came, parts=tuple(replace(part, look=20.0) for part in came.parts))
    assert came_before(there, since) == (True, "seen")
    assert came_before(since, there) == (False, "seen")
    # Where the other scope had been looked at before only, it may have come in between; without a look nobody knows.
    sooner = replace(came, parts=tuple(replace(part, look=10.0) for part in came.parts))
    assert came_before(there, sooner) is None
    assert came_before(found, since) is None


# All of them.


def test_a_writer_beside_an_old_session_stands_above_it(tmp_path: Path) -> None:
    """A writer of cwd alone takes low positions: its changes are not to be put among those of a session long before."""
    store = begin(str(tmp_path / "s"), str(tmp_path / "app"))
    for number in range(5):
        store.patch(session={"tactics": {"n": number}})
    ledger = Ledger.open(store.root, directory=str(tmp_path / "ledger"))
    ledger.observe(snapshot(store.address), at=1_000.0)
    alone = locate(store.root, store.cwd, None)
    for number in range(3):
        publish(alone, {"cwd": {"tactics": {"c": number}}}, wanted=("global", "cwd"))
        ledger.observe(snapshot(store.address), at=2_000.0 + number)
    live = read(store)
    folds = Folds(str(tmp_path / "ledger"))
    assert folds.catch_up()
    assert live.snapshot is not None
    rows = page(folds, [reading.address for reading in live.snapshot.scopes.values()])
    folds.close()
    found = moments(live, rows)
    assert [one.shorts for one in found] == ["c3", "c2", "c1", "s5", "s4", "s3", "s2", "s1"]


def test_tails_and_ledger_are_one_list_with_each_transition_once(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "s"), str(tmp_path / "app"))
    for number in range(3):
        store.patch(session={"tactics": {"n": number}}, cwd={"tactics": {"n": number}})
    live = read(store)
    assert live.snapshot is not None
    cwd = live.snapshot.scopes["cwd"]
    assert cwd.stream is not None
    retained = [row(10 + n, cwd.address, n + 1, t.boundary, ours=True) for n, t in enumerate(cwd.stream.tail)]
    older = [row(5, cwd.address, 0, boundary(0, "before"), kind="retained", seen=None)]
    found = moments(live, [*reversed(retained), *older])
    assert [one.shorts for one in found] == ["c3 s3", "c2 s2", "c1 s1", "c0"]
    assert [one.offset for one in found] == [0, 1, 2, None]
    assert [one.order for one in found] == ["newest", "lineage", "lineage", "lineage"]
    newest = found[0].part("cwd")
    assert newest is not None
    assert (newest.source, newest.seen, newest.ours) == ("lineage", 12.0, True)
    last = found[-1].parts[0]
    assert (last.source, last.seen, last.before) == ("ledger", None, True)


def test_a_past_that_was_given_up_stands_below_what_came_instead(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "s"), str(tmp_path / "app"))
    store.patch(cwd={"tactics": {"n": 1}})
    live = read(store)
    assert live.snapshot is not None
    cwd = live.snapshot.scopes["cwd"]
    assert cwd.stream is not None
    now = cwd.stream.tail[0].boundary
    given_up = [row(seq, cwd.address, seq, boundary(seq, f"lost{seq}")) for seq in (3, 2, 1)]
    turn = row(4, cwd.address, 1, now, kind="gap", reason="diverged", first=3)
    found = moments(live, [row(5, cwd.address, 1, now), turn, *given_up])
    assert [(one.boundary.id, one.parts[0].era) for one in found] == [
        (now.id, 0), ("lost3", -1), ("lost2", -1), ("lost1", -1)
    ]  # fmt: skip
    # What the scope held then is not what it retains now, though the revision is the same.
    past = picture_at(live, found, found[-1], sizes=live.sizes.copy())
    assert past.as_of is not None
    assert set(past.as_of.unknown) == {"cwd"}


def test_a_step_back_looks_at_no_more_than_what_changed(tmp_path: Path) -> None:
    """A large plane that is the same then is not gone through: its members would count."""
    visits = 0

    class Watched(dict[str, Any]):
        def __iter__(self) -> Any:
            nonlocal visits
            visits += len(self)
            return super().__iter__()

        def items(self) -> Any:
            nonlocal visits
            visits += len(self)
            return super().items()

        def values(self) -> Any:
            nonlocal visits
            visits += len(self)
            return super().values()

    store = begin(str(tmp_path / "s"), str(tmp_path / "app"), {"cwd": {"lazy": {"big": {"x": 1}}}})
    for number in range(5):
        store.patch(cwd={"tactics": {"n": number}}, session={"tactics": {"n": number}})
    live = read(store)
    assert live.snapshot is not None
    reading = live.snapshot.scopes["cwd"]
    assert reading.stream is not None
    big = Watched({f"k{number}": {"v": [number]} for number in range(20_000)})
    states = tuple({**state, "lazy": {"big": big}} for state in reading.stream.states)
    large = replace(reading, stream=replace(reading.stream, states=states))
    assert live.snapshot.cohort is not None
    streams = {**live.snapshot.cohort.streams, "cwd": large.stream}
    cohort = replace(live.snapshot.cohort, streams=streams)
    seen = replace(live.snapshot, scopes={**live.snapshot.scopes, "cwd": large}, cohort=cohort)
    live = measured(look(Picture(), seen, "live", 0.0, pinned=True, sightings={}))
    known = moments(live)
    sizes = live.sizes.copy()
    visits = 0
    for one in known[1:]:
        past = measured(picture_at(live, known, one, sizes=sizes))
        assert past.memory["cwd"]["lazy"]["big"] is big  # type: ignore[index, call-overload]
        assert past.hot_bytes is not None
    assert visits == 0


# How it is told.


bands = st.builds(
    Band,
    vector=st.just("g14 c8 s30"),
    when=st.just("seen 12:01:10"),
    short=st.just("12:01:10"),
    back=st.integers(1, 5000),
    of=st.integers(0, 5000),
    more=st.booleans(),
    newer=st.integers(0, 300),
    playing=st.booleans(),
    reading=st.booleans(),
)


@given(bands, st.integers(24, 140))
def test_the_band_fits_and_never_leaves_out_that_nothing_is_changed(told: Band, width: int) -> None:
    words, line = band_line(told, width)
    assert cell_len(words) + cell_len(line) + 1 <= width + 1
    assert cell_len(words) <= width
    assert words.endswith("read only")
    assert ("playing" if told.playing else "as of") in words
    assert in_ascii(words + line).isascii()


def test_the_band_at_the_usual_widths() -> None:
    told = Band("g14 c8 s30", "seen 12:01:10", "12:01:10", 3, 27)
    assert band_line(told, 80)[0] == " ◀ as of g14 c8 s30 · seen 12:01:10 · 3 back of 27 · read only"
    assert band_line(told, 50)[0] == " ◀ as of 12:01:10 · 3 back of 27 · read only"
    newer = replace(told, newer=2, more=True)
    assert band_line(newer, 80)[0] == " ◀ as of g14 c8 s30 · seen 12:01:10 · 3 back of 27+ · 2 newer since · read only"
    assert band_line(newer, 52)[0] == " ◀ as of 12:01:10 · 3/27+ back · 2 newer · read only"
    assert "●" in band_line(told, 120)[1]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((MomentPart("cwd", "a", 1, "tail", None, None, before=True),), "time unknown (before anybody looked)"),
        ((MomentPart("cwd", "a", 1, "ledger", None, None),), "time unknown"),
        ((), "where the session's history begins"),
    ],
)
def test_a_time_is_only_told_where_somebody_saw_it(parts: tuple[MomentPart, ...], words: str) -> None:
    assert when_words(Moment(boundary(1), parts), "Nov 14 2026")[0] == words


@given(st.integers(1, 3000), st.integers(0, 3000), st.integers(3, 200))
def test_the_line_of_time_begins_with_the_oldest_and_ends_with_now(of: int, back: int, width: int) -> None:
    back = min(back, of)
    text = plain(scrubber(back, of, width))
    assert cell_len(text) == width
    column = column_of(back, of, width)
    assert text[column] == "●"
    assert (column_of(0, of, width), column_of(of, of, width)) == (width - 1, 0)
    assert (back_at(width - 1, of, width), back_at(0, of, width)) == (0, of)
    # Wherever one points, the mark comes to stand there, if there are as many moments as cells.
    if of >= width - 1:
        assert all(column_of(back_at(cell, of, width), of, width) == cell for cell in range(width))
    assert all(back_at(one, of, width) >= back_at(other, of, width) for one, other in pairwise(range(width)))
