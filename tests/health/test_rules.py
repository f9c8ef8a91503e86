"""Each rule by hand: what it tells, and what it must not tell."""

from __future__ import annotations

from engine.health.findings import Limits
from engine.memory.draft import Put, Remove, Transfer
from tests.health.examining import found, look_again, places, report, subject

LONG = "the same long text, again and again. " * 10


# What a scope inherits anyway.


def test_an_override_that_says_the_same_is_told_at_its_topmost_place() -> None:
    shared = {"strategy": {"style": {"commits": "short", "tests": ["a", "b"]}, "api": "v1"}}
    own = {"strategy": {"style": {"commits": "short", "tests": ["a", "b"]}, "api": "v2"}}
    (one,) = found("inherited", **{"global": shared, "cwd": own})
    assert one.place == "cwd.strategy.style" and one.severity == "low" and one.same
    assert "global.strategy.style" in one.reason
    (step,) = one.fix
    assert isinstance(step, Remove) and step.before.value == {"commits": "short", "tests": ["a", "b"]}


def test_only_the_equal_part_of_an_object_is_told() -> None:
    shared = {"tactics": {"x": {"a": 1, "b": {"c": 2, "d": 3}}}}
    own = {"tactics": {"x": {"a": 1, "b": {"c": 2, "d": 4}}}}
    assert places("inherited", **{"global": shared, "session": own}) == ["session.tactics.x.a", "session.tactics.x.b.c"]


def test_a_session_inherits_what_both_broader_scopes_make_together() -> None:
    whole = {"tactics": {"x": {"a": 1, "b": 2}}}
    parts = {"global": {"tactics": {"x": {"a": 1}}}, "cwd": {"tactics": {"x": {"b": 2}}}}
    assert places("inherited", **parts, session=whole) == ["session.tactics.x"]


def test_what_says_something_of_its_own_is_not_told() -> None:
    low = {"tactics": {"n": 1, "t": "a", "list": [1, 2], "o": {"a": 1}, "flag": True}}
    for own in ({"n": 2}, {"t": "a "}, {"list": [2, 1]}, {"o": {"a": 1, "b": 2}}, {"flag": 1}, {"o": "a"}, {"new": 1}):
        told = places("inherited", **{"global": low, "cwd": {"tactics": own}})
        assert told in ([], ["cwd.tactics.o.a"]), own
        assert told == [] or own == {"o": {"a": 1, "b": 2}}


def test_what_hides_a_middle_scope_is_no_repetition_of_the_broadest() -> None:
    """The session says what global says, but cwd in between says another thing."""
    states = {
        "global": {"tactics": {"x": 1}},
        "cwd": {"tactics": {"x": 2}},
        "session": {"tactics": {"x": 1}},
    }
    assert places("inherited", **states) == []


def test_an_element_patched_to_what_it_is_says_nothing() -> None:
    low = {"tactics": {"list": ["a", "b"]}}
    assert places("inherited", **{"global": low, "cwd": {"tactics": {"list": {"[1]": "b"}}}}) == ["cwd.tactics.list"]
    assert places("inherited", **{"global": low, "cwd": {"tactics": {"list": {"[1]": "c"}}}}) == []
    assert places("inherited", **{"global": low, "cwd": {"tactics": {"list": {"[2]": "c"}}}}) == []


def test_an_intent_whose_deletion_takes_something_along_has_no_fix() -> None:
    goal = {"goal": "g", "own": {"$ref": "cwd.tactics.x"}}
    states = {"global": {"intents": {"i": goal}}, "cwd": {"intents": {"i": goal}, "tactics": {"x": 1}}}
    (one,) = found("inherited", **states)
    assert one.place == "cwd.intents.i" and not one.fix and not one.same
    assert "cwd.tactics.x" in one.unfixed


# What names nothing.


def test_references_to_what_is_not_there() -> None:
    own = {
        "intents": {"i": {"goal": "g", "gone": {"$ref": "cwd.lazy.gone"}, "there": {"$ref": "cwd.lazy.here"}}},
        "tactics": {
            "text": "as in $cwd.lazy.gone, and in $cwd.lazy.here.",
            "at": "$cwd.lazy.list[5] $cwd.lazy.list[0:3]",
        },
        "lazy": {"here": 1, "list": [1, 2]},
    }
    told = found("dangling", cwd=own)
    assert [(one.place, one.detail, one.severity) for one in told] == [
        ("cwd.intents.i.gone", "cwd.lazy.gone", "medium"),
        ("cwd.tactics.text", "cwd.lazy.gone", "low"),
        ("cwd.tactics.at", "cwd.lazy.list[5]", "low"),
        ("cwd.tactics.at", "cwd.lazy.list[0:3]", "low"),
    ]
    assert isinstance(told[0].fix[0], Remove) and told[0].fix[0].path == ("intents", "i", "gone")
    assert not told[1].fix and "text" in told[1].unfixed
    assert all("now" in one.reason and "moved" not in one.reason for one in told)


