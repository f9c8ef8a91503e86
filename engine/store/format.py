"""The documents of a store: bytes to records and back.

Parsing raises `Malformed`; encoding keeps every member that was not understood.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine import values
from engine.errors import InvalidRequest
from engine.memory.stream import MAX_RETAINED, Boundary, parse_boundary, parse_lineage
from engine.records import dataclass, field
from engine.values import Json, JsonObject, whole

DEFAULT_HISTORY: Final = 7

_META: Final = frozenset({"version", "artifacts", "temporal", "owner", "roots"})
_RUNTIME: Final = frozenset({"version", "identity", "lineage", "step", "specification", "bootstrap"})
_PLANES: Final = frozenset({"intents", "contract", "working", "strategy", "tactics", "artifacts", "response", "lazy"})
_FIRST_WITH_ROOTS: Final = 4
_TEMPORAL: Final = frozenset({"revision", "checkpoint", "patches"})
_MODES: Final = ("active", "passive", "off")
_SWITCHES: Final = ("logging", "showSuccessfulPatches", "autoStart", "passiveBootstrap", "passiveTools")


class Malformed(Exception):
    """A document that is JSON but not what it should be: `code` (of the fault table) and `reason`."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ScopeMeta:
    """`meta.json`: `through` is the checkpoint's boundary, `boundaries` those of the tail's lines.

    `revision` is None where an older writer left it out; `extra` holds the members not known here,
    `odd` says that something inside a known member was not understood (it is then not written).
    """

    version: int
    artifacts: JsonObject
    revision: int | None
    through: Boundary
    boundaries: tuple[Boundary, ...]
    owner_cwd: str | None = None
    roots: JsonObject | None = None
    extra: JsonObject = field(default_factory=dict)
    odd: bool = False


@dataclass(frozen=True, slots=True)
class Runtime:
    """`runtime.json`: whose session this is, its lineage, and whether a run is unfinished."""

    cwd: str
    session_id: str
    lineage: tuple[Boundary, ...]
    step: int
    specification: str | None = None
    bootstrap: bool | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OperatorConfig:
    """Root `config.json`; None where the operator said nothing."""

    history_limit: int = DEFAULT_HISTORY
    mode: str | None = None
    switches: Mapping[str, bool] = field(default_factory=dict)


def parse_meta(document: Json) -> ScopeMeta:
    """Raise Malformed; a version nobody knows is answered like any other."""
    if not values.is_object(document):
        raise Malformed("bad-meta", "the metadata must be an object")
    version = whole(document.get("version"))
    if version is None:
        said = "a version that is no whole number" if "version" in document else "no version"
        raise Malformed("bad-meta", f"the metadata says {said}")
    temporal = document.get("temporal")
    if not values.is_object(temporal):
        raise Malformed("no-temporal", "the metadata has no record of boundaries")
    revision = whole(temporal.get("revision"))
    if "revision" in temporal and (revision is None or revision < 0):
        raise Malformed("bad-revision", "the revision must be a whole number, 0 or more")
    lines = temporal.get("patches")
    if not values.is_array(lines):
        raise Malformed("no-temporal", "the metadata does not list the boundaries of the tail")
    artifacts = document.get("artifacts", {})
    if not values.is_object(artifacts):
        raise Malformed("bad-meta", "the provenance of artifacts must be an object")
    # Earlier versions declare no roots: there the member is one that is not known, and kept as it is.
    declares = version >= _FIRST_WITH_ROOTS and "roots" in document
    roots = document["roots"] if declares else None
    if declares and not values.is_object(roots):
        raise Malformed("bad-roots", "the declared roots must be an object")
    try:
        through, *boundaries = [parse_boundary(found) for found in (temporal.get("checkpoint"), *lines)]
    except InvalidRequest as flaw:
        raise Malformed(flaw.code, flaw.message) from flaw
    return ScopeMeta(
        version,
        artifacts,
        revision,
        through,
        tuple(boundaries),
        parse_owner(document.get("owner")) if "owner" in document else None,
        roots if values.is_object(roots) else None,
        _others(document, _META if declares else _META - {"roots"}),
        not temporal.keys() <= _TEMPORAL,
    )


def parse_owner(owner: Json) -> str:
    """The directory of an owner record; raises Malformed."""
    if not values.is_object(owner) or owner.keys() != {"cwd"}:
        raise Malformed("bad-owner", "the owner record must hold a directory and nothing else")
    cwd = owner["cwd"]
    if not isinstance(cwd, str) or not cwd:
        raise Malformed("bad-owner", "the owner record names no directory")
    return cwd


