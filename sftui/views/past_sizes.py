"""The sizes of planes at each moment that is listed: from the states that tails retain, else from recorded growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.memory.scope import Scope
from engine.values import JsonObject
from sftui.views.picture import Picture
from sftui.views.sizes import Sizes
from sftui.views.sparklines import Series, series

if TYPE_CHECKING:
    from sftui.views.moments import Moment

PlaneSizes = Mapping[str, int]


def sizes_over(
    picture: Picture, moments: Sequence[Moment], scope: Scope | None, grew: Mapping[tuple[str, int], Mapping[str, int]]
) -> tuple[Series, ...]:
    """How large each plane was after each of `moments`, which are newest first; all scopes together, or one.

    `grew` is what a transition added to each plane, by address and revision, where a record says so. Back from a
    transition of which neither a state nor a record is left, nothing is known of that scope.
    """
    snapshot = picture.snapshot
    if snapshot is None:
        return ()
    at: dict[str, PlaneSizes | None] = {}
    for name, reading in snapshot.scopes.items():
        if scope in {None, name} and reading.status != "absent":
            at[reading.address] = None if reading.stream is None else _planes(reading.stream.current, picture.sizes)
    states: dict[tuple[str, int], JsonObject] = {}
    for reading in snapshot.scopes.values():
        if reading.stream is not None:
            first = reading.stream.revision - len(reading.stream.tail)
            states |= {(reading.address, first + index): state for index, state in enumerate(reading.stream.states)}
    found: list[PlaneSizes | None] = []
    for moment in moments:
        found.append(_sum(at))
        for part in moment.parts:
            if part.address in at:
                at[part.address] = _before(part.address, part.revision, at[part.address], states, grew, picture.sizes)
    return series(found[::-1])


def _before(
    address: str,
    revision: int,
    after: PlaneSizes | None,
    states: Mapping[tuple[str, int], JsonObject],
    grew: Mapping[tuple[str, int], Mapping[str, int]],
    sizes: Sizes,
) -> PlaneSizes | None:
    state = states.get((address, revision - 1))
    if state is not None:
        return _planes(state, sizes)
    delta = grew.get((address, revision))
    if after is None or delta is None:
        return None
    left = {plane: after.get(plane, 0) - delta.get(plane, 0) for plane in {**after, **delta}}
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
