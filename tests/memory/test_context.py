from __future__ import annotations

from typing import Any

from engine.memory.cohort import Cohort, adopt, begin, record
from engine.memory.context import Mode, context, hot_state
from engine.memory.dialect import V2, V4, dialect_for
from engine.memory.navigation import MOST_KEYS, lazy_navigation
from engine.memory.reading import View
from engine.memory.scope import SCOPES
from engine.values import canonical


def test_the_hint_names_keys_while_they_are_few_and_short() -> None:
    few: Any = {f"k{n}": n for n in range(MOST_KEYS)}
    found: Any = lazy_navigation(V4, {"lazy": few})
    assert found["available"] is True and found["path"] == "effective.lazy" and len(found["keys"]) == MOST_KEYS
    assert lazy_navigation(V4, {"lazy": {**few, "one more": 1}}) == {"available": True, "path": "effective.lazy"}
    fits = {"k" * (1024 - len('{"":"number"}')): 1}
    assert len(canonical({next(iter(fits)): "number"})) == 1024
    assert "keys" in lazy_navigation(V2, {"lazy": fits})
    assert "keys" not in lazy_navigation(V2, {"lazy": {"k" + next(iter(fits)): 1}})
    astral = {"\U0001f600" * 506: 1}  # two units each
    assert "keys" not in lazy_navigation(V2, {"lazy": astral})


def test_empty_branches_are_nothing() -> None:
    nothing = {"available": False, "path": "effective.lazy"}
    hollow: list[Any] = [{}, {"a": {}}, {"a": {"b": {"c": {}}}, "d": {}}]
    for lazy in hollow:
        assert lazy_navigation(V2, {"lazy": lazy}) == nothing
    assert lazy_navigation(V2, {}) == nothing
    assert lazy_navigation(V2, {"lazy": {"a": {"b": {}, "c": []}, "d": {}}})["keys"] == {"a": "object"}


def test_a_model_is_given_hot_memory_without_empty_branches() -> None:
    view: Any = {
        "intents": {"i": {}},
        "working": {"a": 1, "e": {}},
        "artifacts": {"p": {"description": "d", "hint": "h"}},
        "lazy": {"x": 1},
    }
    assert hot_state(V2, view) == {"working": {"a": 1}, "artifacts": {"p": {"description": "d"}}}


def history(start: Any, *changes: Any, limit: int = 7) -> Cohort:
    """Memory as it began, and what was recorded since, one transition after another."""
    cohort = begin(V4, start, origin_id="o", limit=limit)
    for number, change in enumerate(changes):
        cohort = record(cohort, f"b{number}", change.items())
    return cohort


def recent(cohort: Cohort, mode: Mode = "active") -> Any:
    return context(View(cohort, SCOPES), mode)["recent_transitions"]


def test_what_says_nothing_is_left_out_and_the_others_keep_their_numbers() -> None:
    cohort = history(
        {"cwd": {"tactics": {"a": 1}}},
        {"cwd": {"tactics": {"a": 2}, "lazy": {"k": {"deep": "body"}}}},
        {"cwd": {"lazy": {"k": {"deep": "other"}}}},
        {"session": {"response": "an answer"}},
        {"session": {"lazy": {"log": "body"}}, "cwd": {"tactics": {"b": [1, 2]}}},
        {"cwd": {"lazy": None}},
    )
    last = {"offset": 1, "patches": {"cwd": {"tactics": {"b": [1, 2]}}}}
    first = {"offset": 4, "patches": {"cwd": {"tactics": {"a": 2}}}}
    answer = {"offset": 2, "patches": {"session": {"response": "an answer"}}}
    assert recent(cohort) == [last, answer, first]
    assert recent(cohort, "passive") == [last, first]


def test_only_what_the_lineage_holds_is_recent() -> None:
    changes = [{"cwd": {"tactics": {"a": number}}} for number in range(5)]
    told = recent(history({"cwd": {"tactics": {}}}, *changes, limit=3))
    assert [one["offset"] for one in told] == [0, 1, 2]
    assert told[2]["patches"]["cwd"] == {"tactics": {"a": 2}}
    assert recent(history({}, *changes[:1], limit=0)) == []
    whole = history({}, *changes)
    parted = adopt(V4, whole.streams, origin_id="new", limit=7)
    assert recent(parted) == []


