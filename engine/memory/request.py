"""The edge of `patch_state`: what an agent or a person may send, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from engine.errors import InvalidRequest
from engine.memory.artifacts import check_card_patch
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect, check_patch
from engine.memory.references import anchor
from engine.memory.scope import Scope, Wanted, is_scope
from engine.values import MAX_DEPTH, Json, JsonObject, a_kind, is_deeper, is_object

T = TypeVar("T")


def parse_request(dialect: Dialect, wanted: Wanted, raw: Json) -> Mapping[Scope, JsonObject]:
    """The patch of each named scope, ready to be staged.

    A request is {scope: {plane: patch}}; with exactly one wanted scope also {plane: patch}, and flat references are
    then bound to that scope. Raises InvalidRequest for what says nothing ({}, an empty scope), names what is not
    wanted, not known or not the author's (the answer), or would leave a null in memory.
    """
    if not is_object(raw):
        raise InvalidRequest("bad-request", f"A patch is a JSON object, not {a_kind(raw)}")
    if not raw:
        raise InvalidRequest("empty-request", "The patch is empty: it would change nothing")
    _refuse_too_deep(raw)
    authored: dict[Scope, JsonObject] = {}
    for scope, patch in shape(dialect, _by_scope(dialect, wanted, raw)).items():
        if scope not in wanted:
            raise InvalidRequest("unwanted-scope", "This memory is outside the scopes that were asked for", scope=scope,
                                 hint=f"Asked for: {', '.join(wanted)}")  # fmt: skip
        if not patch:
            raise InvalidRequest(
                "empty-request", "The patch of this scope is empty: it would change nothing", scope=scope
            )
        within(scope, partial(check_patch, dialect, scope, patch))
        anchored = anchor(dialect, scope, patch) if len(wanted) == 1 else patch
        authored[scope] = anchored if is_object(anchored) else patch
    return authored


def shape(dialect: Dialect, patches: Json) -> Mapping[Scope, JsonObject]:
    """The patches, once they are known to be objects of objects under names that may be patched.

    Raises InvalidRequest "bad-request", "unknown-scope", "unknown-plane", "response-refused", "artifact-provenance".
    """
    if not is_object(patches):
        raise InvalidRequest("bad-request", f"A patch is an object of scopes, not {a_kind(patches)}")
    authored: dict[Scope, JsonObject] = {}
    for scope, patch in patches.items():
        if not is_scope(scope):
            raise InvalidRequest("unknown-scope", f"There is no scope named {scope!r}",
                                 hint="The scopes are global, cwd and session")  # fmt: skip
        if not is_object(patch):
            raise InvalidRequest(
                "bad-request", f"The patch of a scope is an object of planes, not {a_kind(patch)}", scope=scope
            )
        for plane, change in patch.items():
            _check_plane(dialect, scope, plane, change)
        authored[scope] = patch
    return authored


def within(scope: Scope, work: Callable[[], T]) -> T:
    """What `work` returns; what it refuses is said to be in `scope`."""
    try:
        return work()
    except InvalidRequest as refusal:
        refusal.scope = refusal.scope or scope
        raise


def _check_plane(dialect: Dialect, scope: Scope, plane: str, change: Json) -> None:
    if plane == RESPONSE:
        raise InvalidRequest("response-refused", "The answer belongs to the runtime and cannot be patched",
                             scope=scope, path=plane)  # fmt: skip
    if plane not in dialect.planes:
        raise InvalidRequest("unknown-plane", f"There is no plane named {plane!r}", scope=scope,
                             hint="The planes are " + ", ".join(dialect.patchable))  # fmt: skip
    if not is_object(change):
        raise InvalidRequest("bad-request", f"The patch of {plane} must be an object, not {a_kind(change)}", scope=scope,
                             path=plane, hint="To empty a plane, delete its keys one by one")  # fmt: skip
    if plane == ARTIFACTS:
        within(scope, partial(check_card_patch, change))


def _by_scope(dialect: Dialect, wanted: Wanted, raw: JsonObject) -> JsonObject:
    """The request with scopes on top, where one wanted scope was left out."""
    flat = [name for name in raw if name in dialect.planes]
    if len(wanted) == 1 and len(flat) == len(raw):
        return {wanted[0]: raw}
    strange = [name for name in raw if name not in flat and not is_scope(name)]
    if flat and strange and len(wanted) == 1:
        raise InvalidRequest("unknown-plane", f"There is no plane named {strange[0]!r}", scope=wanted[0],
                             path=strange[0], hint="The planes are " + ", ".join(dialect.patchable))  # fmt: skip
    if flat:
        name = flat[0]
        reason = "stands beside a scope" if any(is_scope(one) for one in raw) else "stands outside any scope"
        raise InvalidRequest("bad-request", f"The plane {name} {reason}", path=name,
                             hint=f'Write {{"{wanted[0]}": {{"{name}": ...}}}}')  # fmt: skip
    return raw


def _refuse_too_deep(raw: Json) -> None:
    """Refuse what could not be read again: a caller's value need not come from text that was decoded here."""
    if is_deeper(raw, MAX_DEPTH):
        raise InvalidRequest("too-deep", f"The patch is nested deeper than {MAX_DEPTH} levels")
