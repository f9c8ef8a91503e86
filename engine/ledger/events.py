"""What the ledger records: one frozen type an event.

An event names a scope by its address below the store's root. A transition's
identity is that address, its revision, its boundary's id and the hash of its
patch: an id alone may be used again once it has been folded away. `seen` is in
Unix seconds; `written`, in ns, is when the scope's files last changed by the
file system's clock, 0 when nobody said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from engine import values
from engine.memory.stream import Boundary
from engine.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Retained:
    """One transition as a tail holds it. `hash` is the sha256 of the canonical patch.

    `inverse` is the patch that leads back. `session` is the address of the session whose lineage, read in the same
    snapshot, holds the boundary. `grew` tells by how many bytes of JSON each plane's value became longer; planes that
    kept their length are left out. Each is None where it was not known, as in lines of earlier versions, and says
    nothing of which transition it is.
    """

    revision: int
    boundary: Boundary
    hash: str
    patch: values.JsonObject
    inverse: values.JsonObject | None = field(default=None, compare=False)
    session: str | None = field(default=None, compare=False)
    grew: Mapping[str, int] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The first sight of a scope: whatever its tail held was there before `seen`."""

    seen: float
    written: int
    scope: str
    address: str
    revision: int
    boundary: Boundary
    tail: tuple[Retained, ...]


@dataclass(frozen=True, slots=True)
class TransitionSeen:
    """A transition that came after what was known of the scope; `seen` is when it was first noticed."""

    seen: float
    written: int
    scope: str
    address: str
    transition: Retained


@dataclass(frozen=True, slots=True)
class MadeHere:
    """A transition that this program published. `changes` holds (scope, address, revision, patch hash)."""

    seen: float
    boundary: Boundary
    changes: tuple[tuple[str, str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """Revisions nobody here saw, from `first` to `last`; never bridged.

    `reason` is "folded" (they left the tail unseen), "rewound" (the scope went back) or "diverged"
    (the scope holds another past than the one recorded). After the last two, `first` is what was known
    and `last` what is there now, and a baseline follows. `boundary` is the one at `last`.
    """

    seen: float
    written: int
    scope: str
    address: str
    reason: str
    first: int
    last: int
    boundary: Boundary


@dataclass(frozen=True, slots=True)
class ScopeGone:
    """A scope that was known is no longer there."""

    seen: float
    scope: str
    address: str
    revision: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The complete state of a scope at a revision, as it was read. `value` is None where only its place was asked for."""

    seen: float
    scope: str
    address: str
    revision: int
    boundary: Boundary
    value: values.JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Composed:
    """A cohort that was read without fault and could be composed. `address` is that of its narrowest scope.

    `revisions` has every scope of it that was there, by address.
    """

    seen: float
    address: str
    revisions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """A fault that was not open before. `place` is the address it was found under, "" for the lock."""

    seen: float
    place: str
    code: str
    file: str | None
    line: int | None
    column: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class FaultGone:
    """A fault that was open and is no longer found."""

    seen: float
    place: str
    code: str
    file: str | None


Event = Baseline | TransitionSeen | MadeHere | Gap | ScopeGone | Whole | Composed | FaultSeen | FaultGone


def patch_hash(patch: values.JsonObject) -> str:
    """Hash a patch so that it stays the same when an agent writes the line again its own way."""
    return values.sha256(patch)


def identity(address: str, transition: Retained) -> int:
    """Give a transition's identity as a 64-bit number: small enough to keep many."""
    text = f"{address}\0{transition.revision}\0{transition.boundary.id}\0{transition.hash}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