def parse_runtime(document: Json) -> Runtime:
    """Raise Malformed."""
    if not values.is_object(document):
        raise Malformed("bad-runtime", "the runtime record must be an object")
    if whole(document.get("version")) != 1:
        raise Malformed("bad-runtime", "only version 1 of the runtime record is known")
    held = sorted(_PLANES & document.keys())
    if held:
        raise Malformed("runtime-holds-state", f"memory ({held[0]!r}) stands in the runtime record")
    identity = document.get("identity")
    if not values.is_object(identity):
        raise Malformed("bad-runtime", "the runtime record does not say whose it is")
    cwd, session_id = identity.get("cwd"), identity.get("sessionId")
    if not isinstance(cwd, str) or not isinstance(session_id, str) or not session_id:
        raise Malformed("bad-runtime", "the runtime record does not say whose it is")
    step = whole(document.get("step"))
    if step is None or step < 0:
        raise Malformed("bad-runtime", "the step must be a whole number, 0 or more")
    specification, bootstrap = document.get("specification"), document.get("bootstrap")
    if "specification" in document and not isinstance(specification, str):
        raise Malformed("bad-runtime", "the specification must be a string")
    if "bootstrap" in document and not isinstance(bootstrap, bool):
        raise Malformed("bad-runtime", "bootstrap must be true or false")
    try:
        lineage = parse_lineage(document.get("lineage"))
    except InvalidRequest as flaw:
        raise Malformed("bad-lineage", flaw.message) from flaw
    return Runtime(
        cwd,
        session_id,
        lineage,
        step,
        specification if isinstance(specification, str) else None,
        bootstrap if isinstance(bootstrap, bool) else None,
        _others(document, _RUNTIME),
    )


def parse_mode(document: Json) -> str:
    """A session's mode from its `config.json`: the older switch means active or passive."""
    if not values.is_object(document):
        raise Malformed("bad-mode", "the mode file must hold an object")
    if document.keys() == {"mode"}:
        mode = document["mode"]
        if not isinstance(mode, str) or mode not in _MODES:
            raise Malformed("bad-mode", f"there is no mode {values.encode(mode).decode(errors='replace')}")
        return mode
    if document.keys() == {"enabled"}:
        enabled = document["enabled"]
        if not isinstance(enabled, bool):
            raise Malformed("bad-mode", "enabled must be true or false")
        return "active" if enabled else "passive"
    if "mode" in document and "enabled" in document:
        raise Malformed("bad-mode", "the mode is given twice, as mode and as enabled")
    raise Malformed("bad-mode", "the mode file must hold a mode and nothing else")


def parse_operator(document: Json) -> OperatorConfig:
    """The operator's settings; anything unknown raises Malformed."""
    if not values.is_object(document):
        raise Malformed("bad-config", "the settings must be an object")
    for name in document:
        if name not in ("mode", "historyLimit", *_SWITCHES):
            raise Malformed("bad-config", f"there is no setting {name!r}")
    limit = whole(document.get("historyLimit", DEFAULT_HISTORY))
    if limit is None or not 0 <= limit <= MAX_RETAINED:
        raise Malformed("bad-config", f"historyLimit must be a whole number from 0 to {MAX_RETAINED}")
    mode = document.get("mode")
    if "mode" in document and (not isinstance(mode, str) or mode not in _MODES):
        raise Malformed("bad-config", "mode must be active, passive or off")
    switches: dict[str, bool] = {}
    for name in _SWITCHES:
        if name in document:
            value = document[name]
            if not isinstance(value, bool):
                raise Malformed("bad-config", f"{name} must be true or false")
            switches[name] = value
    return OperatorConfig(limit, mode if isinstance(mode, str) else None, switches)


def encode_meta(meta: ScopeMeta) -> bytes:
    """The canonical document with its final line end; version 1 is written back as 2."""
    temporal: dict[str, Json] = {
        "checkpoint": meta.through.to_json(),
        "patches": [boundary.to_json() for boundary in meta.boundaries],
        "revision": len(meta.boundaries) if meta.revision is None else meta.revision,
    }
    document: dict[str, Json] = {
        **meta.extra,
        "artifacts": meta.artifacts,
        "temporal": temporal,
        "version": 2 if meta.version == 1 else meta.version,
    }
    if meta.owner_cwd is not None:
        document["owner"] = {"cwd": meta.owner_cwd}
    if meta.roots is not None:
        document["roots"] = meta.roots
    return values.encode(document) + b"\n"


def encode_runtime(runtime: Runtime) -> bytes:
    """The canonical document with its final line end."""
    document: dict[str, Json] = {
        **runtime.extra,
        "identity": {"cwd": runtime.cwd, "sessionId": runtime.session_id},
        "lineage": [boundary.to_json() for boundary in runtime.lineage],
        "step": runtime.step,
        "version": 1,
    }
    if runtime.specification is not None:
        document["specification"] = runtime.specification
    if runtime.bootstrap is not None:
        document["bootstrap"] = runtime.bootstrap
    return values.encode(document) + b"\n"


def _others(document: JsonObject, known: frozenset[str]) -> JsonObject:
    if document.keys() <= known:
        return {}
    return {name: value for name, value in document.items() if name not in known}
