"""What a decoder has to say about text that reads, but not as it stands there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """`code` is `duplicate-key`, `big-integer` or `replacement-characters`.

    Lines and columns count from 1, columns in characters.
    """

    code: str
    line: int
    column: int
    detail: str
