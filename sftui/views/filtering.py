"""Rows that hold a text, and what leads to them; looked for in slices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from engine.records import dataclass
from engine.values import Json, JsonObject, is_array, is_object
from sftui.display import one_line
from sftui.views.preview import gist

if TYPE_CHECKING:
    from sftui.views.overlaid import Overlaid

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows that a filter leaves: matches, and what leads to them. `count` are the matches."""

    order: Mapping[Path, tuple[Path, ...]]
    matches: frozenset[Path]
    count: int
    needle: str = ""

    def whole(self, path: Path) -> bool:
        """Tell whether `path` is shown with everything in it: a match, or inside one."""
        return any(path[:length] in self.matches for length in range(1, len(path) + 1))

    def children(self, path: Path) -> tuple[Path, ...]:
        """Give the kept children."""
        return self.order.get(path, ())

    def found(self) -> Iterator[Path]:
        """Give the matches, wherever they are."""
        return (path for below in self.order.values() for path in below if path in self.matches)

    @property
    def branches(self) -> frozenset[Path]:
        """What must be open for every match to be seen."""
        return frozenset(self.order) - {()}


def search(root: JsonObject, text: str, over: Overlaid | None = None) -> Iterator[Kept | None]:
    """Filter `root` by `text`, a slice at a time: None while looking, the result at last. With `over` what a draft adds
    and takes away is looked through as well.

    A key or a scalar matches that holds the text; lower-case text matches any case. With a
    leading `!` rows that match are hidden instead, with all that is in them.
    """
    inverse = text.startswith("!")
    needle = text[1:] if inverse else text
    matches = _matcher(needle)
    order: dict[Path, list[Path]] = {}
    found: set[Path] = set()
    stack = _below((), root, over)
    steps = 0
    while stack:
        path, value = stack.pop()
        steps += 1
        if steps % _STEP == 0:
            yield None
        key = path[-1]
        hit = isinstance(key, str) and matches(key)
        inside = is_object(value) or is_array(value)
        if not hit and not inside:
            hit = matches(value if isinstance(value, str) else _spell(value))
        if hit and not inverse:
            found.add(path)
        if inverse and not hit:
            _keep(order, path)
            if not inside:
                found.add(path)
        elif hit and not inverse:
            _keep(order, path)
        if inside and not (inverse and hit) and not (hit and not inverse):
            stack.extend(_below(path, value, over))
    shown = "" if inverse else needle
    yield Kept({path: tuple(below) for path, below in order.items()}, frozenset(found), len(found), shown)


def first_match(root: JsonObject, text: str) -> Iterator[Path | None]:
    """Give a row that holds `text`, a slice at a time: None while looking, and where there is none at last."""
    for kept in search(root, text):
        yield None if kept is None else next(kept.found(), None)


def excerpt(text: str, needle: str, before: int = 2, length: int = 60) -> str:
    """Give the part of `text` around the first match, in quotes; '' where there is none."""
    at = (text.lower() if needle == needle.lower() else text).find(needle)
    if at < 0:
        return ""
    start = max(0, at - before)
    lead = "…" if start else ""
    return f'"{lead}{one_line(text[start : start + length + 1], length)}"'


_STEP: Final = 2_000


def _below(path: Path, value: Json, over: Overlaid | None) -> list[tuple[Path, Json]]:
    """Give the rows below `path`, the last one first, with what they show."""
    if over is not None and (not path or path in over.above or path in over.signs):
        return [(child, over.value(child)) for child in reversed(over.children(path))]
    if is_object(value):
        return [((*path, name), member) for name, member in reversed(list(value.items()))]
    if is_array(value):
        return [((*path, index), value[index]) for index in range(len(value) - 1, -1, -1)]
    return []


def _spell(value: Json) -> str:
    return gist(value, 64)[0]


def _matcher(needle: str) -> Callable[[str], bool]:
    if needle == needle.lower():
        return lambda text: needle in text.lower()
    return lambda text: needle in text


def _keep(order: dict[Path, list[Path]], path: Path) -> None:
    """Note `path` as a child of its parent, and every ancestor of its own."""
    for length in range(len(path), 0, -1):
        parent, child = path[: length - 1], path[:length]
        below = order.setdefault(parent, [])
        if below and below[-1] == child:
            return
        below.append(child)
