"""What a small change costs: values handed out are counted, never seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from engine.memory.dialect import V2, V4, Dialect
from engine.memory.patching import approval, receipt, stage
from engine.memory.scope import SCOPES, Scope
from engine.values import Json, encode, use_fast_paths

MOST = 200
TIDY: frozenset[Scope] = frozenset(SCOPES)


@dataclass
class Tally:
    """How many members and elements were looked at, each time that they were: by name, in turn, or to copy them."""

    visits: int = 0


class CountedObject(dict[str, Json]):
    tally: Tally

    def __getitem__(self, key: str) -> Json:
        self.tally.visits += 1
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.tally.visits += 1
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self.tally.visits += 1
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            self.tally.visits += 1
            yield key

    def keys(self) -> Any:
        return super().keys()  # a copy asks for these, and then for each member

    def items(self) -> Any:
        return ((key, self[key]) for key in self.keys())

    def values(self) -> Any:
        return (self[key] for key in self.keys())


class CountedArray(list[Json]):
    tally: Tally

    def __getitem__(self, index: Any) -> Any:
        self.tally.visits += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Json]:
        for item in super().__iter__():
            self.tally.visits += 1
            yield item


def counted(value: Any, tally: Tally) -> Any:
    if isinstance(value, dict):
        copy = CountedObject({key: counted(member, tally) for key, member in value.items()})
        copy.tally = tally
        return copy
    if isinstance(value, list):
        row = CountedArray([counted(item, tally) for item in value])
        row.tally = tally
        return row
    return value


def big(dialect: Dialect, scope: Scope) -> dict[str, Any]:
    """Ten megabytes: mostly lazy, with hot planes of a natural size."""
    first, second = dialect.planes[1], dialect.planes[2]
    note = {"text": "x" * 1300, "tags": ["a", "b"], "at": [1, 2, 0.5]}
    notes = {
        f"topic{n}": {f"part{m}": {f"note{k}": dict(note) for k in range(20)} for m in range(20)} for n in range(20)
    }
    return {
        "intents": {f"i{n}": {"goal": "g", "own": [{"$ref": f"{scope}.lazy.topic{n}"}]} for n in range(10)},
        first: {"rules": {f"r{n}": "be kind" for n in range(20)}},
        second: {"now": {"step": 1, "list": list(range(20))}},
        "artifacts": {f"/src/{n}.py": {"description": "d", "tags": ["t"]} for n in range(12)},
        "lazy": notes,
    }


@pytest.fixture(scope="module")
def memory() -> Callable[[Dialect], dict[Scope, Any]]:
    made = {dialect: big(dialect, "cwd") for dialect in (V2, V4)}

    def build(dialect: Dialect) -> dict[Scope, Any]:
        return {"global": {}, "cwd": made[dialect], "session": {"intents": {"s": "look"}}}

    return build


PATCHES: dict[str, Callable[[Dialect], Json]] = {
    "a lazy leaf": lambda _: {"cwd": {"lazy": {"topic3": {"part5": {"note7": {"text": "new"}}}}}},
    "a new lazy key": lambda _: {"cwd": {"lazy": {"topic3": {"part5": {"fresh": {"text": "new", "tags": []}}}}}},
    "a new topic": lambda _: {"cwd": {"lazy": {"topic99": {"fresh": 1}}}},
    "a hot key": lambda d: {"cwd": {d.planes[2]: {"now": {"step": 2}}}},
    "an element": lambda d: {"cwd": {d.planes[2]: {"now": {"list": {"[3]": 99}}}}},
    "a card": lambda _: {"cwd": {"artifacts": {"/src/3.py": {"tags": ["u"]}}}},
    "a deletion": lambda _: {"cwd": {"lazy": {"topic3": {"part5": {"note7": None}}}}},
    "another scope": lambda d: {"session": {d.planes[2]: {"next": "x"}}},
    "nothing": lambda _: {"cwd": {"lazy": {"topic3": {"part5": {"note7": {"text": "x" * 1300}}}}}},
    "a miss": lambda _: {"cwd": {"lazy": {"topic3": {"none": {"deeper": None}}}}},
}


@pytest.mark.parametrize("dialect", [V2, V4], ids=["dialect2", "dialect4"])
@pytest.mark.parametrize("name", PATCHES)
def test_a_small_patch_into_ten_megabytes_visits_little(
    name: str, dialect: Dialect, memory: Callable[[Dialect], dict[Scope, Any]]
) -> None:
    plain = memory(dialect)
    assert len(encode(plain["cwd"])) > 10_000_000
    tally = Tally()
    states: dict[Scope, Any] = {scope: counted(state, tally) for scope, state in plain.items()}
    tally.visits = 0
    patch = PATCHES[name](dialect)
    with use_fast_paths(True):
        staged = stage(dialect, states, patch, tidy=TIDY)
        told = receipt(dialect, SCOPES, states, staged)
        digest = approval(states, staged)
    visits = tally.visits
    assert visits <= MOST, f"{visits} values were handed out"
    with use_fast_paths(False):
        slow = stage(dialect, plain, patch, tidy=TIDY)
        assert (slow.after, slow.net, slow.cascaded, slow.missed, slow.warnings) == (
            staged.after, staged.net, staged.cascaded, staged.missed, staged.warnings,
        )  # fmt: skip
        assert receipt(dialect, SCOPES, plain, slow) == told
        assert approval(plain, slow) == digest


def test_what_was_not_touched_is_shared(memory: Callable[[Dialect], dict[Scope, Any]]) -> None:
    states = memory(V2)
    staged = stage(V2, states, PATCHES["a lazy leaf"](V2), tidy=TIDY)
    before: Any = states["cwd"]
    after: Any = staged.after["cwd"]
    assert after["lazy"]["topic4"] is before["lazy"]["topic4"]
    assert after["lazy"]["topic3"]["part5"]["note8"] is before["lazy"]["topic3"]["part5"]["note8"]
    assert after["artifacts"] is before["artifacts"]
    assert staged.after["global"] is states["global"]
