"""The text that hashes and comparisons use: what a JavaScript program would write, rounding included."""

from __future__ import annotations

from engine.values.numbers import format_rounded
from engine.values.quick import quick_bytes
from engine.values.text import write
from engine.values.types import Json


def canonical(value: Json) -> str:
    """Canonical text; integers beyond 2^53 are rounded to doubles (see `format_rounded`)."""
    return canonical_bytes(value).decode()


def canonical_bytes(value: Json) -> bytes:
    """The same in UTF-8."""
    quick = quick_bytes(value, format_rounded, exact=False)
    return write(value, format_rounded).encode() if quick is None else quick


def sha256(value: Json) -> str:
    """The hexadecimal SHA-256 of the canonical text."""
    import hashlib

    return hashlib.sha256(canonical_bytes(value)).hexdigest()
