"""How large planes were over a row of moments, in blocks; where nobody knows a size there is nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.records import dataclass
from engine.values import Json, JsonObject
from sftui.cells import fit, fit_right
from sftui.display import clean
from sftui.views.growth import delta
from sftui.views.spans import Span, Spans
from sftui.views.units import human

BLOCKS: Final = "▁▂▃▄▅▆▇█"
_UNKNOWN: Final = " "
# A name, a size and a difference beside the blocks.
_NAME: Final = 10
_SIZE: Final = 9
_DELTA: Final = 10
_LEAST_BLOCKS: Final = 6


@dataclass(frozen=True, slots=True)
class Series:
    """The sizes of one plane in bytes, oldest first; None where they are not known."""

    plane: str
    sizes: tuple[int | None, ...]

    @property
    def last(self) -> int | None:
        """The newest size."""
        return self.sizes[-1] if self.sizes else None

    @property
    def first(self) -> int | None:
        """The oldest size that is known."""
        return next((size for size in self.sizes if size is not None), None)

    @property
    def unknown(self) -> int:
        """How many sizes are not known."""
        return sum(1 for size in self.sizes if size is None)

    def to_json(self) -> JsonObject:
        """The series as data."""
        sizes: list[Json] = list(self.sizes)
        return {"plane": self.plane, "sizes": sizes}


def series(sizes: Sequence[Mapping[str, int] | None]) -> tuple[Series, ...]:
    """Give the sizes of each plane from the sizes at each moment, oldest first, largest plane first.

    A plane that a known moment does not name is not there: it takes nothing.
    """
    names: dict[str, int] = {}
    for known in sizes:
        for plane, size in (known or {}).items():
            names[plane] = max(size, names.get(plane, 0))
    return tuple(
        Series(plane, tuple(None if known is None else known.get(plane, 0) for known in sizes))
        for plane, _ in sorted(names.items(), key=lambda entry: (-entry[1], entry[0]))
    )


def blocks(sizes: Sequence[int | None], width: int) -> str:
    """Give sizes in `width` cells, the lowest block for the smallest and the highest for the largest.

    More sizes than cells share cells: each shows the largest of its share, so that a peak is never hidden.
    """
    if not sizes or width <= 0:
        return ""
    count = min(width, len(sizes))
    shared = [
        max(
            (size for size in sizes[len(sizes) * at // count : len(sizes) * (at + 1) // count] if size is not None),
            default=None,
        )
        for at in range(count)
    ]
    known = [size for size in shared if size is not None]
    least, most = min(known, default=0), max(known, default=0)
    return "".join(_UNKNOWN if size is None else _block(size, least, most) for size in shared)


def _block(size: int, least: int, most: int) -> str:
    if least == most:
        return BLOCKS[len(BLOCKS) // 2 - 1] if most else BLOCKS[0]
    return BLOCKS[(size - least) * (len(BLOCKS) - 1) // (most - least)]


def line(one: Series, width: int) -> Spans:
    """Lay a series out: name, blocks, the newest size, and where there is room what it grew by since the oldest known."""
    room = width - _NAME - _SIZE - _DELTA - 1
    wide = room >= _LEAST_BLOCKS
    room = max(0, room if wide else room + _DELTA)
    last, first = one.last, one.first
    size = "unknown" if last is None else human(last)
    spans: list[Span] = [
        (fit(clean(one.plane), _NAME), "key"),
        (f" {fit_right(blocks(one.sizes, room), room)}", "accent"),
        (fit_right(size, _SIZE), "text"),
    ]
    if wide and last is not None and first is not None and last != first:
        spans.append((fit_right(delta(last - first), _DELTA), "muted"))
    return tuple(spans)


def told(found: Sequence[Series], width: int) -> tuple[Spans, list[Spans]]:
    """Give a title and a line for each of the largest planes; what is left out or unknown is said."""
    moments = max((len(one.sizes) for one in found), default=0)
    unknown = max((one.unknown for one in found), default=0)
    title: list[Span] = [("sizes", "strong"), (f" over {moments:,} moments", "muted")]
    if unknown:
        title.append((f", {unknown:,} unknown", "warn"))
    lines = [line(one, width) for one in found[:MOST_PLANES]]
    if len(found) > MOST_PLANES:
        lines.append(((f"and {len(found) - MOST_PLANES:,} smaller planes", "muted"),))
    return tuple(title), lines


MOST_PLANES: Final = 7
