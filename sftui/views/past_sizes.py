"""The sizes of planes at each moment that is listed: from the states that tails retain, else from recorded growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine.memory.scope import Scope
from engine.values import JsonObject
from sftui.views.picture import Picture
from sftui.views.sizes import Sizes
from sftui.views.sparklines import Series, series

if TYPE_CHECKING:
    from sftui.views.moments import Moment

PlaneSizes: TypeAlias = Mapping[str, int]
Growths: TypeAlias = Mapping[tuple[str, int], Mapping[str, int]]
"""What a transition added to each plane, by address and revision, where a record says so."""


def sizes_over(picture: Picture, moments: Sequence[Moment], scope: Scope | None, grew: Growths) -> tuple[Series, ...]:
    """How large each plane was after each of `moments`, which are newest first; all scopes together, or one.

    Back from a transition of which neither a state nor a record is left, nothing is known of that scope.
    """
    snapshot = picture.snapshot
    if snapshot is None:
        return ()
    at: dict[str, PlaneSizes | None] = {}
    states: dict[tuple[str, int], JsonObject] = {}
    for name, reading in snapshot.scopes.items():
        if scope not in {None, name} or reading.status == "absent":
            continue
        stream = reading.stream
        at[reading.address] = None if stream is None else _planes(stream.current, picture.sizes)
        if stream is not None:
            first = stream.revision - len(stream.tail)
            states |= {(reading.address, first + index): state for index, state in enumerate(stream.states)}
    found: list[PlaneSizes | None] = []
    for moment in moments:
        found.append(_sum(at))
        for part in moment.parts:
            if part.address in at:
                state = states.get((part.address, part.revision - 1)) if part.era == 0 else None
                at[part.address] = (
                    _planes(state, picture.sizes)
                    if state is not None
                    else _shrunk(at[part.address], grew.get((part.address, part.revision)))
                )
    return series(found[::-1])


def _shrunk(after: PlaneSizes | None, grew: Mapping[str, int] | None) -> PlaneSizes | None:
    """The sizes before a transition, from those after it and what it added."""
    if after is None or grew is None:
        return None
    left = {plane: after.get(plane, 0) - grew.get(plane, 0) for plane in {**after, **grew}}
    return {plane: size for plane, size in left.items() if size > 0}


def _planes(state: JsonObject, sizes: Sizes) -> PlaneSizes:
    found: dict[str, int] = {}
    for plane, value in state.items():
        for _ in sizes.measure(value):
            pass
        found[plane] = sizes.quick(value) or 0
    return found


def _sum(at: Mapping[str, PlaneSizes | None]) -> PlaneSizes | None:
    total: dict[str, int] = {}
    for known in at.values():
        if known is None:
            return None
        for plane, size in known.items():
            total[plane] = total.get(plane, 0) + size
    return total
