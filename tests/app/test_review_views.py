"""The review as data and lines, worked out by hand from small memories."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from engine.memory.dialect import V4
from engine.memory.draft import Draft, PreImage, Put, Raw, Remove, Step, Transfer
from engine.memory.gathering import Drift
from engine.memory.scope import SCOPES, Scope
from engine.memory.staging import stage
from engine.records import replace
from engine.store.consequences import Effect, SessionEffect
from engine.store.proposal import Published
from engine.store.publication import publish
from engine.values import JsonObject, encoded_size, grown
from sftui.views.differing import NOTHING
from sftui.views.diffs import DiffLine, ScopeDiff, diff
from sftui.views.growth import delta, growth, token_delta
from sftui.views.inner import inside, whole
from sftui.views.instead import instead, writes_session
from sftui.views.mine_or_theirs import keeping_mine, taking_theirs
from sftui.views.reach import LISTED, gathered
from sftui.views.receipt import done
from sftui.views.review import Review, blocked, review
from sftui.views.review_page import Page, summary
from sftui.views.showing import showing
from sftui.views.spans import plain
from sftui.views.steps import step_lines
from sftui.views.threeway import conflicts, moved, moved_rows
from tests.app.stores import MEMORY, Store, begin

States = Mapping[Scope, JsonObject]


def staged_diff(states: States, patch: dict[str, Any], *, most: int = 400) -> tuple[ScopeDiff, ...]:
    """The diff of a patch on these states."""
    found = stage(V4, states, patch)
    return diff(V4, found.net, states, found.after, found.cascaded, most=most)


def told(diffs: tuple[ScopeDiff, ...]) -> list[str]:
    """One line each: sign, place, what."""
    return [f"{line.sign} {line.scope}.{line.where}  {line.what}" for one in diffs for line in one.lines]


# What changed.


def test_added_changed_and_removed_are_told_apart() -> None:
    states: States = {"cwd": {"lazy": {"a": 1, "gone": "x"}, "tactics": {"next": "run"}}}
    patch = {"cwd": {"lazy": {"gone": None}, "tactics": {"next": "ship", "new": {"deep": {"er": True}}}}}
    assert told(staged_diff(states, patch)) == [
        '~ cwd.tactics.next  "run" → "ship"',
        "+ cwd.tactics.new.deep.er  true",
        '- cwd.lazy.gone  "x"',
    ]


def test_what_is_lazy_says_that_it_is_not_in_context() -> None:
    assert told(staged_diff({}, {"cwd": {"lazy": {"k": 1}}})) == ["+ cwd.lazy.k  1  not in context"]


def test_what_goes_with_an_intent_is_told_with_its_size() -> None:
    states: States = {
        "cwd": {"intents": {"i": {"plan": {"$ref": "cwd.lazy.plan"}}}, "lazy": {"plan": {"text": "abc"}, "other": 1}}
    }
    lines = told(staged_diff(states, {"cwd": {"intents": {"i": None}}}))
    # {"text":"abc"} is 14 bytes, the intent {"plan":{"$ref":"cwd.lazy.plan"}} 33.
    assert lines == ["- cwd.intents.i  {1} 33 B, closed", "× cwd.lazy.plan  goes with its intent, 14 B"]


def test_what_a_cascade_takes_out_of_an_object_is_named_by_itself() -> None:
    """The object is emptied and goes as a whole: told is what was in it."""
    states: States = {
        "cwd": {"intents": {"i": {"p": {"$ref": "cwd.lazy.box.a"}}}, "lazy": {"box": {"a": 1}, "keep": True}}
    }
    lines = told(staged_diff(states, {"cwd": {"intents": {"i": None}}}))
    assert lines[1:] == ["× cwd.lazy.box.a  goes with its intent, 1 B"]


def test_what_is_written_again_survives_and_says_so() -> None:
    states: States = {"cwd": {"intents": {"i": {"p": {"$ref": "cwd.lazy.a"}}}, "lazy": {"a": 1}}}
    lines = told(staged_diff(states, {"cwd": {"intents": {"i": None}, "lazy": {"a": 2}}}))
    assert lines[1:] == ["~ cwd.lazy.a  1 → 2  would go with its intent, and is written again"]


def test_a_move_is_one_thing_at_both_its_ends() -> None:
    states: States = {"cwd": {"tactics": {"survey": {"text": "all of it"}}}}
    patch = {"cwd": {"tactics": {"survey": None}, "lazy": {"survey": {"text": "all of it"}}}}
    assert told(staged_diff(states, patch)) == [
        "- cwd.tactics.survey  moves to cwd.lazy.survey",
        "→ cwd.lazy.survey  from cwd.tactics.survey  {1}",
    ]


def test_small_values_alike_are_no_move_unless_the_key_is_the_same() -> None:
    states: States = {"cwd": {"tactics": {"a": 1, "same": True}}}
    patch = {"cwd": {"tactics": {"a": None, "same": None}}, "global": {"tactics": {"b": 1, "same": True}}}
    lines = told(staged_diff(states, patch))
    assert "+ global.tactics.b  1" in lines
    assert "- cwd.tactics.a  1" in lines
    assert "→ global.tactics.same  from cwd.tactics.same  true" in lines


def test_no_more_lines_than_asked_for_and_the_rest_is_counted() -> None:
    (only,) = staged_diff({}, {"cwd": {"lazy": {f"k{n}": n for n in range(10)}}}, most=4)
    assert (len(only.lines), only.more) == (4, 6)


def test_the_cost_of_a_diff_follows_the_change() -> None:
    """What is not touched is never looked at: it would raise."""

    class Untouchable(dict[str, Any]):
        def items(self) -> Any:
            raise AssertionError("looked at")

        def values(self) -> Any:
            raise AssertionError("looked at")

    big = Untouchable(x=1)
    before: States = {"cwd": {"lazy": {"big": big, "k": 1}}}
    after: States = {"cwd": {"lazy": {"big": big, "k": 2}}}
    net: States = {"cwd": {"lazy": {"k": 2}}}
    assert told(diff(V4, net, before, after, {})) == ["~ cwd.lazy.k  1 → 2"]
    assert growth(V4, before, after, net).lazy == 0


# Inside of texts and arrays.


def test_a_text_of_several_lines_is_told_line_by_line() -> None:
    found, more = inside("one\ntwo\nthree\nfour", "one\n2\nthree\nfour")
    assert found == ((" ", "1 line as before"), ("-", "two"), ("+", "2"), (" ", "2 lines as before"))
    assert more == 0


def test_of_one_long_line_only_what_differs_is_shown() -> None:
    before = "a" * 100 + " old " + "b" * 100
    after = "a" * 100 + " new " + "b" * 100
    found, _ = inside(before, after)
    assert found == (
        ("-", "…" + "a" * 19 + " old " + "b" * 19 + "…"),
        ("+", "…" + "a" * 19 + " new " + "b" * 19 + "…"),
    )


def test_arrays_are_lined_up() -> None:
    found, _ = inside(["lint", "types", "tests"], ["lint", "tests", "e2e"])
    assert found == ((" ", "1 item as before"), ("-", '[1] "types"'), (" ", "1 item as before"), ("+", '[2] "e2e"'))
    replaced, _ = inside([1, 2, 3], [1, 5, 3])
    assert replaced == ((" ", "1 item as before"), ("~", "[1] 2 → 5"), (" ", "1 item as before"))


def test_items_that_are_objects_are_compared_member_by_member() -> None:
    before: list[Any] = [{"id": 1, "text": "a", "gone": True}, {"id": 2}, "x"]
    after: list[Any] = [{"id": 1, "text": "b", "new": [1]}, {"id": 2}, {"id": 3}]
    assert inside(before, after)[0] == (
        ("~", '[0].text "a" → "b"'),
        ("-", "[0].gone true"),
        ("+", "[0].new [1]"),
        (" ", "1 item as before"),
        ("~", '[2] "x" → {"id":3}'),
    )
    assert whole("+", [{"id": 1}, [2]]) == ((("+", '{"id":1}'), ("+", "[2]")), 0)


def test_long_arrays_and_texts_are_shown_in_part_and_counted() -> None:
    found, more = inside(list(range(1000)), list(range(1000, 3000)))
    assert len(found) == 12
    assert more == 3000 - 12
    assert whole("+", "a\n" * 20) == (tuple(("+", "a") for _ in range(12)), 9)
    assert whole("-", "short") == ((), 0)


# How much.


def test_growth_is_what_the_encoded_states_differ_by() -> None:
    states: States = {"cwd": {"lazy": {"a": [1, 2], "b": "x"}, "tactics": {"t": {"u": 1}}}}
    patch: dict[str, Any] = {
        "cwd": {"lazy": {"a": None, "c": {"d": "é"}}, "tactics": {"t": None}, "intents": {"i": "go"}}
    }
    found = stage(V4, states, patch)
    grew = growth(V4, states, found.after, found.net)
    assert grew.hot + grew.lazy == encoded_size(found.after["cwd"]) - encoded_size(states["cwd"])
    assert grown(found.net["cwd"], states["cwd"], found.after["cwd"]) == grew.hot + grew.lazy


def test_differences_read_well() -> None:
    assert [delta(n) for n in (0, 96, -1400)] == ["±0 B", "+96 B", "−1.4 kB"]
    assert [token_delta(n) for n in (0, -310, 9200, 12_000, -2_000_000)] == [
        "±0 tok",
        "−310 tok",
        "+9.2k tok",
        "+12k tok",
        "−2.0M tok",
    ]


# What shows.


def shown(states: States, patch: dict[str, Any]) -> list[tuple[str, str]]:
    found = stage(V4, states, patch)
    diffs = diff(V4, found.net, states, found.after, found.cascaded)
    return [(one.how, f"{one.scope}.{one.where}: {one.why}") for one in showing(V4, states, found.after, diffs)]


def test_a_masked_change_has_no_effect_and_says_who_masks_it() -> None:
    states: States = {"cwd": {"strategy": {"api": "v1"}}, "session": {"strategy": {"api": "mine"}}}
    assert shown(states, {"cwd": {"strategy": {"api": "v2"}}}) == [
        ("masked", 'cwd.strategy.api: session holds "mine" there, which masks it')
    ]


def test_saying_what_shows_already_has_no_effect() -> None:
    states: States = {"global": {"strategy": {"api": "v1"}}}
    assert shown(states, {"cwd": {"strategy": {"api": "v1"}}}) == [
        ("same", 'cwd.strategy.api: then cwd shows "v1" there, as global did before')
    ]


def test_a_deletion_reveals_what_was_under_it() -> None:
    states: States = {"global": {"strategy": {"api": "v1"}}, "cwd": {"strategy": {"api": "v2"}}}
    assert shown(states, {"cwd": {"strategy": {"api": None}}}) == [
        ("reveals", 'cwd.strategy.api: then global shows "v1" there')
    ]
    assert shown({"cwd": {"strategy": {"api": "v2"}}}, {"cwd": {"strategy": {"api": None}}}) == []


def test_an_element_laid_over_an_array_is_found() -> None:
    states: States = {"cwd": {"tactics": {"list": ["a", "b"]}}, "session": {"tactics": {"list": {"[1]": "mine"}}}}
    assert shown(states, {"cwd": {"tactics": {"list": {"[1]": "c"}}}}) == [
        ("same", "cwd.tactics.list: session shows [2] there, before as after")
    ]
    assert shown(states, {"cwd": {"tactics": {"list": {"[0]": "c"}}}}) == []
    assert shown(states, {"session": {"tactics": {"list": None}}}) == [
        ("reveals", "session.tactics.list: then cwd shows [2] there")
    ]
    assert shown({"cwd": states["cwd"]}, {"session": {"tactics": {"list": {"[1]": "b"}}}}) == [
        ("same", 'session.tactics.list["[1]"]: then session shows "b" there, as cwd did before')
    ]


# Steps in words.


def test_every_kind_of_step_has_its_words() -> None:
    there, gone = PreImage(exists=True, value="old"), PreImage(exists=False)
    draft = Draft(
        (
            Step(Put("cwd", ("lazy", "k"), 1, gone)),
            Step(Put("cwd", ("lazy", "k"), 1, there), ticked=False, note="undo of s31"),
            Step(Remove("global", ("strategy", "odd key"), there)),
            Step(Transfer("cwd", ("lazy", "a"), "cwd", ("lazy", "b"), there, gone)),
            Step(Transfer("session", ("intents", "a"), "cwd", ("intents", "a"), there, gone)),
            Step(Transfer("cwd", ("lazy", "a"), "global", ("lazy", "a"), there, there, keep=True)),
            Step(Raw({"cwd": {"lazy": {"x": 1}}}, (("cwd", ("lazy", "x"), gone),))),
        )
    )
    lines = [f"{line.sign} {line.where}  {line.what}" for line in step_lines(draft)]
    assert lines == [
        "+ cwd.lazy.k  1",
        '~ cwd.lazy.k  "old" → 1',
        '- global.strategy["odd key"]  delete "old"',
        "→ cwd.lazy.a  rename to b, references follow",
        "→ session.intents.a  move to cwd.intents.a, with what it owns, references follow",
        '→ cwd.lazy.a  copy to global.lazy.a, over "old"',
        "# cwd  patch of 1 place",
    ]
    assert [line.note for line in step_lines(draft)][1] == "undo of s31"
    assert [line.ticked for line in step_lines(draft)][:2] == [True, False]


@pytest.mark.parametrize(
    ("operation", "writes", "moved_to"),
    [
        (Put("session", ("lazy", "k"), 1, PreImage(exists=False)), True, "cwd"),
        (Put("cwd", ("lazy", "k"), 1, PreImage(exists=False)), False, None),
        (Put("session", ("lazy", "k", 0), 1, PreImage(exists=True, value=2)), True, None),
        (Remove("session", ("lazy", "k"), PreImage(exists=True, value=1)), True, None),
        (Raw({"session": {"lazy": {"k": 1}}}, ()), True, "cwd"),
        (Raw({"session": {"lazy": {"k": 1}}, "cwd": {"lazy": {"k": 2}}}, ()), True, None),
    ],
)
def test_only_what_means_the_same_goes_to_cwd_instead(operation: Any, writes: bool, moved_to: str | None) -> None:
    assert writes_session(operation) is writes
    other = instead(Step(operation, note="n"), {"cwd": {"lazy": {"k": "there"}}})
    if moved_to is None:
        assert other is None
        return
    assert other is not None
    assert other.note == "n"
    assert not writes_session(other.operation)
    found = cast("Any", other.operation)
    before = found.before if isinstance(found, Put) else found.before[0][2]
    assert before == PreImage(exists=True, value="there"), "what stands there now is what it changes"


def test_a_move_into_the_session_goes_to_cwd_and_one_out_of_it_stays() -> None:
    there, gone = PreImage(exists=True, value=1), PreImage(exists=False)
    into = Step(Transfer("global", ("lazy", "a"), "session", ("lazy", "a"), there, gone))
    other = instead(into, {})
    assert other is not None
    assert cast("Transfer", other.operation).to_scope == "cwd"
    assert instead(Step(Transfer("session", ("lazy", "a"), "cwd", ("lazy", "a"), there, gone)), {}) is None
    assert instead(Step(Transfer("cwd", ("lazy", "a"), "session", ("lazy", "a"), there, gone)), {}) is None


# Both sides.


def test_before_theirs_and_mine() -> None:
    drift = Drift(0, "cwd", ("lazy", "k"), PreImage(exists=True, value="a"), PreImage(exists=True, value="b"))
    away = Drift(1, "cwd", ("lazy", "x"), PreImage(exists=True, value=1), PreImage(exists=False))
    first, second = conflicts((drift, away), {"cwd": {"lazy": {"k": "c"}}})
    assert (first.step, first.where, first.before, first.theirs, first.mine) == (0, "cwd.lazy.k", '"a"', '"b"', '"c"')
    assert (second.before, second.theirs, second.mine) == ("1", NOTHING, NOTHING)
    assert first.to_json()["theirs"] == '"b"'


def test_of_a_patch_as_it_was_written_one_place_is_left_to_the_others() -> None:
    there = PreImage(exists=True, value=1)
    patch: Any = {"cwd": {"lazy": {"a": 2, "b": {"c": 3}}, "tactics": {"list": {"[1]": 4}}}}
    before: Any = (
        ("cwd", ("lazy", "a"), there),
        ("cwd", ("lazy", "b", "c"), there),
        ("cwd", ("tactics", "list", 1), there),
    )
    one = taking_theirs(Step(Raw(patch, before)), "cwd", ("lazy", "b", "c"))
    assert one.operation == Raw({"cwd": {"lazy": {"a": 2}, "tactics": {"list": {"[1]": 4}}}}, (before[0], before[2]))
    two = taking_theirs(one, "cwd", ("tactics", "list", 1))
    assert two.operation == Raw({"cwd": {"lazy": {"a": 2}}}, before[:1])
    assert taking_theirs(two, "cwd", ("lazy", "a")) == replace(two, ticked=False)


def test_mine_is_in_view_of_what_stands_there_now_at_that_place_alone() -> None:
    there, now, gone = PreImage(exists=True, value=1), PreImage(exists=True, value=5), PreImage(exists=False)
    move = Transfer("cwd", ("lazy", "a"), "global", ("lazy", "a"), there, gone)
    source = keeping_mine(Step(move), "cwd", ("lazy", "a"), now).operation
    target = keeping_mine(Step(move), "global", ("lazy", "a"), now).operation
    assert (source, target) == (replace(move, before=now), replace(move, there=now))
    raw = Raw({"cwd": {"lazy": {"a": 2, "b": 3}}}, (("cwd", ("lazy", "a"), there), ("cwd", ("lazy", "b"), there)))
    kept = keeping_mine(Step(raw), "cwd", ("lazy", "b"), now).operation
    assert kept == replace(raw, before=(raw.before[0], ("cwd", ("lazy", "b"), now)))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def dry(store: Store, patch: Any) -> Published:
    return publish(store.address, patch, wanted=SCOPES, dry_run=True)


def test_two_reviews_are_told_apart_by_what_they_say(store: Store) -> None:
    one = review(dry(store, {"cwd": {"strategy": {"api": "v3"}, "lazy": {"k": 1}}}))
    store.patch(cwd={"strategy": {"api": "other"}})
    two = review(dry(store, {"cwd": {"strategy": {"api": "v3"}, "lazy": {"k": 1}}}))
    found = moved(one, two)
    assert found.approved == ('~ cwd.strategy.api  "v2 only" → "v3"',)
    assert found.found == ('~ cwd.strategy.api  "other" → "v3"',)
    assert [plain(row.spans).strip() for row in moved_rows(found)] == [
        "as it was shown",
        *found.approved,
        "as it would be now",
        *found.found,
    ]


# Sessions.


def effect(number: int, what: Effect) -> SessionEffect:
    return SessionEffect("k", f"s{number}", None, None, what, "why")


def test_thousands_of_sessions_are_counted_and_few_are_kept() -> None:
    many = [effect(n, "keeps") for n in range(1000)] + [effect(n, "loses-history") for n in range(900)]
    many.append(effect(1, "fenced"))
    *partly, last = gathered(iter(many), every=500)
    assert [one.complete for one in partly] == [False] * 3
    assert last.complete
    assert last.counts == {"keeps": 1000, "loses-history": 900, "fenced": 1}
    assert last.listed[0].effect == "fenced", "the worst first"
    assert len(last.listed) == LISTED
    assert plain(last.words) == "1 is fenced by it · 900 lose aligned history · 1,000 keep their history"


def test_sessions_of_one_reason_stand_together_the_newest_first() -> None:
    def why(day: int, reason: str) -> SessionEffect:
        return SessionEffect("k", f"2026-11-{day:02}T10", None, None, "loses-history", reason)

    *_, last = gathered(iter([why(13, "a"), why(9, "b"), why(12, "a"), why(14, "b")]))
    assert [(one.session[8:10], one.reason) for one in last.listed] == [
        ("13", "a"),
        ("12", "a"),
        ("14", "b"),
        ("09", "b"),
    ]


def test_no_session_and_not_yet_known_are_two_things() -> None:
    (none,) = gathered(iter(()))
    assert plain(none.words) == "no session is concerned"
    assert none.to_json() == {"counts": {}, "listed": [], "complete": True}


# The whole page.


def rows(page: Page) -> list[str]:
    return [plain(row.spans) for row in page.rows()]


def step(value: Any = "v3") -> Step:
    return Step(Put("cwd", ("strategy", "api"), value, PreImage(exists=True, value="v2 only")))


def test_every_row_has_a_key_of_its_own(store: Store) -> None:
    draft = Draft((step(), Step(Remove("cwd", ("intents", "migrate"), PreImage(exists=True, value=1)))))
    page = Page(draft, review(dry(store, draft), draft))
    keys = [row.key for row in page.rows()]
    assert len(keys) == len(set(keys))


def test_why_it_cannot_be_applied_is_said_the_nearest_first(store: Store) -> None:
    draft = Draft((step(),))
    found = review(dry(store, draft), draft)
    assert Page(Draft()).refusal == "the draft is empty"
    assert Page(draft.ticking(0, False), found).refusal.startswith("no step is ticked")
    assert Page(draft).refusal == "it is not worked out yet"
    assert Page(draft, found, is_current=False).refusal == "it is not worked out yet"
    assert Page(draft, found).refusal == ""
    assert Page(draft, found, writing=True).refusal == "it is being applied already"


def test_the_title_sums_it_up(store: Store) -> None:
    draft = Draft((step(),))
    assert plain(summary(Page(draft, review(dry(store, draft), draft)))) == "1 line in cwd"
    same = Draft((step("v2 only"),))
    assert plain(summary(Page(same, review(dry(store, same), same)))) == "nothing would change"


def test_the_data_of_a_review_keeps_its_members(store: Store) -> None:
    found = review(dry(store, {"cwd": {"strategy": {"api": "v3"}, "intents": {"migrate": None}}})).to_json()
    for name in ("dry_run", "digest", "net", "cascaded", "missed_deletions", "warnings", "advice", "needs", "blocked"):
        assert name in found
    assert found["cascaded"] == {"cwd": ["cwd.tactics.store"]}
    assert found["taken"] == [{"path": "cwd.tactics.store", "bytes": 12}]
    assert found["authored"] == {"cwd": {"strategy": {"api": "v3"}, "intents": {"migrate": None}}}


def test_what_the_patch_writes_again_is_not_said_to_go(store: Store) -> None:
    """The receipt lists it as cleared, as the contract has it; what stands afterwards has not gone."""
    patch: Any = {"cwd": {"intents": {"migrate": None}, "tactics": {"store": "moved"}}}
    found = review(dry(store, patch)).to_json()
    assert found["cascaded"] == {"cwd": ["cwd.tactics.store"]}
    assert found["taken"] == []
    published = publish(store.address, patch, wanted=SCOPES)
    assert published.staged.after["cwd"]["tactics"] == {"checks": MEMORY["cwd"]["tactics"]["checks"], "store": "moved"}
    assert "went with intents" not in done(published).words


def test_of_a_large_patch_the_beginning_is_shown_and_the_rest_is_counted(store: Store) -> None:
    value: Any = {"text": "x" * 1_000_000, "many": list(range(1000))}
    draft = Draft((Step(Put("cwd", ("lazy", "big"), value, PreImage(exists=False))),))
    found = review(dry(store, draft), draft)
    # {, cwd, lazy, big, text, many, 1000 items, ], and four braces.
    assert len(found.written) + found.unwritten == 6 + 1000 + 5
    assert max(map(len, found.written)) == 400
    page = rows(Page(draft, found))
    assert f"    and {1011 - 200} more lines" in page
    assert max(map(len, page)) < 500


def test_what_cannot_be_worked_out_has_the_same_members(store: Store) -> None:
    from engine.errors import Fenced

    told_of = blocked(Fenced("half-pair", "no patches", file="a", line=3))
    whole_review = review(dry(store, {"cwd": {"strategy": {"api": "v3"}}})).to_json()
    assert set(told_of) <= set(whole_review)
    assert told_of["blocked"] == [{"code": "half-pair", "reason": "no patches (a:3)", "exit": 5}]


def test_what_was_done_is_one_sentence(store: Store) -> None:
    published = publish(
        store.address, {"cwd": {"strategy": {"api": "v3"}, "intents": {"migrate": None}}}, wanted=SCOPES
    )
    # Gone are "intents":{"migrate":…}, and "store":"half moved" from tactics; "v2 only" became "v3".
    was, now = encoded_size(MEMORY["cwd"]), encoded_size(published.staged.after["cwd"])
    assert done(published).words == f"changed cwd: 2 places, 1 went with intents, {delta(now - was)} (g0 c1 s0)"
    again = publish(store.address, {"cwd": {"strategy": {"api": "v3"}}}, wanted=SCOPES)
    assert done(again).words == "nothing to change: memory is like this already (g0 c1 s0)"


def test_history_that_folds_away_is_named(store: Store) -> None:
    for number in range(7):
        store.patch(cwd={"lazy": {"k": number}})
    found: Review = review(dry(store, {"cwd": {"strategy": {"api": "v3"}}}))
    (fold,) = found.entails.folds
    assert (fold.scope, fold.revision, fold.paths, fold.more) == ("cwd", 1, ("lazy.k",), 0)
    draft = Draft((step(),))
    page = rows(Page(draft, replace(found, digest="d" * 64)))
    assert "    c1  can no longer be read back or undone from the store: lazy.k" in page


def test_lines_are_data_too() -> None:
    line = DiffLine("→", "cwd", ("lazy", "a"), "lazy.a", "from cwd.b", (("+", "x"),), 2, "cwd.b")
    assert line.to_json() == {
        "sign": "→",
        "path": ["lazy", "a"],
        "what": "from cwd.b",
        "from": "cwd.b",
        "inside": [["+", "x"]],
        "more_inside": 2,
    }
