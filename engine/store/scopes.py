"""From the captured files of one scope to its reading; what is known of it already is not read twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.errors import DecodeError, EngineError
from engine.memory.dialect import Dialect, dialect_for, unknown_keys
from engine.memory.scope import Scope
from engine.memory.stream import ScopeStream, StreamFault, Transition, open_stream
from engine.records import replace
from engine.store import parsing
from engine.store.captures import Place, unchanged
from engine.store.faults import FAULTS, Fault, make_fault
from engine.store.files import Capture
from engine.store.format import Malformed, ScopeMeta, parse_meta
from engine.store.layout import CHECKPOINT, META, PATCHES, PREDECESSOR, SHARED_FILES, Address, cwd_key
from engine.store.readings import Remark, ScopeReading
from engine.store.reuse import continued, folded, held_lines
from engine.values import Encoder, Json, JsonObject, Note, is_object

KEPT_BYTES: Final = 1 << 16
"""Larger files are let go once they are understood: their values are held already."""


def read_scope(
    scope: Scope,
    address: Address,
    place: Place,
    previous: ScopeReading | None,
    *,
    encoder: Encoder,
    slice_bytes: int | None,
) -> ScopeReading:
    """The reading of one scope. `previous` must be of the same scope of the same address."""
    captures = place.captures
    if previous is not None and place.refusal is None and same_files(previous.captures, captures):
        return _settled(previous, captures)
    reader = _Reader(scope, address, captures, previous, encoder=encoder, slice_bytes=slice_bytes)
    if place.refusal is not None:
        reader.refuse(place.refusal.code, place.refusal.reason, None)
    elif place.present:
        reader.read()
    return reader.reading()


def same_files(known: Mapping[str, Capture], captures: Mapping[str, Capture]) -> bool:
    """Whether all files of a place certainly hold the bytes that they held."""
    return known.keys() == captures.keys() and all(
        unchanged(known[name], captured) for name, captured in captures.items()
    )


def _settled(previous: ScopeReading, captures: dict[str, Capture]) -> ScopeReading:
    """The same reading, with what this look says of the files."""
    if all(previous.captures[name] is captured for name, captured in captures.items()):
        return previous
    if previous.stream is not None:
        _let_go(captures)
    return replace(previous, captures=captures)


def _let_go(captures: Mapping[str, Capture]) -> None:
    for captured in captures.values():
        # Bytes that the clock cannot vouch for are needed once more, to compare.
        if captured.data is not None and len(captured.data) > KEPT_BYTES and not captured.racy:
            captured.data = None


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


class _Reader:
    """The reading in the making. Each file is judged for itself, then they are put together."""

    def __init__(
        self,
        scope: Scope,
        address: Address,
        captures: dict[str, Capture],
        previous: ScopeReading | None,
        *,
        encoder: Encoder,
        slice_bytes: int | None,
    ) -> None:
        self.scope = scope
        self.address = address
        self.at = address.scope_address(scope)
        self.captures = captures
        self.previous = previous if previous is not None and previous.stream is not None else None
        self.encoder = encoder
        self.slice_bytes = slice_bytes
        self.faults: list[Fault] = []
        self.remarks: list[Remark] = []
        self.absent = True
        self.meta: ScopeMeta | None = None
        self.dialect: Dialect | None = None
        self.stream: ScopeStream | None = None
        self.folded: ScopeStream | None = None
        self.lines: tuple[bytes, ...] = ()
        self.numbers: list[int] | None = None

    def refuse(
        self, code: str, reason: str, file: str | None, line: int | None = None, column: int | None = None
    ) -> None:
        self.absent = False
        self.faults.append(
            make_fault(code, reason, scope=self.scope, address=self.at, file=file, line=line, column=column)
        )

    def reading(self) -> ScopeReading:
        wrong = any(fault.severity == "fault" for fault in self.faults)
        if self.stream is not None:
            _let_go(self.captures)
        return ScopeReading(
            self.scope,
            self.at,
            "fenced" if wrong else "absent" if self.absent else "healthy",
            self.stream,
            self.meta,
            self.dialect,
            tuple(self.faults),
            tuple(self.remarks),
            self.captures,
            self.lines,
        )

    def read(self) -> None:
        captures = self.captures
        if captures[PREDECESSOR].identity is not None:
            self.refuse("predecessor", "memory of an older format lies here; it is left untouched", PREDECESSOR)
        for name in SHARED_FILES:
            refusal = captures[name].refusal
            if refusal is not None:
                self.refuse(refusal.code, refusal.reason, name)
        if any(captures[name].refusal is not None for name in SHARED_FILES):
            return
        has_checkpoint = captures[CHECKPOINT].identity is not None
        has_tail = captures[PATCHES].identity is not None
        if not has_checkpoint and not has_tail:
            self._without_memory()
            return
        self.absent = False
        if not has_checkpoint or not has_tail:
            missing, there = (PATCHES, CHECKPOINT) if has_checkpoint else (CHECKPOINT, PATCHES)
            self.refuse("half-pair", f"{there} is there and {missing} is missing", missing)
        if captures[META].identity is None:
            self.refuse("meta-missing", "the metadata is missing beside the memory", META)
        meta = self._meta()
        checkpoint = self._checkpoint(meta)
        transitions = self._tail(meta)
        if meta is None or checkpoint is None or transitions is None:
            return
        if self.dialect is not None:
            self._replay(self.dialect, meta, checkpoint, transitions)

    def _without_memory(self) -> None:
        meta = self._meta() if self.captures[META].identity is not None else None
        if meta is None:
            return
        self.absent = True
        revision = len(meta.boundaries) if meta.revision is None else meta.revision
        reason = f"the metadata tells of revision {revision}, but checkpoint and tail are gone"
        self.faults.append(make_fault("memory-lost", reason, scope=self.scope, address=self.at, file=META))

    def _meta(self) -> ScopeMeta | None:
        data = self.captures[META].data
        if data is None:
            return None
        try:
            decoded = parsing.document(data, None)
            self.meta = meta = parse_meta(decoded.value)
        except (DecodeError, Malformed) as flaw:
            self._flaw(flaw, META)
            return None
        self._note(decoded.notes, META)
        self._owner(meta)
        try:
            self.dialect = dialect_for(meta.version, meta.roots)
        except EngineError as flaw:
            self.refuse(flaw.code, flaw.message, META)
        return meta

    def _owner(self, meta: ScopeMeta) -> None:
        if self.scope != "cwd":
            return
        owner, cwd = meta.owner_cwd, self.address.cwd
        if owner is None:
            self.refuse("owner-missing", "the metadata does not say whose directory this is", META)
        elif cwd is not None and owner != cwd:
            shared = ", which maps to the same name" if cwd_key(owner) == cwd_key(cwd) else ""
            self.refuse("wrong-owner", f"this memory belongs to {owner}{shared}, not to {cwd}", META)
        elif cwd is None and cwd_key(owner) != self.address.key:
            self.refuse("wrong-owner", f"this memory says that it belongs to {owner}, which maps elsewhere", META)

    def _checkpoint(self, meta: ScopeMeta | None) -> tuple[JsonObject, bool, bool] | None:
        """The value, and whether its bytes may hold a null or an empty object."""
        captured, known = self.captures[CHECKPOINT], self.previous
        if captured.identity is None:
            return None
        if known is not None and known.stream is not None and meta is not None:
            if unchanged(known.captures[CHECKPOINT], captured):
                self._keep_remarks(CHECKPOINT)
                # What is no plane in one dialect may hold a null and be one in another.
                return known.stream.checkpoint, known.dialect != self.dialect, True
            if captured.data is not None:
                self.folded = folded(known, meta, captured.data, self.encoder)
                if self.folded is not None:
                    return self.folded.checkpoint, known.dialect != self.dialect, True
        if captured.data is None:
            return None
        try:
            decoded = parsing.document(captured.data, self.slice_bytes)
        except DecodeError as flaw:
            self._flaw(flaw, CHECKPOINT)
            return None
        self._note(decoded.notes, CHECKPOINT)
        if not is_object(decoded.value):
            self.refuse("not-an-object", "the checkpoint is not an object", CHECKPOINT, 1, 1)
            return None
        return decoded.value, decoded.has_null, decoded.has_empty_object

    def _tail(self, meta: ScopeMeta | None) -> tuple[Transition, ...] | None:
        captured, known = self.captures[PATCHES], self.previous
        data = captured.data
        if captured.identity is None:
            return None
        if data is None:
            if known is None or known.stream is None:
                return None
            self.lines = known.tail_lines
            patches: list[Json] = [transition.patch for transition in known.stream.tail]
            self._keep_remarks(PATCHES)
        else:
            try:
                lines = parsing.lines(data, {} if known is None else held_lines(known, meta))
            except DecodeError as flaw:
                self._flaw(flaw, PATCHES)
                return None
            for line in lines:
                self._note(line.notes, PATCHES)
                if not is_object(line.value):
                    self.refuse("not-an-object", "a retained patch must be an object", PATCHES, line.number, 1)
                    return None
            self.lines = tuple([line.raw for line in lines])
            self.numbers = [line.number for line in lines]
            patches = [line.value for line in lines]
        if meta is None:
            return None
        if len(patches) != len(meta.boundaries):
            reason = (
                f"the tail has {_count(len(patches), 'patch', 'patches')}, "
                f"the metadata {_count(len(meta.boundaries), 'boundary', 'boundaries')}"
            )
            self.refuse("count-mismatch", reason, PATCHES)
            return None
        return tuple(
            [
                Transition(boundary, patch)
                for boundary, patch in zip(meta.boundaries, patches, strict=True)
                if is_object(patch)
            ]
        )

    def _replay(
        self,
        dialect: Dialect,
        meta: ScopeMeta,
        checkpoint: tuple[JsonObject, bool, bool],
        transitions: tuple[Transition, ...],
    ) -> None:
        value, maybe_null, maybe_empty = checkpoint
        try:
            known = self.previous
            stream = (
                None if known is None else continued(self.scope, known, dialect, meta, value, transitions, self.folded)
            )
            if stream is None:
                stream = open_stream(
                    dialect,
                    self.scope,
                    revision=meta.revision,
                    through=meta.through,
                    checkpoint=value,
                    transitions=transitions,
                    maybe_null=maybe_null,
                    maybe_empty=maybe_empty,
                )
        except StreamFault as flaw:
            self._stream_flaw(flaw)
            return
        self.stream = stream
        strange = [*dialect.strange, *self._unknown(dialect, stream)]
        if strange or meta.odd:
            what = f"{', '.join(repr(name) for name in strange)} in memory" if strange else "a member of the metadata"
            self.faults.append(
                make_fault("unknown-members", f"{what} is not understood", scope=self.scope, address=self.at)
            )

    def _unknown(self, dialect: Dialect, stream: ScopeStream) -> tuple[str, ...]:
        """Version 4 allows for members that we do not know; in version 2 a writer keeps what is not a plane."""
        if dialect.version != 4:
            return ()
        found = dict.fromkeys(name for state in stream.states for name in unknown_keys(dialect, state))
        return tuple(name for name in found if name not in dialect.strange)

    def _stream_flaw(self, flaw: StreamFault) -> None:
        code = flaw.code if flaw.code in FAULTS else "bad-value" if flaw.line is None else "bad-patch"
        reason = flaw.message if flaw.path is None else f"{flaw.message} (at {flaw.path})"
        line = flaw.line
        if line is not None and self.numbers is not None and line <= len(self.numbers):
            line = self.numbers[line - 1]
        file = CHECKPOINT if line is None else PATCHES
        if flaw.code in ("bad-revision", "tail-too-long"):
            file = META
        self.refuse(code, reason, file, line)

    def _flaw(self, flaw: DecodeError | Malformed, file: str) -> None:
        if isinstance(flaw, DecodeError):
            code = flaw.code if flaw.code in FAULTS else "not-json"
            self.refuse(code, flaw.message, file, flaw.line, flaw.column)
        else:
            self.refuse(flaw.code, flaw.reason, file)

    def _note(self, notes: tuple[Note, ...], file: str) -> None:
        for note in notes:
            self.remarks.append(Remark(note.code, file, note.line, note.column, note.detail))
        for note in notes:
            if note.code == "replacement-characters":
                reason = "bytes that are not UTF-8 are shown as replacement characters"
                fault = make_fault(note.code, reason, scope=self.scope, address=self.at, file=file)
                self.faults.append(replace(fault, line=note.line, column=note.column))
                break

    def _keep_remarks(self, file: str) -> None:
        """What was said of a file that has not changed still holds."""
        if self.previous is None:
            return
        self.remarks.extend(remark for remark in self.previous.remarks if remark.file == file)
        self.faults.extend(
            fault for fault in self.previous.faults if fault.file == file and fault.code == "replacement-characters"
        )
