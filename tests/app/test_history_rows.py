"""Rows of History, what hides them, sizes over them, and who set what: from records made by hand."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Retained
from engine.ledger.blame import Blame
from engine.ledger.timeline import TimelineRow, Told
from engine.ledger.troubles import Trouble
from engine.memory.scope import Scope
from engine.memory.stream import Boundary
from engine.store.snapshot import snapshot
from engine.values import JsonObject, encoded_size
from sftui.cells import cell_len
from sftui.views.blaming import Blamed, How, blame, label, setters, touching
from sftui.views.changes import Line
from sftui.views.chronicle import chronicle, diffs_of, growths, summed, whole
from sftui.views.chronicle_filter import holding
from sftui.views.history import BEGINS, OLDER, History, Note, RowKey, Summary, faults_of, history, keyed, notes_of
from sftui.views.history_details import row_details
from sftui.views.history_rows import list_title, note_words, row_line
from sftui.views.kinds import Path as Keys
from sftui.views.moments import Moment, MomentPart, Source
from sftui.views.past_sizes import sizes_over
from sftui.views.picture import Picture, look
from sftui.views.spans import plain
from tests.app.stores import Store, begin

NOON = datetime(2026, 11, 14, 12, 0, 0).astimezone().timestamp()
TODAY = "Nov 14 2026"


def moment(position: int, *parts: MomentPart, offset: int | None = None) -> Moment:
    return Moment(Boundary(f"b{position}", position, None), parts, offset)


def part(
    scope: Scope, revision: int, seen: float | None = None, source: Source = "tail", ours: bool | None = None
) -> MomentPart:
    return MomentPart(scope, f"at {scope}", revision, source, seen, ours, before=seen is None)


def row(seq: int, kind: Told, revision: int, seen: float, **more: Any) -> TimelineRow:
    return TimelineRow(seq, seq, 10, 0, kind, seen, "session", "at session", revision, None, **more)


def lines(told: History, width: int = 60) -> list[str]:
    """Rows in words."""
    found = [row_line(told, key, width) for key in told.keys]
    return [" ".join(f"{plain(left)} {plain(right)}".replace("─", "").split()) for left, right in found]


SUMMARY = Summary((Line("~", ("a", "b"), "a.b", "1 → 2", "1"),))


def test_days_beginnings_gaps_and_older_ones_stand_between_what_happened() -> None:
    some = keyed(
        [
            moment(9, part("session", 9, NOON + 60, "lineage"), offset=0),
            moment(8, part("session", 8, NOON, "lineage", ours=True), offset=1),
            moment(3, part("session", 3, NOON - 90_000, "ledger", ours=False)),
            moment(2, part("global", 1), part("session", 2)),
        ]
    )
    notes = [
        *notes_of(
            [
                row(70, "gap", 7, NOON, reason="folded", first=4),
                row(40, "baseline", 2, NOON - 100_000),
                row(20, "transition", 2, NOON),
            ]
        ),
        *faults_of(
            [
                Trouble(80, True, NOON + 90, "at session", "torn", "patches.jsonl", "the last line is cut"),
                Trouble(90, False, NOON + 95, "lock", "locked", None),
            ],
            {"at session": "session"},
        ),
    ]
    told = history(some, notes, dict.fromkeys(some, SUMMARY), more=True, today=TODAY)
    assert lines(told) == [
        "✓ 12:01:35 fault of the lock gone: locked",
        "✖ 12:01:30 fault of session: torn: the last line is cut",
        "● 12:01:00 s9 ~ a.b 1 → 2",
        "● 12:00:00 s8 ~ a.b 1 → 2 ours",
        "┄ 12:00:00 revisions s4 to s7 were never seen: folded away before anybody looked",
        "the session's own history begins here",
        "Nov 13 2026",
        "· 11:00:00 s3 ~ a.b 1 → 2",
        "○ 08:13:20 session seen for the first time, at s2",
        "○ unknown g1 s2 ~ a.b 1 → 2",
        "┄ older changes are loaded when the cursor opens this line",
    ]
    assert told.keys[5] == BEGINS and told.keys[-1] == OLDER
    assert told.newest == told.keys[0]
    assert [len(one.parts) for one in told.listed] == [1, 1, 1, 2]
    wide = [plain(row_line(told, key, 120)[1]) for key in told.keys if key[0] == "moment"]
    assert wide == ["unknown", "ours", "not ours", "unknown"]


def test_one_scope_and_a_filter_leave_what_they_are_about() -> None:
    some = keyed([moment(2, part("session", 2)), moment(1, part("cwd", 1))])
    note = Note(5, "folded", NOON, "session", "at session", 1, 1)
    told = history(some, [note], {}, scope="cwd")
    assert [one.shorts for one in told.listed] == ["c1"] and not told.notes
    told = history(some, [note], {}, kept={next(iter(some))})
    assert [one.shorts for one in told.listed] == ["s2"] and not told.notes and told.matching == 1
    assert plain(list_title(told, None, "x[/]\x1b", 80)[0]) == "history · x[/]␛: 1 match"
    assert plain(list_title(history(some, [], {}, kept=set(), more=True), None, "y", 80)[0]).endswith(
        "y: 0 matches of those loaded"
    )


def test_an_id_that_was_used_again_is_another_row() -> None:
    again = [moment(3, part("session", 9)), moment(3, part("session", 4))]
    assert len(keyed(again)) == 2


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (Note(1, "folded", 0, "cwd", "", 4, 4), "revision c4 was never seen: folded away before anybody looked"),
        (Note(1, "rewound", 0, "cwd", "", 9, 5), "cwd went back from c9 to c5"),
        (
            Note(1, "diverged", 0, "global", "", 9, 11),
            "global holds another past than was seen up to g9; it is at g11 now",
        ),
        (Note(1, "gone", 0, "session", "", 3, 3), "session is gone; it was at s3"),
        (Note(1, "fault", 0, "", "x", words="[b]\x1b: y"), "fault between scopes: [b]␛: y"),
    ],
)
def test_notes_in_words(note: Note, words: str) -> None:
    assert note_words(note) == words


@pytest.mark.parametrize("width", [20, 40, 50, 72, 80, 120, 200])
def test_a_row_tells_as_many_changes_as_there_is_room_for_and_counts_the_rest(width: int) -> None:
    told = Summary(
        tuple(Line("~", (), f"tactics.key{number}", '"before" → "after it all"', '"before"') for number in range(6)), 3
    )
    some = keyed([moment(1, part("session", 1))])
    left, right = row_line(history(some, [], dict.fromkeys(some, told)), next(iter(some)), width)
    text = plain(left)
    shown = text.count("~")
    assert 1 <= shown <= 6 and text.endswith(f" +{9 - shown}")
    if width >= 40:
        assert cell_len(text) + cell_len(plain(right)) <= width
    assert shown >= width // 60


def test_what_is_not_read_yet_or_not_known_says_so() -> None:
    some = keyed([moment(1, part("session", 1))])
    key = next(iter(some))
    assert plain(row_line(history(some, [], {}), key, 80)[0]).endswith("…")
    told = history(some, [], {key: Summary(unknown="a large change, 2.0 MB; ⏎ reads it")})
    assert "a large change, 2.0 MB" in plain(row_line(told, key, 80)[0])
    title, said = row_details(told, key, None, ("session: no record says what it changed",))
    assert plain(title) == "s1  unknown"
    assert plain(said[0]) == "session: no record says what it changed"
    assert row_details(told, OLDER, None)[1] != []


# With a store: what is retained, and what only the ledger has.

MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": "terse", "api": "v1"}},
    "cwd": {"lazy": {"notes": {"deep": "a Word"}}, "strategy": {"api": "v2"}},
    "session": {"tactics": {"list": [1, 2], "next": "run"}},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"list": [1, 2, 3]}})
    made.patch(cwd={"lazy": {"notes": None}}, session={"tactics": {"next": "ship"}})
    return made


def read(store: Store) -> Picture:
    return look(Picture(), snapshot(store.address), "live", NOON, pinned=True, sightings={})


def nobody(_: object) -> None:
    return None


def test_what_a_text_stands_in_is_found_in_paths_and_in_what_came_and_went(store: Store) -> None:
    known = chronicle(read(store), (), (), more=False)
    names = {key: one.shorts for key, one in known.moments.items()}

    def found(text: str) -> list[str]:
        kept = holding(known, text, nobody, lambda: False)
        assert kept is not None
        return sorted(names[key] for key in kept)

    both = found("ship")
    assert both == ["c1 s2"]
    assert found("word") == both, "what is gone, whatever its case"
    assert found("Word") == both and found("WORD") == []
    assert found("cwd.lazy.notes") == both
    assert found("session.tactics") == sorted([*both, "s1"])
    assert found("!list") == both
    assert found("3") == ["s1"]
    assert holding(known, "x", nobody, lambda: True) is None


def test_a_record_alone_tells_what_it_can_and_large_ones_are_left_for_the_page(store: Store) -> None:
    picture = read(store)
    boundary = Boundary("old", 0, None)
    record = Retained(5, boundary, "h", {"tactics": {"x": 2}}, {"tactics": {"x": 1}}, None, {"tactics": 0})
    at = TimelineRow(3, 3, 50, 0, "transition", NOON, "session", "elsewhere", 5, boundary, "h")
    one = Moment(boundary, (MomentPart("session", "elsewhere", 5, "ledger", NOON, None, row=at),))
    known = chronicle(picture, (), (), more=False)
    assert summed(known, one, lambda _: record).told == (Line("~", ("tactics", "x"), "tactics.x", "1 → 2", "1"),)
    assert summed(known, one, nobody).unknown == "session: no record says what it changed"
    assert growths(known, [one], lambda _: record) == {("elsewhere", 5): {"tactics": 0}}
    big = TimelineRow(3, 3, 3_000_000, 0, "transition", NOON, "session", "elsewhere", 5, boundary, "h")
    large = Moment(boundary, (MomentPart("session", "elsewhere", 5, "ledger", NOON, None, row=big),))
    assert summed(known, large, nobody).unknown == "a large change, 3.0 MB; ⏎ reads it"
    assert whole(known, large, lambda _: record).counted == "1 changed"
    assert diffs_of(known, one, nobody) == ((), ("session: no record says what it changed",))


def test_sizes_follow_states_then_recorded_growth_and_end_where_nothing_is_known(store: Store) -> None:
    picture = read(store)
    known = chronicle(picture, (), (), more=False)
    retained = list(known.moments.values())
    address = picture.snapshot.scopes["session"].address if picture.snapshot is not None else ""
    older = [
        Moment(Boundary(f"o{revision}", -1, None), (MomentPart("session", address, revision, "ledger", None, None),))
        for revision in (0, -1)
    ]
    now: JsonObject = {"list": [1, 2, 3], "next": "ship"}
    (tactics,) = sizes_over(picture, [*retained, *older], "session", {(address, 0): {"tactics": 5}})
    assert tactics.plane == "tactics"
    first = encoded_size(MEMORY["session"]["tactics"])
    assert tactics.sizes == (
        first - 5,
        first,
        encoded_size({**now, "next": "run"}),
        encoded_size(now),
    )
    (without,) = sizes_over(picture, [*retained, *older], "session", {})
    assert without.sizes == (None, *tactics.sizes[1:])
    everything = {one.plane: one.sizes[-1] for one in sizes_over(picture, retained, None, {})}
    strategies = encoded_size(MEMORY["global"]["strategy"]) + encoded_size(MEMORY["cwd"]["strategy"])
    assert everything == {"strategy": strategies, "tactics": encoded_size(now), "lazy": 0}


# Blame.


@pytest.mark.parametrize(
    ("patch", "path", "how"),
    [
        ({"a": {"b": 1}}, ("a", "b"), "exact"),
        ({"a": {"b": None}}, ("a", "b"), "exact"),
        ({"a": {"b": 1}}, ("a",), "below"),
        ({"a": {"b": 1}}, ("a", "b", "c"), "above"),
        ({"a": None}, ("a", "b"), "above"),
        ({"a": {"b": [1]}}, ("a", "b", 0), "above"),
        ({"a": {"b": {"[0]": 1}}}, ("a", "b", 0), "exact"),
        ({"a": {"b": {"[1]": 1}}}, ("a", "b", 0), None),
        ({"a": {"b": 1}}, ("a", "c"), None),
    ],
)
def test_how_a_record_touches_a_place(patch: Any, path: Keys, how: How | None) -> None:
    assert touching(patch, path) == how


def asked(answers: dict[str, Blame]) -> tuple[list[str], Any]:
    seen: list[str] = []

    def ask(address: str, _: Keys) -> Blame | None:
        seen.append(address)
        return answers.get(address)

    return seen, ask


def test_the_tail_is_asked_first_and_the_ledger_only_of_what_no_tail_says(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    for number in range(12):  # so that the tail of global memory begins after g4
        store.patch(global_={"tactics": {"n": number}})
    store.patch(session={"tactics": {"list": [1, 2, 3]}})
    store.patch(cwd={"lazy": {"notes": None}}, session={"tactics": {"next": "ship"}})
    picture = read(store)
    assert picture.snapshot is not None
    address = picture.snapshot.scopes["global"].address
    boundary = Boundary("old", 0, None)
    recorded = TimelineRow(
        3, 3, 9, 0, "transition", NOON, "global", address, 4, boundary, "h", ours=True, session="--p--/one"
    )
    seen, ask = asked({address: Blame(recorded, "above", unseen=True)})
    known = blame(picture, "session", ("tactics", "next"), ask)
    assert known is not None and (known.short, known.how, known.retained) == ("s2", "exact", True)
    assert seen == []
    session = "session 2026-11-01T10-00-00-000Z"
    assert known.words() == f"s2, time unknown (before anybody looked), author unknown, in the history of {session}"
    assert known.words(own=known.session) == (
        "s2, time unknown (before anybody looked), author unknown, in the history of this session"
    )
    known = blame(picture, "effective", ("strategy", "style"), ask)
    assert seen == [address]
    assert known is not None and known.words(TODAY) == (
        "g4 with what holds it, seen 12:00:00, ours, in the history of session one, in the ledger, "
        "or by a later change that was never seen"
    )
    assert known.words("Nov 15 2026").startswith("g4 with what holds it, seen Nov 14 2026 12:00:00")
    assert blame(picture, "cwd", ("strategy", "api"), ask) is None, "nobody says, so nobody is named"
    assert label(None, TODAY) == ("last change", "looking in the ledger…")


def test_of_the_effective_value_only_those_who_provide_it_are_asked(store: Store) -> None:
    store.patch(global_={"strategy": {"api": "v9"}})
    picture = read(store)
    assert setters(picture, "effective", ("strategy", "api")) == ("cwd",)
    assert blame(picture, "effective", ("strategy", "api"), lambda *_: None) is None, "the newest change is masked"
    assert setters(picture, "effective", ("strategy",)) == ("global", "cwd")
    known = blame(picture, "effective", ("strategy",), lambda *_: None)
    assert isinstance(known, Blamed) and (known.short, known.how) == ("g1", "below")
    assert setters(picture, "effective", ("no", "where")) == ()
    keys: list[RowKey] = list(chronicle(picture, (), (), more=False).moments)
    assert len(keys) == 3
