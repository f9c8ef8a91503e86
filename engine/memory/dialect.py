"""The vocabularies that memory is written in, as data, and what a stored state must satisfy in each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from engine.errors import EngineError, InvalidRequest
from engine.memory.artifacts import check_cards
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, KeyPath, a_kind, dotted, is_array, is_object, kind

Projection = Literal["hot", "lazy"]

RESPONSE = "response"
ARTIFACTS = "artifacts"
RESERVED_ROOTS = frozenset({"effective", "patches", *SCOPES})
# What can be named in a read path. The end is \Z: a key may not smuggle a line feed in.
_ADDRESSABLE = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")


@dataclass(frozen=True, slots=True)
class ExternalRoot:
    """A further top-level plane that metadata declares: who declares it, and whether it is hot or lazy."""

    name: str
    module: str
    projection: Projection


@dataclass(frozen=True, slots=True)
class Dialect:
    """One vocabulary.

    `planes` stand in reading order, external roots last. `ownable` planes can be owned by an intent. `lazy` planes
    stay out of the hot view. `retired` are (plane, key) pairs that may no longer be stored. `strange` names root
    declarations that are not understood: memory that has any is read, but not written.
    """

    version: int
    planes: tuple[str, ...]
    ownable: frozenset[str]
    lazy: frozenset[str]
    roots: tuple[ExternalRoot, ...] = ()
    retired: tuple[tuple[str, str], ...] = ()
    strange: tuple[str, ...] = ()

    @property
    def patchable(self) -> tuple[str, ...]:
        """The planes that a patch may carry: all but the answer."""
        return tuple(plane for plane in self.planes if plane != RESPONSE)

    def default(self, plane: str) -> Json:
        """What an absent plane counts as where a value is needed."""
        return "" if plane == RESPONSE else {}


V2 = Dialect(
    version=2,
    planes=("intents", "contract", "working", "artifacts", "response", "lazy"),
    ownable=frozenset({"working", "lazy"}),
    lazy=frozenset({"lazy"}),
    retired=(("contract", "compiled_skills"),),
)
V4 = Dialect(
    version=4,
    planes=("intents", "strategy", "tactics", "artifacts", "response", "lazy"),
    ownable=frozenset({"strategy", "tactics", "lazy"}),
    lazy=frozenset({"lazy"}),
    retired=(("strategy", "compiled_skills"),),
)
_VERSIONS: Mapping[int, Dialect] = {1: V2, 2: V2, 4: V4}


def dialect_for(version: int, roots: Json = None) -> Dialect:
    """The dialect of a metadata version, with the external roots that a version-4 document declares.

    Raises EngineError "unsupported-version" or "bad-roots". Version 1 is spoken, and written back, as 2.
    """
    known = _VERSIONS.get(version) if type(version) is int else None
    if known is None:
        raise EngineError("unsupported-version", f"Metadata version {version!r} is not one that is understood")
    if known is not V4 or roots is None:
        return known
    if not is_object(roots):
        raise EngineError("bad-roots", f"The declared roots are {a_kind(roots)}, not an object")
    declared: list[ExternalRoot] = []
    strange: list[str] = []
    for name, declaration in roots.items():
        if name in V4.planes or name in RESERVED_ROOTS:
            raise EngineError("bad-roots", f"The declared root {name!r} has the name of something built in")
        if _ADDRESSABLE.match(name) is None:
            raise EngineError("bad-roots", f"The declared root {name!r} could not be named in a path")
        root = _declared_root(name, declaration)
        if root is None:
            strange.append(name)
        else:
            declared.append(root)
    return _with_roots(V4, declared, strange)


def union(dialects: Iterable[Dialect]) -> Dialect:
    """The one dialect of scopes that are composed: same planes, all their declared roots.

    Raises EngineError "mixed-dialects", or "bad-roots" where two scopes declare one root differently.
    """
    found: Dialect | None = None
    for dialect in dialects:
        if found is None or found == dialect:
            found = dialect
            continue
        if dialect.version != found.version:
            raise EngineError(
                "mixed-dialects", f"Scopes of dialects {found.version} and {dialect.version} are not composed"
            )
        roots = {root.name: root for root in found.roots}
        for root in dialect.roots:
            if roots.setdefault(root.name, root) != root:
                raise EngineError("bad-roots", f"The root {root.name!r} is declared differently in another scope")
        strange = dict.fromkeys((*found.strange, *dialect.strange))
        found = _with_roots(V4, roots.values(), (name for name in strange if name not in roots))
    if found is None:
        raise EngineError("mixed-dialects", "There is no scope to take a dialect from")
    return found


def unknown_keys(dialect: Dialect, state: JsonObject) -> tuple[str, ...]:
    """Top-level members that no plane of the dialect accounts for."""
    return tuple(key for key in state if key not in dialect.planes)


def check_types(dialect: Dialect, state: JsonObject, planes: Iterable[str] | None = None) -> None:
    """Raise InvalidRequest "plane-type" unless the planes are objects and the answer a string.

    `state` may be anything that was decoded: what is no object is refused ("not-an-object").
    """
    _refuse_other_than_object(state)
    for plane in dialect.planes if planes is None else planes:
        if plane not in state:
            continue
        value = state[plane]
        if plane == RESPONSE:
            if kind(value) != "string":
                raise InvalidRequest("plane-type", f"The answer is {a_kind(value)}, not a string", path=plane)
        elif not is_object(value):
            raise InvalidRequest("plane-type", f"The plane {plane} is {a_kind(value)}, not an object", path=plane)


def check_contents(dialect: Dialect, state: JsonObject, *, maybe_null: bool = True) -> None:
    """Raise InvalidRequest for a null in a plane, a bad artifact card or a retired key.

    `maybe_null` is False where the bytes are known to spell no null: then nothing is walked for one.
    """
    _refuse_other_than_object(state)
    if maybe_null:
        for plane in dialect.planes:
            if plane in state:
                _refuse_null(plane, state[plane])
    _refuse_retired(dialect, state)
    if ARTIFACTS in dialect.planes and ARTIFACTS in state:
        check_cards(state[ARTIFACTS])


def check_state(dialect: Dialect, state: JsonObject, *, maybe_null: bool = True) -> None:
    """Raise InvalidRequest unless `state` may be stored: `check_types` and `check_contents`."""
    check_types(dialect, state)
    check_contents(dialect, state, maybe_null=maybe_null)


def check_patch(dialect: Dialect, scope: Scope, patch: JsonObject) -> None:
    """Raise InvalidRequest unless a recorded `patch` could leave a valid value of `scope` behind.

    A null deletes, a whole plane too; one inside an array would stay. Only a session records answers.
    """
    if scope != "session" and RESPONSE in patch:
        raise InvalidRequest("shared-response", "Only a session records an answer", scope=scope, path=RESPONSE)
    for plane in dialect.planes:
        if plane in patch:
            _refuse_null_in_arrays(plane, patch[plane])


def check_touched(dialect: Dialect, scope: Scope, patch: JsonObject, after: JsonObject) -> None:
    """`check_state` of `after` for one who knows that the value before was valid: looks where `patch` points."""
    check_patch(dialect, scope, patch)
    check_types(dialect, after, (plane for plane in dialect.planes if plane in patch))
    if any(plane in patch for plane, _ in dialect.retired):
        _refuse_retired(dialect, after)
    cards = patch.get(ARTIFACTS)
    stored = after.get(ARTIFACTS)
    if ARTIFACTS in dialect.planes and is_object(cards) and is_object(stored):
        check_cards({name: stored[name] for name in cards if name in stored})


def _declared_root(name: str, declaration: Json) -> ExternalRoot | None:
    """The root as declared, or None where the declaration says something that is not understood."""
    if not is_object(declaration) or set(declaration) != {"module", "projection"}:
        return None
    module, projection = declaration["module"], declaration["projection"]
    if not isinstance(module, str) or not module:
        return None
    if projection == "hot":
        return ExternalRoot(name, module, "hot")
    if projection == "lazy":
        return ExternalRoot(name, module, "lazy")
    return None


def _with_roots(base: Dialect, roots: Iterable[ExternalRoot], strange: Iterable[str]) -> Dialect:
    known = tuple(roots)
    return replace(
        base,
        planes=(*base.planes, *(root.name for root in known)),
        lazy=base.lazy | {root.name for root in known if root.projection == "lazy"},
        roots=known,
        strange=tuple(strange),
    )


def _refuse_other_than_object(state: Json) -> None:
    if not is_object(state):
        raise InvalidRequest("not-an-object", f"A scope's memory is an object, not {a_kind(state)}")


def _refuse_retired(dialect: Dialect, state: JsonObject) -> None:
    for plane, key in dialect.retired:
        value = state.get(plane)
        if is_object(value) and key in value:
            raise InvalidRequest("retired-key", f"The key {key} is no longer stored in {plane}", path=f"{plane}.{key}")


def _refuse_null(plane: str, value: Json) -> None:
    path = _null_at(value)
    if path is not None:
        raise InvalidRequest(
            "null-stored", "A null stands in memory, where it can only mean a deletion", path=dotted(plane, path)
        )


def _null_at(value: Json) -> KeyPath | None:
    """The way to some null in `value`, or None. Visits everything once and keeps no path while it looks."""
    if value is None:
        return ()
    pending: list[Json] = [value]
    while pending:
        node = pending.pop()
        members: Iterable[Json] = node.values() if is_object(node) else node if is_array(node) else ()
        for member in members:
            if member is None:
                return _path_to_null(value)
            if is_object(member) or is_array(member):
                pending.append(member)
    return None


def _path_to_null(value: Json) -> KeyPath:
    pending: list[tuple[KeyPath, Json]] = [((), value)]
    while pending:
        path, node = pending.pop()
        if node is None:
            return path
        if is_object(node):
            pending.extend(((*path, key), member) for key, member in node.items())
        elif is_array(node):
            pending.extend(((*path, index), member) for index, member in enumerate(node))
    return ()


def _refuse_null_in_arrays(plane: str, value: Json) -> None:
    pending: list[tuple[KeyPath, Json]] = [((), value)]
    while pending:
        path, node = pending.pop()
        if is_object(node):
            pending.extend(((*path, key), member) for key, member in node.items() if member is not None)
        elif is_array(node):
            inside = _null_at(node)
            if inside is not None:
                raise InvalidRequest(
                    "null-stored", "A null inside an array would stay in memory", path=dotted(plane, (*path, *inside))
                )