def test_what_only_looks_like_a_reference_is_none() -> None:
    text = "$HOME $PATH $cwd $cwd.lazy $cwd[1].lazy.gone $cwd.lazy.memory[abc] cwd.lazy.gone $session[2].tactics.z"
    own = {
        "tactics": {
            "text": text,
            "url": {"$ref": "https://example.org/x"},
            "plane": {"$ref": "cwd.lazy"},
            "past": {"$ref": "cwd[1].tactics.z"},
            "odd": {"$ref": 5},
            "words": {"$ref": "what we said"},
        }
    }
    assert places("dangling", cwd=own) == []


def test_what_depends_on_the_open_session_is_said_to() -> None:
    shared = {"tactics": {"a": {"$ref": "session.tactics.x"}, "b": {"$ref": "effective.tactics.x"}}}
    assert places("dangling", cwd=shared) == [], "no session is open"
    told = found("dangling", cwd=shared, session={})
    assert [one.severity for one in told] == ["low", "low"]
    assert all("as seen from what is open" in one.reason for one in told)
    assert places("dangling", cwd=shared, session={"tactics": {"x": 1}}) == []


def test_what_cannot_be_read_is_not_called_gone() -> None:
    from engine.health.examine import examine
    from engine.health.looking import Disk
    from engine.records import replace

    one = replace(
        subject(session={"tactics": {"a": {"$ref": "cwd.tactics.x"}, "b": {"$ref": "tactics.y"}}}), unread=("cwd",)
    )
    told, _ = examine(one, Disk(), Limits())
    assert told.findings == () and told.unread == ("cwd",)


def test_a_reference_that_is_all_of_an_intent_is_not_taken_out_of_it() -> None:
    (one,) = found("dangling", cwd={"intents": {"i": {"own": {"$ref": "cwd.lazy.gone"}}}})
    assert not one.fix and "emptied intent" in one.unfixed
    (one,) = found("dangling", cwd={"tactics": {"list": [{"$ref": "cwd.lazy.gone"}]}})
    assert not one.fix and "array" in one.unfixed
    (one,) = found("dangling", cwd={"tactics": {"x": {"$ref": "cwd.lazy.gone", "why": "because"}}})
    assert not one.fix


# What nothing can name.


def test_keys_that_no_path_can_name_are_told_for_each_object() -> None:
    own = {
        "tactics": {"two words": {"in it": 1}, "files": {"src/a.py": 1, "src/b.py": 2}, "ok-1_$": 1, "": 2},
        "artifacts": {"/src/a.py": {"description": "d"}},
        "lazy": {"list": {"[0]": 1, "[1]": 2}},
    }
    told = {one.place: one for one in found("unaddressable", cwd=own)}
    assert set(told) == {"cwd.tactics", "cwd.tactics.files", 'cwd.tactics["two words"]'}
    assert told["cwd.tactics.files"].evidence == ('["src/a.py"]', '["src/b.py"]')
    assert not told["cwd.tactics.files"].fix
    (step,) = told['cwd.tactics["two words"]'].fix
    assert isinstance(step, Transfer) and step.to_path == ("tactics", "two words", "in-it")


def test_a_nearest_name_that_is_taken_is_not_offered() -> None:
    (one,) = found("unaddressable", cwd={"tactics": {"a b": 1, "a-b": 2}})
    assert not one.fix and "taken" in one.unfixed


# What is empty.


def test_empty_branches_are_told_once_and_arrays_are_values() -> None:
    own = {
        "tactics": {"a": {"b": {}, "c": {"d": {}}}, "list": [], "text": "", "more": [{}]},
        "lazy": {},
        "strategy": {"x": {}},
    }
    assert places("empty", cwd=own) == ["cwd.strategy.x", "cwd.tactics.more[0]", "cwd.tactics.a"]
    told = found("empty", cwd=own)
    assert [bool(one.fix) for one in told] == [True, False, True]


def test_an_empty_branch_that_hides_something_is_meant() -> None:
    assert places("empty", **{"global": {"tactics": {"x": "text"}}, "cwd": {"tactics": {"x": {}}}}) == []
    assert places("empty", **{"global": {"tactics": {"x": {"y": 1}}}, "cwd": {"tactics": {"x": {}}}}) == [
        "cwd.tactics.x"
    ]


# What is large.


def test_the_smallest_value_above_the_limit_is_told_where_it_is_in_context() -> None:
    own = {
        "tactics": {"notes": {"small": "x", "big": "y" * 9_000}, "many": {f"k{n}": "z" * 100 for n in range(100)}},
        "lazy": {"kept": "y" * 9_000},
        "response": "y" * 9_000,
    }
    told = found("large-hot", session=own)
    assert [one.place for one in told] == ["session.tactics.notes.big", "session.tactics.many"]
    assert "9,002 bytes" in told[0].reason
    (step,) = told[0].fix
    assert isinstance(step, Transfer) and (step.to_scope, step.to_path) == ("session", ("lazy", "notes", "big"))
    assert places("large-hot", Limits(hot_bytes=20_000), session=own) == []


