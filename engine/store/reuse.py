"""What a reader that holds an earlier reading of a scope need not parse, replay or validate again."""

from __future__ import annotations

from engine.memory.dialect import Dialect
from engine.memory.scope import Scope
from engine.memory.stream import ScopeStream, Transition, extend, fold_oldest, rebased
from engine.records import replace
from engine.store import parsing
from engine.store.format import ScopeMeta
from engine.store.layout import CHECKPOINT, PATCHES
from engine.store.readings import ScopeReading
from engine.values import Encoder, Json, JsonObject, fast_paths, is_object
from engine.values.ordering import arranged, as_read


def folded(known: ScopeReading, meta: ScopeMeta, data: bytes, encoder: Encoder) -> ScopeStream | None:
    """Our own stream folded to what the file holds, when the text of that checkpoint is exactly the file's.

    Its values are those of somebody who reads the files for the first time, down to the order of members.
    """
    if known.stream is None or not fast_paths():
        return None
    before = known.captures[CHECKPOINT].identity
    if meta.through == known.stream.through and (before is None or before.size != len(data)):
        return None  # nothing was folded, and still it is another text: writing ours out to compare would be in vain
    for count, (state, boundary) in enumerate(zip(known.stream.states, known.stream.boundaries(), strict=True)):
        if boundary == meta.through:
            return _refolded(known.stream, count, data) if parsing.spells(data, encoder.encode_chunks(state)) else None
    return None


def _refolded(stream: ScopeStream, count: int, data: bytes) -> ScopeStream:
    base = fold_oldest(stream, count)
    checkpoint: Json = base.checkpoint
    for transition in stream.tail[:count]:
        checkpoint = arranged(checkpoint, transition.patch)
    if not stream.ordered:
        checkpoint = as_read(checkpoint, data.rstrip())
    assert is_object(checkpoint)
    return rebased(base, checkpoint)


def held_lines(known: ScopeReading, meta: ScopeMeta | None) -> dict[bytes, list[JsonObject]]:
    """The patches that need not be decoded again by their bytes, in order; those that were folded are left out."""
    stream = known.stream
    if stream is None or any(remark.file == PATCHES for remark in known.remarks):
        return {}
    retained = list(stream.boundaries())
    folded_away = retained.index(meta.through) if meta is not None and meta.through in retained else 0
    held: dict[bytes, list[JsonObject]] = {}
    for raw, transition in zip(known.tail_lines[folded_away:], stream.tail[folded_away:], strict=True):
        held.setdefault(raw, []).append(transition.patch)
    return held


def continued(  # noqa: PLR0917 - what was, and what is
    scope: Scope,
    known: ScopeReading,
    dialect: Dialect,
    meta: ScopeMeta,
    checkpoint: JsonObject,
    transitions: tuple[Transition, ...],
    folded_stream: ScopeStream | None = None,
) -> ScopeStream | None:
    """Our own stream, folded and extended, where the new one is a continuation of it; only what is new is validated.

    `folded_stream` is what `folded` said of the checkpoint.

    None where it is not, or where only a replay can say what is wrong. Raises StreamFault.
    """
    stream = folded_stream or known.stream
    if stream is None or known.dialect != dialect or not fast_paths():
        return None
    if known.meta is None or (known.meta.version, known.meta.roots) != (meta.version, meta.roots):
        return None
    retained = list(stream.boundaries())
    if meta.through not in retained:
        return None
    count = retained.index(meta.through)
    if stream.states[count] is not checkpoint:
        return None
    base = fold_oldest(stream, count)
    kept = len(base.tail)
    if len(transitions) < kept or not all(map(_is_same, base.tail, transitions)):
        return None
    revision = len(transitions) if meta.revision is None else meta.revision
    if revision < len(transitions):
        return None
    longer = extend(dialect, scope, base, transitions[kept:])
    return longer if longer.revision == revision else replace(longer, revision=revision)


def _is_same(old: Transition, new: Transition) -> bool:
    return old.patch is new.patch and old.boundary == new.boundary
