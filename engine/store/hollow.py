"""Scopes and sessions told from their records alone: boundaries, vocabulary, lineage. No memory is read."""

from __future__ import annotations

from typing import Final

from engine.errors import DecodeError, EngineError
from engine.memory.dialect import dialect_for
from engine.memory.scope import Scope
from engine.memory.stream import ScopeStream, Transition, open_stream
from engine.records import dataclass
from engine.store import files, parsing
from engine.store.format import Malformed, Runtime, parse_meta, parse_runtime
from engine.store.layout import CHECKPOINT, META, PATCHES, RUNTIME
from engine.store.places import exists
from engine.values import Json, JsonObject

_NOTHING: Final[JsonObject] = {}


@dataclass(frozen=True, slots=True)
class Hollow:
    """A scope's boundaries, as a stream of empty patches; its vocabulary; of a cwd scope, whose it is."""

    stream: ScopeStream
    version: int
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Records that are not what the format says."""

    reason: str


def emptied(stream: ScopeStream) -> ScopeStream:
    """The boundaries of a stream without what it says."""
    tail = tuple(Transition(transition.boundary, _NOTHING) for transition in stream.tail)
    return ScopeStream(stream.revision, stream.through, tail, (_NOTHING,) * (len(tail) + 1), tidy=True)


def hollow_scope(scope: Scope, place: int) -> Hollow | Unreadable | None:
    """A scope by the metadata in its open directory; None where there is no memory, of which only the names are seen."""
    there = [exists(place, name) for name in (CHECKPOINT, PATCHES)]
    if not any(there):
        return None
    document = _document(META, place)
    if document is None:
        return Unreadable("memory is there, but not the record of its boundaries")
    if isinstance(document, Unreadable):
        return document
    if not all(there):
        return Unreadable("of its checkpoint and its tail only one is there")
    try:
        meta = parse_meta(document.value)
        dialect = dialect_for(meta.version, meta.roots)
        tail = [Transition(boundary, _NOTHING) for boundary in meta.boundaries]
        stream = open_stream(
            dialect, scope, revision=meta.revision, through=meta.through, checkpoint=_NOTHING, transitions=tail
        )
    except Malformed as flaw:
        return Unreadable(flaw.reason)
    except EngineError as flaw:
        return Unreadable(flaw.message)
    return Hollow(stream, dialect.version, meta.owner_cwd)


def session_runtime(place: int) -> Runtime | Unreadable | None:
    """The record of the session in the open directory; None where there is none."""
    document = _document(RUNTIME, place)
    if document is None or isinstance(document, Unreadable):
        return document
    try:
        return parse_runtime(document.value)
    except Malformed as flaw:
        return Unreadable(flaw.reason)


@dataclass(frozen=True, slots=True)
class _Document:
    value: Json


def _document(name: str, place: int) -> _Document | Unreadable | None:
    captured = files.capture(name, place)
    if captured.refusal is not None:
        return Unreadable(f"{name}: {captured.refusal.reason}")
    if captured.data is None:
        return None
    try:
        return _Document(parsing.document(captured.data, None).value)
    except DecodeError as flaw:
        return Unreadable(f"{name}: {flaw.message}")
