"""The one switch for every shortcut, so that each can be compared with its slow twin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_enabled = True


def fast_paths() -> bool:
    """Whether shortcuts may be taken. Results are the same either way."""
    return _enabled


def set_fast_paths(on: bool) -> None:
    """Turn every shortcut of the process on or off."""
    global _enabled
    _enabled = on


@contextmanager
def use_fast_paths(on: bool) -> Iterator[None]:
    """The same for the length of a `with` block."""
    before = _enabled
    set_fast_paths(on)
    try:
        yield
    finally:
        set_fast_paths(before)
