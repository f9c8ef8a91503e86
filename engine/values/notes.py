"""What a decoder has to say about text that reads, but not as it stands there; and where."""

from __future__ import annotations

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

    def of(self, offset: int) -> tuple[int, int]:
        line = self.text.count("\n", 0, offset)
        return self.first_line + line, offset - self.text.rfind("\n", 0, offset)

    def note(self, finding: Finding) -> Note:
        code, offset, detail = finding
        return Note(code, *self.of(offset), detail)

    def refuse(self, code: str, reason: str, offset: int) -> DecodeError:
        line, column = self.of(offset)
        return DecodeError(code, reason, line=line, column=column)
