"""A step that writes to a session, put into the cwd scope instead: shared memory is usually the better place."""

from __future__ import annotations

from engine.memory.draft import Operation, Put, Raw, Remove, Step, Transfer
from engine.memory.gathering import States, pre_image, raw
from engine.memory.scope import Scope
from engine.records import replace

SESSION: Scope = "session"
INSTEAD: Scope = "cwd"


def writes_session(operation: Operation) -> bool:
    """Whether an operation changes the session scope."""
    match operation:
        case Put() | Remove():
            return operation.scope == SESSION
        case Transfer():
            return operation.to_scope == SESSION or (operation.scope == SESSION and not operation.keep)
        case Raw():
            return SESSION in operation.patch


def instead(step: Step, states: States) -> Step | None:
    """The step with the cwd scope for the session; None where that would mean something else (a deletion, a move away)."""
    operation = step.operation
    if isinstance(operation, Put) and operation.scope == SESSION and not _is_index(operation.path[-1]):
        before = pre_image(states, INSTEAD, operation.path)
        return replace(step, operation=replace(operation, scope=INSTEAD, before=before))
    if isinstance(operation, Transfer) and operation.to_scope == SESSION and operation.scope != SESSION:
        if (operation.scope, operation.path) == (INSTEAD, operation.to_path):
            return None
        there = pre_image(states, INSTEAD, operation.to_path)
        return replace(step, operation=replace(operation, to_scope=INSTEAD, there=there))
    if isinstance(operation, Raw) and set(operation.patch) == {SESSION}:
        return replace(step, operation=raw(states, {INSTEAD: operation.patch[SESSION]}))
    return None


def _is_index(key: str | int) -> bool:
    return isinstance(key, int)
