"""A page as Markdown. Whatever a memory holds stays text: nothing in it becomes a link, a tag, a cell or a fence."""

from __future__ import annotations

import re
from typing import Final

from sftui.export.document import Document, Heading, Table
from sftui.views.spans import Spans, plain

_SIGNS: Final = re.compile(r"[!-/:-@\[-`{-~]")
_TICKS: Final = re.compile(r"`+")


def markdown(document: Document) -> str:
    """Write the page; the first heading is its title."""
    parts = [f"# {inline(document.title)}"]
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(f"## {inline(plain(block.spans).strip())}")
        elif isinstance(block, Table):
            parts.append(_table(block))
        elif block.lines:
            parts.append(_fenced(block.lines))
    return "\n\n".join(parts) + "\n"


def inline(text: str) -> str:
    """A text within a line: words as they are, anything with a sign in it as code, where no sign means anything."""
    if not text.strip():
        return ""
    if _SIGNS.search(text) is None and text == text.strip():
        return text
    if "|" in text:
        # Of a bar in code renderers make different things where it stands in a table.
        return _SIGNS.sub(lambda found: f"&#{ord(found[0])};", text.strip())
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    room = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{room}{text}{room}{fence}"


def _fenced(lines: tuple[Spans, ...]) -> str:
    texts = [plain(line).rstrip() for line in lines]
    longest = max((len(run) for text in texts for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}text", *texts, fence))


def _table(block: Table) -> str:
    marks = ("---:" if column in block.right else "---" for column in range(len(block.heads)))
    rows = [
        [inline(head) for head in block.heads],
        list(marks),
        *([inline(text.strip()) for text, _ in row] for row in block.rows),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
