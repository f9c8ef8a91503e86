"""Patches of one scope and what the contract makes of them, worked out by hand: intents, cascade, the other planes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.memory.dialect import V2, V4, Dialect

OWNS_A = {"$ref": "cwd.working.a"}
OWNS_PLAN = {"$ref": "cwd.lazy.plan"}


@dataclass(frozen=True)
class Row:
    """cwd before, the patch of cwd, cwd after, what the cascade says, what is recorded, what was missed."""

    before: Any
    patch: Any
    after: Any
    cascaded: list[str] = field(default_factory=list)
    net: Any = None
    missed: list[tuple[str, str]] = field(default_factory=list)
    dialect: Dialect = V2


ROWS: dict[str, Row] = {
    # A successor takes over in the same patch: nothing is cleared.
    "supersession keeps what the successor names": Row(
        {"intents": {"old": {"do": "x", "own": OWNS_PLAN}}, "lazy": {"plan": {"s": 1}}},
        {"intents": {"old": None, "new": {"do": "y", "own": OWNS_PLAN}}},
        {"intents": {"new": {"do": "y", "own": OWNS_PLAN}}, "lazy": {"plan": {"s": 1}}},
        net={"intents": {"old": None, "new": {"do": "y", "own": OWNS_PLAN}}},
    ),
    "supersession by an existing intent's new reference": Row(
        {"intents": {"old": OWNS_PLAN, "other": {"do": "z"}}, "lazy": {"plan": {"s": 1}}},
        {"intents": {"old": None, "other": {"own": [OWNS_PLAN]}}},
        {"intents": {"other": {"do": "z", "own": [OWNS_PLAN]}}, "lazy": {"plan": {"s": 1}}},
        net={"intents": {"old": None, "other": {"own": [OWNS_PLAN]}}},
    ),
    "a successor that names something above keeps it": Row(
        {"intents": {"old": {"$ref": "cwd.lazy.plan.step"}}, "lazy": {"plan": {"step": 1, "t": 2}}},
        {"intents": {"old": None, "new": OWNS_PLAN}},
        {"intents": {"new": OWNS_PLAN}, "lazy": {"plan": {"step": 1, "t": 2}}},
    ),
    "a successor that names something below keeps it": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": {"step": [1], "t": 2}}},
        {"intents": {"old": None, "new": {"$ref": "cwd.lazy.plan.step[0]"}}},
        {"intents": {"new": {"$ref": "cwd.lazy.plan.step[0]"}}, "lazy": {"plan": {"step": [1], "t": 2}}},
    ),
    "a successor that names the whole plane keeps it": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": 1}},
        {"intents": {"old": None, "new": {"$ref": "cwd.lazy"}}},
        {"intents": {"new": {"$ref": "cwd.lazy"}}, "lazy": {"plan": 1}},
    ),
    "a successor that only mentions it in a text does not": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": 1, "k": 2}},
        {"intents": {"old": None, "new": "see $cwd.lazy.plan"}},
        {"intents": {"new": "see $cwd.lazy.plan"}, "lazy": {"k": 2}},
        ["cwd.lazy.plan"],
        {"intents": {"old": None, "new": "see $cwd.lazy.plan"}, "lazy": {"plan": None}},
    ),
    "a successor in another scope's words does not": Row(
        {"intents": {"old": OWNS_PLAN}, "lazy": {"plan": 1}},
        {"intents": {"old": None, "new": {"$ref": "session.lazy.plan"}}},
        {"intents": {"new": {"$ref": "session.lazy.plan"}}},
        ["cwd.lazy.plan"],
    ),
    # What survives is written again in the deleting patch.
    "rewritten at the same path: fresh, without the old fields": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"old": 1, "both": 1}, "k": 1}},
        {"intents": {"i": None}, "lazy": {"plan": {"both": 2}}},
        {"lazy": {"plan": {"both": 2}, "k": 1}},
        ["cwd.lazy.plan"],
        {"intents": None, "lazy": {"plan": {"old": None, "both": 2}}},
    ),
    "rewritten with the very same value: nothing of it is recorded": Row(
        {"intents": {"i": OWNS_PLAN, "j": 1}, "lazy": {"plan": {"old": 1}}},
        {"intents": {"i": None}, "lazy": {"plan": {"old": 1}}},
        {"intents": {"j": 1}, "lazy": {"plan": {"old": 1}}},
        ["cwd.lazy.plan"],
        {"intents": {"i": None}},
    ),
    "rewritten at a new path": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"old": 1}}},
        {"intents": {"i": None}, "lazy": {"archive": {"plan": "done"}}},
        {"lazy": {"archive": {"plan": "done"}}},
        ["cwd.lazy.plan"],
        {"intents": None, "lazy": {"plan": None, "archive": {"plan": "done"}}},
    ),
    "moved to another plane": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": 1}},
        {"intents": {"i": None}, "contract": {"learnt": 1}},
        {"contract": {"learnt": 1}},
        ["cwd.working.a"],
        {"intents": None, "working": None, "contract": {"learnt": 1}},
    ),
    "a part below a cleared target is fresh knowledge": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"a": {"x": 1}, "b": 1}}},
        {"intents": {"i": None}, "lazy": {"plan": {"a": {"y": 2}}}},
        {"lazy": {"plan": {"a": {"y": 2}}}},
        ["cwd.lazy.plan"],
        {"intents": None, "lazy": {"plan": {"a": {"x": None, "y": 2}, "b": None}}},
    ),
    "a target is what it was before the patch wrote": Row(
        {"intents": {"i": {"$ref": "cwd.working.new"}}},
        {"intents": {"i": None}, "working": {"new": 1}},
        {"working": {"new": 1}},
        net={"intents": None, "working": {"new": 1}},
    ),
    "an array rewritten whole": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": [1, 2]}},
        {"intents": {"i": None}, "working": {"a": [3]}},
        {"working": {"a": [3]}},
        ["cwd.working.a"],
        {"intents": None, "working": {"a": [3]}},
    ),
    # Deletions and the cascade.
    "a null on what was just cleared is not missed": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": 1, "b": 1}},
        {"intents": {"i": None}, "working": {"a": None}},
        {"working": {"b": 1}},
        ["cwd.working.a"],
        {"intents": None, "working": {"a": None}},
    ),
    "nor below it": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"x": {"y": 1}}}},
        {"intents": {"i": None}, "lazy": {"plan": {"x": {"y": None}}}},
        {},
        ["cwd.lazy.plan"],
    ),
    "but what was not there before is missed": Row(
        {"intents": {"i": OWNS_PLAN}, "lazy": {"plan": {"x": 1}}},
        {"intents": {"i": None}, "lazy": {"plan": {"z": None}}},
        {},
        ["cwd.lazy.plan"],
        missed=[("/cwd/lazy/plan/z", "/cwd/lazy/plan")],
    ),
    "misses are listed as the planes were written": Row(
        {"intents": {"i": OWNS_A}, "working": {"a": 1}},
        {"working": {"none": None}, "intents": {"nobody": None}},
        {"intents": {"i": OWNS_A}, "working": {"a": 1}},
        missed=[("/cwd/working/none", "/cwd/working/none"), ("/cwd/intents/nobody", "/cwd/intents/nobody")],
    ),
    # What counts as deleted.
    "an intent pruned to nothing is deleted": Row(
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": {"own": None}}},
        {},
        ["cwd.working.a"],
        {"intents": None, "working": None},
    ),
    "an intent set to an empty object keeps its fields": Row(
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": {}}},
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
    ),
    "an edited intent is not deleted": Row(
        {"intents": {"i": {"do": "x", "own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": {"own": None}}},
        {"intents": {"i": {"do": "x"}}, "working": {"a": 1}},
        net={"intents": {"i": {"own": None}}},
    ),
    "an intent replaced by a text is not deleted": Row(
        {"intents": {"i": {"own": OWNS_A}}, "working": {"a": 1}},
        {"intents": {"i": "done"}},
        {"intents": {"i": "done"}, "working": {"a": 1}},
    ),
    "an intent emptied and another deleted": Row(
        {"intents": {"i": {"x": {"own": OWNS_A}}, "j": OWNS_PLAN}, "working": {"a": 1}, "lazy": {"plan": 1}},
        {"intents": {"i": {"x": {"own": None}}, "j": None}},
        {},
        ["cwd.lazy.plan", "cwd.working.a"],
    ),
    # Targets.
    "nested targets go as one": Row(
        {"intents": {"i": [OWNS_PLAN, {"$ref": "cwd.lazy.plan.x"}]}, "lazy": {"plan": {"x": 1}}},
        {"intents": {"i": None}},
        {},
        ["cwd.lazy.plan"],
    ),
    "a kept target does not keep what lies below it from going with another": Row(
        {
            "intents": {"i": [OWNS_PLAN, {"$ref": "cwd.lazy.plan.x"}], "j": {"$ref": "cwd.lazy.plan.y"}},
            "lazy": {"plan": {"x": 1, "y": 2}},
        },
        {"intents": {"i": None}},
        {"intents": {"j": {"$ref": "cwd.lazy.plan.y"}}, "lazy": {"plan": {"y": 2}}},
        ["cwd.lazy.plan.x"],
    ),
    "what cannot be owned is skipped silently": Row(
        {
            "intents": {"i": [
                {"$ref": "cwd.contract.a"}, {"$ref": "cwd.artifacts.a"}, {"$ref": "cwd.intents.k"}, {"$ref": "cwd.working"},
                {"$ref": "cwd.working.list[0]"}, {"$ref": "working.a"}, {"$ref": "effective.working.a"},
                {"$ref": "session.working.a"}, {"$ref": "cwd[0].working.a"}, {"$ref": "cwd.working.odd key"},
                {"$ref": "cwd.working.none"}, {"$ref": "https://example.org"},
            ], "k": 1},
            "contract": {"a": 1}, "working": {"a": 1, "list": [1], "odd key": 1},
        },
        {"intents": {"i": None}},
        {"intents": {"k": 1}, "contract": {"a": 1}, "working": {"a": 1, "list": [1], "odd key": 1}},
    ),
    # Dialect 4 owns strategy as well.
    "strategy is owned in dialect 4": Row(
        {"intents": {"i": [{"$ref": "cwd.strategy.s"}, {"$ref": "cwd.tactics.t"}, {"$ref": "cwd.lazy.l"}]},
         "strategy": {"s": 1, "keep": 1}, "tactics": {"t": 1}, "lazy": {"l": 1}},
        {"intents": {"i": None}},
        {"strategy": {"keep": 1}},
        ["cwd.lazy.l", "cwd.strategy.s", "cwd.tactics.t"],
        {"intents": None, "strategy": {"s": None}, "tactics": None, "lazy": None},
        dialect=V4,
    ),
    "strategy is no safe haven, unless it is rewritten": Row(
        {"intents": {"i": {"$ref": "cwd.strategy.s"}}, "strategy": {"s": {"old": 1}}},
        {"intents": {"i": None}, "strategy": {"s": {"new": 1}}},
        {"strategy": {"s": {"new": 1}}},
        ["cwd.strategy.s"],
        {"intents": None, "strategy": {"s": {"old": None, "new": 1}}},
        dialect=V4,
    ),
    "contract is not owned in dialect 2": Row(
        {"intents": {"i": {"$ref": "cwd.contract.s"}}, "contract": {"s": 1}},
        {"intents": {"i": None}},
        {"contract": {"s": 1}},
    ),
    # Repeats.
    "a correct repeat changes nothing": Row(
        {"working": {"a": {"b": [1, 2.0]}}}, {"working": {"a": {"b": [1.0, 2]}}}, {"working": {"a": {"b": [1, 2.0]}}}, net={}
    ),
    "a repeated deletion changes nothing and is missed": Row(
        {"working": {"b": 1}},
        {"working": {"a": None}},
        {"working": {"b": 1}},
        net={},
        missed=[("/cwd/working/a", "/cwd/working/a")],
    ),
    "an element becomes a whole array in the record": Row(
        {"lazy": {"m": ["a", "b"]}}, {"lazy": {"m": {"[1]": "c"}}}, {"lazy": {"m": ["a", "c"]}}, net={"lazy": {"m": ["a", "c"]}}
    ),
}  # fmt: skip
