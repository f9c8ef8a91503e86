"""The pure views: from a picture to what a screen or a program is given."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import values
from engine.memory.dialect import V4
from engine.store.snapshot import snapshot
from sftui.cells import cell_len
from sftui.display import clean_lines
from sftui.views.changes import Sighted, lines_of
from sftui.views.details import details
from sftui.views.filtering import Kept, search
from sftui.views.header import header
from sftui.views.header_lines import header_lines
from sftui.views.kinds import View
from sftui.views.notices import notices
from sftui.views.pages import Pages, fill, find, wrap
from sftui.views.paths import parse_path
from sftui.views.picture import Picture, look, measured, revisions
from sftui.views.preview import gist, kind_words
from sftui.views.sizes import Sizes
from sftui.views.spans import plain
from sftui.views.tree import MemorySource
from sftui.views.units import human, human_tokens
from sftui.views.watch import LOOKED, intent_rows, stream_keys
from sftui.views.wrapping import shortened, wrapped
from tests.app.stores import MEMORY, Store, begin

JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=30,
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), "/work/demo/app", MEMORY)


def picture(store: Store, previous: Picture | None = None, at: float = 0.0) -> Picture:
    seen = snapshot(store.address, None if previous is None else previous.snapshot)
    return measured(look(previous or Picture(), seen, "live", at, pinned=False, sightings={}))


def facts(view: Picture, which: View, *path: str | int) -> dict[str, str]:
    return dict(details(view, which, path).facts)


# Details.


def test_details_tell_who_wins_what_is_masked_and_what_a_deletion_reveals(store: Store) -> None:
    view = picture(store)
    told = facts(view, "effective", "tactics", "checks")
    assert told["wins"] == "s session [4] (wins)"
    assert told["masked"] == "c cwd: [3]"
    assert told["deleting it in session reveals"] == "cwd [3]"
    told = facts(view, "effective", "strategy", "style")
    assert told["deleting it in global reveals"] == "nothing"
    assert facts(view, "effective", "strategy")["merged in"].startswith("g global")


def test_details_tell_who_owns_and_who_names(store: Store) -> None:
    store.patch(session={"tactics": {"see": "look at $cwd.strategy.api first"}})
    view = picture(store)
    assert facts(view, "effective", "tactics", "store")["owner"] == "cwd.intents.migrate owns it"
    assert facts(view, "cwd", "intents", "migrate")["owns"] == "cwd.tactics.store"
    assert facts(view, "effective", "strategy", "api")["named"] == "session.tactics.see names it"
    assert facts(view, "effective", "tactics", "see")["references"] == "cwd.strategy.api"


def test_details_claim_no_time_that_nobody_saw(store: Store) -> None:
    store.patch(session={"tactics": {"next": "x"}})
    first = picture(store)
    assert "time unknown" in facts(first, "effective", "tactics", "next")["last change"]
    store.patch(session={"tactics": {"next": "y"}})
    second = picture(store, first, at=time.time())
    assert "seen " in facts(second, "effective", "tactics", "next")["last change"]
    assert facts(second, "effective", "strategy")["last change"].startswith("unknown")


def test_details_say_what_no_path_can_name(store: Store) -> None:
    store.patch(session={"tactics": {"odd key": 1}})
    assert "odd key" in facts(picture(store), "effective", "tactics", "odd key")["not addressable"]


def test_lazy_bodies_are_not_shown_with_the_structure(store: Store) -> None:
    view = picture(store)
    row = MemorySource(view, "effective").describe(("lazy", "survey", "text"))
    assert row.gist[0] == "string, 4,000 characters"
    assert "says" not in facts(view, "effective", "lazy", "survey", "text")


# Rows.


def test_rows_name_their_providers_and_what_they_mask(store: Store) -> None:
    source = MemorySource(picture(store), "effective")
    assert source.describe(("tactics",)).providers == ("cwd", "session")
    assert source.describe(("strategy", "api")).note == "masks g"
    assert source.describe(("intents", "release")).note == "owns 1"
    assert source.describe(("tactics", "next")).note == "← release"
    assert source.describe(("lazy",)).size == values.encoded_size(MEMORY["cwd"]["lazy"])


def test_in_the_smallest_terminal_the_name_goes_before_the_columns(store: Store) -> None:
    source = MemorySource(picture(store), "effective")
    for path, name in ((("tactics",), "tactics"), (("tactics", "checks"), "checks"), (("strategy", "api"), "api")):
        left, right = source.row(path, expanded=False, width=20)
        assert plain(right) == ""
        assert name in plain(left)[:20]


@pytest.mark.parametrize("width", [34, 40, 58, 79, 120])
def test_rows_keep_their_columns(store: Store, width: int) -> None:
    source = MemorySource(picture(store), "effective")
    for path in (("tactics",), ("tactics", "checks"), ("tactics", "checks", 0), ("strategy", "api")):
        left, right = source.row(path, expanded=False, width=width)
        assert cell_len(plain(right)) == 14
        assert cell_len(plain(left)) <= max(width - 13, 30)


# Filtering.


def everything(root: Any, text: str) -> Kept:
    found = [step for step in search(root, text) if step is not None]
    assert len(found) == 1
    return found[0]


def test_a_filter_keeps_matches_and_what_leads_to_them() -> None:
    root = {"a": {"Needle": {"x": 1}, "y": 2}, "b": {"c": ["hay", "a needle"]}, "d": 1}
    kept = everything(root, "needle")
    assert kept.count == 2
    assert kept.children(()) == (("a",), ("b",))
    assert kept.children(("b", "c")) == (("b", "c", 1),)
    assert kept.whole(("a", "Needle", "x"))
    assert everything(root, "Needle").count == 1, "capitals are taken at their word"
    turned = everything(root, "!needle")
    assert ("a", "Needle") not in turned.children(("a",))
    assert turned.children(("b", "c")) == (("b", "c", 0),)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=5), st.text(min_size=1, max_size=2))
def test_a_filter_and_its_inverse_never_share_a_match(root: Any, text: str) -> None:
    if text.startswith("!"):
        return
    straight, turned = everything(root, text), everything(root, f"!{text}")
    assert not straight.matches & turned.matches


# Changes.


def told(before: Any, patch: Any) -> list[tuple[str, str, str]]:
    after = values.prune(values.merge(before, patch).value)
    assert values.is_object(after)
    found = lines_of(V4, "session", patch, before=before, after=after, sizes=Sizes())
    return [(line.sign, line.where, line.what) for line in found]


def test_changes_are_told_with_signs() -> None:
    before = {"tactics": {"a": "one", "b": [1, 2, 3], "c": 1}, "lazy": {"big": "x" * 2000}}
    patch = {
        "tactics": {"a": "two", "b": [1, 2, 4], "c": None, "d": True},
        "lazy": {"big": "x" * 3200, "new": {"k": "v"}},
    }
    assert told(before, patch) == [
        ("~", "tactics.a", '"one" → "two"'),
        ("~", "tactics.b", "1 of 3 items"),
        ("-", "tactics.c", "1"),
        ("+", "tactics.d", "true"),
        ("~", "lazy.big", "+1.2 kB, not in context"),
        ("+", "lazy.new", "9 B, not in context"),
    ]


def test_what_a_closed_intent_takes_along_has_a_sign_of_its_own() -> None:
    before = {"intents": {"go": {"own": {"$ref": "session.tactics.a"}}}, "tactics": {"a": "one", "b": 1}}
    assert told(before, {"intents": None, "tactics": {"a": None}}) == [
        ("-", "intents.go", "closed"),
        ("×", "tactics.a", "cascaded, 5 B"),
    ]


def test_the_divider_stands_above_what_was_looked_at(store: Store) -> None:
    for number in range(3):
        store.patch(session={"tactics": {"n": number}})
    log = picture(store).log
    assert LOOKED not in stream_keys(log, log[0].key)
    keys = stream_keys(log, log[1].key)
    assert keys[keys.index(LOOKED) + 1] == (log[1].key, 0)


def test_entries_outlive_the_tail_that_held_them(store: Store) -> None:
    view = picture(store)
    for number in range(12):
        store.patch(session={"tactics": {"n": number}})
        view = picture(store, view, at=float(number + 1))
    session = [entry for entry in view.log if entry.scope == "session"]
    assert [entry.revision for entry in session] == list(range(12, 0, -1))
    assert view.arrived == 12
    assert all(entry.seen is not None for entry in session)


def test_a_sighting_of_an_earlier_run_is_believed(store: Store) -> None:
    store.patch(session={"tactics": {"n": 1}})
    seen = snapshot(store.address)
    address = seen.scopes["session"].address
    stream = seen.scopes["session"].stream
    assert stream is not None
    boundary = stream.tail[0].boundary.id
    view = look(Picture(), seen, "live", 9.0, pinned=False, sightings={(address, 1, boundary): Sighted(5.0, ours=True)})
    assert (view.log[0].seen, view.log[0].ours) == (5.0, True)


def test_details_in_the_view_of_a_scope_say_what_becomes_of_its_value(store: Store) -> None:
    view = picture(store)
    told = facts(view, "cwd", "tactics", "checks")
    assert "wins" not in told
    assert told["effective"] == "not this: s session [4] masks it"
    assert told["deleting it in cwd reveals"] == "nothing: what shows stays as it is"
    assert facts(view, "cwd", "tactics")["effective"].startswith("merged; where both say something, s session")
    assert facts(view, "session", "tactics", "checks")["wins"] == "s session [4] (wins)"


def test_a_hit_in_a_lazy_text_is_shown(store: Store) -> None:
    store.patch(cwd={"lazy": {"survey": {"text": "x" * 300 + " the needle is here " + "y" * 300}}})
    view = picture(store)
    *_, kept = search(view.memory["effective"], "needle")
    assert kept is not None
    row = MemorySource(view, "effective", kept).describe(("lazy", "survey", "text"))
    assert "needle is here" in row.gist[0]
    assert len(row.gist[0]) < 80


def test_a_space_at_the_end_of_a_line_is_a_place_to_break() -> None:
    words = wrapped((("session (wins)", "text"), ("  ·  ", "muted"), ("merged", "text")), 15)
    assert [plain(line).strip() for line in words] == ["session (wins)", "·  merged"]


@pytest.mark.parametrize("size", [1, 999, 1_400, 231_000])
def test_the_size_never_touches_its_column(store: Store, size: int) -> None:
    store.patch(session={"tactics": {"sized": "x" * size}})
    _, right = MemorySource(picture(store), "effective").row(("tactics", "sized"), expanded=False, width=80)
    assert plain(right).split("│")[-1].startswith(" ")


def test_the_longest_name_leaves_a_space(store: Store) -> None:
    for length in range(8, 40):
        key = "h" * length
        store.patch(session={"tactics": {key: {"object": "told", "n": 1}}})
        source = MemorySource(picture(store), "effective")
        columns = {
            plain(source.row(("tactics", name), expanded=False, width=80)[0]).index('"') for name in (key, "next")
        }
        assert len(columns) == 1


def test_sizes_of_what_is_gone_are_let_go(store: Store) -> None:
    sizes = Sizes()
    for number in range(3_000):
        state = {"tactics": {f"key{index}": [number, index] for index in range(10)}}
        sizes.quick(state["tactics"])
        sizes.forget_all_but([state])
    assert sizes.weight < 10_000


# Header, intents, notices.


def test_the_header_names_the_session_by_what_it_is_for(store: Store) -> None:
    view = picture(store)
    head = header(view, "/work")
    assert (head.cwd, head.session, head.unfinished) == ("~/demo/app", '"cut release 1.4"', True)
    assert revisions(view) == "g0 c0 s0"
    for width in (30, 50, 71, 80, 100, 120, 200):
        for left, right in header_lines(head, width):
            assert cell_len(plain(left)) + cell_len(plain(right)) <= width + 12
    assert values.is_object(head.to_json())


def test_intents_are_listed_with_what_they_own(store: Store) -> None:
    assert [(row.scope, row.name, row.owns) for row in intent_rows(picture(store))] == [
        ("session", "release", 1),
        ("cwd", "migrate", 1),
    ]


def test_nothing_wrong_is_nothing_said(store: Store) -> None:
    assert notices(picture(store)) == ()


# Words.


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"), (231_400, "231 kB"), (10**7, "10 MB")],
)
def test_sizes(size: int, words: str) -> None:
    assert human(size) == words
    assert len(words) <= 6


def test_tokens_are_estimated() -> None:
    assert human_tokens(1560) == "390 tok"
    assert human_tokens(36_800) == "9.2k tok"


@given(JSON)
def test_any_value_has_a_gist_of_bounded_length(value: Any) -> None:
    text, _ = gist(value, 30)
    assert len(text) <= 30 * 8
    assert kind_words(value)


@given(JSON)
def test_sizes_are_the_same_in_slices(value: Any) -> None:
    sizes = Sizes()
    for _ in sizes.measure(value):
        pass
    assert sizes.quick(value) == values.encoded_size(value)


def test_large_containers_are_measured_in_slices() -> None:
    value: Any = {"rows": [{"k": number, "t": "x" * 20} for number in range(5000)]}
    sizes = Sizes()
    assert sizes.quick(value) is None
    assert sum(1 for _ in sizes.measure(value)) > 50
    assert sizes.quick(value) == values.encoded_size(value)


def test_sizes_let_go_of_what_memory_no_longer_has() -> None:
    sizes = Sizes()
    kept: Any = {"rows": [{"k": number} for number in range(3000)]}
    for number in range(60):
        for _ in sizes.measure({"old": number, "rows": [{"k": other} for other in range(3000)]}):
            pass
    for _ in sizes.measure(kept):
        pass
    before = sizes.weight
    sizes.forget_all_but([kept])
    assert before > 60 * 6000
    assert sizes.weight == 1 + 1 + 1 + 3000 + 3000 * 2
    assert sizes.quick(kept) == values.encoded_size(kept)


@pytest.mark.parametrize(
    ("text", "view", "path"),
    [
        ("tactics.checks[3]", None, ("tactics", "checks", 3)),
        ("cwd.lazy.notes", "cwd", ("lazy", "notes")),
        ('effective.tactics["odd key"].x', "effective", ("tactics", "odd key", "x")),
        ('tactics["quo\\"te"]', None, ("tactics", 'quo"te')),
        ("effective", "effective", ()),
    ],
)
def test_paths_are_read_as_they_are_shown(text: str, view: str | None, path: tuple[str | int, ...]) -> None:
    assert parse_path(text) == (view, path)


def test_what_is_no_path_is_not_taken_for_one() -> None:
    assert parse_path("") is None
    assert parse_path("a[") is None
    assert parse_path("a]b") is None


# Large values.


def laid_out(value: Any, width: int) -> Pages:
    pages = Pages()
    for _ in fill(pages, value):
        pass
    for _ in wrap(pages, width):
        pass
    return pages


@given(st.text(max_size=200), st.integers(2, 30))
def test_a_text_is_shown_whole_and_in_order(text: str, width: int) -> None:
    pages = laid_out(text, width)
    rows = [pages.row(number) for number in range(pages.rows)]
    assert all(cell_len(row) <= width for row, _, _ in rows)
    joined = "".join(("\n" if begins and number else "") + row for number, (row, _, begins) in enumerate(rows))
    assert joined == clean_lines(text)
    for number, (row, offset, _) in enumerate(rows):
        if row:
            assert pages.row_of(offset) == number


@given(st.lists(st.text("abcdé", min_size=1, max_size=6), min_size=1, max_size=60), st.integers(18, 60))
def test_no_word_that_fits_is_broken(words: list[str], width: int) -> None:
    pages = laid_out(" ".join(words), width)
    rows = [pages.row(number)[0] for number in range(pages.rows)]
    assert [word for row in rows for word in row.split()] == words
    assert all(len(row) <= width for row in rows)


def test_what_has_no_spaces_fills_its_rows() -> None:
    pages = laid_out("a " + "x" * 100, 40)
    assert [pages.row(number)[0] for number in range(pages.rows)] == ["a " + "x" * 38, "x" * 40, "x" * 22]


@given(JSON)
def test_json_is_laid_out_as_it_is_printed(value: Any) -> None:
    if isinstance(value, str):
        return
    pages = laid_out(value, 10_000)
    assert pages.text == clean_lines(values.pretty(value))


def test_large_json_is_laid_out_in_pieces_that_make_the_whole() -> None:
    value: Any = {"a": [{"k": number, "text": "y" * 300} for number in range(3000)], "b": "z" * 600_000, "c": {}}
    pages = laid_out(value, 100)
    assert values.decode(pages.text.encode()).value == value
    assert pages.text == values.pretty(value)


def test_finding_goes_round_and_back() -> None:
    pages = laid_out("one Two\nthree two\n", 40)

    def at(needle: str, start: int, *, backwards: bool = False) -> int:
        return [step for step in find(pages, needle, start, backwards=backwards) if step is not None][-1]

    assert at("two", 0) == 4
    assert at("two", 5) == 14
    assert at("two", 15) == 4
    assert at("Two", 5) == 4
    assert at("two", 14, backwards=True) == 4
    assert at("two", 4, backwards=True) == 14
    assert at("four", 0) == -1


@given(st.lists(st.tuples(st.text(max_size=20), st.just("text")), max_size=5), st.integers(4, 30), st.integers(0, 4))
def test_wrapping_fits_and_loses_no_letter(spans: Any, width: int, hang: int) -> None:
    cleaned = [(clean_lines(text).replace("\n", " "), role) for text, role in spans]
    lines = wrapped(cleaned, width, hang=hang)
    assert all(cell_len(plain(line)) <= width for line in lines)
    letters = "".join(text for text, _ in cleaned)
    assert "".join(plain(line) for line in lines).replace(" ", "").split() == letters.replace(" ", "").split()
    assert cell_len(plain(shortened(tuple(cleaned), width))) <= width
