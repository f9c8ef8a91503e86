"""What a publication writes: the next cohort, and the bytes of its files. Pure: no file is touched here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from engine import values
from engine.errors import Fenced, InvalidRequest
from engine.memory.cohort import Cohort, Contradiction, advance, join
from engine.memory.dialect import Dialect
from engine.memory.scope import Scope
from engine.memory.staging import Staged
from engine.memory.stream import ScopeStream, rebased
from engine.records import dataclass, replace
from engine.store import files
from engine.store.files import Capture
from engine.store.format import Runtime, ScopeMeta, encode_meta, encode_runtime
from engine.store.layout import CHECKPOINT, META, PATCHES, PREDECESSOR, RUNTIME, Address
from engine.store.readings import ScopeReading, Snapshot
from engine.values import Encoder, Json, JsonObject, is_object, merge
from engine.values.ordering import arranged, as_read, settled

SMALL_BYTES: Final = 1 << 15
"""A smaller checkpoint is encoded whole sooner than anything is remembered of it."""

Place = tuple[str, str]
"""(directory below the root, "." for the root itself; file name)."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to be replaced: its new bytes in pieces, and what was captured there."""

    directory: str
    name: str
    chunks: Sequence[bytes]
    before: Capture


@dataclass(frozen=True, slots=True)
class Successor:
    """A cohort about to be written. `contents` are the new bytes by place, in the order of writing.

    `scopes` are those whose files are written, `created` those of them that were absent.
    `metas` and `lines` are what the readings of the written scopes hold afterwards.
    """

    cohort: Cohort
    scopes: tuple[Scope, ...]
    created: tuple[Scope, ...]
    runtime: Runtime | None
    metas: Mapping[Scope, ScopeMeta]
    lines: Mapping[Scope, tuple[bytes, ...]]
    contents: Mapping[Place, list[bytes]]


def next_cohort(
    snapshot: Snapshot, dialect: Dialect, needed: Collection[Scope], staged: Staged, ids: tuple[str, str]
) -> Cohort:
    """The cohort after the staged change. `ids` are for a fresh origin and for the boundary.

    A change of shared scopes alone is nobody's session's: it stands on an origin of its own.
    """
    origin_id, boundary_id = ids
    session = "session" in staged.net
    streams = {scope: stream for scope in needed if (stream := snapshot.scopes[scope].stream) is not None}
    lineage = snapshot.runtime.lineage if session and snapshot.runtime is not None else None
    limit = snapshot.config.history_limit
    # What does not take part still tells how far history has come: nothing may be written into the past of a session.
    seen = [reading.stream.head.position for reading in snapshot.scopes.values() if reading.stream is not None]
    try:
        before = join(dialect, streams, lineage, origin_id=origin_id, limit=limit, above=max(seen, default=0))
    except Contradiction as flaw:
        raise Fenced(flaw.code, flaw.message, scope=flaw.scope, kept="nothing was written") from flaw
    # As it will be read: what an author wrote in another order, or as 1.0, is not what the files say.
    net = {scope: settled(patch) for scope, patch in staged.net.items()}
    after = {scope: merge(before.streams[scope].current, patch).value for scope, patch in net.items()}
    return advance(before, boundary_id, net, after, tidy=staged.tidied)


def successor(
    snapshot: Snapshot,
    dialect: Dialect,
    needed: tuple[Scope, ...],
    staged: Staged,
    cohort: Cohort,
    *,
    warm: bool,
    sketch: bool = False,
) -> Successor:
    """The new bytes of every file that has to change, and what they mean.

    `warm` says that the texts of untouched parts are known, or will be asked for again. A `sketch` is never written:
    it names the checkpoints that would be, and does not spell them out.
    """
    address = snapshot.address
    created = tuple(scope for scope in needed if snapshot.scopes[scope].stream is None)
    scopes = tuple(scope for scope in needed if scope in staged.net or scope in created)
    memory: dict[Place, list[bytes]] = {}
    records: dict[Place, list[bytes]] = {}
    metas: dict[Scope, ScopeMeta] = {}
    lines: dict[Scope, tuple[bytes, ...]] = {}
    streams = dict(cohort.streams)
    for scope in scopes:
        reading, stream = snapshot.scopes[scope], cohort.streams[scope]
        at = address.scope_address(scope)
        net = staged.net.get(scope)
        folded = _folded(reading.stream, stream, grown=net is not None)
        # The boundary tells: without a tail (limit 0) the checkpoint moves although no retained patch was folded.
        if reading.stream is None or reading.stream.through != stream.through:
            memory[at, CHECKPOINT] = []
            if not sketch:
                encoder = snapshot.encoder if warm else None
                memory[at, CHECKPOINT], stream = _checkpoint(reading, stream, net, encoder)
                streams[scope] = stream
        lines[scope] = _lines(reading, stream, folded, net)
        memory[at, PATCHES] = [part for line in lines[scope] for part in (line, b"\n")]
        metas[scope] = _meta(address, reading, dialect, stream, staged)
        records[at, META] = [encode_meta(metas[scope])]
    runtime = None
    if "session" in staged.net and snapshot.runtime is not None:
        runtime = replace(snapshot.runtime, lineage=cohort.lineage, step=snapshot.runtime.step + 1)
        records[address.scope_address("session"), RUNTIME] = [encode_runtime(runtime)]
    contents = {
        place: chunks
        for place, chunks in {**memory, **records}.items()
        if not _is_there(_capture(snapshot, place), chunks)
    }
    return Successor(replace(cohort, streams=streams), scopes, created, runtime, metas, lines, contents)


