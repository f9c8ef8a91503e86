"""Reading a store the plain way: every file whole, every record replayed, every state checked, each time."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from dataclasses import dataclass, field
from typing import Any

from tests.standin.values import Refused, holds_null, load, merge, text

Boundary = dict[str, Any]
SCOPES = ("global", "cwd", "session")
SCOPE_FILES = ("checkpoint.json", "patches.jsonl", "meta.json")
SESSION_FILES = (*SCOPE_FILES, "config.json", "runtime.json")
PLANES = {
    2: ("intents", "contract", "working", "artifacts", "response", "lazy"),
    4: ("intents", "strategy", "tactics", "artifacts", "response", "lazy"),
}
LIMIT = 7


def cwd_key(cwd: str) -> str:
    return "--" + re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", cwd)) + "--"


@dataclass
class Scope:
    """One scope as read: its meta document, checkpoint, records, and the states that replaying gives."""

    meta: dict[str, Any]
    checkpoint: dict[str, Any]
    records: list[dict[str, Any]]
    states: list[dict[str, Any]]

    @property
    def now(self) -> dict[str, Any]:
        return self.states[-1]

    @property
    def boundaries(self) -> list[Boundary]:
        temporal = self.meta["temporal"]
        return [temporal["checkpoint"], *temporal["patches"]]

    @property
    def revision(self) -> int:
        return int(self.meta["temporal"].get("revision", len(self.records)))


@dataclass
class Cohort:
    """Three scopes and the lineage that holds them together; `adopted` when that lineage had to be made afresh."""

    scopes: dict[str, Scope]
    runtime: dict[str, Any]
    lineage: list[Boundary]
    adopted: bool
    hashes: dict[str, str] = field(default_factory=dict)


def scope_folder(root: str, cwd: str, session: str, scope: str) -> str:
    return os.path.join(root, *[cwd_key(cwd), session][: SCOPES.index(scope)])


def read_bytes(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def session_hashes(folder: str) -> dict[str, str]:
    """What the five private files of a session hold, as digests; an absent one is 'absent'."""
    found = {name: read_bytes(os.path.join(folder, name)) for name in SESSION_FILES}
    return {name: "absent" if data is None else hashlib.sha256(data).hexdigest() for name, data in found.items()}


def document(folder: str, name: str) -> Any:
    """One JSON file that must be there, hold an object, and be canonical with one line end."""
    path = os.path.join(folder, name)
    data = read_bytes(path)
    if data is None:
        raise Refused(f"{path} is missing")
    value = load(data, path)
    if not isinstance(value, dict):
        raise Refused(f"{path} holds no object")
    if data != text(value).encode() + b"\n":
        raise Refused(f"{path} is not canonical")
    return value


def read_scope(folder: str, scope: str, cwd: str) -> Scope | None:
    """A scope with everything checked, or None where it is wholly absent. Raises Refused."""
    if not any(os.path.lexists(os.path.join(folder, name)) for name in SCOPE_FILES):
        return None
    meta = document(folder, "meta.json")
    checkpoint = document(folder, "checkpoint.json")
    path = os.path.join(folder, "patches.jsonl")
    tail = read_bytes(path)
    if tail is None:
        raise Refused(f"{path} is missing")
    if tail and not tail.endswith(b"\n"):
        raise Refused(f"{path} ends in the middle of a line")
    records = []
    for line in tail.split(b"\n")[:-1]:
        record = load(line, path)
        if not isinstance(record, dict) or line != text(record).encode():
            raise Refused(f"{path} holds a line that is no canonical object")
        records.append(record)
    if scope == "cwd" and meta.get("owner") != {"cwd": cwd}:
        raise Refused(f"{folder} belongs to {meta.get('owner')}")
    states = [checkpoint]
    for record in records:
        states.append(merge(states[-1], record))
    for state in states:
        check_state(state, meta["version"], folder)
    found = Scope(meta, checkpoint, records, states)
    check_stream(found, folder)
    return found


def check_state(state: dict[str, Any], version: int, where: str) -> None:
    if version not in PLANES:
        raise Refused(f"{where}: version {version}")
    for plane, value in state.items():
        if plane not in PLANES[version]:
            raise Refused(f"{where}: {plane} is no plane of version {version}")
        if not isinstance(value, str if plane == "response" else dict):
            raise Refused(f"{where}: {plane} is of the wrong type")
        if holds_null(value):
            raise Refused(f"{where}: {plane} holds a null")
    for path, card in state.get("artifacts", {}).items():
        if not isinstance(card, dict) or not str(card.get("description", "")).strip():
            raise Refused(f"{where}: card {path} has no description")


def check_stream(scope: Scope, where: str) -> None:
    boundaries = scope.boundaries
    if len(boundaries) != len(scope.records) + 1:
        raise Refused(f"{where}: {len(scope.records)} records under {len(boundaries) - 1} boundaries")
    if scope.revision < len(scope.records):
        raise Refused(f"{where}: revision {scope.revision} is below its {len(scope.records)} records")
    if len({boundary["id"] for boundary in boundaries}) != len(boundaries):
        raise Refused(f"{where}: a boundary appears twice")
    for before, after in itertools.pairwise(boundaries):
        if after["position"] <= before["position"]:
            raise Refused(f"{where}: positions do not rise")
        if after["position"] == before["position"] + 1 and after["parent"] != before["id"]:
            raise Refused(f"{where}: {after['id']} has another parent than the one before it")


def read_cohort(root: str, cwd: str, session: str, origin: Boundary | None = None) -> Cohort:
    """The three scopes and the session's lineage; a fresh origin, with the given id, where shared scopes drifted."""
    scopes = {}
    for name in SCOPES:
        scope = read_scope(scope_folder(root, cwd, session, name), name, cwd)
        if scope is None:
            raise Refused(f"{name} is absent")
        scopes[name] = scope
    if len({scope.meta["version"] for scope in scopes.values()}) != 1:
        raise Refused("the scopes speak different dialects")
    folder = scope_folder(root, cwd, session, "session")
    runtime = document(folder, "runtime.json")
    if runtime["identity"]["cwd"] != cwd:
        raise Refused(f"{folder} belongs to {runtime['identity']['cwd']}")
    lineage: list[Boundary] = runtime["lineage"]
    for before, after in itertools.pairwise(lineage):
        if after["position"] != before["position"] + 1 or after["parent"] != before["id"]:
            raise Refused(f"{folder}: the lineage has a gap")
    check_agreement([*lineage, *(b for scope in scopes.values() for b in scope.boundaries)])
    if not belongs(scopes["session"], lineage):
        raise Refused(f"{folder}: the session does not agree with its own lineage")
    adopted = not strictly_one(scopes, lineage)
    if adopted and origin is not None:
        top = max(b["position"] for scope in scopes.values() for b in scope.boundaries)
        lineage = [{**origin, "position": top + 1, "parent": None}]
    return Cohort(scopes, runtime, lineage, adopted, session_hashes(folder))


def check_agreement(boundaries: list[Boundary]) -> None:
    known: dict[str, Boundary] = {}
    for boundary in boundaries:
        if known.setdefault(boundary["id"], boundary) != boundary:
            raise Refused(f"two accounts of {boundary['id']}")


def belongs(scope: Scope, lineage: list[Boundary]) -> bool:
    """Whether every boundary of a scope that is not older than the lineage's first is part of the lineage."""
    ids = {boundary["id"] for boundary in lineage}
    checkpoint, first = scope.boundaries[0], lineage[0]
    later = [b for b in scope.boundaries if b["position"] >= first["position"]]
    return checkpoint["position"] <= first["position"] and all(b["id"] in ids for b in later)


def strictly_one(scopes: dict[str, Scope], lineage: list[Boundary]) -> bool:
    held = {boundary["id"] for scope in scopes.values() for boundary in scope.boundaries}
    return all(belongs(scope, lineage) for scope in scopes.values()) and all(b["id"] in held for b in lineage[1:])
