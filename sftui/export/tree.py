"""Memory as a tree on a page: the rows that screen 2 would show, with providers and sizes."""

from __future__ import annotations

from typing import Final

from engine.errors import InvalidRequest
from engine.memory.dialect import Dialect
from engine.records import dataclass
from engine.values import Json, JsonObject, dotted, encoded_size
from sftui.display import clean
from sftui.export.document import Document, Heading, lines
from sftui.export.moments import Meant
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.spans import Spans
from sftui.views.tree import MemorySource, Row, layout
from sftui.views.units import human

MOST_ROWS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Tree:
    """The rows at and below a path. `more` counts those left out; `when` says of which moment they are."""

    name: str
    path: Path
    when: str
    view: View
    rows: tuple[tuple[Row, bool, bool], ...]
    more: int
    size: int

    def to_json(self) -> JsonObject:
        """The tree as data."""
        told: list[Json] = [row.to_json() for row, _, _ in self.rows]
        return {
            "view": self.name,
            "path": list(self.path),
            "moment": self.when,
            "bytes": self.size,
            "rows": told,
            "more": self.more,
        }


def tree(found: Meant, now: Picture) -> Tree:
    """Lay open what is at a path: lazy memory by its keys, unless it is what was asked for."""
    picture = found.picture(now)
    source = MemorySource(picture, found.view)
    path = found.path
    if not source.has(path):
        raise InvalidRequest(
            "no-such-path", "there is nothing at this path", path=dotted(found.name, path),
            hint="show the part above it",
        )  # fmt: skip
    rows: list[tuple[Row, bool, bool]] = []
    more = 0
    stack: list[Path] = [path] if path else list(reversed(source.children(())))
    while stack:
        at = stack.pop()
        expandable = source.expandable(at)
        opened = expandable and (at == path or not _stays_closed(found.dialect, at, path))
        if len(rows) < MOST_ROWS:
            rows.append((source.describe(at), opened, expandable))
        else:
            more += 1
        if opened:
            stack.extend(reversed(source.children(at)))
    size = encoded_size(source.value(path) if path else source.root)
    return Tree(found.name, path, found.when, found.view, tuple(rows), more, size)


def _stays_closed(dialect: Dialect, at: Path, asked: Path) -> bool:
    """Whether a row shows no more than that there is something in it: what is lazy and was not asked for."""
    return at[0] in dialect.lazy and not asked and len(at) > 1


def document(told: Tree, width: int) -> Document:
    """The tree on a page."""
    title = clean(dotted(told.name, told.path))
    head: Spans = (
        (told.when, "muted"),
        (f"  {human(told.size)}", "text"),
        ("  providers and size on the right", "muted"),
    )
    laid: list[Spans] = []
    for row, opened, expandable in told.rows:
        left, right = layout(row, expanded=opened, expandable=expandable, width=width)
        laid.append((*left, (" ", "text"), *right))
    if told.more:
        laid.append(((f"  and {told.more:,} more rows: name a path below", "warn"),))
    if not told.rows:
        laid.append((("  nothing is remembered here", "muted"),))
    return Document(title, (Heading(head), lines(laid)), told.to_json())