def test_empty_branches_that_come_and_go_are_not_told_but_what_they_replace_is() -> None:
    start = {"cwd": {"tactics": {"text": "t", "hollow": {"x": {}}, "list": ["l", {"m": 1}], "deep": {"k": 1}}}}
    cases: list[tuple[Any, Any]] = [
        ({"new": {}}, None),
        ({"new": {"deep": {"er": {}}}}, None),
        ({"hollow": None}, None),
        ({"hollow": {"x": {"y": {}}}}, None),
        ({"text": {}}, {"text": {}}),
        ({"text": {"a": {}}}, {"text": {}}),
        ({"list": {"key": {}}}, {"list": {}}),
        ({"list": {"[0]": {}}}, {"list": {"[0]": {}}}),
        ({"list": {"[1]": {"m": None}}}, {"list": {"[1]": {"m": None}}}),
        ({"list": {"[1]": {"n": {}}}}, None),
        ({"deep": {"k": None}}, {"deep": {"k": None}}),
        ({"deep": {"k": {}}}, {"deep": {"k": {}}}),
        ({"hollow": 1}, {"hollow": 1}),
        ({"list": ["l", {"m": 1, "e": {}}]}, None),
        ({"list": [{"m": 1, "e": {}}]}, {"list": [{"m": 1}]}),
    ]
    for change, told in cases:
        found = recent(history(start, {"cwd": {"tactics": change}}))
        assert found == ([] if told is None else [{"offset": 0, "patches": {"cwd": {"tactics": told}}}]), change


def test_bookkeeping_of_cards_is_not_told() -> None:
    card = {"description": "d"}
    cohort = history(
        {"cwd": {"artifacts": {"p": {**card, "compiledAt": "then"}}}},
        {"cwd": {"artifacts": {"p": {"compiledAt": "now"}}}},
        {"cwd": {"artifacts": {"p": {"compiledAt": "later", "description": "e"}}}},
    )
    assert context(View(cohort, SCOPES), "active")["state"] == {"artifacts": {"p": {"description": "e"}}}
    assert recent(cohort) == [{"offset": 0, "patches": {"cwd": {"artifacts": {"p": {"description": "e"}}}}}]


def test_declared_roots_are_given_or_not_as_they_are_declared() -> None:
    roots: Any = {"notes": {"module": "m", "projection": "hot"}, "attic": {"module": "m", "projection": "lazy"}}
    dialect = dialect_for(4, roots)
    cohort = begin(
        dialect, {"cwd": {"attic": {"a": "body"}, "notes": {"n": 1}, "lazy": {"k": []}}}, origin_id="o", limit=7
    )
    cohort = record(cohort, "b", [("cwd", {"attic": {"a": "other"}}), ("session", {"notes": {"n": 2}})])
    assert context(View(cohort, SCOPES), "passive") == {
        "state": {"notes": {"n": 2}},
        "lazy_navigation": {"available": True, "path": "effective.lazy", "keys": {"k": "array"}},
        "recent_transitions": [{"offset": 0, "patches": {"session": {"notes": {"n": 2}}}}],
    }


def test_a_reader_of_one_scope_gets_flat_references_and_no_other_scope() -> None:
    ref = {"$ref": "cwd.lazy.k"}
    cohort = history(
        {"global": {"strategy": {"g": 1}}}, {"cwd": {"tactics": {"t": ref}}, "session": {"tactics": {"s": 1}}}
    )
    flat = {"tactics": {"t": {"$ref": "lazy.k"}}}
    found = context(View(cohort, ("cwd",)), "active")
    assert found["state"] == flat
    assert found["recent_transitions"] == [{"offset": 0, "patches": {"cwd": flat}}]
    assert recent(cohort)[0]["patches"]["cwd"] == {"tactics": {"t": ref}}


def test_members_stand_in_the_order_in_which_reads_list_them() -> None:
    cohort = history({"cwd": {"tactics": {"b": 1, "10": 2, "9": 3}, "intents": {"i": 1}}})
    state: Any = context(View(cohort, SCOPES), "active")["state"]
    assert list(state) == ["intents", "tactics"] and list(state["tactics"]) == ["9", "10", "b"]


def test_the_last_answer_that_is_not_empty_is_given_in_active_alone() -> None:
    cohort = history({"global": {"response": "old"}, "cwd": {"response": "newer"}, "session": {"response": ""}})
    assert context(View(cohort, SCOPES), "active")["state"] == {"response": "newer"}
    assert context(View(cohort, SCOPES), "passive")["state"] == {}
