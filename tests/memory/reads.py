"""Memory made by staging patches one after another, and short ways to read it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InvalidRequest
from engine.memory.cohort import Cohort, advance, begin
from engine.memory.dialect import V2, Dialect
from engine.memory.patching import stage
from engine.memory.reading import View, read_state
from engine.memory.scope import SCOPES, Scope, Wanted

CWD: Wanted = ("cwd",)


def cohort(
    *patches: Any, dialect: Dialect = V2, limit: int = 7, states: Any = None, cwd: Any = None, session: Any = None
) -> Cohort:
    """Memory that starts with the given states and takes `patches` one by one."""
    given_states = states or {"cwd": cwd or {}, "session": session or {}}
    begun: dict[Scope, Any] = {scope: given_states[scope] for scope in SCOPES if scope in given_states}
    found = begin(dialect, begun, origin_id="o", limit=limit)
    for number, patch in enumerate(patches, 1):
        staged = stage(dialect, found.states, patch)
        found = advance(found, f"t{number}", staged.net, staged.after)
    return found


def value(memory: Cohort, path: str, wanted: Wanted = SCOPES) -> Any:
    return read_state(View(memory, wanted), {"path": path})["value"]


def change(memory: Cohort, path: str, wanted: Wanted = SCOPES) -> Any:
    return read_state(View(memory, wanted), {"path": path, "projection": "patch"})["patch"]


def refused(memory: Cohort, request: Any, wanted: Wanted = SCOPES) -> str:
    with pytest.raises(InvalidRequest) as refusal:
        read_state(View(memory, wanted), request)
    return refusal.value.code
