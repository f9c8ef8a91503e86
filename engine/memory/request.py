"""The edge of `patch_state`: what an agent or a person may send, and what it means."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import InvalidRequest
from engine.memory.dialect import RESPONSE, Dialect, check_patch
from engine.memory.references import anchor
from engine.memory.scope import Scope, Wanted, is_scope
from engine.values import Json, JsonObject, is_object, kind


def parse_request(dialect: Dialect, wanted: Wanted, raw: Json) -> Mapping[Scope, JsonObject]:
    """The patch of each named scope, ready to be staged.

    A request is {scope: {plane: patch}}; with exactly one wanted scope also {plane: patch}, and flat references are
    then bound to that scope. Raises InvalidRequest for what says nothing ({}, an empty scope), names what is not
    wanted, not known or not the author's (the answer), or would leave a null in memory.
    """
    if not is_object(raw):
        raise InvalidRequest("bad-request", f"A patch is a JSON object, not {_a(raw)}")
    if not raw:
        raise InvalidRequest("empty-request", "The patch is empty: it would change nothing")
    authored: dict[Scope, JsonObject] = {}
    for scope, patch in _by_scope(dialect, wanted, raw).items():
        if scope not in wanted:
            raise InvalidRequest("unwanted-scope", f"The scope {scope} is not among the wanted ones", scope=scope,
                                 hint=f"Wanted here: {', '.join(wanted)}")  # fmt: skip
        planes = _planes(dialect, scope, patch)
        if len(wanted) == 1:
            anchored = anchor(dialect, scope, planes)
            planes = anchored if is_object(anchored) else planes
        try:
            check_patch(dialect, scope, planes)
        except InvalidRequest as refusal:
            refusal.scope = scope
            raise
        authored[scope] = planes
    return authored


def _by_scope(dialect: Dialect, wanted: Wanted, raw: JsonObject) -> Mapping[Scope, Json]:
    scoped: dict[Scope, Json] = {name: patch for name, patch in raw.items() if is_scope(name)}
    others = [name for name in raw if not is_scope(name)]
    if not others:
        return scoped
    flat = [name for name in others if name in dialect.planes]
    if len(wanted) == 1 and len(flat) == len(raw):
        return {wanted[0]: raw}
    if flat:
        name = flat[0]
        reason = "stands beside a scope" if scoped else "stands outside any scope"
        raise InvalidRequest("bad-request", f"The plane {name} {reason}", path=name,
                             hint=f'Write {{"{wanted[0]}": {{"{name}": ...}}}}')  # fmt: skip
    raise InvalidRequest("unknown-scope", f"There is no scope named {others[0]!r}",
                         hint="The scopes are global, cwd and session")  # fmt: skip


def _planes(dialect: Dialect, scope: Scope, patch: Json) -> JsonObject:
    if not is_object(patch):
        raise InvalidRequest("bad-request", f"The patch of a scope is an object of planes, not {_a(patch)}", scope=scope)
    if not patch:
        raise InvalidRequest("empty-request", "The patch of this scope is empty: it would change nothing", scope=scope)
    for plane, change in patch.items():
        if plane == RESPONSE:
            raise InvalidRequest("response-refused", "The answer belongs to the runtime and cannot be patched",
                                 scope=scope, path=plane)  # fmt: skip
        if plane not in dialect.planes:
            raise InvalidRequest("unknown-plane", f"There is no plane named {plane!r}", scope=scope,
                                 hint="The planes are " + ", ".join(dialect.patchable))  # fmt: skip
        if not is_object(change):
            raise InvalidRequest("bad-request", f"The patch of {plane} must be an object, not {_a(change)}", scope=scope,
                                 path=plane, hint="To empty a plane, delete its keys one by one")  # fmt: skip
    return patch


def _a(value: Json) -> str:
    name = kind(value)
    return name if name == "null" else f"an {name}" if name[0] in "ao" else f"a {name}"
