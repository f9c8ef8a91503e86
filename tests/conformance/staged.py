"""Patches and reads: ownership, staging, read_state and the lazy hint."""

from __future__ import annotations

from typing import Any

from engine.errors import InvalidRequest
from engine.memory.artifacts import Evidence, parse_evidence
from engine.memory.cohort import Contradiction, join
from engine.memory.dialect import Dialect
from engine.memory.navigation import lazy_navigation
from engine.memory.ownership import cascade
from engine.memory.patching import Staged, stage
from engine.memory.reading import DANGLING_MESSAGE, View, read_state
from engine.memory.references import owners, spellings
from engine.memory.scope import SCOPES
from engine.memory.selectors import parse
from engine.memory.stream import StreamFault, parse_lineage
from engine.values import JsonObject, merge, sha256
from tests.conformance.case import Case, differences, equal, shown
from tests.conformance.composed import opened


def ownership(case: Case, dialect: Dialect) -> list[str]:
    gone = cascade(dialect, case["scope"], case["before"], case["after"])
    found = {
        "cascade": [{"plane": plane, "keys": keys} for plane, *keys in gone.targets],
        "paths": gone.paths,
        "deletionPatch": gone.patch,
        "afterCascade": merge(case["after"], gone.patch).value,
    }
    return differences(found, case["result"])


def staging(case: Case, dialect: Dialect) -> list[str]:
    try:
        staged = stage(dialect, case["states"], case["patches"], reads=_evidence(case), response=case.get("response"))
    except InvalidRequest as refusal:
        return [] if case.get("rejects") else [f"refused: {refusal}"]
    if case.get("rejects"):
        return ["not refused"]
    found = _recorded(staged)
    if "provenanceUpdates" not in case["result"]:
        del found["provenanceUpdates"]
    return differences(found, case["result"]) + _replayed(dialect, case["states"], staged)


def reads(case: Case, dialect: Dialect) -> list[str]:
    limit = case.get("historyLimit", 7)
    try:
        lineage = parse_lineage(case["view"]["lineage"], limit)
        cohort = join(dialect, opened(dialect, case["view"]["scopes"]), lineage, origin_id="origin", limit=limit)
        view = View(cohort, SCOPES)
        found = read_state(view, {"paths": case["paths"], "projection": case["projection"]})
    except (InvalidRequest, Contradiction, StreamFault) as refusal:
        return [] if case.get("rejects") else [f"refused: {refusal}"]
    if case.get("rejects"):
        return [f"not refused: {shown(found)}"]
    wanted = case["result"]
    if "hint" in wanted:
        return _hinted(view, case["paths"][0], found, wanted)
    lines = differences(found, wanted)
    if not lines and not _in_order(found, wanted):
        lines.append(f"another order: {shown(found)} instead of {shown(wanted)}")
    return lines


def navigation(case: Case, dialect: Dialect) -> list[str]:
    return differences(lazy_navigation(dialect, case["state"]), case["result"])


def _evidence(case: Case) -> tuple[Evidence, ...]:
    artifacts = parse_evidence(case.get("artifactReads", []))
    return (*artifacts, *parse_evidence(case.get("skillReads", []), skill=True))


def _recorded(staged: Staged) -> dict[str, Any]:
    return {
        "nextStates": staged.after,
        "cascades": {scope: staged.cascaded.get(scope, ()) for scope in SCOPES},
        "missingDeletions": [{"path": one.path, "unavailablePath": one.unavailable} for one in staged.missed],
        "replay": [{"scope": scope, "patch": staged.net[scope]} for scope in staged.changed],
        "nextSha256": {scope: sha256(state) for scope, state in staged.after.items()},
        "provenanceUpdates": {scope: staged.provenance_updates.get(scope, {}) for scope in SCOPES},
    }


def _replayed(dialect: Dialect, states: Any, staged: Staged) -> list[str]:
    """What is recorded leads to what was staged, the answer's absence and its emptiness being one."""
    lines = []
    for scope in staged.changed:
        replayed = merge(states[scope], staged.net[scope]).value
        if not equal(_planes(dialect, replayed), _planes(dialect, staged.after[scope])):
            lines.append(f"the record of {scope} leads to {shown(replayed)}")
    return lines


def _planes(dialect: Dialect, state: JsonObject) -> dict[str, Any]:
    return {plane: state[plane] for plane in dialect.planes if state.get(plane) not in (None, "")}


def _hinted(view: View, path: str, found: JsonObject, wanted: Any) -> list[str]:
    (hint,) = wanted["hint"]
    sentinel = {
        "value": None,
        "hint": [{"type": hint["type"], "message": DANGLING_MESSAGE, "paths": hint["paths"]}],
    }
    known = owners(view.dialect, view.cohort.states, spellings(parse(view.dialect, path), path))
    evidence = {
        "truncated": known.truncated,
        "forms": ["structured" if owner.structured else "text" for owner in known.owners],
    }
    return differences(found, sentinel) + differences(evidence, {name: hint[name] for name in evidence})


def _in_order(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return list(found) == list(wanted) and all(_in_order(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return all(_in_order(one, other) for one, other in zip(found, wanted, strict=True))
    return True


ADAPTERS = {
    "ownership.jsonl": ownership,
    "stage.jsonl": staging,
    "stage_reads.jsonl": staging,
    "read_state.jsonl": reads,
    "lazy_navigation.jsonl": navigation,
}
