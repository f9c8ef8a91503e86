"""When a scope's complete state is written down, so that what the log holds of it can be given again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from engine.ledger.events import Baseline, Gap, Whole
from engine.ledger.lines import to_whole_line
from engine.records import replace

if TYPE_CHECKING:
    from engine.ledger.events import Event
    from engine.ledger.index import Footing
    from engine.ledger.noticing import Sight
    from engine.values import Encoder

# A larger state is not written: nobody should find a disk full of what a store holds anyway.
MOST: Final = 16 << 20
# A process that records one change and ends leaves larger ones to those that watch.
BRIEF_MOST: Final = 1 << 16
# A small state is not written more often than so many bytes are recorded.
LEAST: Final = 1 << 16
# After something that went by unseen a state is worth this many times what it would be worth otherwise.
_URGENCY: Final = 8


def is_due(footing: Footing, news: Sequence[tuple[Event, int]], size: int, *, brief: bool) -> bool:
    """Whether a state that takes about `size` bytes belongs behind its `news`, each with the length of its line.

    What is written altogether stays within a small multiple of what is recorded anyway.
    """
    if not news or size > (BRIEF_MOST if brief else MOST):
        return False
    if not footing.whole or any(isinstance(event, Baseline) for event, _ in news):
        return True
    since = footing.since + sum(length for _, length in news)
    if footing.broken or any(isinstance(event, Gap) for event, _ in news):
        return since * _URGENCY > footing.whole
    return since > max(LEAST, footing.whole)


def whole_line(sight: Sight, at: float, encoder: Encoder) -> tuple[Whole, bytes] | None:
    """Write a state down; None for one that turns out larger than it took on disk."""
    stream = sight.stream
    assert stream is not None
    text = encoder.encode_chunks(stream.current)
    if sum(map(len, text)) > MOST:
        return None
    event = Whole(at, sight.scope, sight.address, stream.revision, stream.head)
    return replace(event, value=stream.current), to_whole_line(event, text)
