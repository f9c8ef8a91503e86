"""A view laid out for a page: headings, lines and tables of spans, and the same as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, Protocol, TypeAlias

from engine.records import dataclass
from engine.values import JsonObject
from sftui.views.spans import Span, Spans

Format = Literal["text", "json", "md", "svg"]

# Lines of a page; more than that nobody reads, and what is left out is said. The data has all of it.
MOST_LINES: Final = 20_000


class ViewObject(Protocol):
    """What a screen shows: it says itself as data."""

    def to_json(self) -> JsonObject:
        """The view as data."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what follows; every text in it is cleaned."""

    spans: Spans


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines as a screen shows them."""

    lines: tuple[Spans, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below their heads; the columns in `right` are flush right."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Span, ...], ...]
    right: frozenset[int] = frozenset()


Block: TypeAlias = Heading | Lines | Table


@dataclass(frozen=True, slots=True)
class Document:
    """A page: what it is called, cleaned, its blocks, and the view as data."""

    title: str
    blocks: tuple[Block, ...]
    data: JsonObject


def lines(spans: Iterable[Spans]) -> Lines:
    """Make lines of what a view gives, as many as anybody reads."""
    kept: list[Spans] = []
    more = 0
    for line in spans:
        if len(kept) < MOST_LINES:
            kept.append(line)
        else:
            more += 1
    if more:
        kept.append(((f"and {more:,} more lines; as JSON it is whole", "muted"),))
    return Lines(tuple(kept))


def plain_lines(document: Document) -> Iterator[Spans]:
    """Give a page line by line, its title first, its tables aligned."""
    from sftui.commands.output import table

    yield ((document.title, "strong"),)
    for number, block in enumerate(document.blocks):
        if isinstance(block, Heading):
            if number:
                yield ()
            yield block.spans
        elif isinstance(block, Table):
            heads: tuple[Span, ...] = tuple((head, "muted") for head in block.heads)
            yield from table([heads, *block.rows], block.right)
        else:
            yield from block.lines
