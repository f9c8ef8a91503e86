"""A draft carried out the long way: plain copies, paths as lists, references by regular expressions."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any

from engine.memory.draft import Draft, Operation, Put, Raw, Remove, Transfer
from engine.memory.scope import SCOPES, Scope
from engine.values import same
from tests.memory import reference
from tests.memory.reference import Refused, found, pruned

PLANES = ("intents", "strategy", "tactics", "artifacts", "lazy")
OWNABLE = ("strategy", "tactics", "lazy")

Path = tuple[str | int, ...]
KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
# What names a place; a reference with anything else in it names none, and follows nothing.
NAMING = re.compile(rf"{KEY.pattern}(\.{KEY.pattern}|\[[0-9]+((:|\.\.)[0-9]+)?\])*")


class LongWay:
    """Memory of dialect 4 as the steps leave it; `touched` and `mended` are the places they and the references changed."""

    def __init__(self, states: Mapping[Scope, Any]) -> None:
        self.before = {scope: copy.deepcopy(states.get(scope, {})) for scope in SCOPES}
        self.states = copy.deepcopy(self.before)
        self.touched: list[tuple[Scope, Path]] = []
        self.mended: list[tuple[Scope, Path]] = []
        self.refused: list[int] = []

    def run(self, draft: Draft) -> dict[Scope, Any]:
        """What memory is to be once the draft is published; `refused` tells which steps were not carried out."""
        steps = [(index, step.operation) for index, step in enumerate(draft.steps) if step.ticked]
        self.session = any("session" in scopes_of(operation) for _, operation in steps)
        for index, operation in steps:
            saved = copy.deepcopy(self.states), list(self.touched), list(self.mended)
            try:
                self.carry_out(operation)
            except Refused:
                self.states, self.touched, self.mended = saved
                self.refused.append(index)
        return {scope: self.published(scope) for scope in SCOPES}

    def carry_out(self, operation: Operation) -> None:
        if isinstance(operation, Put):
            self.put(operation.scope, operation.path, operation.value)
        elif isinstance(operation, Remove):
            if found(self.states[operation.scope], operation.path)[0]:
                self.remove(operation.scope, operation.path)
            elif isinstance(operation.path[-1], int):
                raise Refused
        elif isinstance(operation, Raw):
            self.patch(operation.patch)
        else:
            self.transfer(operation)

    def put(self, scope: Scope, path: Path, value: Any) -> None:
        if path[0] not in PLANES or (len(path) == 1 and not isinstance(value, dict)):
            raise Refused
        node: Any = self.states[scope]
        for key, following in zip(path, (*path[1:], None), strict=True):
            last = following is None
            if isinstance(node, dict) and isinstance(key, str):
                if last:
                    node[key] = copy.deepcopy(value)
                elif key not in node:
                    node[key] = {}
            elif isinstance(node, list) and isinstance(key, int) and key < len(node):
                if last:
                    node[key] = copy.deepcopy(value)
            elif isinstance(node, list) and isinstance(key, int) and key == len(node) and last:
                node.append(copy.deepcopy(value))
                self.touched.append((scope, path[:-1]))
                return
            else:
                raise Refused
            if not last:
                node = node[key]
        self.touched.append((scope, path))

    def remove(self, scope: Scope, path: Path) -> None:
        if path[0] not in PLANES:
            raise Refused
        there, parent = found(self.states[scope], path[:-1])
        if not there or not found(parent, path[-1:])[0]:
            raise Refused
        del parent[path[-1]]
        self.touched.append((scope, path[:-1] if isinstance(parent, list) else path))

    def patch(self, patch: Any) -> None:
        for scope in SCOPES:
            if scope in patch:
                for path in ends(patch[scope], self.states[scope]):
                    if reading(patch[scope], path) != {} or not isinstance(found(self.states[scope], path)[1], dict):
                        self.touched.append((scope, path))
                self.states[scope] = reference.patched(self.states[scope], patch[scope])

    def transfer(self, move: Transfer) -> None:
        there, value = found(self.states[move.scope], move.path)
        occupied = found(self.states[move.to_scope], move.to_path)[0]
        within = move.scope == move.to_scope and move.to_path[: len(move.path)] == move.path
        if not there or occupied or (within and not move.keep) or move.to_path[0] not in PLANES:
            raise Refused
        if move.path[0] not in PLANES:
            raise Refused
        value = copy.deepcopy(value)
        crosses = move.scope != move.to_scope
        taken, shared = self.along(move) if move.along else ([], set())
        # What goes along is named by references, so it can be named.
        pairs = [(dotted(move.scope, path), dotted(move.to_scope, path)) for path in taken] if crosses else []
        for path in taken if crosses else ():
            here, other = found(self.states[move.scope], path)[1], found(self.states[move.to_scope], path)
            shorter = min(len(path), len(move.to_path))
            if (other[0] and not same(other[1], here)) or path[:shorter] == move.to_path[:shorter]:
                raise Refused
        self.put(move.to_scope, move.to_path, renamed(value, pairs))
        for path in taken:
            if not crosses:
                if not move.keep and move.to_path[0] != "intents":
                    self.touched.append((move.scope, path))
                continue
            if not found(self.states[move.to_scope], path)[0]:
                self.put(move.to_scope, path, renamed(found(self.states[move.scope], path)[1], pairs))
            if not move.keep and path not in shared:
                self.remove(move.scope, path)
        if move.keep:
            return
        self.remove(move.scope, move.path)
        if move.rewrite:
            every = []
            if all(isinstance(key, int) or KEY.fullmatch(key) for key in (*move.path, *move.to_path)):
                every = [(dotted(move.scope, move.path), dotted(move.to_scope, move.to_path))]
                others = [state for scope, state in self.states.items() if scope != move.to_scope]
                still = any(found(state, move.path)[0] for state in self.states.values())
                if move.path != move.to_path and not still and not any(found(one, move.to_path)[0] for one in others):
                    shown = dotted("effective", move.path), dotted("effective", move.to_path)
                    every += [shown, (shown[0][10:], shown[1][10:])]
            every += [pair for pair, path in zip(pairs, taken, strict=False) if path not in shared]
            self.rewrite(every)

    def along(self, move: Transfer) -> tuple[list[Path], set[Path]]:
        """What the intent owns, nothing below another, and which of it others keep."""
        if len(move.path) != 2 or move.path[0] != "intents":
            return [], set()
        intents = self.states[move.scope]["intents"]
        mine = [name for name in names(intents[move.path[1]], move.scope) if exists(self.states[move.scope], name)]
        top = [name for name in dict.fromkeys(mine) if not any(name != one and nested(name, one) for one in mine)]
        kept = {name for key, value in intents.items() if key != move.path[1] for name in keeps(value, move.scope)}
        shared = {name for name in top if any(nested(name, one) or nested(one, name) for one in kept)}
        return [path_of(name) for name in top], {path_of(name) for name in shared}

    def rewrite(self, pairs: list[tuple[str, str]]) -> None:
        for scope in SCOPES:
            if scope == "session" and not self.session:
                continue
            for path in reference.paths(self.states[scope]):
                there, value = found(self.states[scope], path)
                if there and isinstance(value, str) and path[0] in PLANES:
                    text = renamed_text(value, pairs, structured=path[-1] == "$ref")
                    if text != value:
                        found(self.states[scope], path[:-1])[1][path[-1]] = text
                        self.mended.append((scope, path))

    def published(self, scope: Scope) -> Any:
        before, wanted = self.before[scope], self.states[scope]
        after = copy.deepcopy(before)
        after["intents"] = copy.deepcopy(wanted.get("intents", {}))
        gone = cascaded(before, pruned(after), scope)
        for name in gone:
            del found(after, path_of(name)[:-1])[1][path_of(name)[-1]]
        touched = [path for where, path in self.touched if where == scope]
        for where, path in self.mended:
            lost = any(nested(".".join((scope, *map(str, path))), name) for name in gone)
            if where == scope and not lost and found(wanted, path)[0]:
                touched.append(path)
        for path in sorted(touched, key=len):
            if path[0] != "intents":
                lay(after, wanted, path)
        return pruned(after)


def lay(after: Any, wanted: Any, path: Path) -> None:
    """Have at `path` of `after` what is there in `wanted`; arrays as wholes."""
    for length in range(1, len(path)):
        was, now = found(after, path[:length]), found(wanted, path[:length])
        if isinstance(now[1], list) or (was[0] and now[0] and not isinstance(was[1], dict)):
            path = path[:length]
            break
    there, value = found(wanted, path)
    node = after
    for key in path[:-1]:
        if not isinstance(node.get(key), dict):
            if not there:
                return
            node[key] = {}
        node = node[key]
    if there:
        node[path[-1]] = copy.deepcopy(value)
    else:
        node.pop(path[-1], None)


def cascaded(before: Any, after: Any, scope: Scope) -> set[str]:
    left = after.get("intents", {})
    deleted = [value for key, value in before.get("intents", {}).items() if key not in left]
    kept = {name for value in left.values() for name in keeps(value, scope)}
    free = {
        name
        for value in deleted
        for name in names(value, scope)
        if exists(after, name) and not any(nested(name, one) or nested(one, name) for one in kept)
    }
    return {name for name in free if not any(name != one and nested(name, one) for one in free)}


def names(value: Any, scope: Scope) -> list[str]:
    """Every structured reference that can own something in `scope`, in the order of a walk, parents first."""
    owning = re.compile(rf"{scope}\.({'|'.join(OWNABLE)})(\.{KEY.pattern})+")
    return [ref for ref in refs(value) if owning.fullmatch(ref)]


def keeps(value: Any, scope: Scope) -> list[str]:
    """What structured references keep from going: planes as well, and the arrays of elements."""
    keeping = re.compile(rf"({scope}\.({'|'.join(OWNABLE)})(\.{KEY.pattern})*)(\[[0-9]+\].*)?")
    return [found[1] for found in map(keeping.fullmatch, refs(value)) if found]


def refs(value: Any) -> list[str]:
    listed: list[str] = []
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        listed.append(value["$ref"])
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        listed += refs(member)
    return listed


def exists(state: Any, name: str) -> bool:
    return found(state, path_of(name))[0]


def nested(name: str, other: str) -> bool:
    return name == other or name.startswith(other + ".")


def path_of(name: str) -> Path:
    return tuple(name.split(".")[1:])


def dotted(scope: str, path: Path) -> str:
    return scope + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


def renamed(value: Any, pairs: Iterable[tuple[str, str]], key: str | int | None = None) -> Any:
    if isinstance(value, str):
        return renamed_text(value, pairs, structured=key == "$ref")
    if isinstance(value, dict):
        return {name: renamed(member, pairs, name) for name, member in value.items()}
    if isinstance(value, list):
        return [renamed(item, pairs) for item in value]
    return value


def renamed_text(text: str, pairs: Iterable[tuple[str, str]], *, structured: bool) -> str:
    structured = structured and NAMING.fullmatch(text) is not None
    for old, new in pairs:
        if structured:
            text = new + text[len(old) :] if re.match(rf"{re.escape(old)}(\Z|[.\[])", text) else text
        else:
            text = re.sub(rf"\${re.escape(old)}(?![A-Za-z0-9_$-])", lambda _, new=new: "$" + new, text)  # type: ignore[misc]
    return text


def ends(patch: Any, value: Any, path: Path = ()) -> list[Path]:
    """Where a patch ends, its `[N]` keys over arrays as positions."""
    if not isinstance(patch, dict) or not patch:
        return [path]
    over = isinstance(value, list) and all(reference.SLOT.fullmatch(key) for key in patch)
    listed: list[Path] = []
    for key, change in patch.items():
        step: str | int = int(key[1:-1]) if over else key
        listed += ends(change, found(value, (step,))[1], (*path, step))
    return listed


def reading(patch: Any, path: Path) -> Any:
    for key in path:
        patch = patch[f"[{key}]" if isinstance(key, int) else key]
    return patch


def scopes_of(operation: Operation) -> set[str]:
    if isinstance(operation, Raw):
        return set(operation.patch)
    if isinstance(operation, Transfer):
        return {operation.to_scope} if operation.keep else {operation.scope, operation.to_scope}
    return {operation.scope}
