"""Finding transitions in the log by the id of their boundary. Only lines that hold that id are read as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine import values
from engine.ledger.events import Baseline, Retained, TransitionSeen
from engine.ledger.lines import from_line
from engine.memory.scope import Scope, is_scope
from engine.memory.stream import Boundary

Recorded = tuple[Scope, str, Retained]
"""(scope, its address, the transition)."""


def at_boundary(lines: Iterable[bytes], boundary_id: str) -> tuple[Recorded, ...]:
    """The transitions recorded at a boundary of this id, each once, in the order in which they were first recorded.

    Of one that was recorded several times, a record that says what leads back is taken. An id that was used again
    gives several transitions of one address: they differ in revision, boundary or hash.
    """
    found: dict[tuple[str, int, Boundary, str], Recorded] = {}
    for scope, address, transition in _named(lines, boundary_id):
        key = (address, transition.revision, transition.boundary, transition.hash)
        if key not in found or found[key][2].inverse is None:
            found[key] = (scope, address, transition)
    return tuple(found.values())


def _named(lines: Iterable[bytes], boundary_id: str) -> Iterator[Recorded]:
    needle = values.encode(boundary_id)
    for line in lines:
        if needle not in line:
            continue
        event = from_line(line, outline=True)
        if isinstance(event, TransitionSeen):
            entries: tuple[Retained, ...] = (event.transition,)
        elif isinstance(event, Baseline):
            entries = event.tail
        else:
            continue
        scope = event.scope
        if is_scope(scope):
            yield from ((scope, event.address, one) for one in entries if one.boundary.id == boundary_id)
