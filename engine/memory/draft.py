"""A person's edits: operations with what stood there when they were made, compiled into one authored patch.

Nothing is applied to a copy and kept: a draft is compiled on current values, for a preview and again under the lock,
so that what is shown and what is written cannot differ.
"""

from __future__ import annotations

from typing import TypeAlias

from engine.memory.scope import Scope
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, KeyPath


@dataclass(frozen=True, slots=True)
class PreImage:
    """What stood at a place of one scope when a person took it up; without `exists` nothing did."""

    exists: bool
    value: Json = None


Seen: TypeAlias = tuple[tuple[Scope, KeyPath, PreImage], ...]
"""Places, and what stood there. An element is known by its index alone: what a person has seen of it is its array."""


@dataclass(frozen=True, slots=True)
class Put:
    """Set the whole value at `path` (plane first; an index as int, up to the next one of its array). No null is stored."""

    scope: Scope
    path: KeyPath
    value: Json
    before: PreImage
    arrays: Seen = ()


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete what stands at `path`; of an array, the element, those behind it move up."""

    scope: Scope
    path: KeyPath
    before: PreImage
    arrays: Seen = ()


@dataclass(frozen=True, slots=True)
class Transfer:
    """Bring what stands at `path` to `to_path` of `to_scope`: a rename, a move, a move to lazy, with `keep` a copy.

    `along` takes what a moved intent owns with it; `rewrite` has references to what moved name its new place.
    `there` is what stood at the target; what stands there is never replaced.
    """

    scope: Scope
    path: KeyPath
    to_scope: Scope
    to_path: KeyPath
    before: PreImage
    there: PreImage
    keep: bool = False
    along: bool = True
    rewrite: bool = True
    arrays: Seen = ()


@dataclass(frozen=True, slots=True)
class Raw:
    """A patch as a person wrote it, scope by scope. `before` are the values that it touches, as they stood."""

    patch: JsonObject
    before: Seen
    arrays: Seen = ()


Operation: TypeAlias = Put | Remove | Transfer | Raw


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a draft. Only `ticked` ones are compiled; `note` says where it comes from (`undo of s31`)."""

    operation: Operation
    ticked: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The steps in the order in which they are carried out."""

    steps: tuple[Step, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.steps

    def ticking(self, index: int, ticked: bool) -> Draft:
        """The draft with one step ticked or not."""
        steps = list(self.steps)
        steps[index] = replace(steps[index], ticked=ticked)
        return Draft(tuple(steps))

    def without(self, index: int) -> Draft:
        return Draft(self.steps[:index] + self.steps[index + 1 :])