def test_what_lazy_memory_has_already_is_not_written_over() -> None:
    own = {"tactics": {"big": "y" * 9_000}, "lazy": {"big": 1}}
    (one,) = found("large-hot", cwd=own)
    assert not one.fix and "cwd.lazy.big" in one.unfixed
    (one,) = found("large-hot", cwd={"intents": {"i": {"plan": "y" * 9_000}}})
    assert one.place == "cwd.intents.i.plan" and not one.fix


# What is rounded.


def test_integers_that_a_double_does_not_hold() -> None:
    own = {
        "tactics": {"id": 2**53 + 1, "fine": 2**53, "power": 2**60, "huge": -(10**400) - 1, "float": 1e300, "yes": True}
    }
    told = found("rounded-number", cwd=own)
    assert [one.place for one in told] == ["cwd.tactics.id", "cwd.tactics.huge"]
    (step,) = told[0].fix
    assert isinstance(step, Put) and step.value == "9007199254740993"


# What is said twice.


def test_the_same_long_text_in_two_scopes_nested_or_not() -> None:
    states = {
        "global": {"strategy": {"guide": LONG}},
        "cwd": {"tactics": {"notes": [{"text": LONG}], "own": LONG + "!"}},
        "session": {"lazy": {"copy": {"of": LONG}}},
    }
    told = found("same-text", **states)
    assert [one.place for one in told] == ["session.lazy.copy.of", "cwd.tactics.notes[0].text"]
    assert all("global.strategy.guide" in one.reason for one in told)
    (step,) = told[0].fix
    assert isinstance(step, Put) and step.value == {"$ref": "global.strategy.guide"}


def test_short_texts_one_scope_and_one_place_are_no_repetition() -> None:
    assert places("same-text", **{"global": {"tactics": {"a": "short"}}, "cwd": {"tactics": {"b": "short"}}}) == []
    assert places("same-text", cwd={"tactics": {"a": LONG, "b": LONG}}) == []
    same_place = {"global": {"tactics": {"a": LONG}}, "cwd": {"tactics": {"a": LONG}}}
    assert places("same-text", **same_place) == [], "that is an override equal to what it inherits"
    assert places("inherited", **same_place) == ["cwd.tactics.a"]


def test_a_text_in_context_is_not_replaced_by_a_name_in_lazy_memory() -> None:
    (one,) = found("same-text", **{"global": {"lazy": {"a": LONG}}, "cwd": {"tactics": {"b": LONG}}})
    assert not one.fix and "lazy" in one.unfixed


# All of them.


def test_healthy_memory_has_no_findings() -> None:
    states = {
        "global": {"strategy": {"style": "terse"}},
        "cwd": {
            "intents": {"i": {"goal": "g", "own": {"$ref": "cwd.tactics.x"}}},
            "tactics": {"x": "$cwd.lazy.y"},
            "lazy": {"y": []},
        },
        "session": {"strategy": {"style": "wordy"}, "response": "done"},
    }
    assert report(**states).findings == ()


def test_the_worst_comes_first_and_each_is_known_by_one_key() -> None:
    states = {
        "cwd": {
            "tactics": {
                "e": {},
                "tok": "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
                "big": "y" * 9_000,
                "twice": "$cwd.lazy.a $cwd.lazy.a $cwd.lazy.b",
            }
        }
    }
    told = report(**states).findings
    assert [one.severity for one in told] == ["high", "medium", "low", "low", "low"]
    assert len({one.key for one in told}) == len(told)


def test_more_of_a_kind_than_can_be_looked_through_are_counted() -> None:
    told = report(cwd={"tactics": {f"k{n}": {} for n in range(1, 252)}, "lazy": {"x": 1}})
    assert sum(1 for one in told.findings if one.code == "empty") == 200
    assert told.left_out == (("empty", 51),)


# What a look costs.


def test_a_look_after_a_small_change_looks_at_what_changed_and_what_holds_it() -> None:
    entries = {f"k{n}": {f"m{m}": {"text": "word " * 20, "list": [1, 2, 3]} for m in range(50)} for n in range(40)}
    state = {"lazy": entries, "tactics": {"x": 1}}
    first, memo = look_again(None, cwd=state)
    assert memo.visits > 10_000
    changed = {**state, "lazy": {**entries, "k7": {**entries["k7"], "m3": {"text": "ghp_" + "a1" * 18}}}}
    second, again = look_again(memo, cwd=changed)
    # The members of lazy, those of k7 with what is too small to be remembered, and nothing else.
    assert again.visits < 40 + 50 * 6 + 10
    assert [one.code for one in second.findings] == ["secret"] and first.findings == ()
    assert look_again(None, cwd=changed)[0] == second, "the same as a look from nothing"
    third, same = look_again(again, cwd=changed)
    assert same.visits == 0 and third == second


def test_a_long_look_takes_many_steps_and_can_be_left() -> None:
    class Left(Exception):
        pass

    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == 10:
            raise Left

    try:
        look_again(None, step, cwd={"lazy": {f"k{n}": [n, n, n] for n in range(20_000)}})
    except Left:
        return
    raise AssertionError("it was not left")
