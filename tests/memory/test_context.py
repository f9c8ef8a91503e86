from __future__ import annotations

from typing import Any

from engine.memory.context import hot_state
from engine.memory.dialect import V2, V4
from engine.memory.navigation import MOST_KEYS, lazy_navigation
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