def targets(snapshot: Snapshot, made: Successor) -> tuple[Target, ...]:
    return tuple(
        Target(directory, name, chunks, _capture(snapshot, (directory, name)))
        for (directory, name), chunks in made.contents.items()
    )


def unchanged(snapshot: Snapshot, needed: Iterable[Scope], made: Successor) -> dict[Place, Capture]:
    """The captured files of the cohort that must still be as they were when the others are replaced."""
    return {
        (reading.address, name): captured
        for reading in (snapshot.scopes[scope] for scope in needed)
        for name, captured in reading.captures.items()
        if name != PREDECESSOR and (reading.address, name) not in made.contents
    }


def _folded(before: ScopeStream | None, after: ScopeStream, *, grown: bool) -> int:
    """How many of the patches that were retained are part of the checkpoint now."""
    if before is None:
        return 0
    kept = len(after.tail) - (1 if grown and after.tail else 0)
    return len(before.tail) - kept


def _checkpoint(
    reading: ScopeReading, stream: ScopeStream, net: JsonObject | None, encoder: Encoder | None
) -> tuple[list[bytes], ScopeStream]:
    """The text of the new checkpoint, and the stream on it as a reader of that text has it."""
    checkpoint = _arranged(reading.stream, stream, net)
    text = _document(reading, checkpoint, encoder)
    if reading.stream is not None and not reading.stream.ordered:
        read = as_read(checkpoint, b"".join(text[:-1]))
        checkpoint = read if is_object(read) else checkpoint
    return text, rebased(stream, checkpoint)


def _arranged(before: ScopeStream | None, after: ScopeStream, net: JsonObject | None) -> JsonObject:
    """The new checkpoint with what was folded into it in its place."""
    patches = [transition.patch for transition in before.tail] if before is not None else []
    if net is not None:
        patches.append(net)
    checkpoint: Json = after.checkpoint
    for patch in patches[: len(patches) - len(after.tail)]:
        checkpoint = arranged(checkpoint, patch)
    assert is_object(checkpoint)
    return checkpoint


def _document(reading: ScopeReading, value: JsonObject, encoder: Encoder | None) -> list[bytes]:
    """The text of a value; of a large one that of untouched parts is spliced in."""
    known = reading.captures.get(CHECKPOINT, files.ABSENT).identity
    if encoder is None or (known is not None and known.size < SMALL_BYTES):
        return [values.encode(value), b"\n"]
    return [*encoder.encode_chunks(value), b"\n"]


def _lines(reading: ScopeReading, stream: ScopeStream, folded: int, net: JsonObject | None) -> tuple[bytes, ...]:
    """The lines of the tail: retained ones as they stand in the file, the new one in canonical form."""
    retained = reading.tail_lines[folded:]
    if net is None or not stream.tail:
        return retained
    return (*retained, values.encode(net))


def _meta(address: Address, reading: ScopeReading, dialect: Dialect, stream: ScopeStream, staged: Staged) -> ScopeMeta:
    """The metadata afterwards: every member that another writer knows is kept."""
    scope, known = reading.scope, reading.meta
    owner = address.cwd if scope == "cwd" else None
    if scope == "cwd" and known is None and owner is None:
        raise InvalidRequest("owner-unknown", "a new cwd scope needs the directory that it belongs to", scope=scope)
    base = known if known is not None else ScopeMeta(dialect.version, {}, 0, stream.through, (), owner)
    # Version 1 is written back as 2; where memory begins anew, it speaks as the rest of the store does.
    version = dialect.version if reading.stream is None or base.version == 1 else base.version
    provenance = staged.provenance_updates.get(scope)
    return replace(
        base,
        version=version,
        artifacts={**base.artifacts, **provenance} if provenance else base.artifacts,
        revision=stream.revision,
        through=stream.through,
        boundaries=tuple(transition.boundary for transition in stream.tail),
    )


def _is_there(captured: Capture, chunks: list[bytes]) -> bool:
    """Whether the file holds these very bytes already, as far as that can be told without reading it again."""
    if captured.identity is None or captured.data is None or captured.identity.size != sum(map(len, chunks)):
        return False
    at = 0
    for chunk in chunks:
        if not captured.data.startswith(chunk, at):
            return False
        at += len(chunk)
    return True


def _capture(snapshot: Snapshot, place: Place) -> Capture:
    for reading in snapshot.scopes.values():
        if reading.address == place[0]:
            return reading.captures.get(place[1], files.ABSENT)
    return files.ABSENT
