"""When a scope's complete state is written down, so that what the log holds of it can be given again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.ledger.events import Whole
from engine.ledger.lines import to_whole_line
from engine.records import replace

if TYPE_CHECKING:
    from engine.ledger.index import Footing, Index
    from engine.ledger.noticing import Sight
    from engine.values import Encoder

# A larger state is not written: nobody should find a disk full of what a store holds anyway.
MOST: Final = 16 << 20
# A larger one is not written in passing, with what is new, but when there is time for it.
IN_PASSING: Final = 1 << 16
# A small state is not written more often than so many bytes are recorded.
LEAST: Final = 1 << 16
# After something that went by unseen a state is worth this many times what it would be worth otherwise.
_URGENCY: Final = 8


def is_due(footing: Footing) -> bool:
    """Whether a complete state belongs into the log.

    All that is written so stays within a small multiple of what is recorded anyway.
    """
    if not footing.whole:
        return True
    if footing.broken:
        return footing.since * _URGENCY > footing.whole
    return footing.since > max(LEAST, footing.whole)


def is_head(index: Index, sight: Sight) -> bool:
    """Whether a scope was read as the log knows it."""
    known, stream = index.scopes.get(sight.address), sight.stream
    if known is None or known.gone or stream is None:
        return False
    return (known.revision, known.boundary_id) == (stream.revision, stream.head.id)


def whole_line(sight: Sight, at: float, encoder: Encoder) -> tuple[Whole, bytes] | None:
    """Write a state down; None for one that turns out larger than it took on disk."""
    stream = sight.stream
    assert stream is not None
    text = encoder.encode_chunks(stream.current)
    if sum(map(len, text)) > MOST:
        return None
    event = Whole(at, sight.scope, sight.address, stream.revision, stream.head)
    return replace(event, value=stream.current), to_whole_line(event, text)
