"""Stores for the app's tests, written as an agent would write them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine import values
from engine.memory.scope import SCOPES
from engine.store.layout import Address, locate
from engine.store.publication import publish

ORIGIN: dict[str, Any] = {"id": "begin", "position": 0, "parent": None}
SESSION = "2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"


@dataclass(frozen=True, slots=True)
class Store:
    """A store, the directory of its agent, and the session that it works on."""

    root: str
    cwd: str
    session: str | None = SESSION

    @property
    def address(self) -> Address:
        """The cohort."""
        return locate(self.root, self.cwd, self.session)

    def patch(self, **patches: Any) -> None:
        """Change memory; the scope of each patch is its name."""
        authored = {name.rstrip("_"): patch for name, patch in patches.items()}
        wanted = SCOPES if self.session is not None else SCOPES[:2]
        publish(self.address, authored, wanted=wanted, force_session=True)


def begin(
    root: str,
    cwd: str,
    states: Mapping[str, Any] | None = None,
    *,
    session: str = SESSION,
    specification: str | None = "cut release 1.4",
) -> Store:
    """Lay out a session and its shared scopes at one boundary, with the given states."""
    states = states or {}
    address = locate(root, cwd, session)
    for scope in address.scopes:
        directory = address.scope_dir(scope)
        if os.path.exists(os.path.join(directory, "meta.json")):
            continue
        os.makedirs(directory, exist_ok=True)
        meta: dict[str, Any] = {"version": 4, "artifacts": {}}
        meta["temporal"] = {"revision": 0, "checkpoint": ORIGIN, "patches": []}
        if scope == "cwd":
            meta["owner"] = {"cwd": cwd}
        write(directory, "checkpoint.json", values.encode(states.get(scope, {})) + b"\n")
        write(directory, "patches.jsonl", b"")
        write(directory, "meta.json", values.encode(meta) + b"\n")
    runtime: dict[str, Any] = {"version": 1, "lineage": [ORIGIN], "step": 0}
    runtime["identity"] = {"cwd": cwd, "sessionId": session.rpartition("_")[2]}
    if specification is not None:
        runtime["specification"] = specification
    write(address.scope_dir("session"), "config.json", b'{"mode":"active"}\n')
    write(address.scope_dir("session"), "runtime.json", values.encode(runtime) + b"\n")
    return Store(address.root, cwd, session)


def write(directory: str, name: str, data: bytes) -> None:
    """Write a file of a store."""
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)


MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": {"commits": "conventional"}, "api": "v1"}},
    "cwd": {
        "intents": {"migrate": {"goal": "move the store", "plan": {"$ref": "cwd.tactics.store"}}},
        "strategy": {"api": "v2 only"},
        "tactics": {"store": "half moved", "checks": ["lint", "types", "tests"]},
        "lazy": {"survey": {"text": "x" * 4000}},
    },
    "session": {
        "intents": {"release": {"goal": "cut 1.4, then notes", "uses": {"$ref": "session.tactics.next"}}},
        "tactics": {"next": "run the suite", "checks": ["lint", "types", "tests", "e2e"]},
    },
}
