"""The store's encoder: canonical, but integers keep all their digits."""

from __future__ import annotations

from engine.values.numbers import format_int
from engine.values.quick import quick_bytes
from engine.values.text import write
from engine.values.types import Json


def encode(value: Json) -> bytes:
    """The text of a value as a store holds it, without a line end."""
    quick = quick_bytes(value, format_int, exact=True)
    return write(value, format_int).encode() if quick is None else quick


def encoded_size(value: Json) -> int:
    """How many bytes `encode` makes of it."""
    return len(encode(value))
