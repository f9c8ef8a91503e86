"""The copy of memory that a draft is carried out on, step by step: paths are copied, not trees, each but once."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, TypeAlias, Union

from engine.memory.dialect import RESPONSE, Dialect
from engine.memory.ownership import INTENTS, Holdings
from engine.memory.scope import SCOPES, Scope
from engine.values import (
    MAX_DEPTH,
    Json,
    JsonObject,
    KeyPath,
    a_kind,
    get,
    has,
    is_array,
    is_deeper,
    is_object,
    related,
)

Marks: TypeAlias = dict[str | int, Union["Marks", None]]
"""A set of paths that grows: a `KeyTrie`."""

# A patch has the scope above the planes, and stands in a document of its own.
_DEEPEST: Final = MAX_DEPTH - 1


class Blocked(Exception):
    """A step that cannot be carried out: what is in the way, and where."""

    def __init__(self, code: str, scope: Scope, path: KeyPath, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.scope: Scope = scope
        self.path = path
        self.message = message


class Working:
    """Memory as the steps carried out so far leave it, before anything goes along with a deleted intent.

    `touched` has what the steps set or deleted; `mended` the places where only references were rewritten.
    `marks` says which step was where, `remarks` what a person should know.
    """

    def __init__(self, dialect: Dialect, states: Mapping[Scope, JsonObject]) -> None:
        self.dialect = dialect
        self.states: dict[Scope, JsonObject] = {scope: states.get(scope, {}) for scope in SCOPES}
        self.touched: dict[Scope, Marks] = {scope: {} for scope in SCOPES}
        self.mended: dict[Scope, dict[KeyPath, int]] = {scope: {} for scope in SCOPES}
        self.marks: list[tuple[Scope, KeyPath, int]] = []
        self.remarks: dict[tuple[int, str, Scope, KeyPath], str] = {}
        self.step = 0
        self._ours: dict[int, Any] = {}  # containers that were made here, which may be changed
        self._holdings: dict[Scope, Holdings] = {}

    def has(self, scope: Scope, path: KeyPath) -> bool:
        return has(self.states[scope], path)

    def get(self, scope: Scope, path: KeyPath) -> Json:
        return get(self.states[scope], path)

    def remark(self, code: str, scope: Scope, path: KeyPath, message: str, *, step: int | None = None) -> None:
        self.remarks.setdefault((self.step if step is None else step, code, scope, path), message)

    def forget_remarks(self, step: int) -> None:
        """Take back what was said of a step that is not carried out."""
        for place in [place for place in self.remarks if place[0] == step]:
            del self.remarks[place]

    def last_step(self, scope: Scope, path: KeyPath) -> int:
        """The step that was last at, above or below a place."""
        for where, at, step in reversed(self.marks):
            if where == scope and related(at, path):
                return step
        return self.step

    def check_put(self, scope: Scope, path: KeyPath) -> None:
        """Raise Blocked where nothing can be put at `path`."""
        self.check_place(scope, path)
        self._is_next(scope, path)

    def put(self, scope: Scope, path: KeyPath, value: Json) -> None:
        """Set what stands at `path`; members on the way are made. An index may also be the next one of its array."""
        self.check_place(scope, path)
        if len(path) == 1 and not is_object(value):
            raise Blocked("plane-type", scope, path, f"The plane {path[0]} holds keys, not {a_kind(value)}")
        appends = self._is_next(scope, path)
        parent = self._parent(scope, path)
        if appends:
            parent.append(value)
            self.touch(scope, path[:-1])
        else:
            parent[path[-1]] = value
            self.touch(scope, path)

    def remove(self, scope: Scope, path: KeyPath) -> None:
        """Take away what stands at `path`; of a plane, all its keys."""
        self.check_place(scope, path)
        if not self.has(scope, path):
            raise Blocked("source-gone", scope, path, "Nothing stands there any more")
        del self._parent(scope, path)[path[-1]]
        # Elements behind it move up: the array is another one as a whole.
        self.touch(scope, path[:-1] if isinstance(path[-1], int) else path)

    def mend(self, scope: Scope, path: KeyPath, text: str) -> None:
        """Put a text in the place of another one: no more than a reference in it changes."""
        self._parent(scope, path)[path[-1]] = text
        self.mended[scope][path] = self.step
        self._intents_changed(scope, path)

    def take_over(self, scope: Scope, state: JsonObject, paths: list[KeyPath]) -> None:
        """Go on from a state that was made elsewhere and differs at `paths`."""
        self.states[scope] = state
        self._ours.clear()
        self._holdings.pop(scope, None)
        for path in paths:
            self.touch(scope, path)

    def share(self, value: Json) -> Json:
        """`value`, which is to stand in two places: from now on it is copied before it changes."""
        pending = [value]
        while pending:
            node = pending.pop()
            if self._ours.pop(id(node), None) is not None:
                pending.extend(node.values() if is_object(node) else node if is_array(node) else ())
        return value

    def touch(self, scope: Scope, path: KeyPath) -> None:
        self.marks.append((scope, path, self.step))
        mark(self.touched[scope], path)
        self._intents_changed(scope, path)

    def holdings(self, scope: Scope) -> Holdings:
        """Who names what among the intents of a scope, as they are now."""
        found = self._holdings.get(scope)
        if found is None:
            found = self._holdings[scope] = Holdings(self.dialect, scope, self.states[scope])
        return found

    def _intents_changed(self, scope: Scope, path: KeyPath) -> None:
        if path[0] != INTENTS or scope not in self._holdings:
            return
        if len(path) > 1:
            self._holdings[scope].renew(str(path[1]), self.states[scope])
        else:
            del self._holdings[scope]

    def check_place(self, scope: Scope, path: KeyPath) -> None:
        """Raise Blocked unless a patch may carry the plane."""
        plane = path[0] if path else None
        if plane == RESPONSE:
            raise Blocked("response-refused", scope, path, "The answer belongs to the runtime and cannot be patched")
        if plane not in self.dialect.patchable:
            raise Blocked("unknown-plane", scope, path, "There is no such plane to write to")

    def _is_next(self, scope: Scope, path: KeyPath) -> bool:
        """Whether `path` is the next element of its array; raises Blocked where nothing can be put there."""
        node: Json = self.states[scope]
        for depth, key in enumerate(path):
            if is_object(node) and isinstance(key, str):
                if key not in node:
                    self._check_fresh(scope, path, depth + 1)
                    return False
                node = node[key]
            elif is_array(node) and isinstance(key, int):
                if key == len(node) and depth == len(path) - 1:
                    return True
                if not 0 <= key < len(node):
                    here = path[: depth + 1]
                    raise Blocked(
                        "index-out-of-range", scope, here, f"The array has {len(node)} elements, none at {key}"
                    )
                node = node[key]
            else:
                raise Blocked("in-the-way", scope, path[:depth], f"On the way there stands {a_kind(node)}")
        return False

    def _check_fresh(self, scope: Scope, path: KeyPath, depth: int) -> None:
        for at in range(depth, len(path)):
            if isinstance(path[at], int):
                raise Blocked("no-array", scope, path[:at], "There is no array whose element could be set")

    def _parent(self, scope: Scope, path: KeyPath) -> Any:
        """The container that holds the end of `path`, ours to change, as all above it; made where it is missing."""
        node = self._own(self.states[scope])
        self.states[scope] = node
        for key in path[:-1]:
            below = self._own(get(node, (key,), _EMPTY))
            node[key] = below
            node = below
        return node

    def _own(self, container: Json) -> Any:
        known = self._ours.get(id(container))
        if known is None:
            known = dict(container) if is_object(container) else list(container) if is_array(container) else None
            self._ours[id(known)] = known
        return known


_EMPTY: Final[JsonObject] = {}


def mark(marks: Marks, path: KeyPath) -> None:
    """Add `path`, and with it all below."""
    node = marks
    for key in path[:-1]:
        below = node.get(key)
        if below is None:
            if key in node:
                return
            below = node[key] = {}
        node = below
    node[path[-1]] = None


def check_value(scope: Scope, path: KeyPath, value: Json) -> None:
    """Raise Blocked for a null or a number that cannot be stored, and for what is nested too deep at `path`."""
    check_depth(scope, path, value)
    pending: list[tuple[KeyPath, Json]] = [(path, value)]
    while pending:
        at, node = pending.pop()
        if node is None:
            raise Blocked("null-stored", scope, at, "A null cannot be stored: it only means a deletion")
        if is_object(node):
            pending.extend(((*at, key), member) for key, member in node.items())
        elif is_array(node):
            pending.extend(((*at, index), member) for index, member in enumerate(node))
        elif isinstance(node, float) and not isfinite(node):
            raise Blocked("number-range", scope, at, "This number cannot be stored")


def check_depth(scope: Scope, path: KeyPath, value: Json) -> None:
    """Raise Blocked where `value` at `path` would be nested deeper than is accepted."""
    if is_deeper(value, _DEEPEST - len(path)):
        raise Blocked("too-deep", scope, path, f"There it would be nested deeper than {MAX_DEPTH} levels")
