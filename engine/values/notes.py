"""What a decoder has to say about text that reads, but not as it stands there; and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from engine.errors import DecodeError
from engine.records import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """`code` is `duplicate-key`, `big-integer` or `replacement-characters`.

    Lines and columns count from 1, columns in characters.
    """

    code: str
    line: int
    column: int
    detail: str


Finding: TypeAlias = tuple[str, int, str]
"""Code, offset in characters and detail of what will be a note."""


@dataclass(frozen=True, slots=True)
class Place:
    """Turns offsets of one text into lines and columns. `first_line` is the number of its first line."""

    text: str
    first_line: int

    def notes(self, findings: Iterable[Finding]) -> tuple[Note, ...]:
        """Notes on findings, which are in the order of the text: it is looked through once for all of them."""
        made: list[Note] = []
        line, seen, line_end = self.first_line, 0, -1
        for code, offset, detail in findings:
            line += self.text.count("\n", seen, offset)
            line_end = max(line_end, self.text.rfind("\n", seen, offset))
            seen = offset
            made.append(Note(code, line, offset - line_end, detail))
        return tuple(made)

    def refuse(self, code: str, reason: str, offset: int) -> DecodeError:
        line = self.first_line + self.text.count("\n", 0, offset)
        return DecodeError(code, reason, line=line, column=offset - self.text.rfind("\n", 0, offset))
