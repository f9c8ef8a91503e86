"""What is examined: the readable scopes of one cohort, and what is recorded beside them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.memory.dialect import Dialect
from engine.memory.scope import SCOPES, Scope, Wanted
from engine.records import dataclass, field
from engine.store.readings import Snapshot
from engine.values import JsonObject


@dataclass(frozen=True, slots=True)
class Subject:
    """`states` are the readable scopes, `addresses` their places in the store, `unread` the scopes that are not readable.

    `recorded` has what the metadata says of artifacts; `bases` are the directories that relative paths are taken from.
    """

    dialect: Dialect
    states: Mapping[Scope, JsonObject]
    root: str = ""
    addresses: Mapping[Scope, str] = field(default_factory=dict)
    unread: tuple[Scope, ...] = ()
    recorded: Mapping[Scope, JsonObject] = field(default_factory=dict)
    bases: Mapping[Scope, str] = field(default_factory=dict)


def subject_of(snapshot: Snapshot, states: Mapping[Scope, JsonObject], wanted: Wanted = SCOPES) -> Subject | None:
    """What there is to examine in a snapshot; None where nothing of it can be read."""
    if snapshot.dialect is None:
        return None
    readings = snapshot.scopes
    metas = {scope: reading.meta for scope, reading in readings.items() if scope in states}
    owner = readings["cwd"].meta.owner_cwd if "cwd" in readings and readings["cwd"].meta is not None else None
    bases: dict[Scope, str] = {} if owner is None else {"cwd": owner, "session": owner}
    return Subject(
        snapshot.dialect,
        states,
        snapshot.address.root,
        {scope: reading.address for scope, reading in readings.items()},
        tuple(scope for scope in readings if scope not in states and scope in wanted),
        {scope: meta.artifacts for scope, meta in metas.items() if meta is not None},
        bases,
    )
