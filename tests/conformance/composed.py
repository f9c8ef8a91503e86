"""Memory composed of three scopes: the overlay, and history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import InvalidRequest
from engine.memory.cohort import Cohort, Contradiction, adopt, at, begin, join, limited, record
from engine.memory.dialect import Dialect, check_state
from engine.memory.overlay import defaulted, effective, hot, model, overlay, scope_view
from engine.memory.scope import SCOPES, Scope
from engine.memory.stream import (
    MAX_RETAINED,
    ScopeStream,
    StreamFault,
    Transition,
    open_stream,
    parse_boundary,
    parse_lineage,
)
from engine.values import JsonObject, sha256
from tests.conformance.case import Case, differences, equal, shown

_REFUSALS = (InvalidRequest, Contradiction, StreamFault)


def overlays(case: Case, dialect: Dialect) -> list[str]:
    states: dict[Scope, JsonObject] = {scope: case[scope] for scope in SCOPES}
    try:
        for state in states.values():
            check_state(dialect, state)
    except InvalidRequest:
        return [] if case.get("rejectsAt") == "state" else ["a scope is refused"]
    if case.get("rejectsAt") == "state":
        return ["no scope is refused"]
    try:
        view = effective(dialect, states)
        whole = overlay(dialect, states)
    except InvalidRequest:
        return [] if case.get("rejectsAt") == "overlay" else ["the overlay is refused"]
    if case.get("rejects"):
        return ["the overlay is not refused"]
    found = {
        "overlay": whole,
        "effective": view,
        "effectiveDefaulted": defaulted(dialect, view),
        "scopes": {scope: scope_view(dialect, state) for scope, state in states.items()},
        "read": hot(dialect, view),
        "model": model(dialect, view),
        "effectiveSha256": sha256(view),
    }
    return differences(found, case["result"]) + _order(dialect, view)


def temporal(case: Case, dialect: Dialect) -> list[str]:
    states: dict[Scope, JsonObject] = {scope: case["initial"][scope] for scope in SCOPES}
    try:
        for state in states.values():
            check_state(dialect, state)
        cohort = begin(dialect, states, origin_id=case["originId"], limit=case["historyLimit"])
    except InvalidRequest:
        return [] if case.get("rejects") else ["refused"]
    if case.get("rejects"):
        return ["not refused"]
    found = differences(_written(cohort), case["created"])
    for number, step in enumerate(case["steps"]):
        cohort, lines = _step(cohort, step)
        found += [f"step {number} ({step['id']!r}): {line}" for line in lines]
    for read in case["reads"]:
        found += [f"offset {read['offset']}: {line}" for line in _read(cohort, read)]
    return found + _reopened(cohort)


def temporal_ops(case: Case, dialect: Dialect) -> list[str]:
    try:
        cohort = _operated(case, dialect)
    except _REFUSALS as error:
        return [] if case.get("rejects") else [f"refused: {error}"]
    if case.get("rejects"):
        return ["not refused"]
    return differences({**_written(cohort), "effective": effective(dialect, cohort.states)}, case["result"])


def opened(dialect: Dialect, scopes: Mapping[str, Any]) -> dict[Scope, ScopeStream]:
    """Streams from the recorded form {scope: {"revision", "checkpoint", "patches"}}."""
    return {scope: _opened(dialect, scope, scopes[scope]) for scope in SCOPES}


def _opened(dialect: Dialect, scope: Scope, recorded: Mapping[str, Any]) -> ScopeStream:
    return open_stream(
        dialect,
        scope,
        revision=recorded["revision"],
        through=parse_boundary(recorded["checkpoint"]["through"]),
        checkpoint=recorded["checkpoint"]["state"],
        transitions=[Transition(parse_boundary(one["transition"]), one["patch"]) for one in recorded["patches"]],
    )


def _operated(case: Case, dialect: Dialect) -> Cohort:
    if case["op"] == "adopt":
        return adopt(dialect, opened(dialect, case["scopes"]), origin_id=case["originId"], limit=case["historyLimit"])
    streams = opened(dialect, case["view"]["scopes"])
    lineage = parse_lineage(case["view"]["lineage"])
    view = join(dialect, streams, lineage, origin_id="fresh", limit=MAX_RETAINED)
    if view.adopted:
        raise Contradiction("not-one", "The view is not one history")
    return limited(view, case["historyLimit"])


def _step(cohort: Cohort, step: Mapping[str, Any]) -> tuple[Cohort, list[str]]:
    try:
        after = record(cohort, step["id"], [(one["scope"], one["patch"]) for one in step["transitions"]])
    except InvalidRequest as error:
        return cohort, [] if step["outcome"] == "rejects" else [f"refused: {error}"]
    outcome = "unchanged" if after is cohort else "advanced"
    if outcome != step["outcome"]:
        return after, [f"{outcome} instead of {step['outcome']}"]
    if outcome == "unchanged":
        return after, []
    return after, differences(
        {**_written(after), "revisions": after.revisions}, step, ignored=("id", "transitions", "outcome")
    )


def _read(cohort: Cohort, read: Mapping[str, Any]) -> list[str]:
    try:
        states = at(cohort, read["offset"])
    except InvalidRequest:
        return [] if read.get("rejects") else ["refused"]
    if read.get("rejects"):
        return ["not refused"]
    dialect = cohort.dialect
    found: dict[str, object] = {scope: scope_view(dialect, states[scope]) for scope in SCOPES}
    try:
        found["effective"] = effective(dialect, states)
    except InvalidRequest:
        found["effectiveRejects"] = True
    lines = differences(found, read, ignored=("offset", "defaulted"))
    for name, wanted in read.get("defaulted", {}).items():
        view = found.get(name)
        assert isinstance(view, dict)
        if not equal(defaulted(dialect, view), wanted):
            lines.append(f"defaulted {name}: {shown(defaulted(dialect, view))} instead of {shown(wanted)}")
    return lines


def _reopened(cohort: Cohort) -> list[str]:
    """What was built step by step is what opening its written form gives."""
    written = _written(cohort)["scopes"]
    try:
        again = opened(cohort.dialect, written)
    except StreamFault as fault:
        return [f"cannot be opened again: {fault}"]
    return [
        f"{scope} opens to another value"
        for scope in SCOPES
        if not equal(list(again[scope].states), list(cohort.streams[scope].states))
    ]


def _written(cohort: Cohort) -> dict[str, Any]:
    return {
        "lineage": [boundary.to_json() for boundary in cohort.lineage],
        "scopes": {
            scope: {
                "revision": stream.revision,
                "checkpoint": {"through": stream.through.to_json(), "state": stream.checkpoint},
                "patches": [{"transition": one.boundary.to_json(), "patch": one.patch} for one in stream.tail],
            }
            for scope, stream in cohort.streams.items()
        },
    }


def _order(dialect: Dialect, view: JsonObject) -> list[str]:
    return [] if list(view) == [plane for plane in dialect.planes if plane in view] else ["not in reading order"]


ADAPTERS = {"overlay.jsonl": overlays, "temporal.jsonl": temporal, "temporal_ops.jsonl": temporal_ops}
