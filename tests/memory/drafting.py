"""Small memories in which much refers to much, patches of them, and drafts: dense, so that everything meets.

Made by chance from a seed that hypothesis draws: recursive strategies rarely make a reference that hits something.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from engine.memory.draft import Draft, Operation, Put, Remove, Step, Transfer
from engine.memory.gathering import pre_image, raw
from engine.memory.scope import SCOPES, Scope
from engine.values import KeyPath
from tests.memory import reference

KEYS = ("a", "b", "c")
ODD_KEYS = ("a", "[0]", "__proto__", "1", "é b")
PLANES = ("strategy", "tactics", "lazy")
ODD = ("cwd.intents.a", "cwd.lazy.a[0]", "cwd.lazy", "effective.lazy.a", "lazy.a", "cwd[0].lazy.a", "cwd.lazy.a b", "")


class Chance:
    """What chance makes of one seed."""

    def __init__(self, seed: int, names: tuple[str, ...] = KEYS) -> None:
        self.random = Random(seed)
        self.names = names

    def of(self, odds: float) -> bool:
        return self.random.random() < odds

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def keys(self, odds: float) -> list[str]:
        return [key for key in self.names if self.of(odds)]

    def target(self, scope: Scope | None = None) -> str:
        """A path that a reference may name: mostly of `scope`, at times one that owns nothing."""
        if self.of(0.1):
            return str(self.one(*ODD))
        if self.of(0.1):
            return f"{self.one('effective.', '')}{self.one(*PLANES)}.{self.one(*self.names)}"
        where = scope if scope is not None and self.of(0.8) else self.one(*SCOPES)
        if self.of(0.05):
            return f"{where}.intents.{self.one(*self.names)}"
        return f"{where}.{self.one(*PLANES)}.{self.one(*self.names)}" + (
            f".{self.one(*self.names)}" if self.of(0.3) else ""
        )

    def leaf(self, scope: Scope, refs: float) -> Any:
        if self.of(refs):
            return {"$ref": self.target(scope)}
        if self.of(0.3):
            return f"see ${self.target(scope)}, {self.target(scope)}$ ${self.target(scope)}."
        return self.one(0, 1, "x", True)

    def content(self, scope: Scope, *, refs: float = 0.1, depth: int = 2) -> Any:
        if depth and self.of(0.6):
            if self.of(0.25):
                return [self.content(scope, refs=refs, depth=depth - 1) for _ in range(self.one(0, 1, 2, 3))]
            return {key: self.content(scope, refs=refs, depth=depth - 1) for key in self.keys(0.6)} or 0
        return self.leaf(scope, refs)

    def state(self, scope: Scope) -> Any:
        made = {plane: {key: self.content(scope) for key in self.keys(0.7)} for plane in PLANES if self.of(0.8)}
        made["intents"] = {key: self.content(scope, refs=0.7) for key in self.keys(0.7)}
        return reference.pruned(made)

    def cohort(self) -> Any:
        return {scope: self.state(scope) for scope in SCOPES}

    def untidy(self, value: Any) -> Any:
        """A value with empty objects here and there, as another program may have left them."""
        if isinstance(value, dict):
            made = {key: self.untidy(member) for key, member in value.items()}
            return {**made, self.one(*self.names): self.one({}, {"a": {}})} if self.of(0.3) else made
        if isinstance(value, list):
            return [*map(self.untidy, value), *([{}] if self.of(0.2) else [])]
        return value

    def change(self, scope: Scope, value: Any, refs: float) -> Any:
        """A patch of `value`."""
        if isinstance(value, dict) and self.of(0.5):
            keys = [key for key in dict.fromkeys((*value, *self.names)) if self.of(0.4)]
            return {key: self.change(scope, value.get(key), refs) for key in keys}
        if isinstance(value, list) and value and self.of(0.5):
            return {f"[{at}]": self.change(scope, item, refs) or 0 for at, item in enumerate(value) if self.of(0.6)}
        if self.of(0.4):
            return None
        if self.of(0.05):
            return {"[0]": 5}
        return self.content(scope, refs=refs)

    def patch(self, cohort: Any) -> Any:
        """A patch of some scopes of the cohort; at times one that is refused."""
        made: Any = {}
        for scope in SCOPES:
            if self.of(0.6):
                planes = [plane for plane in ("intents", *PLANES) if self.of(0.6)]
                made[scope] = {plane: self.plane(scope, cohort[scope], plane) for plane in planes}
        return made

    def plane(self, scope: Scope, state: Any, plane: str) -> Any:
        members, refs = state.get(plane, {}), 0.7 if plane == "intents" else 0.1
        return {key: self.change(scope, members.get(key), refs) for key in self.keys(0.5)}

    def place(self, cohort: Any, scopes: tuple[Scope, ...] = SCOPES) -> tuple[Scope, KeyPath]:
        """Mostly a place that is there, else one beside or below it."""
        scope: Scope = self.one(*scopes)
        there = [path for path in reference.paths(cohort[scope]) if len(path) > 1]
        if not there or self.of(0.2):
            return scope, (
                self.one("intents", *PLANES),
                *(self.one(*self.names, 0) for _ in range(self.one(1, 1, 2, 3))),
            )
        path = self.one(*there)
        if self.of(0.5):
            path = path[:2]
        return scope, self.one(path, path, path, path, (*path, "b"), (*path, 1), (*path[:-1], "c"))

    def operation(self, cohort: Any) -> Operation:
        scope, path = self.place(cohort)
        before = pre_image(cohort, scope, path)
        act = self.one("put", "remove", "transfer", "transfer", "raw")
        if act == "put":
            return Put(scope, path, self.content(scope, refs=0.7 if path[0] == "intents" else 0.1), before)
        if act == "remove":
            return Remove(scope, path, before)
        if act == "raw":
            return raw(cohort, self.patch(cohort))
        to_scope, to_path = self.place(cohort)
        if self.of(0.4):
            to_path = path
        elif self.of(0.5):
            to_path = (*path[:-1], "new")
        there = pre_image(cohort, to_scope, to_path)
        return Transfer(
            scope, path, to_scope, to_path, before, there, self.of(0.3), along=self.of(0.8), rewrite=self.of(0.8)
        )

    def move(self, cohort: Any) -> Operation:
        """A move out of what much refers to, or an intent that goes with what it owns; no session has a part in it."""
        scope: Scope = self.one("global", "cwd")
        intents = cohort[scope].get("intents", {})
        if intents and self.of(0.4):
            path: KeyPath = ("intents", self.one(*intents))
            return Remove(scope, path, pre_image(cohort, scope, path))
        scope, path = self.place(cohort, (scope,))
        if intents and self.of(0.3):
            path = ("intents", self.one(*intents))
        to_scope: Scope = self.one("global", "cwd")
        to_path: KeyPath = (*path[:-1], "new")
        if path[0] == "intents" and len(path) == 2:
            to_path = (self.one("intents", "lazy"), self.one("new", "newer"))
        there = pre_image(cohort, to_scope, to_path)
        return Transfer(scope, path, to_scope, to_path, pre_image(cohort, scope, path), there)

    def operations(self, cohort: Any, most: int) -> list[Operation]:
        return [self.operation(cohort) for _ in range(self.random.randint(1, most))]

    def draft(self, cohort: Any) -> Draft:
        return Draft(tuple(Step(operation, ticked=self.of(0.9)) for operation in self.operations(cohort, 5)))


seeds = st.integers(0, 2**32)
chances = seeds.map(Chance)
odd_chances = seeds.map(lambda seed: Chance(seed, ODD_KEYS))
