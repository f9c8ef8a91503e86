"""Sizes over time: how large each plane of a scope was after each of its recorded transitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.errors import DecodeError
from engine.ledger.timeline import BASELINE, TIMELINE, TRANSITION, TimelineState
from engine.ledger.units import Source, ViewedUnit, Viewer, place_of
from engine.records import dataclass
from engine.values import decode, is_object

# Rows of the timeline looked up at once.
PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class SizePoint:
    """The planes of a scope after the transition that stands at `seq`, in bytes of JSON; None where nobody knows."""

    seq: int
    revision: int
    planes: Mapping[str, int] | None


@dataclass(frozen=True, slots=True)
class SizesAsk:
    """A scope whose planes are known at a revision, the newest that is recorded; so many transitions before it.

    More than `points` of them are thinned out: of each plane the least and the greatest stay.
    """

    address: str
    revision: int
    planes: Mapping[str, int]
    points: int = 200
    most: int = 100_000


def _view(source: Source, ask: SizesAsk) -> tuple[SizePoint, ...]:
    return thinned(tuple(_back(source, ask))[::-1], ask.points)


def _back(source: Source, ask: SizesAsk) -> Iterator[SizePoint]:
    """Every transition, newest first. Beyond one that does not say what it added nothing is known."""
    planes: Mapping[str, int] | None = ask.planes
    revision = ask.revision
    for row in _rows(source, ask):
        seq, _, part, _, kind, own, _, grew = row
        if kind > TRANSITION:
            # What a first sight retains leads up to it; before that, and before anything else, is another past.
            planes = planes if kind == BASELINE and own == revision and part else None
            continue
        if own != revision:
            planes = None
        yield SizePoint(seq, own, planes)
        planes = _before(planes, grew)
        revision = own - 1
        if not part and kind < TRANSITION:
            planes = None


def _rows(source: Source, ask: SizesAsk) -> Iterator[TimelineState]:
    where = "place = ? ORDER BY seq DESC"
    values: tuple[int, ...] = (place_of(ask.address),)
    given = 0
    while given < ask.most:
        rows = source.select(TIMELINE, where, values, limit=min(PAGE, ask.most - given))
        yield from rows
        if len(rows) < PAGE:
            return
        given += len(rows)
        where, values = "place = ? AND seq < ? ORDER BY seq DESC", (place_of(ask.address), rows[-1][0])


def _before(planes: Mapping[str, int] | None, grew: bytes | None) -> Mapping[str, int] | None:
    """The sizes before a transition, from those after it."""
    if planes is None or grew is None:
        return None
    try:
        told = decode(grew).value
    except DecodeError:
        return None
    if not is_object(told) or not told:
        return planes if is_object(told) else None
    left = dict(planes)
    for plane, delta in told.items():
        if type(delta) is not int or (size := left.get(plane, 0) - delta) < 0:
            return None
        left[plane] = size
        if not size:
            del left[plane]
    return left


def thinned(points: Sequence[SizePoint], count: int) -> tuple[SizePoint, ...]:
    """At most `count` points, or the fewest that hold of each plane the least and the greatest of a few stretches.

    A stretch in which something is not known keeps a place of that, too.
    """
    if len(points) <= count:
        return tuple(points)
    names = {plane for point in points for plane in point.planes or ()}
    stretches = max(1, (count - 2) // (2 * len(names) + 1))
    kept = {0, len(points) - 1}
    for number in range(stretches):
        begin, end = len(points) * number // stretches, len(points) * (number + 1) // stretches
        known = [index for index in range(begin, end) if points[index].planes is not None]
        if len(known) < end - begin:
            kept.add(next(index for index in range(begin, end) if points[index].planes is None))
        for plane in names if known else ():
            sizes = [((points[index].planes or {}).get(plane, 0), index) for index in known]
            kept.add(min(sizes)[1])
            kept.add(max(sizes)[1])
    return tuple(points[index] for index in sorted(kept))


SIZES_VIEW: Final[ViewedUnit[TimelineState, SizesAsk, tuple[SizePoint, ...]]] = ViewedUnit(
    unit=TIMELINE,
    view=_view,
    is_view=lambda view: isinstance(view, tuple) and all(isinstance(one, SizePoint) for one in view),
    says="how large the planes of a scope were after each transition",
)


def series(
    folds: Viewer, address: str, revision: int, planes: Mapping[str, int], points: int = 200
) -> tuple[SizePoint, ...]:
    """Give the sizes of a scope's planes over time, oldest first, from what they are at a revision."""
    return folds.view(SIZES_VIEW, SizesAsk(address, revision, planes, points)) or ()
